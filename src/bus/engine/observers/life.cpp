// Observers: how they are made, acknowledged, changed and ended (observers §3).
#include <algorithm>
#include <iterator>
#include <utility>

#include "bus/engine/engine.h"
#include "bus/engine/observers/observers.h"
#include "bus/protocol/writer.h"
#include "foundation/base/log.h"
#include "foundation/base/utf8_head.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

protocol::ErrorBody body(const Error& error) { return {error.code, error.message, {}}; }

// Schemas above this are not compared with filter paths: that happens on the loop.
constexpr size_t kMostSchemaBytes = 64 * 1024;
constexpr size_t kMostShownId = 256;
constexpr size_t kKnownSchemas = 8;            // functions whose schemas are kept
constexpr size_t kMostReasonBytes = 4 * 1024;  // of what a host says against an observer

Error too_many(const Worker& holder) {
  return {"LIMIT_EXCEEDED",
          "This connection has " + std::to_string(holder.observers.size()) +
              " observers, and more do not fit. Next: end those that are not needed."};
}

// For a view of `bytes` in place of one of `earlier`.
Result<void> room_for_view(const Source& source, size_t earlier, size_t bytes) {
  if (source.view_bytes - earlier + bytes <= Source::kMostViewBytes) return {};
  return fail("LIMIT_EXCEEDED",
              "The function " + source.key.id + " has " + std::to_string(source.observers) +
                  " observers whose args and filters are so large that this one does not fit.");
}

std::optional<json::Value> schema(const std::optional<std::string>& text) {
  if (!text || text->size() > kMostSchemaBytes) return std::nullopt;
  auto value = json::parse(*text);
  return value ? std::optional(std::move(*value)) : std::nullopt;
}

}  // namespace

Observers::~Observers() {
  for (auto& [id, observer] : observers_) {
    cancel(observer->ack_timer);
    cancel(observer->expiry_timer);
  }
  for (Orphans& orphans : orphans_) cancel(orphans.timer);
  // Workers, observers, sources and functions point to each other. A place in flight may outlive
  // us: it finds nothing to do.
  for (auto& [id, observer] : observers_) {
    observer->holder->observers.clear();
    observer->queue.clear();
  }
  for (auto& [key, source] : sources_) {
    source->by_owner.clear();
    detach(*source);
  }
}

void Observers::cancel(TimerId& timer) {
  if (timer != 0) engine_.timers().cancel(std::exchange(timer, 0));
}

const Observer* Observers::find(std::string_view id) const {
  const auto found = observers_.find(id);
  return found == observers_.end() ? nullptr : found->second.get();
}

void Observers::refuse(Worker& holder, std::string_view id, const Error& error) {
  if (error.code == "LIMIT_EXCEEDED") {
    holder.limit_log.warn("worker {}: observer {} is refused: {}", holder.label(),
                          utf8_head(id, kMostShownId), error.message);
  }
  holder.link.send(protocol::to_text(
      protocol::ObserveResult{id, state_name(ObserverState::kError), body(error), {}}));
}

// Ends what the connection had under this id; what another one has left stays as it is.
void Observers::refuse_repeated(Worker& holder, const ObserverPtr& known, std::string_view id,
                                const Error& error) {
  if (known && known->holder == &holder) end_untold(known, error);
  refuse(holder, id, error);
}

// The holder gets an answer about this id instead.
void Observers::end_untold(const ObserverPtr& observer, Error reason) {
  observer->told = false;
  dispose(observer, std::move(reason));
}

