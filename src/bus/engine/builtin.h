// What the engine offers by itself: functions and trigger types that need no connected worker.
//
// A function is defined once, from typed structs: decoder, schemas and listing come from their
// description. Modules (state, configuration, introspection …) return lists of these; they know the
// engine only through the Bus interface below.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/engine/background.h"
#include "bus/engine/json_text.h"
#include "bus/engine/ledger.h"
#include "bus/engine/limits.h"
#include "bus/engine/owner.h"
#include "bus/engine/slices.h"
#include "foundation/base/result.h"
#include "foundation/base/timers.h"
#include "foundation/base/uuid.h"
#include "foundation/json/describe.h"

namespace iii::engine {

// How a call ended: JSON text of the result, or an error. Nothing = the answer carries no `result`
// key (a stored null is "null").
using Outcome = Result<std::optional<JsonText>>;
// Hears the Outcome of a call. Called exactly once, on the loop thread. A built-in may call it at
// once or later; Bus::call never calls it before it has returned.
using Reply = std::move_only_function<void(Outcome)>;

// Why an event happens.
struct Cause {
  OwnerId owner = kEngineOwner;  // who pays for what it takes to make the event
  size_t depth = 0;              // how many events led to it
  // Calls that events caused by events have made so far, all from one frame of a peer.
  std::shared_ptr<size_t> cascade = {};
};

// Who is calling, and how. Valid during the call of the handler only; copy what outlives it.
struct CallInfo {
  std::optional<Uuid>
      caller;  // worker id of the calling connection; nothing for the engine's own calls
  std::string_view baggage;      // as the caller sent it, or empty
  OwnerId owner = kEngineOwner;  // who pays for what the call causes
  size_t depth = 0;  // how many events led to this call; events that it causes are one deeper
  std::shared_ptr<size_t> cascade = {};  // see Cause

  Cause cause() const { return {owner, depth, cascade}; }
};

// What a built-in takes unless its definition says otherwise.
inline constexpr size_t kMaxInput = 256 * 1024;
// For input that stays text (json::Raw): as large as a message.
inline constexpr size_t kAnyInput = SIZE_MAX;

struct BuiltinFunction {
  std::string id;
  std::string owner;  // name of the in-process worker it is listed under, e.g. `iii-state`
  std::string description;
  std::optional<json::Value> request_schema;
  std::optional<json::Value> response_schema;
  // `data` is valid JSON of any kind.
  std::function<void(const CallInfo&, std::string_view data, Reply)> handler;
  // The same in two steps, for payloads above kInlineBytes: what reads `data` only computes, on any
  // thread; what it returns is called on the loop thread.
  using Prepared = std::move_only_function<void(const CallInfo&, Reply)>;
  std::function<Prepared(std::string_view data)> prepare = {};
  // A larger input is refused before anything of it is decoded: as a json::Value it takes up to
  // thirty times the memory of its text.
  size_t max_input_bytes = kMaxInput;
  bool listed = true;         // legacy spellings work without being advertised
  bool event_source = false;  // see event_source() below
  bool internal = false;      // only for the engine itself: lists leave it out unless asked

