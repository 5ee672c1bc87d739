// Engine: calls and their answers (wire §6).
#include <algorithm>
#include <utility>

#include "bus/engine/engine.h"
#include "bus/protocol/trace.h"
#include "bus/protocol/writer.h"
#include "foundation/base/log.h"
#include "foundation/base/saturate.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8_head.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

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

// The texts of an error are written anew for the caller, so they may not be as long as a message.
void cut(std::string_view& text) {
  constexpr size_t kMostErrorBytes = 256 * 1024;
  text = utf8_head(text, kMostErrorBytes);
}

// Activations that led to this call, as far as its caller says so: without it, a target that
// changes what it observes would never end.
size_t cascade_depth(const Worker& caller, const protocol::InvokeFunction& call) {
  return caller.observes ? saturated_size(std::min(call.observe_depth, Observers::kMaxDepth)) : 0;
}

// Empty when the call succeeded.
std::string_view error_code(const protocol::InvocationResult& result) {
  if (!result.error) return {};
  return result.error->code.empty() ? "other" : result.error->code;
}

Outcome enqueued(const Outcome& outcome, const std::string& receipt) {
  if (outcome) return R"({"messageReceiptId":")" + receipt + R"("})";
  const Error& error = outcome.error();
  if (error.code != "function_not_found") {
    return fail("enqueue_error", error.code + ": " + error.message);
  }
  return fail("enqueue_error",
              "No queue provider is installed. `TriggerAction::Enqueue` routes through the "
              "`engine::queue::enqueue` provider, which the standalone queue worker registers. Add "
              "it with `iii worker add queue`. (underlying: " +
                  error.message + ")");
}

}  // namespace

Error Engine::not_found(std::string_view name_space, std::string_view id) const {
  std::string message =
      "Function " + std::string(id) + " not found in namespace " + std::string(name_space) + ".";
  if (const std::string elsewhere = functions_.namespaces_for_people(id); !elsewhere.empty()) {
    message += " It is registered in namespace(s): " + elsewhere + ".";
  }
  return {"function_not_found", std::move(message)};
}

void Engine::invoke(Worker& caller, const protocol::InvokeFunction& call, const LargeFrame* large) {
  if (call.name_space && is_blank(*call.name_space)) {
    return answer_error(
        caller, call,
        {"INVALID_NAMESPACE",
         "`namespace` is empty: it was named and left blank. Give it a name, or omit it "
         "to use `default`."});
  }
  if (call.action == protocol::Action::kEnqueue) return enqueue(caller, call, large);
  if (call.activation && caller.observes) return invoke_through(caller, call, large);

  const FunctionPtr* target = call.name_space ? functions_.find(*call.name_space, call.function_id)
                                              : functions_.find_default(call.function_id);
  if (target == nullptr) {
    if (!wants_answer(call)) return stats_.refused(nullptr, "function_not_found", frame_time_);
    return answer_error(
        caller, call,
        not_found(call.name_space.value_or(protocol::kDefaultNamespace), call.function_id));
  }
  if ((*target)->builtin != nullptr) return invoke_builtin(caller, call, **target, large);
  if ((*target)->is_private && (*target)->owner != &caller) {
    return answer_error(caller, call,
                        {"FORBIDDEN", "Function " + std::string(call.function_id) +
                                          " is private: only its own worker can call it."},
                        (*target)->record);
  }
  forward(caller, call, *target, large);
}

// observers §6.4
void Engine::invoke_through(Worker& caller, const protocol::InvokeFunction& call,
                            const LargeFrame* large) {
  auto through = observers_.call_through(caller, call);
  if (!through) return answer_error(caller, call, through.error());
  protocol::InvokeFunction sent = call;
  sent.function_id = through->target->id;
  sent.metadata.reset();
  if (through->metadata) sent.metadata = through->metadata->view();
  sent.observe_depth = call.observe_depth + 1;
  if (through->target->builtin != nullptr) {
    return invoke_builtin(caller, sent, *through->target, large);
  }
  forward(caller, sent, through->target, large, &*through);
}

