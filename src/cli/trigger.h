// `iii-directory trigger`: calls one function and prints its result (engine-functions §9.1).
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "cli/args.h"

namespace iii::cli {

const Command& trigger_command();

// The exit code: 0, 1 for a failed call, 2 for a wrong command line.
int run_trigger(std::span<const std::string> words);

// JSON text made from `--json` and `key=value` pairs.
Result<std::string> build_payload(const std::optional<std::string>& json_text,
                                  std::span<const std::string> pairs);

}  // namespace iii::cli