  // An input of this size is looked at.
  Result<void> admits(size_t input_bytes) const {
    if (input_bytes <= max_input_bytes) return {};
    return fail("payload_too_large", "The input of " + id + " has " + std::to_string(input_bytes) +
                                         " bytes; it may have " + std::to_string(max_input_bytes) +
                                         ". Next: send less at a time.");
  }
};

namespace builtin_detail {

inline Error decode_error(const std::string& id, const Error& reason) {
  return Error{"deserialization_error",
               "Failed to deserialize input for " + id + ": " + reason.message};
}

}  // namespace builtin_detail

// Wraps `handle(const CallInfo&, In, Reply)`, for answers that come later, carry raw JSON or no
// value.
template <typename In, typename Handle>
BuiltinFunction deferred_builtin(std::string owner, std::string id, std::string description,
                                 Handle handle) {
  BuiltinFunction f{.id = id,
                    .owner = std::move(owner),
                    .description = std::move(description),
                    .request_schema = json::schema<In>(),
                    .response_schema = {},
                    .handler = {}};
  const auto run = [id = std::move(id), handle = std::move(handle)](const CallInfo& info,
                                                                    Result<In> in, Reply reply) {
    if (!in) return reply(std::unexpected(builtin_detail::decode_error(id, in.error())));
    handle(info, std::move(*in), std::move(reply));
  };
  f.handler = [run](const CallInfo& info, std::string_view data, Reply reply) {
    run(info, json::decode<In>(data), std::move(reply));
  };
  f.prepare = [run](std::string_view data) -> BuiltinFunction::Prepared {
    return [run, in = json::decode<In>(data)](const CallInfo& info, Reply reply) mutable {
      run(info, std::move(in), std::move(reply));
    };
  };
  return f;
}

// Wraps `handle(const CallInfo&, In) -> Result<Out>`.
template <typename In, typename Out, typename Handle>
BuiltinFunction builtin(std::string owner, std::string id, std::string description, Handle handle) {
  BuiltinFunction f =
      deferred_builtin<In>(std::move(owner), std::move(id), std::move(description),
                           [handle = std::move(handle)](const CallInfo& info, In in, Reply reply) {
                             Result<Out> out = handle(info, std::move(in));
                             if (!out) return reply(std::unexpected(std::move(out.error())));
                             Result<std::string> text = json::try_encode(*out);
                             if (!text) return reply(std::unexpected(std::move(text.error())));
                             reply(std::move(*text));
                           });
  f.response_schema = json::schema<Out>();
  return f;
}

// A function that nobody can call, so that those who observe it hear of the engine's own events
// (observers §7.2). Lists stay those of the public engine that older peers know.
inline BuiltinFunction event_source(std::string owner, std::string id, std::string description) {
  const auto refuse = [id](const CallInfo&, std::string_view, Reply reply) {
    reply(fail("FORBIDDEN",
               "Function " + id + " is private: only the engine calls it. Next: observe it."));
  };
  return {.id = std::move(id),
          .owner = std::move(owner),
          .description = std::move(description),
          .request_schema = {},
          .response_schema = {},
          .handler = refuse,
          .listed = false,
          .event_source = true};
}

// Somebody wants a function to be called whenever a trigger of a type fires. Never changes; held by
// the trigger table, by whoever delivers to it, and by other threads that list it.
struct Binding {
  std::string id;
  std::string trigger_type = {};
  std::string function_id = {};
  std::string name_space = "default";                 // of the target function
  std::string config = "null";                        // JSON text
  std::optional<std::string> metadata = {};           // JSON text, delivered beside every event
  std::optional<std::string> trigger_namespace = {};  // asked for explicitly
  std::string binder_namespace = "default";           // where the type is looked for first
  std::string account = {};      // made by function: the namespace that it counts against
  OwnerId owner = kEngineOwner;  // who pays for it
};
using BindingPtr = std::shared_ptr<const Binding>;

// The engine's side of a trigger type it provides itself.
class TriggerProvider {
 public:
  virtual ~TriggerProvider() = default;
  // A refusal's message reaches the binder under code `trigger_registration_failed`.
  virtual Result<void> bind(BindingPtr binding, std::shared_ptr<Ledger> ledger) = 0;
  virtual void unbind(const Binding& binding) = 0;
  // All bindings that this owner pays for end.
  virtual void forget(OwnerId owner) = 0;
  // How often it has called the function of a binding.
  virtual uint64_t fired() const { return 0; }
};

struct BuiltinTriggerType {
  std::string id;
  std::string owner;
  std::string description;
  std::optional<json::Value> configuration_schema;  // of a binding's config
  std::optional<json::Value> request_schema;        // of the event
  TriggerProvider* provider = nullptr;              // outlives the engine's use of it
};

// What comes with the activation of an observer (observers §6.2).
struct ActivationContext {
  std::string caller;      // JSON text
  std::string activation;  // JSON text
  uint64_t depth = 0;
  std::string traceparent;
  std::string baggage;
  std::shared_ptr<size_t> cascade;
};

struct OutgoingCall {
  std::string function_id;
  std::string name_space = "default";
  JsonText data;
  std::optional<JsonText> metadata;
  OwnerId owner = kEngineOwner;          // who pays: for an event, the owner of the binding
  size_t depth = 0;                      // how many events led to this call
  std::shared_ptr<size_t> cascade = {};  // see Cause
  std::shared_ptr<const ActivationContext> activation = {};
  std::shared_ptr<void> place = {};  // kept until the answer
};

// What a module may ask of the engine. None of these calls anybody before it returns.
class Bus {
 public:
  virtual ~Bus() = default;
  // A call made by the engine itself: no `_caller_worker_id`, a fresh invocation id. Built-ins and
  // `reply` run as slices of `call.owner`, in order; what is still queued when that owner leaves is
  // dropped. An empty `reply`: nobody waits, so the engine remembers nothing and a target that
  // never answers costs nothing.
  virtual void call(OutgoingCall call, Reply reply) = 0;
  // Whether the connection that serves this function has read most of what was sent to it. True for
  // built-ins and for functions that do not exist.
  virtual bool accepts(std::string_view name_space, std::string_view function_id) const = 0;
  // Runs `action` once as a slice of `owner` as soon as accepts() is true.
  virtual void when_accepts(OwnerId owner, std::string name_space, std::string function_id,
                            std::move_only_function<void()> action) = 0;
  // Whether the engine answers this function itself.
  virtual bool is_builtin(std::string_view name_space, std::string_view function_id) const = 0;
  // Whether anybody observes this event source; what has happened there.
  virtual bool is_observed(std::string_view event_source) const = 0;
  virtual void happened(std::string_view event_source, JsonText event, const Cause& cause) = 0;
  virtual Timers& timers() = 0;
  virtual const EngineLimits& limits() const = 0;
  // For work that is too much for one turn of the loop.
  virtual Slices& slices() = 0;
  virtual Background& background() = 0;
};

}  // namespace iii::engine