// What observers may ask for when the call has been answered; null when nobody observes.
std::shared_ptr<ObservedCall> Engine::observed(const Worker& caller,
                                               const protocol::InvokeFunction& call, const Uuid& id,
                                               const Function& target, const LargeFrame* large) {
  if (!target.source || target.source->active == 0 || target.owner_delivered) return nullptr;
  // A part of a large message keeps all of it.
  const size_t payload = large != nullptr ? large->text.bytes.size()
                                          : call.data.size() + call.metadata.value_or("").size();
  auto kept = observers_.begin(target, payload + held_bytes(call));
  if (!kept) return nullptr;
  kept->id = id;
  kept->input = kept_text(call.data, large);
  if (call.metadata) kept->metadata = kept_text(*call.metadata, large);
  kept->caller = stamped_caller(call.caller, caller.id_text, caller.name);
  kept->depth = call.observe_depth;
  const TargetTrace trace(call);
  kept->traceparent = trace.traceparent;
  kept->baggage = trace.baggage;
  return kept;
}

// For one more unanswered call of this connection; when that is too many, it is refused here.
Charge Engine::admit(Worker& caller, const protocol::InvokeFunction& call) {
  Charge charge;
  if (charge.set(caller.ledger.calls, held_bytes(call))) return charge;
  const size_t waiting = caller.ledger.calls.used();
  caller.limit_log.warn("worker {} has {} unanswered calls; more are refused", caller.label(),
                        waiting);
  answer_error(
      caller, call,
      {"too_many_calls", "This connection has " + std::to_string(waiting) +
                             " unanswered calls, which is the limit. Next: wait for answers."});
  return charge;
}

void Engine::forward(Worker& caller, const protocol::InvokeFunction& call,
                     const FunctionPtr& target, const LargeFrame* large,
                     Observers::Through* through) {
  Worker& callee = *target->owner;
  const bool answerable = wants_answer(call);
  Charge charge = answerable ? admit(caller, call) : Charge();
  if (answerable && !charge) return;
  // A void call still reaches its target with an id; nobody waits for the answer, so none is
  // recorded, unless it is observed.
  const Uuid id = answerable ? *call.invocation_id : ids_.next();
  auto observed = this->observed(caller, call, id, *target, large);
  const bool recorded = answerable || observed != nullptr;
  if (recorded) {
    auto pending = std::make_unique<PendingCall>();
    pending->id = id;
    pending->caller = answerable ? &caller : nullptr;
    pending->callee = &callee;
    pending->observed = std::move(observed);
    if (through != nullptr && answerable) pending->place = std::move(through->place);
    pending->record = target->record;
    pending->started = frame_time_;
    pending->traceparent = copy(call.traceparent);
    pending->baggage = copy(call.baggage);
    pending->charge = std::move(charge);
    pending->guarded = pending->observed != nullptr || through != nullptr;
    if (!add_pending(std::move(pending))) {
      return answer_error(caller, call,
                          {"invocation_error",
                           "A call of another connection that has this id is running. Next: choose "
                           "a new id for each call."},
                          target->record);
    }
  }
  const TargetTrace trace(call);
  protocol::CallContext context;
  std::string stamped;
  if (callee.observes) {
    if (call.caller) guard_named(*call.caller);
    stamped = stamped_caller(call.caller, caller.id_text, caller.name);
    context = {stamped, call.observe_depth, {}};
    if (through != nullptr) context.activation = through->activation;
  }
  std::optional<protocol::InvokeFunction> spliced;
  if (large != nullptr && large->spliced.owner) {
    spliced = call;
    spliced->data = large->spliced.bytes;
  }
  ForwardedCall sent{.call = spliced ? *spliced : call,
                     .id = id,
                     .caller_worker_id = spliced ? "" : std::string_view(caller.id_text),
                     .traceparent = trace.traceparent,
                     .baggage = trace.baggage,
                     .context = context};
  if (large != nullptr) {
    sent.data_owner = spliced ? large->spliced.owner : large->text.owner;
    sent.metadata_owner = large->text.owner;
  }
  const std::optional<Error> error = send_call(callee, sent);
  if (!error) {
    if (!recorded) stats_.sent(target->record, frame_time_);
    return;
  }
  if (recorded) take_pending(id);
  answer_error(caller, call, *error, target->record);
}

// Nothing when it was sent, else why it was not.
std::optional<Error> Engine::send_call(Worker& callee, const ForwardedCall& sent) {
  Delivery delivery = Delivery::kSent;
  size_t bytes = 0;
  if (!sent.data_owner) {
    protocol::append_forwarded(out_.fresh(), sent.call, sent.id, sent.caller_worker_id,
                               sent.traceparent, sent.baggage, sent.context);
    bytes = out_.text().size();
    delivery = send_written(callee);
  } else {
    const auto message = protocol::split_forwarded(sent.call, sent.id, sent.caller_worker_id,
                                                   sent.traceparent, sent.baggage, sent.context);
    bytes = message.size();
    delivery = send_split(callee, message, sent.data_owner, sent.metadata_owner);
  }
  if (delivery == Delivery::kSent) return std::nullopt;
  return refusal(delivery, bytes, callee);
}

