// How a handler calls functions of the engine and of other workers. It is given to handlers when
// they are made, so that they need not know the bus.
#pragma once

#include <chrono>
#include <string_view>

#include "bus/sdk/core.h"
#include "bus/sdk/pending.h"
#include "directory/table/context.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::directory {

class EngineClient {
 public:
  virtual ~EngineClient() = default;

  // The call begins at once, so that several can be under way. `payload` is JSON text. Without a
  // namespace the function is looked for in that of this worker, else in `default`.
  virtual sdk::Pending<json::Raw> call(const Context& context, std::string_view function_id,
                                       std::string_view payload, std::chrono::milliseconds timeout,
                                       std::string_view name_space) = 0;
  virtual sdk::Sleep sleep(std::chrono::milliseconds time) = 0;

  sdk::Pending<json::Raw> call(const Context& context, std::string_view function_id,
                               std::string_view payload, std::chrono::milliseconds timeout) {
    return call(context, function_id, payload, timeout, {});
  }
  sdk::Pending<json::Raw> call(const Context& context, std::string_view function_id,
                               const json::Value& payload, std::chrono::milliseconds timeout) {
    return call(context, function_id, std::string_view(json::to_text(payload)), timeout);
  }
};

}  // namespace iii::directory
