// Engine: calls that the engine itself makes (builtin.h, class Bus).
#include <utility>

#include "bus/engine/engine.h"
#include "bus/protocol/writer.h"
#include "foundation/base/log.h"

namespace iii::engine {

namespace {

// The engine holds its own calls back from a connection that has more than this to read.
constexpr size_t kMostUnread = 1024 * 1024;

// For a binding or an observer of somebody else.
bool is_closed_to(const OutgoingCall& call, const Function& target) {
  return target.is_private && target.builtin == nullptr &&
         lasting(target.owner->owner()) != lasting(call.owner);
}

std::unexpected<Error> is_private(const OutgoingCall& call) {
  return fail("FORBIDDEN",
              "Function " + call.function_id + " is private: only its own worker can call it.");
}

}  // namespace

void Engine::call(OutgoingCall call, Reply reply) {
  const FunctionPtr* target = functions_.find(call.name_space, call.function_id);
  const bool closed = target != nullptr && is_closed_to(call, **target);
  if (target != nullptr && (*target)->builtin == nullptr && !closed) {
    return send_own(call, std::move(reply), FunctionPtr(*target));
  }
  if ((target == nullptr || closed) && !reply) {
    return stats_.refused(closed ? (*target)->record : nullptr,
                          closed ? "FORBIDDEN" : "function_not_found", timers_.now());
  }
  if (call.place && !reply) reply = [place = std::move(call.place)](const Outcome&) {};
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
    stats_.refused(nullptr, "function_not_found", timers_.now());
    return reply(fail("function_not_found", "Function " + call.function_id +
                                                " not found in namespace " + call.name_space));
  }
  if (is_closed_to(call, **target)) {
    stats_.refused((*target)->record, "FORBIDDEN", timers_.now());
    return reply(is_private(call));
  }
  if ((*target)->builtin == nullptr) {
    return send_own(call, std::move(reply), FunctionPtr(*target));
  }
  const BuiltinFunction& builtin = *(*target)->builtin;
  if (const auto fits = builtin.admits(call.data.size()); !fits) {
    stats_.refused((*target)->record, fits.error().code, timers_.now());
    return reply(std::unexpected(fits.error()));
  }
  const CallInfo info{.caller = {},
                      .baggage = {},
                      .owner = call.owner,
                      .depth = call.depth,
                      .cascade = call.cascade};
  reply = [this, record = (*target)->record, started = timers_.now(),
           reply = std::move(reply)](Outcome outcome) mutable {
    stats_.answered(record, started, timers_.now(), outcome ? "" : outcome.error().code);
    reply(std::move(outcome));
  };
  // What most built-ins take is decoded here, so that events keep their order.
  if (call.data.size() <= kMaxInput || !builtin.prepare) {
    return builtin.handler(info, call.data.view(), std::move(reply));
  }
  background_.compute(
      call.owner, [&builtin, data = std::move(call.data)] { return builtin.prepare(data.view()); },
      [info, reply = std::move(reply)](BuiltinFunction::Prepared run) mutable {
        run(info, std::move(reply));
      });
}

std::shared_ptr<ObservedCall> Engine::observed_own(OutgoingCall& call, const Uuid& id,
                                                   const Function& target) {
  if (!target.source || target.source->active == 0 || target.owner_delivered) return nullptr;
  auto kept =
      observers_.begin(target, call.data.size() + (call.metadata ? call.metadata->size() : 0));
  if (!kept) return nullptr;
  kept->id = id;
  call.data.share();
  kept->input = call.data;
  if (call.metadata) {
    call.metadata->share();
    kept->metadata = call.metadata;
  }
  kept->caller = R"({"worker_name":"iii-engine"})";
  if (call.activation) {
    kept->caller = call.activation->caller;
    kept->depth = call.activation->depth;
    kept->traceparent = call.activation->traceparent;
    kept->baggage = call.activation->baggage;
    kept->cascade = call.activation->cascade;
  }
  return kept;
}