// Why a message did not go out to `receiver`, for whoever sent it.
Error Engine::refusal(Delivery delivery, size_t bytes, const Worker& receiver) const {
  if (delivery == Delivery::kTooLarge) {
    return {"payload_too_large", "The message for worker " + receiver.label() + " would have " +
                                     std::to_string(bytes) + " bytes; a message may have " +
                                     std::to_string(limits_.max_message_bytes) +
                                     ". Next: send less at a time, or use a channel."};
  }
  return {"callee_busy", "Worker " + receiver.label() + " has " +
                             std::to_string(receiver.link.queued_bytes()) + " bytes to read, and " +
                             std::to_string(bytes) +
                             " more do not fit. Next: call again when it has read them."};
}

Engine::Delivery Engine::admits(const Worker& receiver, size_t bytes) const {
  if (bytes > limits_.max_message_bytes) return Delivery::kTooLarge;
  return bytes > receiver.link.room() ? Delivery::kNoRoom : Delivery::kSent;
}

// Sends what was written to `out_`.
Engine::Delivery Engine::send_written(Worker& receiver) {
  const Delivery delivery = admits(receiver, out_.text().size());
  if (delivery == Delivery::kSent) receiver.link.send(out_.text());
  out_.done();
  return delivery;
}

Engine::Delivery Engine::send_split(Worker& receiver, const protocol::SplitMessage& message,
                                    const std::shared_ptr<const void>& owner,
                                    const std::shared_ptr<const void>& metadata_owner) {
  const Delivery delivery = admits(receiver, message.size());
  if (delivery == Delivery::kSent) {
    const SharedBytes parts[] = {{nullptr, message.head},
                                 {owner, message.body},
                                 {nullptr, message.tail},
                                 {metadata_owner, message.metadata},
                                 {nullptr, message.end}};
    receiver.link.send_parts(parts);
  }
  return delivery;
}

// `owner` keeps the result's text alive; null when it has to be copied. What does not fit becomes
// an error: the caller hears of it and stays connected.
void Engine::send_answer(Worker& caller, protocol::InvocationResult& answer,
                         const std::shared_ptr<const void>& owner) {
  if (caller.gone) return;
  Delivery delivery = Delivery::kSent;
  size_t bytes = 0;
  if (owner && answer.result && !answer.error && answer.result->size() >= kSharedBytes) {
    const auto message = protocol::split(answer);
    bytes = message.size();
    delivery = send_split(caller, message, owner);
  } else {
    protocol::append(out_.fresh(), answer);
    bytes = out_.text().size();
    delivery = send_written(caller);
  }
  if (delivery == Delivery::kSent) return;
  const bool too_large = delivery == Delivery::kTooLarge;
  const std::string message =
      too_large ? "The answer would have " + std::to_string(bytes) + " bytes; a message may have " +
                      std::to_string(limits_.max_message_bytes) +
                      ". Next: ask for less at a time, or use a channel."
                : "This connection has " + std::to_string(caller.link.queued_bytes()) +
                      " bytes to read, and the answer with " + std::to_string(bytes) +
                      " more does not fit. Next: read them, and call again.";
  answer.result.reset();
  answer.error = protocol::ErrorBody{too_large ? "payload_too_large" : "caller_busy", message, {}};
  protocol::append(out_.fresh(), answer);
  caller.link.send(out_.text());
  out_.done();
}

// `record` is null when the answer is not that of a function.
Engine::OwedAnswer Engine::owe(Worker& caller, const protocol::InvokeFunction& call, Charge charge,
                               std::shared_ptr<CallRecord> record) const {
  return {.caller = caller.shared_from_this(),
          .charge = std::move(charge),
          .id = *call.invocation_id,
          .function_id = std::string(call.function_id),
          .record = std::move(record),
          .started = frame_time_,
          .owed = owed_,
          .traceparent = copy(call.traceparent),
          .baggage = copy(call.baggage)};
}