void Observers::observe(Worker& holder, const protocol::Observe& frame) {
  const auto found = observers_.find(frame.id);
  const ObserverPtr known = found == observers_.end() ? nullptr : found->second;
  if (known && (known->spec.legacy || (!known->holder->gone && known->holder != &holder))) {
    return refuse(holder, frame.id,
                  {"OBSERVER_ID_CONFLICT",
                   "Another connection holds this id. Next: choose an id of your own."});
  }
  if (known && known->state == ObserverState::kError) {
    const Error reason = *known->reason;
    end_untold(known, reason);
    return refuse(holder, frame.id, reason);
  }
  auto spec = ObserverSpec::read(frame);
  if (!spec) return refuse_repeated(holder, known, frame.id, spec.error());
  auto paths = check(holder, *spec);
  if (!paths) return refuse_repeated(holder, known, frame.id, paths.error());
  std::vector<std::string> warnings = std::exchange(spec->warnings, {});
  std::ranges::move(*paths, std::back_inserter(warnings));
  if (known && known->spec.source == spec->source) {
    return replay(holder, known, std::move(*spec), warnings);
  }
  if (known && known->holder != &holder) {
    if (const auto room = room_for(holder, *spec); !room) {
      return refuse(holder, frame.id, room.error());
    }
  }
  if (known) end_untold(known, {"UNOBSERVED", "Its id is used for another source now."});
  auto added = add(holder, std::move(*spec));
  if (!added) return refuse(holder, frame.id, added.error());
  Observer& observer = **added;
  start_timers(observer);
  answer(observer, warnings);
  announce(observer);
}

// What does not depend on how many there are. Gives what fits() gives.
Result<std::vector<std::string>> Observers::check(const Worker& holder, const ObserverSpec& spec) {
  if (spec.source == spec.target) {
    return fail("SELF_TARGET", "Source and target are the same function, " + spec.source.id + ".");
  }
  const FunctionPtr* target = engine_.functions().find(spec.target.name_space, spec.target.id);
  if (target != nullptr && (*target)->is_private && (*target)->owner != &holder) {
    return fail("FORBIDDEN", "The target " + spec.target.id +
                                 " is private: only the connection that registered it can use it.");
  }
  const FunctionPtr* source = engine_.functions().find(spec.source.name_space, spec.source.id);
  if (source == nullptr) return std::vector<std::string>{};
  return fits(spec, *source);
}

// The paths of the filter that could not be checked.
Result<std::vector<std::string>> Observers::fits(const ObserverSpec& spec,
                                                 const FunctionPtr& function) {
  const Function& source = *function;
  if (source.builtin != nullptr && !source.builtin->event_source) {
    return fail("NOT_OBSERVABLE",
                source.id +
                    " is a function of the engine, which cannot be observed. Next: observe an "
                    "event source such as engine::on-functions-changed, or bind a trigger.");
  }
  if (!source.observable) {
    return fail("NOT_OBSERVABLE", source.id + " does not allow observers.");
  }
  if (spec.legacy) return std::vector<std::string>{};
  if (source.args_schema) {
    const auto wrong = source.args_schema->check(spec.args);
    if (!wrong.empty()) {
      return fail("INVALID_ARGS", "The args do not fit " + source.id + ": " + wrong.front());
    }
  } else if (!spec.args.as_object()->empty() && !source.owner_delivered) {
    return fail("INVALID_ARGS", source.id +
                                    " takes no args. Next: leave `source.args` out, or "
                                    "select events with `source.filters`.");
  }
  if (spec.filter->matches_all()) return std::vector<std::string>{};
  const KnownSchemas& known = schemas_of(function);
  return spec.filter->check_paths(known.request ? &*known.request : nullptr,
                                  known.response ? &*known.response : nullptr);
}

// Parsed once for the many observers of one function.
const Observers::KnownSchemas& Observers::schemas_of(const FunctionPtr& source) {
  const auto found = std::ranges::find_if(
      known_schemas_, [&](const KnownSchemas& known) { return known.function.lock() == source; });
  if (found != known_schemas_.end()) return *found;
  if (known_schemas_.size() >= kKnownSchemas) known_schemas_.pop_front();
  return known_schemas_.emplace_back(KnownSchemas{
      .function = source,
      .request = schema(source->request_format),
      .response = schema(source->response_format),
  });
}

