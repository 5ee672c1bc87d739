// How calls to other workers fail, and the codes this SDK itself uses.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <utility>

#include "foundation/base/result.h"

namespace iii::sdk {

// An error as it travels in an answer. Being an Error, it can be passed on as the error of a
// handler's own Result; returned as it is (from a handler that returns Reply<T>) it keeps its stack
// trace too.
struct RemoteError : Error {
  std::optional<std::string> stacktrace;

  bool operator==(const RemoteError&) const = default;
};

// What a call comes back with.
template <typename T>
using Reply = std::expected<T, RemoteError>;

inline RemoteError remote_error(std::string code, std::string message) {
  return RemoteError{{std::move(code), std::move(message)}, std::nullopt};
}

// Codes that never travel: made by this SDK for the code that called it.
inline constexpr const char* kTimeout = "TIMEOUT";
inline constexpr const char* kConnectionLost =
    "connection_lost";  // sent, then the engine went away
inline constexpr const char* kShuttingDown = "shutting_down";
inline constexpr const char* kQueueFull =
    "queue_full";                                      // too much waits for the engine to come back
inline constexpr const char* kNoEngine = "no_engine";  // WorkerOptions::offline
inline constexpr const char* kTooManyCalls = "too_many_calls";
inline constexpr const char* kPayloadTooLarge = "payload_too_large";
inline constexpr const char* kBindingEnded = "binding_ended";  // fired to what was unbound
inline constexpr const char* kInvalidResult =
    "invalid_result";  // the answer is not of the type asked for

inline RemoteError binding_ended() {
  return remote_error(kBindingEnded, "the binding has ended, so nothing was sent");
}

// Codes that a worker puts into its answers (wire §7.4).
inline constexpr const char* kInvocationFailed = "invocation_failed";
inline constexpr const char* kFunctionNotFound = "function_not_found";
inline constexpr const char* kFunctionNotInvokable = "function_not_invokable";
inline constexpr const char* kTriggerRegistrationFailed = "trigger_registration_failed";
inline constexpr const char* kTriggerTypeNotFound = "trigger_type_not_found";
inline constexpr const char* kWorkerBusy = "worker_busy";

}  // namespace iii::sdk
