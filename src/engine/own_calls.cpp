// Engine: calls that the engine itself makes (builtin.h, class Bus).
#include <utility>

#include "base/log.h"
#include "engine/engine.h"
#include "protocol/writer.h"

namespace iii::engine {

namespace {

// The engine holds its own calls back from a connection that has more than this to read.
constexpr size_t kMostUnread = 1024 * 1024;
constexpr Millis kRoomPoll{5};

}  // namespace

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
  const CallInfo info{.caller = {},
                      .baggage = {},
                      .owner = call.owner,
                      .depth = call.depth,
                      .cascade = call.cascade};
  const BuiltinFunction& builtin = *(*target)->builtin;
  if (call.data.size() <= kLargePayload || !builtin.prepare) {
    return builtin.handler(info, call.data.view(), std::move(reply));
  }
  background_.compute(
      call.owner, [&builtin, data = std::move(call.data)] { return builtin.prepare(data.view()); },
      [info, reply = std::move(reply)](BuiltinFunction::Prepared run) mutable {
        run(info, std::move(reply));
      });
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
  protocol::append(out_.fresh(), frame);
  const size_t bytes = out_.text().size();
  const Delivery delivery = send_written(callee);
  if (delivery == Delivery::kSent) return;
  const Error error = refusal(delivery, bytes, callee);
  callee.limit_log.warn("a call to {} was not sent: {}", call.function_id, error.message);
  if (auto unsent = take_pending(*frame.invocation_id)) {
    protocol::InvocationResult answer;
    answer.error = protocol::ErrorBody{error.code, error.message, {}};
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
  waiting_for_room_[callee->id].push_back(std::move(waits));
  if (room_timer_ == 0) room_timer_ = timers_.after(kRoomPoll, [this] { look_for_room(); });
}

void Engine::run_soon(WaitsForRoom& waits) {
  slices_.add(waits.owner, [action = std::move(waits.action)]() mutable {
    action();
    return false;
  });
}

// Looks at every connection once, however many wait for it.
void Engine::look_for_room() {
  room_timer_ = 0;
  for (auto it = waiting_for_room_.begin(); it != waiting_for_room_.end();) {
    const Worker* callee = worker(it->first);
    if (callee != nullptr && callee->link.queued_bytes() > kMostUnread) {
      ++it;
      continue;
    }
    for (WaitsForRoom& waits : it->second) run_soon(waits);
    it = waiting_for_room_.erase(it);
  }
  if (!waiting_for_room_.empty()) {
    room_timer_ = timers_.after(kRoomPoll, [this] { look_for_room(); });
  }
}

void Engine::finish_own(PendingCall& call, const protocol::InvocationResult& outcome,
                        const LargeFrame* large) {
  Outcome told = std::nullopt;
  if (outcome.error) {
    told = fail(std::string(outcome.error->code), std::string(outcome.error->message));
  } else if (outcome.result) {
    told = large != nullptr ? JsonText(large->part(*outcome.result)) : std::string(*outcome.result);
  }
  slices_.add(call.owner, [reply = std::move(call.reply), told = std::move(told)]() mutable {
    reply(std::move(told));
    return false;
  });
}

}  // namespace iii::engine
