// Every message of the iii worker protocol as a value (wire §3). `kType` is the `type` of a
// message. No I/O.
//
// The strings of a parsed frame are views into the received text (or into the parser's scratch
// memory when they had escapes), valid until the parser is used again. Payloads are the sender's
// own bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "foundation/base/uuid.h"

namespace iii::protocol {

using Text = std::string_view;
using Json = std::string_view;  // one valid JSON value, as its sender wrote it

struct ErrorBody {
  Text code;
  Text message;
  std::optional<Text> stacktrace;  // never written as null
};

struct WorkerRegistered {
  static constexpr Text kType = "workerregistered";
  Text worker_id;
  std::optional<Text> reattach_token;
  std::optional<Json> features = {};  // an array of names, observers §1
};
struct Reattach {
  static constexpr Text kType = "reattach";
  Text previous_worker_id;
  std::optional<Text> reattach_token;
};
struct RegisterFunction {
  static constexpr Text kType = "registerfunction";
  Text id;
  std::optional<Text> description;
  std::optional<Json> request_format;
  std::optional<Json> response_format;
  std::optional<Json> metadata;
  std::optional<Json> invocation;  // an object with a `url`: run over HTTP, wire §13
  // Who may observe it, and how (observers §4): v1, then v2.
  std::optional<Json> observe = {};
  std::optional<Json> args_format = {};
  std::optional<bool> is_private = {};
  std::optional<bool> observable = {};
};
struct UnregisterFunction {
  static constexpr Text kType = "unregisterfunction";
  Text id;
};
struct RegisterTriggerType {
  static constexpr Text kType = "registertriggertype";
  Text id;
  Text description;
  std::optional<Json> trigger_request_format;
  std::optional<Json> call_request_format;
  std::optional<Text> name_space;
};
struct RegisterTrigger {
  static constexpr Text kType = "registertrigger";
  Text id;
  Text trigger_type;
  Text function_id;
  Json config = "null";
  std::optional<Json> metadata;
  std::optional<Text> name_space;
  std::optional<Text> trigger_namespace;
};
struct UnregisterTrigger {
  static constexpr Text kType = "unregistertrigger";
  Text id;
  std::optional<Text> trigger_type;
};
struct TriggerRegistrationResult {
  static constexpr Text kType = "triggerregistrationresult";
  Text id;
  Text trigger_type;
  Text function_id;
  std::optional<ErrorBody> error;
};

enum class Action { kCall, kVoid, kEnqueue };

struct InvokeFunction {
  static constexpr Text kType = "invokefunction";
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
  // Of observers (observers §2): objects, and how many activations led to this call.
  std::optional<Json> caller = {};
  std::optional<Json> activation = {};
  uint64_t observe_depth = 0;
};
struct InvocationResult {
  static constexpr Text kType = "invocationresult";
  Uuid invocation_id;
  Text function_id;
  std::optional<Json> result;  // a received null is "no result"
  std::optional<ErrorBody> error;
  std::optional<Text> traceparent;
  std::optional<Text> baggage;
  std::optional<Json> matched = {};  // an array of observer ids, observers §6.1
  bool delivered = false;
};
struct RegisterService {
  static constexpr Text kType = "registerservice";
  Text id;
  std::optional<Text> name;
  std::optional<Text> description;
};
struct RegistrationRejected {
  static constexpr Text kType = "registrationrejected";
  Text code;
  Text name_space;
  std::optional<Text> function_id;
  std::optional<Text> worker_name;
  Text owner_worker_id;
};
struct Ping {
  static constexpr Text kType = "ping";
};
struct Pong {
  static constexpr Text kType = "pong";
};
// Not a regular message: how an engine says why it refuses a connection (wire §1.4).
struct ConnectionError {
  static constexpr Text kType = "error";
  ErrorBody error;
};

// Observers (observers §2). Objects and arrays in them are checked by whoever uses them.
struct Observe {
  static constexpr Text kType = "observe";
  Text id;
  Json source;
  Json target;
  std::optional<Json> metadata;
  std::optional<uint64_t> max_fires;
  std::optional<uint64_t> expires_in_ms;
  std::optional<uint64_t> max_in_flight;
  // When it was read: the first of these that cannot be used. The id is known, so that it is
  // answered.
  Text wrong = {};
};
struct Unobserve {
  static constexpr Text kType = "unobserve";
  Text id;
};
struct ObserveResult {
  static constexpr Text kType = "observeresult";
  Text id;
  Text state;
  std::optional<ErrorBody> error;
  std::optional<Json> warnings;  // an array of paths
};
struct ObserverStateChanged {
  static constexpr Text kType = "observerstatechanged";
  Text id;
  Text state;
  std::optional<ErrorBody> reason;
  uint64_t fires = 0;
};
struct FunctionRegistered {
  static constexpr Text kType = "functionregistered";
  Text id;
  std::optional<Text> name_space;
  uint64_t revision = 0;
  bool local_dispatch = false;
  Json observers = "[]";
};
struct ObserverAdded {
  static constexpr Text kType = "observeradded";
  Text function_id;
  std::optional<Text> name_space;
  uint64_t revision = 0;
  Json observer;
};
struct ObserverRemoved {
  static constexpr Text kType = "observerremoved";
  Text function_id;
  std::optional<Text> name_space;
  uint64_t revision = 0;
  Text id;
};
struct ObserverAck {
  static constexpr Text kType = "observerack";
  Text function_id;
  std::optional<Text> name_space;
  Text id;
  uint64_t revision = 0;
  std::optional<ErrorBody> error;
};
struct InvocationsObserved {
  static constexpr Text kType = "invocationsobserved";
  Json items;
};
struct LocalInvocationStats {
  static constexpr Text kType = "localinvocationstats";
};

using Frame =
    std::variant<Ping, Pong, InvokeFunction, InvocationResult, RegisterFunction, UnregisterFunction,
                 RegisterTriggerType, RegisterTrigger, UnregisterTrigger, TriggerRegistrationResult,
                 RegisterService, Reattach, WorkerRegistered, RegistrationRejected, ConnectionError,
                 Observe, Unobserve, ObserveResult, ObserverStateChanged, FunctionRegistered,
                 ObserverAdded, ObserverRemoved, ObserverAck, InvocationsObserved,
                 LocalInvocationStats>;

inline constexpr Text kFunctionConflict = "FUNCTION_NAMESPACE_CONFLICT";
inline constexpr Text kWorkerConflict = "WORKER_NAMESPACE_CONFLICT";
// Only for connections with `observe.v2` (observers §4).
inline constexpr Text kInvalidArgsFormat = "INVALID_ARGS_FORMAT";
inline constexpr Text kUnsupported = "UNSUPPORTED";
inline constexpr Text kObserveV1 = "observe.v1";
inline constexpr Text kObserveV2 = "observe.v2";
inline constexpr Text kLocalDispatchV1 = "local-dispatch.v1";
inline constexpr Text kDefaultNamespace = "default";
inline constexpr Text kCallerKey = "_caller_worker_id";

}  // namespace iii::protocol
