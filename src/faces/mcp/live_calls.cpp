#include "faces/mcp/live_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

constexpr double kMostProgress = 9e15;

// Whole steps; what is not a number, or negative, is 0.
uint64_t whole(const json::Value* value) {
  if (value == nullptr) return 0;
  if (value->as_int() != nullptr)
    return static_cast<uint64_t>(std::max<int64_t>(0, *value->as_int()));
  if (value->as_double() == nullptr) return 0;
  return static_cast<uint64_t>(std::clamp(*value->as_double(), 0.0, kMostProgress));
}

Result<void> tell_log(const Call& call, const json::Value& message) {
  const std::string* name = text_of(message, "level");
  const std::optional<Level> level = name != nullptr ? level_of(*name) : std::nullopt;
  const json::Value* data = message.find("data");
  if (!level || data == nullptr) {
    return fail("invalid_message", "a log message needs `level` (debug … emergency) and `data`");
  }
  if (!call.level || *level < *call.level) return {};
  std::string params;
  append_text_member(params, "level", *name);
  if (const std::string* logger = text_of(message, "logger")) {
    append_text_member(params, "logger", *logger);
  }
  append_member(params, "data", json::to_text(*data));
  call.notify(notification_text("notifications/message", params));
  return {};
}

}  // namespace

LiveCalls::Entry LiveCalls::add(const Call& call) {
  std::string token = ids_.next().to_string();
  calls_.emplace(token, call);
  return {*this, std::move(token)};
}

task::Task<Result<json::Raw>> LiveCalls::tell(json::Value message) {
  const std::string* token = text_of(message, "request");
  const auto found = token != nullptr ? calls_.find(*token) : calls_.end();
  if (found == calls_.end()) {
    co_return fail("unknown_request", "that request is not running (any more)");
  }
  const Call call = found->second;  // it may end meanwhile
  // How a function learns that nobody waits for it any more.
  if (call.context.cancelled.stop_requested()) {
    co_return fail("cancelled", "the client cancelled this request; nothing it does is shown");
  }
  if (const json::Value* question = object_of(message, "ask")) {
    const std::string* method = text_of(*question, "method");
    const json::Value* params = object_of(*question, "params");
    if (method == nullptr || !call.ask) {
      co_return fail("cannot_ask", "this client cannot be asked while a request runs");
    }
    Result<json::Value> answer =
        co_await call.ask(*method, params != nullptr ? json::to_text(*params) : "{}");
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    co_return json::Raw{json::to_text(*answer)};
  }
  if (message.find("progress") == nullptr) {
    if (auto told = tell_log(call, message); !told) co_return std::unexpected(told.error());
    co_return json::Raw{};
  }
  const std::string* step = text_of(message, "message");
  if (call.context.progress) {
    call.context.progress({.step = step != nullptr ? *step : "",
                           .done = whole(message.find("progress")),
                           .total = whole(message.find("total"))});
  }
  co_return json::Raw{};
}

}  // namespace iii::mcp
