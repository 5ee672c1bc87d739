// What the worker asks of the session: registrations, calls, answers.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bus/protocol/writer.h"
#include "bus/sdk/session.h"
#include "foundation/base/text.h"

namespace iii::sdk {
namespace {

// Longer waits would overflow clocks.
constexpr Millis kLongestTimeout = std::chrono::hours(24 * 365);

template <typename T>
std::optional<std::string_view> view(const std::optional<T>& text) {
  if (!text) return std::nullopt;
  return std::string_view(*text);
}

std::optional<std::string_view> unless_empty(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return text;
}

Result<void> check_registration(std::string_view what, std::string_view id, bool taken) {
  if (is_blank(id))
    return fail("invalid_id", fmt::format("a {} needs an id that is not blank", what));
  if (taken)
    return fail("already_registered", fmt::format("{} `{}` is already registered", what, id));
  return {};
}

protocol::InvocationResult answer_frame(const Invocation& invocation) {
  protocol::InvocationResult frame;
  frame.invocation_id = *invocation.id;
  frame.function_id = invocation.function_id;
  frame.traceparent = view(invocation.traceparent);
  frame.baggage = view(invocation.baggage);
  return frame;
}

Result<void> check_size(std::string_view frame) {
  if (frame.size() <= protocol::kMaxMessageBytes) return {};
  return fail(
      kPayloadTooLarge,
      fmt::format("{} bytes do not fit into one message of at most {}; use a channel for bulk data",
                  frame.size(), protocol::kMaxMessageBytes));
}

}  // namespace

std::string_view Session::namespace_for(std::string_view id, std::string_view asked) const {
  if (!asked.empty()) return asked;
  // The engine's own functions live in the default namespace, wherever the worker lives.
  if (id.starts_with("engine::") || id.starts_with("configuration::")) return {};
  return options_.name_space;
}

Result<void> Session::add_function(FunctionSpec spec, FunctionHandler handler) {
  if (auto ok = check_registration("function", spec.id, functions_.find(spec.id) != nullptr); !ok) {
    return ok;
  }
  if (auto ok = json::validate(spec.args_format.value_or("{}"), json::kMaxDepth - 1); !ok) {
    return fail("invalid_function", "`args_format` is not valid JSON: " + ok.error().message);
  }
  protocol::RegisterFunction said{.id = spec.id,
                                  .description = unless_empty(spec.description),
                                  .request_format = view(spec.request_format),
                                  .response_format = view(spec.response_format),
                                  .metadata = view(spec.metadata),
                                  .invocation = view(spec.invocation),
                                  .args_format = view(spec.args_format)};
  if (spec.is_private) said.is_private = true;
  if (!spec.observable) said.observable = false;
  std::string frame = protocol::to_text(said);
  if (auto ok = check_size(frame); !ok) return ok;
  const Function& function = functions_.add(
      {.id = spec.id,
       .frame = std::move(frame),
       .handler =
           spec.invocation ? nullptr : std::make_shared<const FunctionHandler>(std::move(handler)),
       .needs_v2 = spec.needs_v2()});
  if (!function.needs_v2) {
    if (is_open()) transport_.send(function.frame);
  } else if (state_ == SessionState::kReady) {
    offer_v2(function);
  }
  return {};
}

bool Session::remove_function(std::string_view id) {
  const std::string frame = protocol::to_text(protocol::UnregisterFunction{.id = id});
  if (!functions_.remove(id)) return false;
  if (is_open()) transport_.send(frame);
  return true;
}

Result<void> Session::add_trigger_type(TriggerTypeSpec spec) {
  if (auto ok =
          check_registration("trigger type", spec.id, trigger_types_.find(spec.id) != nullptr);
      !ok) {
    return ok;
  }
  std::string frame = protocol::to_text(
      protocol::RegisterTriggerType{.id = spec.id,
                                    .description = spec.description,
                                    .trigger_request_format = view(spec.trigger_request_format),
                                    .call_request_format = view(spec.call_request_format),
                                    .name_space = unless_empty(spec.name_space)});
  if (auto ok = check_size(frame); !ok) return ok;
  std::string id = spec.id;
  // The engine that asked may be gone when the verdict comes: if it still wants the binding, it
  // asks again.
  auto answer = [this, id, alive = std::weak_ptr(alive_)](const BindingRequest& request,
                                                          uint64_t connection,
                                                          const Result<void>& verdict) {
    if (alive.expired() || connection != connection_ || !is_open()) return;
    answer_binding(request, id, verdict);
  };
  auto bindings = std::make_shared<Bindings>(
      std::make_shared<const TriggerTypeSpec>(std::move(spec)), std::move(answer));
  // Stored before it is sent: the engine may deliver parked bindings at once.
  const TriggerType& type = trigger_types_.add(
      {.id = std::move(id), .frame = std::move(frame), .bindings = std::move(bindings)});
  const OfferedFamily* offered = family_with(&Family::trigger_types, type.id);
  const bool due =
      offered == nullptr ? is_open() : state_ == SessionState::kReady && !offered->left;
  if (due) transport_.send(type.frame);
  return {};
}

bool Session::remove_trigger_type(std::string_view id) {
  const TriggerType* type = trigger_types_.find(id);
  if (!type) return false;
  const std::shared_ptr<Bindings> bindings = type->bindings;
  trigger_types_.remove(id);
  bindings->close();
  return true;
}

Result<std::string> Session::add_trigger(TriggerSpec spec) {
  if (auto ok = check_registration("binding's trigger type", spec.trigger_type, false); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = check_registration("binding's function", spec.function_id, false); !ok) {
    return std::unexpected(ok.error());
  }
  std::string id = ids_.next().to_string();
  std::string frame = protocol::to_text(protocol::RegisterTrigger{
      .id = id,
      .trigger_type = spec.trigger_type,
      .function_id = spec.function_id,
      .config = spec.config,
      .metadata = view(spec.metadata),
      .name_space = unless_empty(namespace_for(spec.function_id, spec.name_space)),
      .trigger_namespace = unless_empty(spec.trigger_namespace)});
  // The writer leaves `default` out, as engines do; but a binder that names it asks for nothing
  // else.
  for (const auto& [key, asked] : {std::pair("namespace", &spec.name_space),
                                   std::pair("trigger_namespace", &spec.trigger_namespace)}) {
    if (*asked != protocol::kDefaultNamespace) continue;
    frame.insert(frame.size() - 1, fmt::format(R"(,"{}":"default")", key));
  }
  if (auto ok = check_size(frame); !ok) return std::unexpected(ok.error());
  if (is_open()) transport_.send(frame);
  triggers_.add({.id = id,
                 .frame = std::move(frame),
                 .trigger_type = std::move(spec.trigger_type),
                 .on_rejected = std::move(spec.on_rejected)});
  return id;
}

bool Session::remove_trigger(std::string_view id) {
  const Trigger* trigger = triggers_.find(id);
  if (!trigger) return false;
  std::string frame = protocol::to_text(
      protocol::UnregisterTrigger{.id = trigger->id, .trigger_type = trigger->trigger_type});
  triggers_.remove(id);
  if (state_ != SessionState::kIdle) send_or_queue(std::move(frame));
  return true;
}

protocol::InvokeFunction Session::frame_of(const OutgoingCall& call) const {
  protocol::InvokeFunction frame;
  frame.function_id = call.function_id;
  frame.data = call.data;
  if (call.queue) {
    frame.action = protocol::Action::kEnqueue;
    frame.queue = *call.queue;
  }
  frame.metadata = call.metadata;
  frame.traceparent = call.traceparent;
  frame.baggage = call.baggage;
  frame.name_space = unless_empty(namespace_for(call.function_id, call.name_space));
  if (engine_observes_) frame.observe_depth = call.observe_depth;
  return frame;
}

void Session::call(const OutgoingCall& call, OnReply on_reply) {
  if (state_ == SessionState::kStopped) {
    return fail_later(std::move(on_reply),
                      remote_error(kShuttingDown, "this worker is shutting down"));
  }
  if (options_.offline) {
    return fail_later(std::move(on_reply),
                      remote_error(kNoEngine, "this process is not connected to an engine"));
  }
  if (call.bound && !*call.bound) return fail_later(std::move(on_reply), binding_ended());
  if (pending_.size() >= options_.max_pending_calls) {
    return fail_later(
        std::move(on_reply),
        remote_error(kTooManyCalls,
                     fmt::format("{} calls are waiting for their answers", pending_.size())));
  }
  const Uuid id = ids_.next();
  protocol::InvokeFunction frame = frame_of(call);
  frame.invocation_id = id;
  std::string text = protocol::to_text(frame);
  if (auto ok = check_size(text); !ok) {
    return fail_later(std::move(on_reply), RemoteError{ok.error(), std::nullopt});
  }
  const bool sent = state_ == SessionState::kReady;
  if (sent) {
    transport_.send(text);
  } else if (!outbox_.push({.call = id, .text = std::move(text), .bound = call.bound})) {
    return fail_later(
        std::move(on_reply),
        remote_error(kQueueFull, "not connected to the engine, and the queue of calls is full"));
  }
  const Millis timeout =
      std::clamp(call.timeout.value_or(options_.call_timeout), Millis(0), kLongestTimeout);
  const TimerId timer = timers_.after(timeout, [this, id, timeout] {
    settle(id, std::unexpected(remote_error(
                   kTimeout, fmt::format("invocation timed out after {}ms", timeout.count()))));
  });
  pending_.emplace(id, PendingCall{.on_reply = std::move(on_reply), .timer = timer, .sent = sent});
}

Result<void> Session::send_void(const OutgoingCall& call) {
  if (state_ == SessionState::kStopped) return fail(kShuttingDown, "this worker is shutting down");
  if (call.bound && !*call.bound) return std::unexpected(binding_ended());
  protocol::InvokeFunction frame = frame_of(call);
  frame.action = protocol::Action::kVoid;
  std::string text = protocol::to_text(frame);
  if (auto ok = check_size(text); !ok) return ok;
  if (state_ == SessionState::kReady) {
    transport_.send(text);
  } else if (!outbox_.push({.call = {}, .text = std::move(text), .bound = call.bound})) {
    return fail(kQueueFull, "not connected to the engine, and the queue of calls is full");
  }
  return {};
}

Result<std::string> Session::answer_text(const Invocation& invocation, std::string_view result) {
  protocol::InvocationResult frame = answer_frame(invocation);
  frame.result = result;
  std::string text = protocol::to_text(frame);
  if (auto ok = check_size(text); !ok) return std::unexpected(std::move(ok.error()));
  return text;
}

// Too large to wait for a connection, which would not know the call anyway.
void Session::answer_encoded(SharedBytes frame) {
  if (is_open()) transport_.send_encoded(std::move(frame));
}

void Session::answer(const Invocation& invocation, Outcome outcome) {
  if (!invocation.id) {
    if (!outcome) {
      log_warn("{} failed, and its caller expects no answer: {}: {}", invocation.function_id,
               outcome.error().code, outcome.error().message);
    }
    return;
  }
  if (!outcome && invocation.activated) {
    failed_activations_.log(LogLevel::kWarn, "{} failed when an observer called it: {}: {}",
                            invocation.function_id, outcome.error().code, outcome.error().message);
  }
  if (state_ == SessionState::kStopped) return;
  protocol::InvocationResult frame = answer_frame(invocation);
  if (outcome) {
    frame.result = view(*outcome);
  } else {
    frame.error = protocol::ErrorBody{.code = outcome.error().code,
                                      .message = outcome.error().message,
                                      .stacktrace = view(outcome.error().stacktrace)};
  }
  std::string text = protocol::to_text(frame);
  if (auto ok = check_size(text); !ok) {
    frame.result.reset();
    frame.error = protocol::ErrorBody{
        .code = ok.error().code, .message = ok.error().message, .stacktrace = {}};
    text = protocol::to_text(frame);
  }
  answers_.answer(invocation.arrived, std::move(text));
}

// Not for calls: those wait for the ready barrier, these only for a connection.
void Session::send_or_queue(std::string text) {
  if (is_open()) {
    transport_.send(text);
  } else if (!outbox_.push({.call = {}, .text = std::move(text)})) {
    dropped_answers_.warn(
        "not connected to the engine, and the queue is full: answers are dropped");
  }
}

void Session::settle(const Uuid& id, Reply<json::Raw> reply) {
  const auto found = pending_.find(id);
  if (found == pending_.end()) return;  // late, or never ours
  timers_.cancel(found->second.timer);
  OnReply on_reply = std::move(found->second.on_reply);
  pending_.erase(found);
  on_reply(std::move(reply));
}

void Session::fail_later(OnReply on_reply, RemoteError error) {
  auto later = [on_reply = std::move(on_reply), error = std::move(error),
                alive = std::weak_ptr(alive_)]() mutable {
    if (!alive.expired()) on_reply(std::unexpected(std::move(error)));
  };
  timers_.after(Millis(0), std::move(later));
}

}  // namespace iii::sdk
