// Observers: functions and connections that come and go (observers §3.3, §4).
#include <algorithm>
#include <utility>

#include "bus/engine/engine.h"
#include "bus/engine/observers/observers.h"
#include "bus/protocol/writer.h"

namespace iii::engine {

namespace {

constexpr size_t kOfferedAtOnce = 32;  // observers looked at before others get their turn

// Where the type of a binding is looked for.
std::vector<std::string> namespaces_of(const Binding& binding) {
  if (binding.trigger_namespace) return {*binding.trigger_namespace};
  return {binding.binder_namespace, std::string(protocol::kDefaultNamespace)};
}

bool says_the_same(const BindingPtr& a, const BindingPtr& b) {
  return a == b || (a->trigger_type == b->trigger_type && a->function_id == b->function_id &&
                    a->name_space == b->name_space && a->config == b->config &&
                    a->metadata == b->metadata && a->trigger_namespace == b->trigger_namespace);
}

// What is larger cannot be shown to the host, and is not copied to find that out.
bool fits_in_view(const Binding& binding) {
  return binding.config.size() + (binding.metadata ? binding.metadata->size() : 0) <=
         Source::kMostViewBytes;
}

}  // namespace

std::shared_ptr<Source> Observers::source_of(const FunctionKey& key) {
  std::shared_ptr<Source>& source = sources_[key];
  if (source) return source;
  source = std::make_shared<Source>();
  source->key = key;
  const FunctionPtr* function = engine_.functions().find(key.name_space, key.id);
  if (function != nullptr) {
    source->function = *function;
    source->announced = true;  // an empty set was told when it was registered, or need not be
    (*function)->source = source;
  }
  return source;
}

// Other threads may hold the function longer than we do.
void Observers::detach(Source& source) {
  if (source.function) source.function->source.reset();
  source.function.reset();
}

void Observers::forget_unused(const std::shared_ptr<Source>& source) {
  if (source->observers > 0 || source->host_observes()) return;
  detach(*source);
  const auto found = sources_.find(source->key);
  if (found != sources_.end() && found->second == source) sources_.erase(found);
}

Observers::Group Observers::all_of(const Source& source) {
  Group all;
  for (const auto& [owner, observers] : source.by_owner) {
    for (const auto& [id, observer] : observers) all.push_back(observer);
  }
  return all;
}

// `action` for each, a few at a time when there are many, then `then`.
void Observers::in_steps(OwnerId owner, Group group, std::function<void(const ObserverPtr&)> action,
                         std::function<void()> then) {
  auto step = [action = std::move(action), then = std::move(then), group = std::move(group),
               next = size_t{0}]() mutable {
    for (size_t left = kOfferedAtOnce; left > 0 && next < group.size(); --left) {
      // One that was removed meanwhile is nobody's.
      const ObserverPtr& observer = group[next++];
      if (observer->state != ObserverState::kDisposed) action(observer);
    }
    if (next < group.size()) return true;
    then();
    return false;
  };
  if (step()) engine_.slices().add(owner, std::move(step));
}

void Observers::registered(const FunctionPtr& function) {
  const FunctionKey key{function->name_space, function->id};
  Worker& host = *function->owner;
  end_earlier_stand_in(*function);
  const bool known = sources_.contains(key);
  if (known || host.observes) {
    auto source = source_of(key);
    detach(*source);
    source->function = function;
    source->announced = false;
    function->source = source;
    introduce(source);
  }
  targets_changed(key);
  if (function->legacy_type) stand_in(function);
}

// A new host: the observers must fit its function, and it must know them.
void Observers::introduce(const std::shared_ptr<Source>& source) {
  const FunctionPtr function = source->function;
  for (const ObserverPtr& observer : all_of(*source)) {
    observer->listed = false;
    observer->acknowledged = false;
    cancel(observer->ack_timer);
  }
  in_steps(
      source->host()->owner(), all_of(*source),
      [this, function](const ObserverPtr& observer) {
        if (observer->final()) return;
        if (auto fitting = fits(observer->spec, function); !fitting) {
          reject(*observer, fitting.error());
        }
      },
      [this, source, function] {
        if (source->function == function && !function->gone()) announce_set(*source);
      });
}

// Those that do not fit into one message are added one by one.
void Observers::announce_set(Source& source) {
  source.announced = true;
  const size_t most = std::min(Source::kMostViewBytes, engine_.limits().max_message_bytes / 2);
  Group all;
  Group told;
  std::string views = "[";
  for (const ObserverPtr& observer : all_of(source)) {
    if (observer->final()) continue;
    all.push_back(observer);
    if (views.size() + observer->spec.view.size() > most) continue;
    if (views.size() > 1) views += ',';
    views += observer->spec.view;
    told.push_back(observer);
  }
  views += ']';
  if (source.host_observes()) {
    const uint64_t revision = ++source.revision;
    source.host()->link.send(protocol::to_text(protocol::FunctionRegistered{
        source.key.id, source.key.name_space, revision, source.host()->dispatches_locally, views}));
    for (const ObserverPtr& observer : told) {
      observer->listed = true;
      observer->revision = revision;
      expect_ack(*observer);
    }
  }
  in_steps(source.host()->owner(), std::move(all), [this](const ObserverPtr& observer) {
    if (!observer->listed && !observer->final()) announce(*observer);
    settle(*observer);
  });
}

void Observers::unregistered(const FunctionPtr& function) {
  const FunctionKey key{function->name_space, function->id};
  if (const auto found = sources_.find(key);
      found != sources_.end() && found->second->function == function) {
    const std::shared_ptr<Source> source = found->second;
    detach(*source);
    source->announced = false;
    for (const ObserverPtr& observer : all_of(*source)) {
      observer->listed = false;
      observer->acknowledged = false;
      cancel(observer->ack_timer);
    }
    in_steps(kEngineOwner, all_of(*source),
             [this](const ObserverPtr& observer) { settle(*observer); });
    forget_unused(source);
  }
  // Unless another connection has registered it meanwhile.
  if (engine_.functions().find(key.name_space, key.id) == nullptr) forget_stand_in(key);
  targets_changed(key);
}

void Observers::targets_changed(const FunctionKey& key) {
  const auto found = targets_.find(key);
  if (found == targets_.end()) return;
  in_steps(kEngineOwner, Group(found->second.begin(), found->second.end()),
           [this](const ObserverPtr& observer) { settle(*observer); });
}

void Observers::host_observes(Worker& host) {
  std::vector<FunctionPtr> functions;
  for (const auto& [function, charge] : host.functions) functions.push_back(function);
  engine_.slices().add(
      host.owner(), [this, functions = std::move(functions), next = size_t{0}]() mutable {
        for (size_t left = kOfferedAtOnce; left > 0 && next < functions.size(); --left) {
          const FunctionPtr& function = functions[next++];
          const FunctionPtr* now = engine_.functions().find(function->name_space, function->id);
          if (now != nullptr && *now == function) engine_.features_known(function);
        }
        return next < functions.size();
      });
}

// They stay for a while; the state says that their holder is gone.
void Observers::left(Worker& worker) {
  if (worker.observers.empty()) return;
  Group kept;
  Group ended;
  for (const ObserverPtr& observer : worker.observers) {
    (observer->spec.legacy ? ended : kept).push_back(observer);
  }
  in_steps(kEngineOwner, std::move(ended), [this](const ObserverPtr& observer) {
    dispose(observer, {"UNOBSERVED", "Its binder has disconnected."});
  });
  if (kept.empty()) return;
  Orphans& orphans = orphans_.emplace_back();
  orphans.worker = worker.id;
  orphans.token = worker.token;
  orphans.observers.assign(kept.begin(), kept.end());
  orphans.timer = engine_.timers().after(kGrace, [this, id = worker.id] { end_orphans(id); });
  in_steps(kEngineOwner, std::move(kept),
           [this](const ObserverPtr& observer) { settle(*observer); });
}

void Observers::end_orphans(const Uuid& worker) {
  const auto found = std::ranges::find(orphans_, worker, &Orphans::worker);
  if (found == orphans_.end()) return;
  Group group;
  for (const auto& weak : found->observers) {
    // Those that came back have another holder.
    if (ObserverPtr observer = weak.lock(); observer && observer->holder->id == worker) {
      group.push_back(std::move(observer));
    }
  }
  const Uuid holder = worker;  // which may be a part of what is forgotten now
  forget_orphans(worker);
  in_steps(kEngineOwner, std::move(group), [this, holder](const ObserverPtr& observer) {
    if (observer->holder->id == holder) {
      dispose(observer, {"OBSERVER_DISCONNECTED", "The observing worker did not come back."});
    }
  });
}

void Observers::reattached(const Uuid& previous, const Uuid& token, Worker& worker) {
  const auto found = std::ranges::find(orphans_, previous, &Orphans::worker);
  if (found == orphans_.end() || found->token != token) return;
  Group group;
  for (const auto& weak : found->observers) {
    if (ObserverPtr observer = weak.lock(); observer && observer->holder->id == previous) {
      group.push_back(std::move(observer));
    }
  }
  // If this connection leaves as well, those that it has not adopted end with the grace period of
  // the one before.
  const std::shared_ptr<Worker> kept = worker.shared_from_this();
  in_steps(
      kEngineOwner, std::move(group),
      [this, kept, previous](const ObserverPtr& observer) {
        if (kept->gone || observer->holder->id != previous) return;
        if (!adopt(*kept, observer, observer->charge.bytes())) {
          kept->limit_log.warn("worker {} has {} observers; more that it had before are ended",
                               kept->label(), kept->observers.size());
          return dispose(observer, {"LIMIT_EXCEEDED", "The new connection has " +
                                                          std::to_string(kept->observers.size()) +
                                                          " observers, and more do not fit."});
        }
        settle(*observer);
      },
      [this, kept, previous] {
        if (!kept->gone) forget_orphans(previous);
      });
}

void Observers::forget_orphans(const Uuid& worker) {
  const auto found = std::ranges::find(orphans_, worker, &Orphans::worker);
  if (found == orphans_.end()) return;
  cancel(found->timer);
  orphans_.erase(found);
}

// A binding is an observer while nobody provides its type and a function stands in for it. One that
// is an observer stays one of its function, also while that is not registered.
void Observers::binding_changed(std::string_view id) {
  const auto known = observers_.find(id);
  const ObserverPtr earlier = known == observers_.end() ? nullptr : known->second;
  if (earlier && !earlier->binding) return;  // somebody has made an observer with this id
  const auto& bindings = engine_.triggers().bindings();
  const auto found = bindings.find(id);
  const PlacedBinding* placed = found == bindings.end() ? nullptr : &found->second;
  const bool waits = placed != nullptr && placed->maker != nullptr && !placed->gone() &&
                     !engine_.triggers().resolve(*placed->binding);
  if (earlier) {
    if (waits && earlier->holder == placed->maker &&
        says_the_same(earlier->binding, placed->binding)) {
      earlier->binding = placed->binding;
      return;
    }
    const bool provided = placed != nullptr && engine_.triggers().resolve(*placed->binding);
    dispose(earlier, {"UNOBSERVED", provided ? "A provider of the trigger type is registered."
                                    : waits  ? "The binding was changed."
                                             : "The binding was removed."});
  }
  const FunctionKey* source = waits ? stand_in_for(*placed->binding) : nullptr;
  if (source == nullptr || !fits_in_view(*placed->binding)) return;
  Worker& binder = *placed->maker;
  auto spec = ObserverSpec::from_binding(*placed->binding, *source);
  if (!check(binder, spec)) return;
  const auto added = add(binder, std::move(spec));
  if (!added) return;
  (*added)->binding = placed->binding;
  announce(**added);
}

const FunctionKey* Observers::stand_in_for(const Binding& binding) const {
  const auto functions = stand_ins_.find(binding.trigger_type);
  if (functions == stand_ins_.end()) return nullptr;
  for (const std::string& name_space : namespaces_of(binding)) {
    const auto first = functions->second.lower_bound(FunctionKey{name_space, {}});
    if (first != functions->second.end() && first->name_space == name_space) return &*first;
  }
  return nullptr;
}

// The bindings that wait for the type become observers.
void Observers::stand_in(const FunctionPtr& function) {
  const std::string& type = *function->legacy_type;
  const FunctionKey key{function->name_space, function->id};
  stand_ins_[type].insert(key);
  stood_in_for_.insert_or_assign(key, type);
  engine_.triggers().offer_again(type);
}

// The type that it stood in for.
std::optional<std::string> Observers::forget_stand_in(const FunctionKey& key) {
  const auto stood = stood_in_for_.find(key);
  if (stood == stood_in_for_.end()) return std::nullopt;
  std::string type = std::move(stood->second);
  stood_in_for_.erase(stood);
  const auto types = stand_ins_.find(type);
  types->second.erase(key);
  if (types->second.empty()) stand_ins_.erase(types);
  return type;
}

// A function that is registered again may stand in for another type, or for none.
void Observers::end_earlier_stand_in(const Function& function) {
  const FunctionKey key{function.name_space, function.id};
  const auto stood = stood_in_for_.find(key);
  if (stood == stood_in_for_.end() || stood->second == function.legacy_type) return;
  const std::string type = *forget_stand_in(key);
  const auto source = sources_.find(key);
  if (source == sources_.end()) return;
  in_steps(
      kEngineOwner, all_of(*source->second),
      [this](const ObserverPtr& observer) {
        if (!observer->spec.legacy) return;
        dispose(observer, {"UNOBSERVED", "The function does not stand in for the type any more."});
      },
      [this, type] { engine_.triggers().offer_again(type); });
}

}  // namespace iii::engine
