// Delivers one event to several bindings: one after the other, each behind its condition function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/builtin.h"

namespace iii::engine {

struct FanoutTarget {
  std::string function_id;
  std::string name_space;
  std::optional<std::string> metadata;
  std::optional<std::string> condition_function_id;
};

// Per event: targets are called sequentially in the given order. A condition function gets the same payload
// (without the binding's metadata): an error or boolean `false` skips the target, anything else lets it
// pass. Results of targets are ignored. Events do not wait for each other.
void fan_out(Bus& bus, std::vector<FanoutTarget> targets, std::string payload);

}  // namespace iii::engine
