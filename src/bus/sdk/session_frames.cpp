// What the engine says, and what a worker owes it in return.
#include <fmt/format.h>

#include <utility>

#include "bus/protocol/writer.h"
#include "bus/sdk/session.h"

namespace iii::sdk {
namespace {

std::optional<std::string> owned(const std::optional<std::string_view>& text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

RemoteError owned(const protocol::ErrorBody& body) {
  return RemoteError{{std::string(body.code), std::string(body.message)}, owned(body.stacktrace)};
}

}  // namespace

void Session::on_text(std::string_view text) {
  if (!is_open()) return;
  last_alive_ = timers_.now();
  const Result<protocol::Frame> frame = parser_.parse(text);
  if (!frame) {
    // Newer engines send types that we have not declared to understand; others may be plain wrong.
    if (frame.error().code != "empty") {
      malformed_.warn("a frame from the engine was not understood and ignored: {}",
                      frame.error().message);
    }
    return;
  }
  std::visit([this](const auto& known) { handle(known); }, *frame);
}

void Session::handle(const protocol::WorkerRegistered& frame) {
  worker_id_ = frame.worker_id;
  reattach_token_ = owned(frame.reattach_token);
  engine_observes_v2_ = frame.features && frame.features->contains("\"observe.v2\"");
  engine_observes_ =
      engine_observes_v2_ || (frame.features && frame.features->contains("\"observe.v1\""));
  // A greeting means that the engine accepted us: the next loss counts anew.
  backoff_.reset();
}

void Session::handle(const protocol::InvokeFunction& frame) {
  Invocation invocation{.id = frame.invocation_id,
                        .function_id = std::string(frame.function_id),
                        .data = std::string(frame.data),
                        .metadata = owned(frame.metadata),
                        .traceparent = owned(frame.traceparent),
                        .baggage = owned(frame.baggage),
                        .arrived = timers_.now(),
                        .observe_depth = frame.observe_depth,
                        .activated = frame.activation.has_value()};
  const Function* function = functions_.find(frame.function_id);
  if (!function) {
    return answer(invocation,
                  std::unexpected(remote_error(kFunctionNotFound, "Function not found")));
  }
  if (!function->handler) {
    return answer(invocation, std::unexpected(remote_error(
                                  kFunctionNotInvokable,
                                  "Function is HTTP-invoked and cannot be invoked locally")));
  }
  // The handler may unregister its own function.
  const std::shared_ptr<const FunctionHandler> handler = function->handler;
  (*handler)(std::move(invocation));
}

void Session::handle(const protocol::InvocationResult& frame) {
  if (state_ == SessionState::kOpening && frame.invocation_id == announce_id_) {
    if (frame.error) {
      log_warn("the engine refused the announce: {}: {}", frame.error->code, frame.error->message);
    }
    drop_stale_bindings();
    return become_ready();
  }
  if (frame.error) return settle(frame.invocation_id, std::unexpected(owned(*frame.error)));
  settle(frame.invocation_id, json::Raw{std::string(frame.result.value_or("null"))});
}

void Session::handle(const protocol::RegisterTrigger& frame) {
  BindingRequest request{.id = std::string(frame.id),
                         .function_id = std::string(frame.function_id),
                         .config = std::string(frame.config),
                         .metadata = owned(frame.metadata),
                         .name_space = std::string(frame.name_space.value_or(""))};
  const TriggerType* type = trigger_types_.find(frame.trigger_type);
  if (!type) {
    return answer_binding(request, frame.trigger_type,
                          fail(kTriggerTypeNotFound, "Trigger type not found"));
  }
  // The provider may unregister the type.
  const std::shared_ptr<Bindings> bindings = type->bindings;
  bindings->bind(std::move(request), connection_);
}

void Session::answer_binding(const BindingRequest& request, std::string_view type_id,
                             const Result<void>& verdict) {
  protocol::TriggerRegistrationResult frame;
  frame.id = request.id;
  frame.trigger_type = type_id;
  frame.function_id = request.function_id;
  if (!verdict) {
    const std::string_view code = verdict.error().code;
    frame.error = protocol::ErrorBody{.code = code.empty() ? kTriggerRegistrationFailed : code,
                                      .message = verdict.error().message,
                                      .stacktrace = {}};
  }
  transport_.send(protocol::to_text(frame));
}

void Session::handle(const protocol::UnregisterTrigger& frame) {
  const TriggerType* type = frame.trigger_type ? trigger_types_.find(*frame.trigger_type) : nullptr;
  if (!type) return;
  const std::shared_ptr<Bindings> bindings = type->bindings;
  bindings->unbind(frame.id);
}

void Session::handle(const protocol::TriggerRegistrationResult& frame) {
  const Trigger* trigger = triggers_.find(frame.id);
  if (!trigger || !frame.error) return;
  const RemoteError error = owned(*frame.error);
  log_warn("the binding of {} to {} was refused: {}: {}", frame.function_id, frame.trigger_type,
           error.code, error.message);
  if (const auto on_rejected = trigger->on_rejected) on_rejected(error);
}

void Session::handle(const protocol::RegistrationRejected& frame) {
  if (frame.code == protocol::kFunctionConflict) {
    if (frame.owner_worker_id.empty()) {
      return log_warn(
          "function {} was refused: ids that begin with `engine::` are reserved in namespace {}",
          frame.function_id.value_or("?"), frame.name_space);
    }
    const std::string_view wanted = options_.indispensable;
    if (!wanted.empty() && frame.function_id.value_or("").starts_with(wanted)) {
      return give_up({std::string(frame.code),
                      fmt::format("another live worker already serves `{}` in namespace {}: use "
                                  "that one, or stop it before you start this one",
                                  *frame.function_id, frame.name_space)});
    }
    if (OfferedFamily* offered = family_with(&Family::functions, frame.function_id.value_or(""))) {
      return leave(*offered);
    }
    return log_warn(
        "function {} belongs to another live worker in namespace {}: calls go there, not here",
        frame.function_id.value_or("?"), frame.name_space);
  }
  if (frame.code == protocol::kInvalidArgsFormat) {
    return log_error(
        "function {} was refused: its args_format is not a JSON Schema of at most 64 KiB",
        frame.function_id.value_or("?"));
  }
  if (frame.code == protocol::kUnsupported) {
    return log_error("function {} was refused: the engine does not offer what it needs",
                     frame.function_id.value_or("?"));
  }
  if (frame.code == protocol::kWorkerConflict) {
    const char* next = options_.indispensable.empty()
                           ? "give this one another name (III_WORKER_NAME, or the name option)"
                           : "use that one, or stop it before you start this one";
    return give_up({std::string(frame.code),
                    fmt::format("another live worker is called `{}` in namespace {}: {}",
                                frame.worker_name.value_or("?"), frame.name_space, next)});
  }
  give_up({std::string(frame.code),
           "the engine refused this worker for a reason that this SDK does not know"});
}

void Session::handle(const protocol::ConnectionError& frame) {
  log_error("the engine refuses the connection: {}: {}", frame.error.code, frame.error.message);
}

void Session::handle(protocol::Ping) { transport_.send(protocol::to_text(protocol::Pong{})); }

}  // namespace iii::sdk
