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

// The engine holds its own calls back from a connection that has more than this to read.
constexpr size_t kMostUnread = 1024 * 1024;
constexpr Millis kRoomPoll{5};

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

// Counts one more unanswered call of this connection; when that is too many, it is refused here.
bool Engine::admit(Worker& caller, const protocol::InvokeFunction& call) {
  if (caller.ledger.calls.fits() && caller.ledger.call_bytes.take(held_bytes(call))) {
    return caller.ledger.calls.take();
  }
  const size_t waiting = caller.ledger.calls.used();
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

// The caller is counted as waiting until this is paid.
struct Engine::OwedAnswer {
  std::shared_ptr<Worker> caller;
  Uuid id;
  size_t held_bytes = 0;
  std::string function_id;
  std::optional<std::string> traceparent;
  std::optional<std::string> baggage;
};

Engine::OwedAnswer Engine::owe(Worker& caller, const protocol::InvokeFunction& call) {
  return {.caller = caller.shared_from_this(),
          .id = *call.invocation_id,
          .held_bytes = held_bytes(call),
          .function_id = std::string(call.function_id),
          .traceparent = copy(call.traceparent),
          .baggage = copy(call.baggage)};
}

void Engine::pay(const OwedAnswer& owed, const Outcome& outcome) {
  owed.caller->ledger.calls.give_back();
  owed.caller->ledger.call_bytes.give_back(owed.held_bytes);
  if (owed.caller->gone) return;
  protocol::InvocationResult result;
  result.invocation_id = owed.id;
  result.function_id = owed.function_id;
  if (!outcome) {
    result.error = protocol::ErrorBody{outcome.error().code, outcome.error().message, {}};
  } else if (*outcome) {
    result.result = (*outcome)->view();
  }
  result.traceparent = view(owed.traceparent);
  result.baggage = view(owed.baggage);
  out_.clear();
  protocol::append(out_, result);
  owed.caller->link.send(out_);
}

void Engine::invoke_builtin(Worker& caller, const protocol::InvokeFunction& call,
                            const Function& target) {
  const CallInfo info{
      .caller = caller.id, .baggage = call.baggage.value_or(""), .owner = caller.owner()};
  if (!wants_answer(call)) return target.builtin->handler(info, call.data, [](const Outcome&) {});
  if (!admit(caller, call)) return;
  target.builtin->handler(
      info, call.data,
      [this, owed = owe(caller, call)](const Outcome& outcome) { pay(owed, outcome); });
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

  OutgoingCall job{.function_id = std::string(kEnqueueFunction),
                   .data = std::move(data),
                   .metadata = {},
                   .owner = caller.owner()};
  if (!call.invocation_id) return this->call(std::move(job), nullptr);
  this->call(std::move(job), [this, receipt, owed = owe(caller, call)](const Outcome& outcome) {
    if (outcome) return pay(owed, R"({"messageReceiptId":")" + receipt + R"("})");
    const Error& error = outcome.error();
    if (error.code != "function_not_found") {
      return pay(owed, fail("enqueue_error", error.code + ": " + error.message));
    }
    pay(owed, fail("enqueue_error",
                   "No queue provider is installed. `TriggerAction::Enqueue` routes through the "
                   "`engine::queue::enqueue` provider, which the standalone queue worker "
                   "registers. Add it with `iii worker add queue`. (underlying: " +
                       error.message + ")"));
  });
}

void Engine::call(OutgoingCall call, Reply reply) {
  const FunctionPtr* target = functions_.find(call.name_space, call.function_id);
  if (target != nullptr && (*target)->builtin == nullptr) {
    return send_own(call, std::move(reply), *(*target)->owner);
  }
  if (target == nullptr && !reply) return;
  const OwnerId owner = call.owner;
  slices_.add(owner, [this, call = std::move(call), reply = std::move(reply)]() mutable {
    run_own(call, reply);
    return false;
  });
}

// The function may have changed hands since it was called.
void Engine::run_own(OutgoingCall& call, Reply& reply) {
  const FunctionPtr* target = functions_.find(call.name_space, call.function_id);
  if (!reply) reply = [](const Outcome&) {};
  if (target == nullptr) {
    return reply(fail("function_not_found", "Function " + call.function_id +
                                                " not found in namespace " + call.name_space));
  }
  if ((*target)->builtin == nullptr) return send_own(call, std::move(reply), *(*target)->owner);
  const CallInfo info{.caller = {}, .baggage = {}, .owner = call.owner, .depth = call.depth};
  (*target)->builtin->handler(info, call.data.view(), std::move(reply));
}

void Engine::send_own(OutgoingCall& call, Reply reply, Worker& callee) {
  protocol::InvokeFunction frame;
  frame.invocation_id = ids_.next();
  frame.function_id = call.function_id;
  frame.data = call.data.view();
  if (call.metadata) frame.metadata = call.metadata->view();
  if (reply) {
    auto pending = std::make_unique<PendingCall>();
    pending->id = *frame.invocation_id;
    pending->callee = &callee;
    pending->owner = call.owner;
    pending->reply = std::move(reply);
    add_pending(std::move(pending));
  }
  out_.clear();
  protocol::append(out_, frame);
  callee.link.send(out_);
}

bool Engine::accepts(std::string_view name_space, std::string_view function_id) const {
  const FunctionPtr* target = functions_.find(name_space, function_id);
  if (target == nullptr || (*target)->owner == nullptr) return true;
  return (*target)->owner->link.queued_bytes() <= kMostUnread;
}

void Engine::when_accepts(OwnerId owner, std::string name_space, std::string function_id,
                          std::move_only_function<void()> action) {
  waiting_for_room_.push_back(
      {owner, std::move(name_space), std::move(function_id), std::move(action)});
  if (room_timer_ == 0) room_timer_ = timers_.after(kRoomPoll, [this] { look_for_room(); });
}

void Engine::look_for_room() {
  room_timer_ = 0;
  std::erase_if(waiting_for_room_, [this](WaitsForRoom& waits) {
    if (!accepts(waits.name_space, waits.function_id)) return false;
    slices_.add(waits.owner, [action = std::move(waits.action)]() mutable {
      action();
      return false;
    });
    return true;
  });
  if (!waiting_for_room_.empty()) {
    room_timer_ = timers_.after(kRoomPoll, [this] { look_for_room(); });
  }
}

void Engine::add_pending(std::unique_ptr<PendingCall> call) {
  // One id, one call: an id that is used again while in flight ends the earlier call (§6.1).
  if (auto earlier = take_pending(call->id)) {
    protocol::InvocationResult lost;
    lost.error = protocol::ErrorBody{"invocation_error", "channel closed", {}};
    finish(*earlier, lost);
  }
  if (call->caller != nullptr) call->caller->calls_made.push_back(*call);
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
    call->caller->ledger.calls.give_back();
    call->caller->ledger.call_bytes.give_back(call->held_bytes);
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
    Outcome told = std::nullopt;
    if (outcome.error) {
      told = fail(std::string(outcome.error->code), std::string(outcome.error->message));
    } else if (outcome.result) {
      told = std::string(*outcome.result);
    }
    slices_.add(call.owner, [reply = std::move(call.reply), told = std::move(told)]() mutable {
      reply(std::move(told));
      return false;
    });
    return;
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
