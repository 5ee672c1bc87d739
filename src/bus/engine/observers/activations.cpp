// Observers: from a finished call to the calls of targets (observers §6).
#include <algorithm>
#include <utility>

#include "bus/engine/engine.h"
#include "bus/engine/observers/observers.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

using filter::Part;

constexpr size_t kActivatedAtOnce = 32;       // observers per step
constexpr size_t kMostErrorText = 64 * 1024;  // bytes of a code or a message

std::string error_text(const protocol::ErrorBody& error) {
  std::string out = "{\"code\":";
  json::append_string(out, utf8_prefix(error.code, kMostErrorText));
  out += ",\"message\":";
  json::append_string(out, utf8_prefix(error.message, kMostErrorText));
  return out + "}";
}

std::string activation_key(const std::string& observer_id, const std::string& activation_id) {
  std::string out = "{\"observer_id\":";
  json::append_string(out, observer_id);
  return out + ",\"activation_id\":\"" + activation_id + "\"}";
}

}  // namespace

// Null when nobody who observes the function can pay for that much.
std::shared_ptr<EventCharge> Observers::charge_anybody(const Source& source, size_t bytes) {
  for (const auto& [owner, observers] : source.by_owner) {
    const auto payer = std::ranges::find_if(observers, [](const auto& each) {
      return each.second->state == ObserverState::kActive && !each.second->holder->gone;
    });
    if (payer == observers.end()) continue;
    if (auto charge = EventCharge::take(payer->second->ledger, bytes)) return charge;
  }
  return nullptr;
}

void Observers::lose(const Source& source) {
  for (const auto& [owner, observers] : source.by_owner) {
    for (const auto& [id, observer] : observers) {
      if (observer->state == ObserverState::kActive) observer->drop("OVERFLOW");
    }
  }
}

// Said once per connection: a limit, or events of which some were lost while nothing was active.
void Observer::drop(std::string_view code) {
  ++dropped.try_emplace(std::string(code)).first->second;
  LogOnce& log = code == "INACTIVE" ? holder->inactive_log : holder->limit_log;
  log.warn(
      "worker {}: an event of {} for an observer is dropped ({}); further ones are only counted",
      holder->label(), spec.source.id, code);
}

std::shared_ptr<ObservedCall> Observers::begin(const Function& function, size_t bytes) {
  const std::shared_ptr<Source>& source = function.source;
  auto charge = charge_anybody(*source, bytes);
  if (!charge) {
    lose(*source);
    return nullptr;
  }
  auto call = std::make_shared<ObservedCall>();
  call->source = source;
  call->bytes = bytes;
  call->charge = std::move(charge);
  call->started_at_ms = engine_.timers().wall_ms();
  call->started = engine_.timers().now();
  return call;
}

void Observers::finished(const std::shared_ptr<ObservedCall>& call, const Worker& host,
                         const protocol::InvocationResult& result, const LargeFrame* large) {
  const std::shared_ptr<Source> source = call->source;
  if (source->active == 0 || (host.observes_v2 && result.delivered)) return;
  const auto size = [](const auto& text) { return text ? text->size() : 0; };
  // A part of a large message keeps all of it.
  const size_t bytes =
      large != nullptr ? large->text.bytes.size() : size(result.result) + size(result.matched);
  if (!call->charge->add(bytes)) {
    // Others can pay, perhaps; those who cannot are counted when their turn comes.
    call->charge = charge_anybody(*source, call->bytes + bytes);
    if (!call->charge) return lose(*source);
  }
  ObservedEventPtr event = event_of(*call);
  event->success = !result.error;
  if (result.error) {
    event->part(Part::kError) = JsonText(error_text(*result.error));
  } else {
    event->part(Part::kOutput) =
        result.result ? kept_text(*result.result, large) : JsonText("null");
  }
  event->duration_ms =
      std::chrono::duration<double, std::milli>(engine_.timers().now() - call->started).count();
  if (host.observes_v2 && result.matched) event->matched_text = std::string(*result.matched);
  take(source, std::move(event));
}