void Engine::pay(OwedAnswer& waiting, Outcome outcome) {
  const OwedAnswer owed = std::move(waiting);  // paid when this ends, whoever keeps the reply
  protocol::InvocationResult result;
  result.invocation_id = owed.id;
  result.function_id = owed.function_id;
  result.traceparent = view(owed.traceparent);
  result.baggage = view(owed.baggage);
  std::shared_ptr<const void> text;
  if (!outcome) {
    result.error = protocol::ErrorBody{outcome.error().code, outcome.error().message, {}};
  } else if (*outcome) {
    if ((*outcome)->size() >= kSharedBytes) text = (*outcome)->share().owner;
    result.result = (*outcome)->view();
  }
  send_answer(*owed.caller, result, text);
  if (owed.record) {
    stats_.answered(owed.record, owed.started, timers_.now(), error_code(result));
  }
}

void Engine::invoke_builtin(Worker& caller, const protocol::InvokeFunction& call,
                            const Function& target, const LargeFrame* large) {
  const BuiltinFunction& builtin = *target.builtin;
  if (const auto fits = builtin.admits(call.data.size()); !fits) {
    caller.limit_log.warn("a call by worker {} is refused: {}", caller.label(),
                          fits.error().message);
    return answer_error(caller, call, fits.error(), target.record);
  }
  const CallInfo info{.caller = caller.id,
                      .baggage = call.baggage.value_or(""),
                      .owner = caller.owner(),
                      .depth = cascade_depth(caller, call)};
  Reply reply = [](const Outcome&) {};
  if (wants_answer(call)) {
    Charge charge = admit(caller, call);
    if (!charge) return;
    reply = [this, owed = owe(caller, call, std::move(charge), target.record)](
                Outcome outcome) mutable { pay(owed, std::move(outcome)); };
  } else {
    stats_.sent(target.record, frame_time_);
  }
  if (call.data.size() <= kInlineBytes || !builtin.prepare || !caller.link.pause()) {
    return builtin.handler(info, call.data, std::move(reply));
  }
  background_.compute(
      caller.owner(),
      [&builtin, data = kept_text(call.data, large)] { return builtin.prepare(data.view()); },
      [worker = caller.shared_from_this(), baggage = std::string(info.baggage), depth = info.depth,
       reply = std::move(reply)](BuiltinFunction::Prepared run) mutable {
        if (worker->gone) return;
        run({.caller = worker->id, .baggage = baggage, .owner = worker->owner(), .depth = depth},
            std::move(reply));
        worker->link.resume();
      });
}

void Engine::answer_error(Worker& caller, const protocol::InvokeFunction& call, const Error& error,
                          const std::shared_ptr<CallRecord>& record) {
  stats_.refused(record, error.code, frame_time_);
  call_log_.log(LogLevel::kDebug, "a call of {} by worker {} is refused: {}", call.function_id,
                caller.label(), error.code);
  if (!wants_answer(call)) return;
  protocol::InvocationResult result;
  result.invocation_id = *call.invocation_id;
  result.function_id = call.function_id;
  result.error = protocol::ErrorBody{error.code, error.message, {}};
  result.traceparent = call.traceparent;
  result.baggage = call.baggage;
  protocol::append(out_.fresh(), result);
  caller.link.send(out_.text());
  out_.done();
}

// wire §6.3: the job goes to whoever provides `engine::queue::enqueue`.
void Engine::enqueue(Worker& caller, const protocol::InvokeFunction& call,
                     const LargeFrame* large) {
  Charge charge = call.invocation_id ? admit(caller, call) : Charge();
  if (call.invocation_id && !charge) return;
  const std::string receipt = ids_.next().to_string();
  std::string head = "{\"queue\":";
  json::append_string(head, call.queue);
  head += ",\"function_id\":";
  json::append_string(head, call.function_id);
  head += ",\"data\":";
  std::string tail = ",\"messageReceiptId\":\"" + receipt + "\",\"traceparent\":";
  if (call.traceparent) {
    json::append_string(tail, *call.traceparent);
  } else {
    tail += "null";
  }
  tail += ",\"baggage\":";
  json::append_string(tail,
                      protocol::forwarded_baggage(call.baggage.value_or(""), call.function_id));
  if (call.name_space && *call.name_space != protocol::kDefaultNamespace) {
    tail += ",\"namespace\":";
    json::append_string(tail, *call.name_space);
  }
  tail += '}';

  Reply reply;
  if (call.invocation_id) {
    reply = [this, receipt, owed = owe(caller, call, std::move(charge), nullptr)](
                const Outcome& outcome) mutable { pay(owed, enqueued(outcome, receipt)); };
  }
  OutgoingCall job{.function_id = std::string(kEnqueueFunction),
                   .data = {},
                   .metadata = {},
                   .owner = caller.owner()};
  if (large == nullptr || !caller.link.pause()) {
    job.data = head.append(call.data).append(tail);
    return this->call(std::move(job), std::move(reply));
  }
  background_.compute(
      caller.owner(),
      [head = std::move(head), data = large->part(call.data), tail = std::move(tail)] {
        return std::string(head).append(data.bytes).append(tail);
      },
      [this, worker = caller.shared_from_this(), job = std::move(job),
       reply = std::move(reply)](std::string data) mutable {
        if (worker->gone) return;
        job.data = std::move(data);
        this->call(std::move(job), std::move(reply));
        worker->link.resume();
      });
}

