#include "directory/table/engine_event.h"

#include <chrono>
#include <utility>

#include "bus/sdk/worker.h"
#include "foundation/base/log.h"

namespace iii::directory {

namespace {

constexpr std::chrono::milliseconds kAnswerTimeout{5'000};

}  // namespace

EngineEvent::EngineEvent(sdk::Worker& worker, std::string source, std::string function_id)
    : worker_(worker), source_(std::move(source)), function_id_(std::move(function_id)) {
  worker_.on_ready([this] { tasks_.spawn(choose()); });
}

task::Task<void> EngineEvent::choose() {
  if (!worker_.engine_observes()) {
    end();
    co_return;
  }
  // Of a type that every engine with triggers has.
  const json::Value which = json::Object{{"id", "engine::functions-available"}};
  const sdk::CallOptions options{.timeout = kAnswerTimeout};
  const sdk::Reply<json::Raw> type =
      co_await worker_.trigger("engine::triggers::info", which, options);
  if (!worker_.engine_observes()) co_return;  // that connection is over; the next one asks again
  if (!type && type.error().code == sdk::kFunctionNotFound) {
    observe();
  } else {
    end();
  }
}

void EngineEvent::observe() {
  if (is_observed()) return;  // sent again by the SDK
  const auto report = [this](const sdk::ObserverStatus& now) {
    if (now.reason) log_info("observer of {}: {} ({})", source_, now.state, now.reason->code);
    if (now.state == "disposed") observer_.clear();
  };
  Result<std::string> id = worker_.observe({.function_id = source_,
                                            .capture = std::vector<std::string>{"output"},
                                            .deliver = "output",
                                            .target = function_id_,
                                            .on_state = report});
  if (id) observer_ = std::move(*id);
}

void EngineEvent::end() {
  if (is_observed()) worker_.unobserve(std::exchange(observer_, {}));
}

}  // namespace iii::directory