// Everything but how the call ended.
ObservedEventPtr Observers::event_of(ObservedCall& call) {
  auto event = std::make_shared<ObservedEvent>();
  event->source = call.source->key;
  event->invocation_id = call.id.to_string();
  event->part(Part::kInput) = std::move(call.input);
  event->part(Part::kCaller) = JsonText(std::move(call.caller));
  event->part(Part::kMetadata) = std::move(call.metadata);
  event->started_at_ms = call.started_at_ms;
  event->depth = call.depth;
  event->traceparent = std::move(call.traceparent);
  event->baggage = std::move(call.baggage);
  event->cascade = std::move(call.cascade);
  event->charge = std::move(call.charge);
  return event;
}

void Observers::take(const std::shared_ptr<Source>& source, ObservedEventPtr event) {
  for (std::optional<JsonText>& part : event->parts) {
    if (part) part->share();
  }
  if (const auto& caller = event->part(Part::kCaller)) engine_.guard_named(caller->view());
  source->waiting.push_back(std::move(event));
  advance(source);
}

bool Observers::is_observed(std::string_view event_source) const {
  const FunctionPtr* function = engine_.functions().find_default(event_source);
  return function != nullptr && (*function)->source && (*function)->source->active > 0;
}

// As if the engine had called the function, which returns its input.
void Observers::happened(std::string_view event_source, JsonText event, const Cause& cause) {
  if (!is_observed(event_source)) return;
  const FunctionPtr function = *engine_.functions().find_default(event_source);
  const std::shared_ptr<ObservedCall> call = begin(*function, event.size());
  if (!call) return;
  call->id = engine_.ids().next();
  event.share();
  call->input = event;
  call->caller = R"({"worker_name":"iii-engine"})";
  call->depth = cause.depth;
  call->cascade = cause.cascade;
  ObservedEventPtr made = event_of(*call);
  made->part(Part::kOutput) = std::move(event);
  take(function->source, std::move(made));
}

// Those whom the host has selected and the filter lets through. On any thread, so it does not look
// at observers. It keeps nothing: what it parses takes many times the memory that is paid for.
void Observers::choose(ObservedEvent& event, Audience& audience) {
  uint8_t parts = 0;
  for (const auto& [owner, group] : audience) {
    for (const Candidate& each : group) parts |= each.filter ? each.filter->parts() : 0;
  }
  event.clean();
  const ObservedValues values(event, parts);
  for (auto& [owner, group] : audience) {
    for (Candidate& each : group) {
      each.chosen = values.selects(each.id) && (!each.filter || values.matches(*each.filter));
    }
  }
}

// One event at a time, so that they stay in order. It is for those who are active now, with the
// filters that they have now.
void Observers::advance(const std::shared_ptr<Source>& source) {
  if (source->evaluating || source->waiting.empty()) return;
  const ObservedEventPtr event = std::move(source->waiting.front());
  source->waiting.pop_front();
  size_t filters = 0;
  size_t scans = 0;
  auto audience = std::make_shared<Audience>();
  for (const auto& [owner, observers] : source->by_owner) {
    std::vector<Candidate> group;
    group.reserve(observers.size());
    for (const auto& [id, observer] : observers) {
      if (observer->state != ObserverState::kActive) continue;
      if (!observer->spec.wants(event->success)) continue;
      const auto& filter = observer->spec.filter;
      if (event->exceeds(filter->parts())) {
        observer->drop("TOO_LARGE");
        continue;
      }
      Candidate& candidate = group.emplace_back(observer);
      if (event->matched_text) candidate.id = id;
      if (filter->matches_all()) continue;
      candidate.filter = filter;
      scans += filter->scans();
      ++filters;
    }
    if (!group.empty()) audience->emplace_back(owner, std::move(group));
  }
  const OwnerId payer = lasting(event->charge->owner());
  const auto go_on = [this, source] {
    source->evaluating = false;
    advance(source);
  };
  if (filters <= kActivatedAtOnce && event->bytes() * (1 + scans) <= kInlineBytes) {
    choose(*event, *audience);
    hand_out(event, *audience);
    if (source->waiting.empty()) return;
    source->evaluating = true;
    return engine_.slices().add(payer, [go_on] {
      go_on();
      return false;
    });
  }
  source->evaluating = true;
  engine_.background().compute(
      payer,
      [event, audience] {
        choose(*event, *audience);
        return true;
      },
      [this, event, audience, go_on](bool) {
        hand_out(event, *audience);
        go_on();
      });
}