Result<void> Observers::room_for(const Worker& holder, const ObserverSpec& spec) const {
  if (const auto found = sources_.find(spec.source); found != sources_.end()) {
    const Source& source = *found->second;
    if (source.observers >= Source::kMostObservers) {
      return fail("LIMIT_EXCEEDED", "The function " + spec.source.id + " has " +
                                        std::to_string(source.observers) +
                                        " observers, and more are not possible.");
    }
    if (auto room = room_for_view(source, 0, spec.view.size()); !room) return room;
  }
  if (holder.ledger.stored.fits(spec.stored_bytes())) return {};
  return std::unexpected(too_many(holder));
}

Result<ObserverPtr> Observers::add(Worker& holder, ObserverSpec spec) {
  if (const auto room = room_for(holder, spec); !room) return std::unexpected(room.error());
  const auto source = source_of(spec.source);
  auto observer = std::make_shared<Observer>(std::move(spec));
  (void)observer->charge.set(holder.ledger.stored, observer->spec.stored_bytes());
  observer->source = source;
  observer->holder = &holder;
  observer->ledger = holder.shared_ledger();
  observers_.emplace(observer->spec.id, observer);
  targets_[observer->spec.target].insert(observer);
  source->by_owner[holder.owner()].emplace(observer->spec.id, observer);
  ++source->observers;
  source->view_bytes += observer->spec.view.size();
  holder.observers.insert(observer);
  settle(*observer);  // nobody has been told of it yet
  if (observer->state == ObserverState::kPending) publish_state(*observer);  // as it began
  return observer;
}

// The same id again: what it says may have changed, what has happened so far has not.
void Observers::replay(Worker& holder, const ObserverPtr& observer, ObserverSpec spec,
                       const std::vector<std::string>& warnings) {
  if (const auto taken = take_over(holder, observer, spec); !taken) {
    return refuse_repeated(holder, observer, spec.id, taken.error());
  }
  const bool changed = observer->spec.view != spec.view;
  if (observer->spec.target != spec.target) {
    if (const auto old = targets_.find(observer->spec.target); old != targets_.end()) {
      old->second.erase(observer);
      if (old->second.empty()) targets_.erase(old);
    }
    targets_[spec.target].insert(observer);
  }
  observer->source->view_bytes += spec.view.size() - observer->spec.view.size();
  observer->spec = std::move(spec);
  if (changed) observer->acknowledged = false;
  observer->told = false;
  settle(*observer);
  answer(*observer, warnings);
  if (observer->spec.max_fires && observer->fires >= *observer->spec.max_fires) {
    return end_after_fires(observer);
  }
  if (changed) announce(*observer);
}

// Makes it the holder's, at the cost of `spec`. When that does not fit, nothing is changed.
Result<void> Observers::take_over(Worker& holder, const ObserverPtr& observer,
                                  const ObserverSpec& spec) {
  if (auto room = room_for_view(*observer->source, observer->spec.view.size(), spec.view.size());
      !room) {
    return room;
  }
  if (adopt(holder, observer, spec.stored_bytes())) return {};
  return std::unexpected(too_many(holder));
}

void Observers::answer(Observer& observer, const std::vector<std::string>& warnings) {
  std::string list;
  for (const std::string& path : warnings) {
    list += list.empty() ? '[' : ',';
    json::append_string(list, path);
  }
  if (!list.empty()) list += ']';
  protocol::ObserveResult result{observer.spec.id, state_name(observer.state), {}, {}};
  if (!list.empty()) result.warnings = list;
  observer.holder->link.send(protocol::to_text(result));
  observer.told = true;
}

// To a host that observes and knows the rest of the set.
void Observers::announce(Observer& observer) {
  Source& source = *observer.source;
  if (!source.host_observes() || !source.announced) return;
  observer.revision = ++source.revision;
  observer.listed = true;
  source.host()->link.send(protocol::to_text(protocol::ObserverAdded{
      source.key.id, source.key.name_space, observer.revision, observer.spec.view}));
  expect_ack(observer);
}

void Observers::expect_ack(Observer& observer) {
  cancel(observer.ack_timer);
  observer.ack_timer = engine_.timers().after(kAckTimeout, [this, id = observer.spec.id] {
    const auto late = observers_.find(id);
    if (late == observers_.end()) return;
    late->second->ack_timer = 0;
    reject(*late->second, {"OWNER_TIMEOUT", "The host of " + late->second->spec.source.id +
                                                " did not acknowledge the observer in time."});
  });
}

