// The life of a connection: open, replay, announce, heartbeat, loss, reconnect, stop.
#include "bus/sdk/session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bus/protocol/writer.h"

namespace iii::sdk {

Session::Session(SessionOptions options, Transport& transport, Timers& timers, IdSource& ids,
                 std::function<double()> random, SessionListener listener)
    : options_(std::move(options)),
      transport_(transport),
      timers_(timers),
      ids_(ids),
      backoff_(options_.backoff, std::move(random)),
      listener_(std::move(listener)),
      observers_(transport),
      outbox_(options_.max_queued_bytes),
      answers_(timers, options_.answer_repeat,
               [this](std::string text) { send_or_queue(std::move(text)); }) {}

Session::~Session() {
  for (const TimerId timer : {reconnect_timer_, ready_timer_, ping_timer_, close_timer_}) {
    timers_.cancel(timer);
  }
  for (auto& [id, call] : pending_) timers_.cancel(call.timer);
}

void Session::start() {
  if (state_ == SessionState::kIdle) connect();
}

void Session::connect() {
  state_ = SessionState::kConnecting;
  transport_.open(*this);
}

void Session::on_open() {
  if (state_ != SessionState::kConnecting) return;
  state_ = SessionState::kOpening;
  ++connection_;
  engine_observes_ = false;
  engine_observes_v2_ = false;
  last_alive_ = timers_.now();
  ping_timer_ = timers_.after(options_.ping_interval, [this] { heartbeat(); });

  // The engine finishes the teardown of our former self before it reads the next frame.
  if (!worker_id_.empty()) {
    protocol::Reattach reattach{.previous_worker_id = worker_id_, .reattach_token = {}};
    if (reattach_token_) reattach.reattach_token = *reattach_token_;
    transport_.send(protocol::to_text(reattach));
  }
  for (OfferedFamily& offered : families_) offered.left = false;
  for (const TriggerType& type : trigger_types_) {
    if (family_with(&Family::trigger_types, type.id) == nullptr) transport_.send(type.frame);
  }
  for (const Function& function : functions_) {
    if (!function.needs_v2) transport_.send(function.frame);
  }
  for (const Trigger& trigger : triggers_) transport_.send(trigger.frame);
  announce();
}

void Session::announce() {
  announce_id_ = ids_.next();
  protocol::InvokeFunction frame;
  frame.invocation_id = announce_id_;
  frame.function_id = "engine::workers::register";
  const std::string data = announcement();
  frame.data = data;
  transport_.send(protocol::to_text(frame));
  ready_timer_ = timers_.after(options_.ready_timeout, [this] {
    ready_timer_ = 0;
    log_warn("the engine did not answer the announce within {} ms; continuing without it",
             options_.ready_timeout.count());
    become_ready();
  });
}

void Session::become_ready() {
  timers_.cancel(std::exchange(ready_timer_, 0));
  backoff_.reset();
  told_refused_ = false;
  state_ = SessionState::kReady;
  // Refusals came before this, because functions are registered before the announce.
  for (const TriggerType& type : trigger_types_) {
    const OfferedFamily* offered = family_with(&Family::trigger_types, type.id);
    if (offered != nullptr && !offered->left) transport_.send(type.frame);
  }
  for (const Function& function : functions_) {
    if (function.needs_v2) offer_v2(function);
  }
  while (std::optional<Outbox::Item> item = outbox_.pop()) {
    if (item->bound && !*item->bound) {
      if (item->call) settle(*item->call, std::unexpected(binding_ended()));
      continue;
    }
    if (item->call) {
      const auto waiting = pending_.find(*item->call);
      if (waiting == pending_.end()) continue;  // timed out meanwhile
      waiting->second.sent = true;
    }
    transport_.send(item->text);
  }
  name_features();
  observers_.ready(engine_observes_);
  if (listener_.on_ready) listener_.on_ready();
}

Session::OfferedFamily* Session::family_with(std::vector<std::string> Family::* members,
                                             std::string_view id) {
  for (OfferedFamily& offered : families_) {
    const std::vector<std::string>& ids = offered.family.*members;
    if (std::ranges::find(ids, id) != ids.end()) return &offered;
  }
  return nullptr;
}

void Session::leave(OfferedFamily& offered) {
  if (std::exchange(offered.left, true)) return;
  log_warn("{} is offered by another live worker: its functions and trigger types are left to it",
           offered.family.name);
  for (const std::string& id : offered.family.functions) {
    if (functions_.find(id) == nullptr) continue;
    transport_.send(protocol::to_text(protocol::UnregisterFunction{.id = id}));
  }
}

// The engine re-sends every live binding of a type before it answers the announce. What was not
// among them was unbound while we were away.
void Session::drop_stale_bindings() {
  std::vector<std::shared_ptr<Bindings>> all;
  for (const TriggerType& type : trigger_types_) all.push_back(type.bindings);
  for (const std::shared_ptr<Bindings>& bindings : all) bindings->end_all_but(connection_);
}

void Session::heartbeat() {
  ping_timer_ = 0;
  if (timers_.now() - last_alive_ >= options_.idle_timeout) {
    transport_.drop();
    lose_connection("the engine has not sent anything for too long");
    return;
  }
  transport_.ping();
  ping_timer_ = timers_.after(options_.ping_interval, [this] { heartbeat(); });
}

void Session::on_closed(std::string_view why) {
  if (state_ == SessionState::kStopped) {
    finish();
  } else if (state_ != SessionState::kIdle && state_ != SessionState::kWaiting) {
    lose_connection(why);
  }
}

// A port that refuses costs nobody anything, and an engine that starts is answered at once: such
// attempts do not make the pauses longer.
void Session::on_refused(std::string_view why) {
  if (state_ != SessionState::kConnecting) return on_closed(why);
  const Millis delay = backoff_.refused();
  if (!std::exchange(told_refused_, true)) {
    log_warn("not connected to the engine ({}); the next attempts follow about every {} ms", why,
             options_.backoff.refused.count());
  }
  reconnect_after(delay);
}

void Session::reconnect_after(Millis delay) {
  state_ = SessionState::kWaiting;
  reconnect_timer_ = timers_.after(delay, [this] {
    reconnect_timer_ = 0;
    connect();
  });
}

void Session::lose_connection(std::string_view why) {
  timers_.cancel(std::exchange(ready_timer_, 0));
  timers_.cancel(std::exchange(ping_timer_, 0));
  answers_.forget();
  observers_.disconnected();
  told_refused_ = false;
  const Millis delay = backoff_.next();
  log_warn("not connected to the engine ({}); next attempt in {} ms", why, delay.count());
  reconnect_after(delay);
  // The engine forgets the calls of a connection that ends: their answers will never come.
  fail_pending(remote_error(kConnectionLost,
                            "the connection to the engine was lost after the call was sent; it may "
                            "or may not have run"),
               true);
}

void Session::fail_pending(const RemoteError& error, bool only_sent) {
  std::vector<OnReply> failed;
  for (auto call = pending_.begin(); call != pending_.end();) {
    if (only_sent && !call->second.sent) {
      ++call;
      continue;
    }
    timers_.cancel(call->second.timer);
    failed.push_back(std::move(call->second.on_reply));
    call = pending_.erase(call);
  }
  for (OnReply& on_reply : failed) on_reply(std::unexpected(error));
}

void Session::give_up(Error reason) {
  log_error("{}: {}", reason.code, reason.message);
  fatal_ = std::move(reason);
  stop();
}

void Session::stop() {
  if (state_ == SessionState::kStopped) return;
  const bool was_open = is_open();
  answers_.send_all();
  observers_.disconnected();
  state_ = SessionState::kStopped;
  for (TimerId* timer : {&reconnect_timer_, &ready_timer_, &ping_timer_}) {
    timers_.cancel(std::exchange(*timer, 0));
  }
  outbox_.clear();
  if (was_open) {
    transport_.close();
  } else {
    transport_.drop();
  }
  close_timer_ = timers_.after(was_open ? options_.close_timeout : Millis(0), [this] {
    transport_.drop();
    finish();
  });
  fail_pending(fatal_ ? RemoteError{*fatal_, std::nullopt}
                      : remote_error(kShuttingDown, "this worker is shutting down"),
               false);
}

void Session::finish() {
  timers_.cancel(std::exchange(close_timer_, 0));
  if (auto on_stopped = std::exchange(listener_.on_stopped, nullptr)) on_stopped(fatal_);
}

// ---- features of observers ----

Result<std::string> Session::add_observer(ObserveSpec spec) {
  if (spec.id.empty()) spec.id = ids_.next().to_string();
  spec.name_space = namespace_for(spec.function_id, spec.name_space);
  spec.target_namespace = namespace_for(spec.target, spec.target_namespace);
  std::string id = spec.id;
  if (auto added = observers_.add(std::move(spec)); !added) return std::unexpected(added.error());
  if (state_ == SessionState::kReady) {
    name_features();
    observers_.send(id);
  }
  return id;
}

void Session::set_observe_hooks(std::string function_id, ObserveHooks hooks) {
  observers_.set_hooks(std::move(function_id), std::move(hooks));
  if (state_ == SessionState::kReady) name_features();
}

// A feature is named only when it is used: naming it obliges us to acknowledge.
int Session::observe_version() const {
  if (std::ranges::any_of(functions_, &Function::needs_v2)) return 2;
  return observers_.in_use() ? 1 : 0;
}

std::string Session::announcement() {
  named_version_ = observe_version();
  if (named_version_ == 0) return options_.announcement;
  std::string text = options_.announcement;
  text.pop_back();
  if (text.size() > 1) text += ',';
  return text + (named_version_ == 1 ? R"("features":["observe.v1"]})"
                                     : R"("features":["observe.v1","observe.v2"]})");
}

// On a connection that was announced without them.
void Session::name_features() {
  if (named_version_ >= observe_version() || !engine_observes_) return;
  const std::string data = announcement();
  protocol::InvokeFunction frame;
  frame.function_id = "engine::workers::register";
  frame.data = data;
  frame.action = protocol::Action::kVoid;
  transport_.send(protocol::to_text(frame));
}

// An engine without the feature would let everybody call a private function, and observe any.
void Session::offer_v2(const Function& function) {
  if (!engine_observes_v2_) {
    return log_warn(
        "function {} is not offered: it is private, not observable or has an args_format, and this "
        "engine does not offer observe.v2",
        function.id);
  }
  name_features();
  transport_.send(function.frame);
}

}  // namespace iii::sdk