void Observers::hand_out(const ObservedEventPtr& event, Audience& audience) {
  for (auto& [payer, group] : audience) {
    std::erase_if(group, [](const Candidate& each) { return !each.chosen; });
    if (group.empty()) continue;
    auto charge = event->charge;
    if (charge->owner() != payer) {
      charge = EventCharge::take(group.front().observer->ledger, event->bytes());
    }
    engine_.slices().add(
        payer, [this, event, chosen = std::move(group), charge, next = size_t{0}]() mutable {
          for (size_t left = kActivatedAtOnce; left > 0 && next < chosen.size(); --left) {
            const ObserverPtr& observer = chosen[next++].observer;
            if (observer->state != ObserverState::kActive) continue;
            fire(*observer, event, charge);
            drain(observer);
          }
          return next < chosen.size();
        });
  }
}

void Observers::fire(Observer& observer, const ObservedEventPtr& event,
                     const std::shared_ptr<EventCharge>& charge) {
  const auto& most = observer.spec.max_fires;
  const uint64_t started = observer.fires + observer.queue.size() + (observer.composing ? 1 : 0);
  if (most && started >= *most) return;
  if (event->depth >= kMaxDepth) return observer.drop("LOOP_GUARD");
  if (!charge || observer.queue.size() >= Observer::kMostQueued) return observer.drop("OVERFLOW");
  if (event->depth > 0) {
    if (!event->cascade) event->cascade = std::make_shared<size_t>(0);
    if (++*event->cascade > engine_.limits().max_cascade_calls) return observer.drop("LOOP_GUARD");
  }
  observer.queue.push_back({event, charge});
}

void Observers::drain(const ObserverPtr& observer) {
  while (observer->state == ObserverState::kActive && !observer->queue.empty() &&
         !observer->composing && observer->in_flight < observer->spec.max_in_flight &&
         has_room(observer)) {
    const Observer::Queued next = std::move(observer->queue.front());
    observer->queue.pop_front();
    const std::string activation_id = engine_.ids().next().to_string();
    if (observer->spec.deliver != Deliver::kEnvelope || next.event->bytes() <= kInlineBytes) {
      start(observer, *next.event, activation_data(*next.event, observer->spec, activation_id),
            activation_id);
      continue;
    }
    observer->composing = true;
    engine_.background().compute(
        lasting(observer->ledger->owner),
        [event = next.event, spec = observer->spec, activation_id] {
          JsonText data = activation_data(*event, spec, activation_id);
          data.share();
          return data;
        },
        [this, observer, next, activation_id](JsonText data) {
          observer->composing = false;
          if (observer->state != ObserverState::kActive) return;
          start(observer, *next.event, std::move(data), activation_id);
          drain(observer);
        });
  }
}

// False: it goes on by itself when the target's connection has read what was sent to it.
bool Observers::has_room(const ObserverPtr& observer) {
  const FunctionKey& target = observer->spec.target;
  if (engine_.accepts(target.name_space, target.id)) return true;
  if (std::exchange(observer->waiting_for_room, true)) return false;
  engine_.when_accepts(lasting(observer->ledger->owner), target.name_space, target.id,
                       [this, observer] {
                         observer->waiting_for_room = false;
                         drain(observer);
                       });
  return false;
}

// A place among those in flight, until what is returned is destroyed; null when its holder has too
// much on its way. The first belongs to the observer; the others are charged, so that many
// observers times many places cannot add up.
std::shared_ptr<void> Observers::take_place(const ObserverPtr& observer) {
  std::shared_ptr<EventCharge> charge;
  if (observer->in_flight > 0) {
    charge = EventCharge::take(observer->ledger, sizeof(PendingCall));
    if (!charge) return nullptr;
  }
  ++observer->in_flight;
  // Not null, or it would count as no place.
  return {static_cast<void*>(this), [this, weak = std::weak_ptr(observer), charge](void*) {
            const ObserverPtr kept = weak.lock();
            if (!kept) return;
            --kept->in_flight;
            if (kept->queue.empty()) return;
            engine_.slices().add(lasting(kept->ledger->owner), [this, kept] {
              drain(kept);
              return false;
            });
          }};
}