void Observers::start_timers(Observer& observer) {
  if (!observer.spec.expires_in_ms) return;
  constexpr uint64_t kLongest = uint64_t{1000} * 60 * 60 * 24 * 365;
  const Millis lease(static_cast<int64_t>(std::min(*observer.spec.expires_in_ms, kLongest)));
  observer.expiry_timer = engine_.timers().after(lease, [this, id = observer.spec.id] {
    const auto over = observers_.find(id);
    if (over == observers_.end()) return;
    over->second->expiry_timer = 0;
    dispose(ObserverPtr(over->second), {"EXPIRED", "`expires_in_ms` has passed."});
  });
}

std::pair<ObserverState, std::optional<Error>> Observers::state_of(const Observer& o) const {
  const FunctionTable& functions = engine_.functions();
  if (o.holder->gone) {
    return {ObserverState::kSuspended,
            Error{"OBSERVER_DISCONNECTED", "The observing worker is not connected."}};
  }
  if (functions.find(o.spec.source.name_space, o.spec.source.id) == nullptr) {
    if (!o.was_active) return {ObserverState::kPending, std::nullopt};
    return {ObserverState::kPending,
            Error{"OWNER_UNAVAILABLE", o.spec.source.id + " is not registered."}};
  }
  if (!o.source->announced || (o.source->host_observes() && !o.acknowledged)) {
    return {ObserverState::kPending, std::nullopt};
  }
  const FunctionPtr* target = functions.find(o.spec.target.name_space, o.spec.target.id);
  if (target == nullptr) {
    if (!o.was_active) return {ObserverState::kPending, std::nullopt};
    return {ObserverState::kSuspended,
            Error{"TARGET_UNAVAILABLE", o.spec.target.id + " is not registered."}};
  }
  if ((*target)->is_private && (*target)->owner != o.holder) {
    return {ObserverState::kError, Error{"FORBIDDEN", o.spec.target.id + " is private."}};
  }
  return {ObserverState::kActive, std::nullopt};
}

void Observers::settle(Observer& observer) {
  if (observer.final()) return;
  auto [state, reason] = state_of(observer);
  if (state == ObserverState::kError) return reject(observer, std::move(*reason));
  set_state(observer, state, std::move(reason));
}

void Observers::set_state(Observer& observer, ObserverState state, std::optional<Error> reason) {
  const auto code = [](const std::optional<Error>& error) { return error ? error->code : ""; };
  if (observer.state == state && code(observer.reason) == code(reason)) return;
  if (observer.state == ObserverState::kActive) --observer.source->active;
  if (state == ObserverState::kActive) ++observer.source->active;
  observer.state = state;
  observer.reason = std::move(reason);
  observer.was_active = observer.was_active || state == ObserverState::kActive;
  if (state == ObserverState::kDisposed) observer.queue.clear();
  if (state != ObserverState::kActive) {
    for (; !observer.queue.empty(); observer.queue.pop_front()) observer.drop("INACTIVE");
  }
  publish_state(observer);
  if (!observer.told || observer.holder->gone) return;
  protocol::ObserverStateChanged changed{observer.spec.id, state_name(state), {}, observer.fires};
  if (observer.reason) changed.reason = body(*observer.reason);
  observer.holder->link.send(protocol::to_text(changed));
}

// To those who observe `engine::on-observers-changed`.
void Observers::publish_state(const Observer& observer) {
  if (!is_observed(kObserversChanged)) return;
  std::string event = "{\"observer_id\":";
  json::append_string(event, observer.spec.id);
  event += ",\"function_id\":";
  json::append_string(event, observer.spec.source.id);
  event += ",\"target\":";
  json::append_string(event, observer.spec.target.id);
  event += ",\"state\":\"" + std::string(state_name(observer.state)) + '"';
  if (observer.reason) {
    event += ",\"reason\":{\"code\":";
    json::append_string(event, observer.reason->code);
    event += ",\"message\":";
    json::append_string(event, observer.reason->message);
    event += '}';
  }
  happened(kObserversChanged, JsonText(event + "}"), {});
}

