#include "bus/engine/subscriptions.h"

#include <algorithm>
#include <utility>

namespace iii::engine {

namespace {

// What one slice does at most: owners that get an event, bindings that are looked at, calls, bytes.
constexpr size_t kOwnersPerSlice = 64;
constexpr size_t kBindingsPerSlice = 256;
constexpr size_t kCallsPerSlice = 16;
constexpr size_t kBytesPerSlice = 16 * 1024;

}  // namespace

bool Subscription::wants(const std::vector<std::string>& subjects) const {
  for (size_t i = 0; i < wanted.size() && i < subjects.size(); ++i) {
    if (wanted[i] && std::ranges::find(*wanted[i], subjects[i]) == wanted[i]->end()) return false;
  }
  return true;
}

// Callbacks that come when this object is gone do nothing.
template <typename Action>
auto Subscriptions::guarded(Action action) {
  return [alive = std::weak_ptr(alive_), action = std::move(action)](auto&&... args) mutable {
    if (const auto self = alive.lock()) action(**self, std::forward<decltype(args)>(args)...);
  };
}

Subscriptions::Subscriptions(Bus& bus, std::string type, ReadConfig read_config)
    : bus_(bus),
      type_(std::move(type)),
      read_config_(std::move(read_config)),
      alive_(std::make_shared<Subscriptions*>(this)) {}

Subscriptions::~Subscriptions() {
  for (auto& [id, owner] : owners_) {
    for (auto& [number, subscriber] : owner.subscribers) cancel(subscriber);
  }
}

BuiltinFunction Subscriptions::source(std::string owner, std::string id, std::string description) {
  source_ = id;
  return event_source(std::move(owner), std::move(id), std::move(description));
}

Result<void> Subscriptions::bind(BindingPtr binding, std::shared_ptr<Ledger> ledger) {
  Subscription subscription;
  if (read_config_) {
    if (binding->config.size() > kMostConfigBytes) {
      return fail("invalid", "The config of a `" + type_ + "` binding has " +
                                 std::to_string(binding->config.size()) + " bytes, more than the " +
                                 std::to_string(kMostConfigBytes) + " allowed");
    }
    Result<Subscription> read = read_config_(binding->config);
    if (!read) return std::unexpected(std::move(read.error()));
    subscription = std::move(*read);
  }
  unbind(*binding);
  Owner& owner = owners_[binding->owner];
  owner.ledger = std::move(ledger);
  const uint64_t number = ++last_number_;
  owner.numbers.emplace(binding->id, number);
  Subscriber& subscriber = owner.subscribers[number];
  subscriber.binding = std::move(binding);
  subscriber.subscription = std::move(subscription);
  return {};
}

void Subscriptions::unbind(const Binding& binding) {
  const auto owner = owners_.find(binding.owner);
  if (owner == owners_.end()) return;
  const auto number = owner->second.numbers.find(binding.id);
  if (number == owner->second.numbers.end()) return;
  const auto subscriber = owner->second.subscribers.find(number->second);
  cancel(subscriber->second);
  owner->second.subscribers.erase(subscriber);
  owner->second.numbers.erase(number);
  if (owner->second.subscribers.empty()) owners_.erase(owner);
}

void Subscriptions::forget(OwnerId id) {
  const auto owner = owners_.find(id);
  if (owner == owners_.end()) return;
  for (auto& [number, subscriber] : owner->second.subscribers) cancel(subscriber);
  owners_.erase(owner);
}

void Subscriptions::cancel(Subscriber& subscriber) {
  if (subscriber.timer != 0) bus_.timers().cancel(std::exchange(subscriber.timer, 0));
}

Subscriptions::Subscriber* Subscriptions::find(Who who) {
  const auto owner = owners_.find(who.owner);
  if (owner == owners_.end()) return nullptr;
  const auto subscriber = owner->second.subscribers.find(who.number);
  return subscriber == owner->second.subscribers.end() ? nullptr : &subscriber->second;
}

// ---- publishing ----

// An event is one level deeper than the call that caused it.
bool Subscriptions::within_cascade(Cause& cause) {
  ++cause.depth;
  if (!cause.cascade) cause.cascade = std::make_shared<size_t>(0);
  if (cause.depth <= bus_.limits().max_cascade_depth) return true;
  too_deep_.warn(
      "`{}` events caused one another {} levels deep; the chain ends here. Next: look for bindings "
      "of `{}` whose functions make the changes that fire them",
      type_, bus_.limits().max_cascade_depth, type_);
  return false;
}

void Subscriptions::publish(Event event) {
  if (empty()) return;
  const Cause cause = event.cause;
  if (!within_cascade(event.cause)) return;
  const EngineLimits& limits = bus_.limits();
  if (published_.size() >= limits.max_events_per_owner ||
      published_bytes_ + event.bytes > limits.max_event_bytes_per_owner) {
    return overflow_.warn("`{}` events are dropped: they come faster than they can be delivered",
                          type_);
  }
  auto entry = std::make_shared<Published>();
  entry->number = ++last_number_;
  entry->subjects = std::move(event.subjects);
  entry->cause = event.cause;
  entry->snapshot = event.snapshot;
  published_.push_back(entry);
  published_bytes_ += event.bytes;
  const auto written = [entry, cause, bytes = event.bytes](Subscriptions& self, std::string text) {
    self.published_bytes_ -= bytes;
    self.published_bytes_ += text.size();
    entry->payload = shared_text(std::move(text));
    if (self.is_observed()) self.bus_.happened(self.source_, JsonText(entry->payload), cause);
    self.hand_out_soon();
  };
  if (event.bytes <= kInlineBytes) return written(*this, event.write());
  bus_.background().compute(lasting(event.cause.owner), std::move(event.write), guarded(written));
}

void Subscriptions::hand_out_soon() {
  if (handing_out_) return;
  handing_out_ = true;
  bus_.slices().add(kEngineOwner, [alive = std::weak_ptr(alive_)] {
    const auto self = alive.lock();
    return self && (*self)->hand_out();
  });
}

bool Subscriptions::hand_out() {
  const PublishedPtr event = published_.front();
  if (!event->payload) return handing_out_ = false;  // comes back when it is written
  auto owner = handed_to_ ? owners_.upper_bound(*handed_to_) : owners_.begin();
  for (size_t n = 0; n < kOwnersPerSlice && owner != owners_.end(); ++n, ++owner) {
    handed_to_ = owner->first;
    give(owner->first, owner->second, event);
  }
  if (owner == owners_.end()) {
    handed_to_.reset();
    published_bytes_ -= event->payload->size();
    published_.pop_front();
  }
  return handing_out_ = !published_.empty();
}

void Subscriptions::give(OwnerId id, Owner& owner, const PublishedPtr& event) {
  const bool front_is_under_way = owner.walked != 0;
  if (event->snapshot && owner.queue.size() > (front_is_under_way ? 1 : 0)) owner.queue.pop_back();
  std::shared_ptr<EventCharge> charge = EventCharge::take(owner.ledger, event->payload->size());
  if (!charge) {
    return owner.dropped.warn(
        "events for the `{}` bindings of owner {} are dropped: too many wait for its targets",
        type_, id);
  }
  owner.queue.push_back({event, std::move(charge)});
  walk_soon(id, owner);
}

// ---- delivery ----

void Subscriptions::walk_soon(OwnerId id, Owner& owner) {
  if (owner.scheduled || owner.queue.empty() || owner.running >= kMostRunning) return;
  owner.scheduled = true;
  bus_.slices().add(id, [alive = std::weak_ptr(alive_), id] {
    if (const auto self = alive.lock()) (*self)->walk(id);
    return false;
  });
}

// Adds itself again instead of going on: the calls that it made come first.
void Subscriptions::walk(OwnerId id) {
  const auto found = owners_.find(id);
  if (found == owners_.end()) return;
  Owner& owner = found->second;
  owner.scheduled = false;
  if (owner.queue.empty()) return;
  const Waiting& waiting = owner.queue.front();
  size_t looked = 0;
  size_t calls = 0;
  size_t bytes = 0;
  auto next = owner.subscribers.upper_bound(owner.walked);
  while (next != owner.subscribers.end() && next->first < waiting.event->number &&
         looked++ < kBindingsPerSlice && calls < kCallsPerSlice && bytes < kBytesPerSlice &&
         owner.running < kMostRunning) {
    owner.walked = next->first;
    if (next->second.subscription.wants(waiting.event->subjects)) {
      ++calls;
      bytes += offer({id, next->first}, owner, next->second, waiting);
    }
    ++next;
  }
  if (next == owner.subscribers.end() || next->first > waiting.event->number) {
    owner.walked = 0;
    owner.queue.pop_front();
  }
  walk_soon(id, owner);
}

size_t Subscriptions::offer(Who who, Owner& owner, Subscriber& subscriber, const Waiting& waiting) {
  if (!subscriber.busy) {
    subscriber.queue.push_back(waiting);
    return serve(who, owner, subscriber);
  }
  // The first event that is held back waits for the binding's sake; the others are counted, so that
  // many bindings times many events cannot add up.
  if (waiting.event->snapshot && subscriber.queue.size() > 1) subscriber.queue.pop_back();
  std::shared_ptr<EventCharge> extra = EventCharge::take(owner.ledger, 0);
  if (!extra) {
    owner.dropped.warn(
        "events for `{}` binding {} are dropped: too many wait for its target or its condition",
        type_, subscriber.binding->id);
    return 0;
  }
  subscriber.queue.push_back(waiting);
  subscriber.queue.back().extra = std::move(extra);
  return 0;
}

// Brings the oldest event of a binding on as far as it goes without waiting.
size_t Subscriptions::serve(Who who, Owner& owner, Subscriber& subscriber) {
  subscriber.busy = true;
  const Waiting& waiting = subscriber.queue.front();
  const std::optional<std::string>& condition = subscriber.subscription.condition_function_id;
  const bool must_ask = condition && !waiting.passed;
  const Binding& binding = *subscriber.binding;
  const std::string& target = must_ask ? *condition : binding.function_id;
  if (owner.running >= kMostRunning && bus_.is_builtin(binding.name_space, target)) {
    owner.paused.push_back(who.number);
    return 0;
  }
  if (!bus_.accepts(binding.name_space, target)) {
    bus_.when_accepts(who.owner, binding.name_space, target,
                      guarded([who](Subscriptions& self) { self.serve_queue(who); }));
    return 0;
  }
  if (must_ask) {
    ask(who, owner, subscriber);
    return waiting.event->payload->size();
  }
  const size_t bytes = send(owner, subscriber, *waiting.event);
  subscriber.queue.pop_front();
  subscriber.busy = !subscriber.queue.empty();
  if (subscriber.busy) serve_soon(who);
  return bytes;
}

void Subscriptions::serve_soon(Who who) {
  bus_.slices().add(who.owner, [alive = std::weak_ptr(alive_), who] {
    if (const auto self = alive.lock()) (*self)->serve_queue(who);
    return false;
  });
}

void Subscriptions::serve_queue(Who who) {
  const auto owner = owners_.find(who.owner);
  if (owner == owners_.end()) return;
  Subscriber* subscriber = find(who);
  if (subscriber != nullptr && !subscriber->queue.empty()) {
    serve(who, owner->second, *subscriber);
    return;
  }
  if (subscriber != nullptr) subscriber->busy = false;
  wake(who.owner, owner->second);  // it may have been its turn
}

void Subscriptions::ask(Who who, Owner& owner, Subscriber& subscriber) {
  const Published& event = *subscriber.queue.front().event;
  const uint64_t question = subscriber.question = ++last_number_;
  subscriber.timer = bus_.timers().after(kConditionTimeout, [this, who, question] {
    if (Subscriber* silent = find(who)) silent->timer = 0;
    answered(who, question, false);
  });
  call(owner, *subscriber.binding, *subscriber.subscription.condition_function_id, event,
       [who, question](Subscriptions& self, const Outcome& answer) {
         const bool refuses = !answer || (*answer && **answer == "false");
         self.answered(who, question, !refuses);
       });
}

void Subscriptions::answered(Who who, uint64_t question, bool passes) {
  Subscriber* subscriber = find(who);
  if (subscriber == nullptr || subscriber->question != question) return;
  subscriber->question = 0;
  cancel(*subscriber);
  if (passes) {
    subscriber->queue.front().passed = true;
  } else {
    subscriber->queue.pop_front();
  }
  serve_soon(who);
}

size_t Subscriptions::send(Owner& owner, const Subscriber& subscriber, const Published& event) {
  // Events that events have caused share one budget, however many bindings multiply them.
  if (event.cause.depth > 1 && ++*event.cause.cascade > bus_.limits().max_cascade_calls) {
    too_many_.warn(
        "`{}` events that were caused by other events made {} calls; the rest of them is dropped. "
        "Next: look for bindings of `{}` whose functions make the changes that fire them",
        type_, bus_.limits().max_cascade_calls, type_);
    return 0;
  }
  const Binding& binding = *subscriber.binding;
  std::optional<JsonText> metadata;
  if (binding.metadata) metadata = SharedBytes{subscriber.binding, *binding.metadata};
  const size_t bytes = event.payload->size() + (metadata ? metadata->size() : 0);
  ++fired_;
  call(owner, binding, binding.function_id, event, nullptr, std::move(metadata));
  return bytes;
}

// The engine's own functions always answer, and their answers are waited for; those of workers only
// when there is an `answered`.
void Subscriptions::call(Owner& owner, const Binding& binding, const std::string& function_id,
                         const Published& event, Answered answered,
                         std::optional<JsonText> metadata) {
  Reply reply;
  if (bus_.is_builtin(binding.name_space, function_id)) {
    ++owner.running;
    reply =
        guarded([id = owner.ledger->owner, answered](Subscriptions& self, const Outcome& answer) {
          if (answered) answered(self, answer);
          self.ran(id);
        });
  } else if (answered) {
    reply = guarded(std::move(answered));
  }
  bus_.call({.function_id = function_id,
             .name_space = binding.name_space,
             .data = event.payload,
             .metadata = std::move(metadata),
             .owner = owner.ledger->owner,
             .depth = event.cause.depth,
             .cascade = event.cause.cascade},
            std::move(reply));
}

// One of the engine's own functions has answered: others may run.
void Subscriptions::ran(OwnerId id) {
  const auto found = owners_.find(id);
  if (found == owners_.end()) return;
  Owner& owner = found->second;
  if (owner.running > 0) --owner.running;
  wake(id, owner);
  walk_soon(id, owner);
}

void Subscriptions::wake(OwnerId id, Owner& owner) {
  if (owner.paused.empty() || owner.running >= kMostRunning) return;
  serve_soon({id, owner.paused.front()});
  owner.paused.pop_front();
}

}  // namespace iii::engine