void Observers::start(const ObserverPtr& observer, const ObservedEvent& event, JsonText data,
                      const std::string& activation_id) {
  std::shared_ptr<void> place = take_place(observer);
  if (!place) return observer->drop("OVERFLOW");
  const ObserverSpec& spec = observer->spec;
  auto activation = std::make_shared<ActivationContext>();
  activation->caller = R"({"worker_name":"iii-engine","function_id":)";
  json::append_string(activation->caller, event.source.id);
  activation->caller += ",\"invocation_id\":";
  json::append_string(activation->caller, event.invocation_id);
  activation->caller += '}';
  activation->activation = activation_key(spec.id, activation_id);
  activation->depth = event.depth + 1;
  activation->traceparent = event.traceparent;
  activation->baggage = event.baggage;
  activation->cascade = event.cascade;
  OutgoingCall call{.function_id = spec.target.id,
                    .name_space = spec.target.name_space,
                    .data = std::move(data),
                    .metadata = spec.metadata,
                    .owner = lasting(observer->ledger->owner),
                    .depth = static_cast<size_t>(event.depth) + 1,
                    .cascade = event.cascade,
                    .activation = std::move(activation),
                    .place = std::move(place)};
  engine_.call(std::move(call), {});
  fired(observer);
}

void Observers::fired(const ObserverPtr& observer) {
  ++observer->fires;
  if (observer->spec.max_fires && observer->fires >= *observer->spec.max_fires) {
    end_after_fires(observer);
  }
}

void Observers::end_after_fires(const ObserverPtr& observer) {
  dispose(observer, {"MAX_FIRES", "`max_fires` (" + std::to_string(*observer->spec.max_fires) +
                                      ") was reached."});
}

Result<Observers::Through> Observers::call_through(const Worker& host,
                                                   const protocol::InvokeFunction& call) {
  const auto id = json::member(*call.activation, "observer_id");
  const auto found = id && json::kind_of(*id) == json::Kind::kString
                         ? observers_.find(json::string_of(*id))
                         : observers_.end();
  if (found == observers_.end()) {
    return fail("OBSERVER_NOT_FOUND", "There is no observer with this id.");
  }
  const ObserverPtr observer = found->second;
  const ObserverSpec& spec = observer->spec;
  if (observer->source->host() != &host) {
    return fail("NOT_FUNCTION_OWNER",
                "Only the host of " + spec.source.id + " can call through its observers.");
  }
  const FunctionPtr* target = engine_.functions().find(spec.target.name_space, spec.target.id);
  if (observer->state != ObserverState::kActive || target == nullptr) {
    return fail("OBSERVER_NOT_ACTIVE",
                "The observer is " + std::string(state_name(observer->state)) + ".");
  }
  if (!host.observes_v2 && call.function_id != spec.target.id) {
    return fail("TARGET_MISMATCH", "The target of the observer is " + spec.target.id + ".");
  }
  if (call.observe_depth >= kMaxDepth) {
    observer->drop("LOOP_GUARD");
    return fail("LOOP_GUARD",
                std::to_string(kMaxDepth) +
                    " activations have led to this call, which is the most that may follow each "
                    "other.");
  }
  if (observer->in_flight >= spec.max_in_flight) {
    return fail("OVERFLOW", "`max_in_flight` (" + std::to_string(spec.max_in_flight) +
                                ") of the observer is reached. Next: wait for an answer.");
  }
  std::shared_ptr<void> place = take_place(observer);
  if (!place) {
    return fail("OVERFLOW", "The holder of the observer has " +
                                std::to_string(observer->ledger->events.used()) +
                                " events and activations on their way. Next: wait for answers.");
  }
  Through through{.target = *target,
                  .metadata = spec.metadata,
                  .activation = activation_key(spec.id, engine_.ids().next().to_string()),
                  .place = std::move(place)};
  fired(observer);
  return through;
}

}  // namespace iii::engine
