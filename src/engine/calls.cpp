// Engine: calls and their answers (wire-protocol §6).
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "engine/engine.h"
#include "json/write.h"
#include "protocol/trace.h"
#include "protocol/writer.h"

namespace iii::engine {

namespace {

constexpr std::string_view kEnqueueFunction = "engine::queue::enqueue";

std::optional<std::string> copy(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

// What the target sees of the caller's trace context: nothing when the caller sent nothing.
struct TargetTrace {
  std::string_view traceparent;
  std::string baggage;

  explicit TargetTrace(const protocol::InvokeFunction& call) {
    if (!call.traceparent && !call.baggage) return;
    if (call.traceparent && protocol::valid_traceparent(*call.traceparent)) {
      traceparent = *call.traceparent;
    }
    baggage = protocol::forwarded_baggage(call.baggage.value_or(""), call.function_id);
  }
};

bool wants_answer(const protocol::InvokeFunction& call) {
  return call.invocation_id && call.action != protocol::Action::kVoid;
}

// What is kept of a call until its answer: peers choose how long these texts are.
size_t held_bytes(const protocol::InvokeFunction& call) {
  const auto size = [](const std::optional<std::string_view>& s) { return s ? s->size() : 0; };
  return call.function_id.size() + size(call.traceparent) + size(call.baggage);
}

}  // namespace

Error Engine::not_found(std::string_view name_space, std::string_view id) const {
  std::string message =
      "Function " + std::string(id) + " not found in namespace " + std::string(name_space) + ".";
  const std::vector<std::string> elsewhere = functions_.namespaces_of(id);
  if (!elsewhere.empty()) {
    message += " It is registered in namespace(s): " + join(elsewhere, ", ") + ".";
  }
  return {"function_not_found", std::move(message)};
}

void Engine::invoke(Worker& caller, const protocol::InvokeFunction& call) {
  if (call.name_space && is_blank(*call.name_space)) {
    return answer_error(
        caller, call,
        {"INVALID_NAMESPACE",
         "`namespace` is empty: it was named and left blank. Give it a name, or omit it "
         "to use `default`."});
  }
  if (call.action == protocol::Action::kEnqueue) return enqueue(caller, call);

  const FunctionPtr* target = call.name_space ? functions_.find(*call.name_space, call.function_id)
                                              : functions_.find_default(call.function_id);
  if (target == nullptr) {
    if (!wants_answer(call)) return;
    return answer_error(
        caller, call,
        not_found(call.name_space.value_or(protocol::kDefaultNamespace), call.function_id));
  }
  if ((*target)->builtin != nullptr) return invoke_builtin(caller, call, **target);
  forward(caller, call, *target);
}

// Whether the engine can remember one more unanswered call of this connection; else it is refused
// here.
bool Engine::admit(Worker& caller, const protocol::InvokeFunction& call) {
  const size_t waiting = caller.made + caller.builtin_calls;
  if (waiting < limits_.max_calls_per_worker &&
      caller.held_bytes + held_bytes(call) <= limits_.max_call_bytes_per_worker) {
    return true;
  }
  caller.limit_log.warn("worker {} has {} unanswered calls; more are refused", caller.label(),
                        waiting);
  answer_error(
      caller, call,
      {"too_many_calls", "This connection has " + std::to_string(waiting) +
                             " unanswered calls, as many as the engine keeps. Next: wait for "
                             "answers."});
  return false;
}

void Engine::forward(Worker& caller, const protocol::InvokeFunction& call,
                     const FunctionPtr& target) {
  Worker& callee = *target->owner;
  const bool answerable = wants_answer(call);
  if (answerable && !admit(caller, call)) return;
  // A void call still reaches its target with an id; nobody waits for the answer, so none is
  // recorded.
  const Uuid id = answerable ? *call.invocation_id : ids_.next();
  if (answerable) {
    auto pending = std::make_unique<PendingCall>();
    pending->id = id;
    pending->caller = &caller;
    pending->callee = &callee;
    pending->function_id = target->shared_id;
    pending->traceparent = copy(call.traceparent);
    pending->baggage = copy(call.baggage);
    pending->held_bytes = held_bytes(call);
    add_pending(std::move(pending));
  }
  const TargetTrace trace(call);
  out_.clear();
  protocol::append_forwarded(out_, call, id, caller.id_text, trace.traceparent, trace.baggage);
  callee.link.send(out_);
}

void Engine::invoke_builtin(Worker& caller, const protocol::InvokeFunction& call,
                            const Function& target) {
  const CallInfo info{.caller = caller.id, .baggage = call.baggage.value_or("")};
  if (!wants_answer(call)) {
    return target.builtin->handler(info, call.data, [](const Outcome&) {});
  }
  if (!admit(caller, call)) return;
  const size_t held = held_bytes(call);
  ++caller.builtin_calls;
  caller.held_bytes += held;
  // The answer may come later, when the caller is gone: it is found again by its id.
  target.builtin->handler(
      info, call.data,
      [this, caller_id = caller.id, id = *call.invocation_id, held,
       function_id = std::string(call.function_id), traceparent = copy(call.traceparent),
       baggage = copy(call.baggage)](Outcome outcome) {
        Worker* waiting = worker(caller_id);
        if (waiting == nullptr) return;
        --waiting->builtin_calls;
        waiting->held_bytes -= held;
        protocol::InvocationResult result;
        result.invocation_id = id;
        result.function_id = function_id;
        if (outcome) {
          result.result = view(*outcome);
        } else {
          result.error = protocol::ErrorBody{outcome.error().code, outcome.error().message, {}};
        }
        result.traceparent = view(traceparent);
        result.baggage = view(baggage);
        out_.clear();
        protocol::append(out_, result);
        waiting->link.send(out_);
      });
}

void Engine::answer_error(Worker& caller, const protocol::InvokeFunction& call,
                          const Error& error) {
  if (!wants_answer(call)) return;
  protocol::InvocationResult result;
  result.invocation_id = *call.invocation_id;
  result.function_id = call.function_id;
  result.error = protocol::ErrorBody{error.code, error.message, {}};
  result.traceparent = call.traceparent;
  result.baggage = call.baggage;
  out_.clear();
  protocol::append(out_, result);
  caller.link.send(out_);
}

// §6.3: the job goes to whoever provides `engine::queue::enqueue`.
void Engine::enqueue(Worker& caller, const protocol::InvokeFunction& call) {
  if (call.invocation_id && !admit(caller, call)) return;
  const std::string receipt = ids_.next().to_string();
  const std::string baggage =
      protocol::forwarded_baggage(call.baggage.value_or(""), call.function_id);
  std::string data = "{\"queue\":";
  json::append_string(data, call.queue);
  data += ",\"function_id\":";
  json::append_string(data, call.function_id);
  data += ",\"data\":" + std::string(call.data) + ",\"messageReceiptId\":\"" + receipt +
          "\",\"traceparent\":";
  if (call.traceparent) {
    json::append_string(data, *call.traceparent);
  } else {
    data += "null";
  }
  data += ",\"baggage\":";
  json::append_string(data, baggage);
  if (call.name_space && *call.name_space != protocol::kDefaultNamespace) {
    data += ",\"namespace\":";
    json::append_string(data, *call.name_space);
  }
  data += '}';

  OutgoingCall job{
      .function_id = std::string(kEnqueueFunction), .data = std::move(data), .metadata = {}};
  if (!call.invocation_id) return this->call(std::move(job), nullptr);
  const size_t held = held_bytes(call);
  ++caller.builtin_calls;
  caller.held_bytes += held;
  auto done = [this, caller_id = caller.id, id = *call.invocation_id, receipt, held,
               function_id = std::string(call.function_id), traceparent = copy(call.traceparent),
               own_baggage = copy(call.baggage)](const Outcome& outcome) {
    Worker* waiting = worker(caller_id);
    if (waiting == nullptr) return;
    --waiting->builtin_calls;
    waiting->held_bytes -= held;
    protocol::InvocationResult result;
    result.invocation_id = id;
    result.function_id = function_id;
    result.traceparent = view(traceparent);
    result.baggage = view(own_baggage);
    const std::string receipt_json = "{\"messageReceiptId\":\"" + receipt + "\"}";
    std::string message;
    if (outcome) {
      result.result = receipt_json;
    } else if (outcome.error().code == "function_not_found") {
      message =
          "No queue provider is installed. `TriggerAction::Enqueue` routes through the "
          "`engine::queue::enqueue` provider, which the standalone queue worker registers. Add it "
          "with "
          "`iii worker add queue`. (underlying: " +
          outcome.error().message + ")";
    } else {
      message = outcome.error().code + ": " + outcome.error().message;
    }
    if (!outcome) result.error = protocol::ErrorBody{"enqueue_error", message, {}};
    waiting->link.send(protocol::to_text(result));
  };
  this->call(std::move(job), std::move(done));
}

void Engine::call(OutgoingCall call, Reply reply) {
  const FunctionPtr* target = functions_.find(call.name_space, call.function_id);
  if (target == nullptr) {
    if (!reply) return;
    return reply(fail("function_not_found", "Function " + call.function_id +
                                                " not found in namespace " + call.name_space));
  }
  if ((*target)->builtin != nullptr) {
    if (!reply) reply = [](const Outcome&) {};
    return (*target)->builtin->handler(CallInfo{.caller = {}, .baggage = {}}, call.data,
                                       std::move(reply));
  }
  Worker& callee = *(*target)->owner;
  protocol::InvokeFunction frame;
  frame.invocation_id = ids_.next();
  frame.function_id = call.function_id;
  frame.data = call.data;
  frame.metadata = view(call.metadata);
  if (reply) {
    auto pending = std::make_unique<PendingCall>();
    pending->id = *frame.invocation_id;
    pending->callee = &callee;
    pending->reply = std::move(reply);
    add_pending(std::move(pending));
  }
  callee.link.send(protocol::to_text(frame));
}

void Engine::add_pending(std::unique_ptr<PendingCall> call) {
  // One id, one call: an id that is used again while in flight ends the earlier call (§6.1).
  if (auto earlier = take_pending(call->id)) {
    protocol::InvocationResult lost;
    lost.error = protocol::ErrorBody{"invocation_error", "channel closed", {}};
    finish(*earlier, lost);
  }
  if (call->caller != nullptr) {
    call->caller->calls_made.push_back(*call);
    ++call->caller->made;
    call->caller->held_bytes += call->held_bytes;
  }
  call->callee->calls_running.push_back(*call);
  ++call->callee->running;
  const Uuid id = call->id;
  pending_.emplace(id, std::move(call));
}

std::unique_ptr<PendingCall> Engine::take_pending(const Uuid& id) {
  const auto it = pending_.find(id);
  if (it == pending_.end()) return nullptr;
  std::unique_ptr<PendingCall> call = std::move(it->second);
  pending_.erase(it);
  if (call->caller != nullptr) {
    --call->caller->made;
    call->caller->held_bytes -= call->held_bytes;
  }
  --call->callee->running;
  return call;  // its destruction takes it out of both workers' lists
}

void Engine::answered(const protocol::InvocationResult& result) {
  // Whoever answers first is believed, whatever function it names; later answers find nothing
  // (§6.1).
  if (auto call = take_pending(result.invocation_id)) finish(*call, result);
}

void Engine::finish(PendingCall& call, const protocol::InvocationResult& outcome) {
  if (call.caller == nullptr) {
    Reply reply = std::move(call.reply);
    if (outcome.error) {
      return reply(fail(std::string(outcome.error->code), std::string(outcome.error->message)));
    }
    return reply(outcome.result ? std::optional<std::string>(*outcome.result) : std::nullopt);
  }
  protocol::InvocationResult answer = outcome;
  answer.invocation_id = call.id;
  answer.function_id = *call.function_id;
  answer.traceparent = view(call.traceparent);
  answer.baggage = view(call.baggage);
  out_.clear();
  protocol::append(out_, answer);
  call.caller->link.send(out_);
}

void Engine::stop_calls_of(Worker& worker) {
  // Calls it made: nobody is left to hear the answer, and the target is not told (§6.5).
  while (!worker.calls_made.empty()) take_pending(worker.calls_made.front().id);
  protocol::InvocationResult stopped;
  stopped.error = protocol::ErrorBody{"invocation_stopped", "Invocation stopped", {}};
  while (!worker.calls_running.empty()) {
    if (auto call = take_pending(worker.calls_running.front().id)) finish(*call, stopped);
  }
}

}  // namespace iii::engine