// It stays, so that its holder can be told the reason again, but nothing happens any more.
void Observers::reject(Observer& observer, Error error) {
  cancel(observer.ack_timer);
  set_state(observer, ObserverState::kError, std::move(error));
}

void Observers::acknowledged(const Worker& host, const protocol::ObserverAck& frame) {
  const auto found = observers_.find(frame.id);
  if (found == observers_.end()) return;
  Observer& observer = *found->second;
  const FunctionKey& key = observer.spec.source;
  if (observer.source->host() != &host || key.id != frame.function_id ||
      key.name_space != frame.name_space.value_or(protocol::kDefaultNamespace) ||
      !observer.listed || observer.revision != frame.revision || observer.final()) {
    return;
  }
  cancel(observer.ack_timer);
  if (!frame.error) {
    observer.acknowledged = true;
    return settle(observer);
  }
  const bool late = std::exchange(observer.acknowledged, false);
  reject(observer, {std::string(utf8_head(frame.error->code, kMostReasonBytes)),
                    std::string(utf8_head(frame.error->message, kMostReasonBytes))});
  observer.listed = false;
  if (late) {
    Source& source = *observer.source;
    source.host()->link.send(protocol::to_text(protocol::ObserverRemoved{
        source.key.id, source.key.name_space, ++source.revision, observer.spec.id}));
  }
}

void Observers::unobserve(const Worker& holder, const protocol::Unobserve& frame) {
  const auto found = observers_.find(frame.id);
  if (found == observers_.end() || found->second->holder != &holder || found->second->spec.legacy) {
    return;
  }
  dispose(ObserverPtr(found->second), {"UNOBSERVED", "Ended by the observing worker."});
}

void Observers::dispose(const ObserverPtr& observer, Error reason) {
  set_state(*observer, ObserverState::kDisposed, std::move(reason));
  remove(observer);
}

void Observers::remove(const ObserverPtr& observer) {
  Source& source = *observer->source;
  if (observer->state == ObserverState::kActive) --source.active;
  observer->state = ObserverState::kDisposed;
  if (observer->listed && source.host_observes() && !source.host()->gone) {
    source.host()->link.send(protocol::to_text(protocol::ObserverRemoved{
        source.key.id, source.key.name_space, ++source.revision, observer->spec.id}));
  }
  cancel(observer->ack_timer);
  cancel(observer->expiry_timer);
  observer->queue.clear();
  observer->charge = {};
  leave_holder(*observer);
  --source.observers;
  source.view_bytes -= observer->spec.view.size();
  if (const auto target = targets_.find(observer->spec.target); target != targets_.end()) {
    target->second.erase(observer);
    if (target->second.empty()) targets_.erase(target);
  }
  observer->holder->observers.erase(observer);
  observers_.erase(observer->spec.id);
  forget_unused(observer->source);
}

// Removes it from the holder's observers of that source.
void Observers::leave_holder(Observer& observer) {
  const auto owned = observer.source->by_owner.find(observer.ledger->owner);
  if (owned == observer.source->by_owner.end()) return;
  owned->second.erase(observer.spec.id);
  if (owned->second.empty()) observer.source->by_owner.erase(owned);
}

// Its holder is `holder`, or gone. False, and nothing is changed: so many bytes do not fit.
bool Observers::adopt(Worker& holder, const ObserverPtr& observer, size_t bytes) {
  if (!observer->charge.set(holder.ledger.stored, bytes)) return false;
  if (observer->holder == &holder) return true;
  leave_holder(*observer);
  observer->holder->observers.erase(observer);
  observer->holder = &holder;
  observer->ledger = holder.shared_ledger();
  observer->told = false;
  observer->source->by_owner[holder.owner()].emplace(observer->spec.id, observer);
  holder.observers.insert(observer);
  return true;
}

}  // namespace iii::engine
