// Every message of the iii worker protocol as a value (wire §3). No I/O.
//
// The strings of a parsed frame are views into the received text (or into the parser's scratch
// memory when they had escapes), valid until the parser is used again. Payloads are the sender's
// own bytes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/uuid.h"

namespace iii::protocol {

using Text = std::string_view;
using Json = std::string_view;  // one valid JSON value, as its sender wrote it

struct ErrorBody {
  Text code;
  Text message;
  std::optional<Text> stacktrace;  // never written as null
};

struct WorkerRegistered {
  Text worker_id;
  std::optional<Text> reattach_token;
};
struct Reattach {
  Text previous_worker_id;
  std::optional<Text> reattach_token;
};
struct RegisterFunction {
  Text id;
  std::optional<Text> description;
  std::optional<Json> request_format;
  std::optional<Json> response_format;
  std::optional<Json> metadata;
  std::optional<Json> invocation;  // an object with a `url`: run over HTTP, wire §13
};
struct UnregisterFunction {
  Text id;
};
struct RegisterTriggerType {
  Text id;
  Text description;
  std::optional<Json> trigger_request_format;
  std::optional<Json> call_request_format;
  std::optional<Text> name_space;
};
struct RegisterTrigger {
  Text id;
  Text trigger_type;
  Text function_id;
  Json config = "null";
  std::optional<Json> metadata;
  std::optional<Text> name_space;
  std::optional<Text> trigger_namespace;
};
struct UnregisterTrigger {
  Text id;
  std::optional<Text> trigger_type;
};
struct TriggerRegistrationResult {
  Text id;
  Text trigger_type;
  Text function_id;
  std::optional<ErrorBody> error;
};

enum class Action { kCall, kVoid, kEnqueue };

struct InvokeFunction {
  std::optional<Uuid> invocation_id;
  Text function_id;
  Json data = "null";
  Action action = Action::kCall;
  Text queue;  // kEnqueue
  std::optional<Json> metadata;
  std::optional<Text> traceparent;
  std::optional<Text> baggage;
  std::optional<Text> name_space;
  // Parser only: `data` is an object that carries a `_caller_worker_id` of its own, which must not
  // pass.
  bool data_claims_caller = false;
};
struct InvocationResult {
  Uuid invocation_id;
  Text function_id;
  std::optional<Json> result;  // a received null is "no result"
  std::optional<ErrorBody> error;
  std::optional<Text> traceparent;
  std::optional<Text> baggage;
};
struct RegisterService {
  Text id;
  std::optional<Text> name;
  std::optional<Text> description;
};
struct RegistrationRejected {
  Text code;
  Text name_space;
  std::optional<Text> function_id;
  std::optional<Text> worker_name;
  Text owner_worker_id;
};
struct Ping {};
struct Pong {};
// Not a regular message: how an engine says why it refuses a connection (wire §1.4).
struct ConnectionError {
  ErrorBody error;
};

using Frame = std::variant<Ping, Pong, InvokeFunction, InvocationResult, RegisterFunction,
                           UnregisterFunction, RegisterTriggerType, RegisterTrigger,
                           UnregisterTrigger, TriggerRegistrationResult, RegisterService, Reattach,
                           WorkerRegistered, RegistrationRejected, ConnectionError>;

inline constexpr Text kFunctionConflict = "FUNCTION_NAMESPACE_CONFLICT";
inline constexpr Text kWorkerConflict = "WORKER_NAMESPACE_CONFLICT";
inline constexpr Text kDefaultNamespace = "default";
inline constexpr Text kCallerKey = "_caller_worker_id";

}  // namespace iii::protocol