void Engine::send_own(OutgoingCall& call, Reply reply, const FunctionPtr& target) {
  Worker& callee = *target->owner;
  protocol::InvokeFunction frame;
  frame.invocation_id = ids_.next();
  frame.function_id = call.function_id;
  auto observed = observed_own(call, *frame.invocation_id, *target);
  frame.data = call.data.view();
  if (call.metadata) frame.metadata = call.metadata->view();
  const bool recorded = reply || observed || call.place;
  if (recorded) {
    auto pending = std::make_unique<PendingCall>();
    pending->id = *frame.invocation_id;
    pending->callee = &callee;
    pending->record = target->record;
    pending->started = timers_.now();
    pending->owner = call.owner;
    pending->reply = std::move(reply);
    pending->observed = std::move(observed);
    pending->place = std::move(call.place);
    pending->guarded = pending->observed != nullptr || call.activation != nullptr;
    (void)add_pending(std::move(pending));  // its id is new
  }
  protocol::CallContext context;
  std::string_view traceparent;
  std::string_view baggage;
  if (call.activation) {
    traceparent = call.activation->traceparent;
    baggage = call.activation->baggage;
    if (callee.observes) {
      context = {call.activation->caller, call.activation->depth, call.activation->activation};
    }
  } else if (callee.observes) {
    context.caller = R"({"worker_name":"iii-engine"})";
  }
  ForwardedCall sent{.call = frame,
                     .id = *frame.invocation_id,
                     .traceparent = traceparent,
                     .baggage = baggage,
                     .context = context};
  if (frame.data.size() + (call.metadata ? call.metadata->size() : 0) >= kSharedBytes) {
    sent.data_owner = call.data.share().owner;
    frame.data = call.data.view();
    if (call.metadata) sent.metadata_owner = call.metadata->share().owner;
    if (call.metadata) frame.metadata = call.metadata->view();
  }
  const std::optional<Error> error = send_call(callee, sent);
  if (!error) {
    if (!recorded) stats_.sent(target->record, timers_.now());
    return;
  }
  stats_.refused(target->record, error->code, timers_.now());
  callee.limit_log.warn("a call to {} was not sent: {}", call.function_id, error->message);
  if (auto unsent = take_pending(*frame.invocation_id)) {
    protocol::InvocationResult answer;
    answer.error = protocol::ErrorBody{error->code, error->message, {}};
    finish_own(*unsent, answer, nullptr);
  }
}

bool Engine::accepts(std::string_view name_space, std::string_view function_id) const {
  const FunctionPtr* target = functions_.find(name_space, function_id);
  if (target == nullptr || (*target)->owner == nullptr) return true;
  return (*target)->owner->link.queued_bytes() <= kMostUnread;
}

bool Engine::is_builtin(std::string_view name_space, std::string_view function_id) const {
  const FunctionPtr* target = functions_.find(name_space, function_id);
  return target != nullptr && (*target)->builtin != nullptr;
}

void Engine::when_accepts(OwnerId owner, std::string name_space, std::string function_id,
                          std::move_only_function<void()> action) {
  const FunctionPtr* target = functions_.find(name_space, function_id);
  const Worker* callee = target != nullptr ? (*target)->owner : nullptr;
  WaitsForRoom waits{owner, std::move(action)};
  if (callee == nullptr) return run_soon(waits);
  waiting_for_room_[callee].push_back(std::move(waits));
}

void Engine::run_soon(WaitsForRoom& waits) {
  slices_.add(waits.owner, [action = std::move(waits.action)]() mutable {
    action();
    return false;
  });
}

void Engine::drained(const Worker& worker) {
  if (auto waiting = waiting_for_room_.extract(&worker)) {
    for (WaitsForRoom& waits : waiting.mapped()) run_soon(waits);
  }
  triggers_.drained(worker);
}

void Engine::finish_own(PendingCall& call, const protocol::InvocationResult& outcome,
                        const LargeFrame* large) {
  if (!call.reply) return;
  Outcome told = std::nullopt;
  if (outcome.error) {
    told = fail(std::string(outcome.error->code), std::string(outcome.error->message));
  } else if (outcome.result) {
    told = kept_text(*outcome.result, large);
  }
  slices_.add(call.owner, [reply = std::move(call.reply), told = std::move(told)]() mutable {
    reply(std::move(told));
    return false;
  });
}

}  // namespace iii::engine
