// Observers (docs/protocol/observers.md): a function is called for each finished call of another.
//
//   worker.function("alerts::big", "Tells people.", [](Observation<Order, Receipt> event) { … });
//   worker.observe({.function_id = "shop::charge",
//                   .filters = json::Raw{R"({"input.amount":{"$gte":500}})"},
//                   .target = "alerts::big"});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/json/describe.h"
#include "foundation/json/value.h"

namespace iii::sdk {

// `state`: pending, active, suspended, error or disposed.
struct ObserverStatus {
  std::string state = "pending";
  std::optional<Error> reason = {};
  uint64_t fires = 0;
  // What the engine accepted and doubts, e.g. paths of the filter that no schema knows. Logged,
  // too.
  std::vector<std::string> warnings = {};
};

// `args`, `filters` and `metadata` must be valid JSON: observe() fails with `invalid_observer`
// otherwise.
struct ObserveSpec {
  std::string id = {};           // empty: one is chosen
  std::string function_id = {};  // of the source
  std::string name_space = {};   // of the source; empty: the worker's
  std::optional<json::Raw> args = {};
  std::optional<json::Raw> filters = {};
  std::optional<std::vector<std::string>> capture = {};
  std::string on = {};       // empty: success
  std::string deliver = {};  // empty: envelope
  std::string target = {};
  std::string target_namespace = {};
  std::optional<json::Raw> metadata = {};
  std::optional<uint64_t> max_fires = {};
  std::optional<uint64_t> expires_in_ms = {};
  std::optional<uint64_t> max_in_flight = {};
  std::function<void(const ObserverStatus&)> on_state = {};  // may be empty
};

// An observer as the host of its source sees it.
struct HostedObserver {
  std::string id;
  json::Raw args{"{}"};
  json::Raw filters{"{}"};
  std::string target;
};

struct ObserveHooks {
  // An error refuses the observer, with its code and message. May be empty.
  std::function<Result<void>(const HostedObserver&)> on_added = {};
  std::function<void(const HostedObserver&)> on_removed = {};
};

struct ObservedError {
  std::string code;
  std::string message;
};

// What a target gets, unless `deliver` says otherwise. A part is empty when it was not captured, or
// is not of the type asked for, as the input of a failed call may be; the latter is logged. Ask for
// json::Raw to have it as it is.
template <typename In = json::Raw, typename Out = json::Raw>
struct Observation {
  std::string observer_id;
  std::string activation_id;
  std::string function_id;
  std::string name_space;
  std::string invocation_id;
  std::string status;  // success or error
  std::optional<In> input;
  std::optional<Out> output;
  std::optional<ObservedError> error;
  std::optional<json::Raw> caller;
  std::optional<json::Raw> metadata;
  int64_t started_at_ms = 0;
  double duration_ms = 0;
};

inline auto describe(json::Type<ObservedError>) {
  using T = ObservedError;
  return json::object<T>("ObservedError", "", json::field("code", &T::code, "Stable code."),
                         json::field("message", &T::message, "What happened."));
}

template <typename In, typename Out>
auto describe(json::Type<Observation<In, Out>>) {
  using T = Observation<In, Out>;
  return json::object<T>(
      "Observation", "A finished call of an observed function.",
      json::field("observer_id", &T::observer_id, "Id of the observer."),
      json::field("activation_id", &T::activation_id, "Id of this activation."),
      json::field("function_id", &T::function_id, "Function that was called."),
      json::field("namespace", &T::name_space, "Its namespace."),
      json::field("invocation_id", &T::invocation_id, "Id of the call."),
      json::field("status", &T::status, "`success` or `error`."),
      json::field("input", &T::input, "Input of the call, if captured."),
      json::field("output", &T::output, "Output of the call, if captured."),
      json::field("error", &T::error, "Error of the call, if captured."),
      json::field("caller", &T::caller, "Who called, if captured."),
      json::field("metadata", &T::metadata, "Metadata of the call, if captured."),
      json::field("started_at_ms", &T::started_at_ms, "When it began, in ms since 1970."),
      json::field("duration_ms", &T::duration_ms, "How long it took."));
}

}  // namespace iii::sdk