void Engine::guard(const Uuid& call) {
  if (const auto running = pending_.find(call); running != pending_.end()) {
    running->second->guarded = true;
  }
}

void Engine::guard_named(std::string_view caller) {
  const auto guard_in = [this](json::Slice object) {
    const auto id = json::member(object, "invocation_id");
    if (!id || json::kind_of(*id) != json::Kind::kString) return;
    if (const auto named = Uuid::parse(json::string_of(*id))) guard(*named);
  };
  if (!caller.starts_with('{')) return;
  guard_in(caller);
  const auto parent = json::member(caller, "parent");
  if (parent && json::kind_of(*parent) == json::Kind::kObject) guard_in(*parent);
}

bool Engine::add_pending(std::unique_ptr<PendingCall> call) {
  // One id, one call: an id that is used again while in flight ends the earlier call (wire §6.1).
  if (const auto running = pending_.find(call->id); running != pending_.end()) {
    if (running->second->guarded && running->second->caller != call->caller) return false;
    const auto earlier = take_pending(running);
    protocol::InvocationResult lost;
    lost.error = protocol::ErrorBody{"invocation_error", "channel closed", {}};
    finish(*earlier, lost, nullptr, timers_.now());
  }
  if (call->caller != nullptr) call->caller->calls_made.push_back(*call);
  call->callee->calls_running.push_back(*call);
  ++call->callee->running;
  const Uuid id = call->id;
  pending_.emplace(id, std::move(call));
  return true;
}

std::unique_ptr<PendingCall> Engine::take_pending(const Uuid& id) {
  const auto found = pending_.find(id);
  return found == pending_.end() ? nullptr : take_pending(found);
}

std::unique_ptr<PendingCall> Engine::take_pending(PendingCalls::iterator found) {
  std::unique_ptr<PendingCall> call = std::move(found->second);
  pending_.erase(found);
  --call->callee->running;
  return call;  // its destruction takes it out of both workers' lists
}

void Engine::answered(const Worker& from, const protocol::InvocationResult& result,
                      const LargeFrame* large) {
  // The first answer counts, whatever function it names; later answers find nothing
  // (wire §6.1).
  const auto running = pending_.find(result.invocation_id);
  if (running == pending_.end()) return;
  if (running->second->guarded && running->second->callee != &from) {
    return call_log_.log(LogLevel::kDebug, "worker {} answers a call of {} that it did not get",
                         from.label(), running->second->record->id);
  }
  const auto call = take_pending(running);
  // The callee may go with what follows.
  const std::shared_ptr<Worker> host = call->observed ? call->callee->shared_from_this() : nullptr;
  finish(*call, result, large, frame_time_);
  if (host) observers_.finished(call->observed, *host, result, large);
}

void Engine::finish(PendingCall& call, const protocol::InvocationResult& outcome,
                    const LargeFrame* large, SteadyTime now) {
  if (call.caller == nullptr) {
    finish_own(call, outcome, large);
    return stats_.answered(call.record, call.started, now, error_code(outcome));
  }
  protocol::InvocationResult answer = outcome;
  if (answer.error) {
    for (std::string_view* text : {&answer.error->code, &answer.error->message}) cut(*text);
    if (answer.error->stacktrace) cut(*answer.error->stacktrace);
  }
  answer.matched.reset();  // for the engine alone
  answer.delivered = false;
  answer.invocation_id = call.id;
  answer.function_id = call.record->id;
  answer.traceparent = view(call.traceparent);
  answer.baggage = view(call.baggage);
  send_answer(*call.caller, answer, large != nullptr ? large->text.owner : nullptr);
  stats_.answered(call.record, call.started, now, error_code(answer));
}

}  // namespace iii::engine
