#include "bus/engine/trigger_table.h"

#include <algorithm>
#include <utility>

#include "bus/engine/frame_texts.h"
#include "bus/engine/function_table.h"
#include "bus/protocol/writer.h"
#include "foundation/base/log.h"

namespace iii::engine {

namespace {

// Bindings that one slice looks at.
constexpr size_t kSettledPerSlice = 32;
// Bindings are held back from a provider that has more than this to read.
constexpr size_t kMostUnreadByProvider = 1024 * 1024;

std::optional<std::string_view> view_of(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

size_t length_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

size_t stored_size(const Binding& b) {
  return 2 * b.id.size() + 2 * b.trigger_type.size() + 2 * b.function_id.size() +
         2 * b.name_space.size() + b.binder_namespace.size() + b.config.size() +
         length_of(b.metadata) + length_of(b.trigger_namespace) + Ledger::kEntryBytes;
}

size_t stored_size(const TriggerType& t) {
  return 2 * (t.key.name_space.size() + t.key.id.size()) + t.texts->size() + Ledger::kEntryBytes;
}

std::string function_key(std::string_view name_space, std::string_view function_id) {
  std::string key(name_space);
  key += '\0';
  return key += function_id;
}

void send_refusal(Worker& maker, const Binding& binding, const protocol::ErrorBody& error) {
  protocol::TriggerRegistrationResult frame{
      binding.id, binding.trigger_type, binding.function_id, {}};
  frame.error = error;
  maker.link.send(protocol::to_text(frame));
}

const std::set<std::string_view>& ids_at(
    const std::map<std::string, std::set<std::string_view>, std::less<>>& index,
    std::string_view key) {
  static const std::set<std::string_view> none;
  const auto it = index.find(key);
  return it == index.end() ? none : it->second;
}

void drop(std::map<std::string, std::set<std::string_view>, std::less<>>& index,
          std::string_view key, std::string_view id) {
  const auto it = index.find(key);
  it->second.erase(id);
  if (it->second.empty()) index.erase(it);
}

}  // namespace

std::string TriggerType::worker_name() const {
  if (builtin != nullptr) return builtin->owner;
  if (provider != nullptr && provider->name) return *provider->name;
  return first_segment(key.id);
}

TriggerTable::~TriggerTable() {
  for (const auto& [id, placed] : bindings_) {
    if (placed.verdict_timer != 0) timers_.cancel(placed.verdict_timer);
  }
}

void TriggerTable::add_builtin(const BuiltinTriggerType& type) {
  auto entry = std::make_shared<TriggerType>();
  entry->key = {"default", type.id};
  TypeTexts texts{
      .description = type.description, .trigger_request_format = {}, .call_request_format = {}};
  entry->builtin = &type;
  entry->registration = ++registrations_;
  if (type.configuration_schema)
    texts.trigger_request_format = json::to_text(*type.configuration_schema);
  if (type.request_schema) texts.call_request_format = json::to_text(*type.request_schema);
  entry->texts = std::make_shared<const TypeTexts>(std::move(texts));
  own_providers_.push_back(type.provider);
  types_.insert_or_assign(entry->key, std::move(entry));
}

TriggerTypePtr TriggerTable::type(const TypeKey& key) const {
  const auto it = types_.find(key);
  return it == types_.end() ? nullptr : it->second;
}

const PlacedBinding* TriggerTable::live_binding(std::string_view id) const {
  const auto it = bindings_.find(id);
  return it == bindings_.end() || !it->second.live() ? nullptr : &it->second;
}

const std::set<std::string_view>& TriggerTable::of_type(std::string_view type_id) const {
  return ids_at(by_type_, type_id);
}

const std::set<std::string_view>& TriggerTable::calling(std::string_view name_space,
                                                        std::string_view function_id) const {
  return ids_at(by_function_, function_key(name_space, function_id));
}

// wire §9.7: an explicit trigger namespace is strict; else the binder's own namespace, then
// `default`.
TriggerTypePtr TriggerTable::resolve(const Binding& binding) const {
  if (binding.trigger_namespace) return type({*binding.trigger_namespace, binding.trigger_type});
  if (TriggerTypePtr own = type({binding.binder_namespace, binding.trigger_type})) return own;
  return type({"default", binding.trigger_type});
}

// ---- types ----

void TriggerTable::register_type(Worker& provider, const protocol::RegisterTriggerType& frame,
                                 std::shared_ptr<const TypeTexts> texts) {
  const TypeKey key{std::string(frame.name_space.value_or(provider.name_space)),
                    std::string(frame.id)};
  const auto known = types_.find(key);
  if (known != types_.end() && known->second->builtin != nullptr) {
    return provider.limit_log.warn("worker {} may not replace the engine's own trigger type {}",
                                   provider.label(), key.id);
  }
  auto entry = std::make_shared<TriggerType>();
  entry->key = key;
  entry->texts = texts ? std::move(texts) : copy_texts(frame);
  entry->provider = &provider;
  entry->registration = ++registrations_;

  const bool taken = known != types_.end() && known->second->provider != &provider;
  std::shared_ptr<TriggerType>* earlier = taken                   ? candidate(key, provider)
                                          : known != types_.end() ? &known->second
                                                                  : nullptr;
  if (earlier != nullptr) entry->charge = std::move((*earlier)->charge);
  if (!entry->charge.set(provider.ledger.stored, stored_size(*entry))) {
    if (earlier != nullptr) (*earlier)->charge = std::move(entry->charge);
    return provider.limit_log.warn(
        "worker {} has reached its limit of trigger types; {} is ignored", provider.label(),
        key.id);
  }
  registered_by_[&provider].insert(key);
  if (taken) {
    // Not "last writer wins" as in wire §8.2: else anybody could take a type away by naming it.
    provider.limit_log.warn(
        "worker {} registers trigger type {}, which worker {} provides; it takes over when that "
        "one leaves",
        provider.label(), key.id, known->second->provider->label());
  }
  if (earlier != nullptr) {
    **earlier = std::move(*entry);  // the same object, so that what is live stays live
  } else if (taken) {
    candidates_[key].push_back(std::move(entry));
  } else {
    types_.emplace(key, std::move(entry));
  }
  if (!taken) offer_again(key.id);
}

std::shared_ptr<TriggerType>* TriggerTable::candidate(const TypeKey& key, const Worker& provider) {
  const auto waiting = candidates_.find(key);
  if (waiting == candidates_.end()) return nullptr;
  const auto own = std::ranges::find_if(
      waiting->second, [&provider](const auto& type) { return type->provider == &provider; });
  return own == waiting->second.end() ? nullptr : &*own;
}

// The type ends with its provider; whoever waits for it longest provides it from now on.
void TriggerTable::withdraw(Worker& provider, const TypeKey& key) {
  const auto it = types_.find(key);
  const auto waiting = candidates_.find(key);
  if (it != types_.end() && it->second->provider == &provider) {
    types_.erase(it);
    if (waiting != candidates_.end()) {
      waiting->second.front()->registration = ++registrations_;
      types_.emplace(key, waiting->second.front());
      waiting->second.erase(waiting->second.begin());
    }
    offer_again(key.id);
  } else {
    const std::shared_ptr<TriggerType> own = *candidate(key, provider);
    std::erase(waiting->second, own);
  }
  if (waiting != candidates_.end() && waiting->second.empty()) candidates_.erase(waiting);
}

// ---- bindings ----

void TriggerTable::bind(Worker& binder, std::shared_ptr<Binding> binding) {
  binding->binder_namespace = binder.name_space;
  binding->owner = binder.owner();

  const auto old = bindings_.find(binding->id);
  Charge fresh;
  Charge& charge = old != bindings_.end() ? old->second.charge : fresh;
  if (!charge.set(binder.ledger.stored, stored_size(*binding))) {
    binder.limit_log.warn("worker {} has reached its limit of trigger bindings; more are refused",
                          binder.label());
    return send_refusal(binder, *binding,
                        {"trigger_registration_failed",
                         "This connection has too many trigger bindings already. Next: "
                         "unregister some, or raise the engine's limits.",
                         std::nullopt});
  }
  const std::string id = binding->id;
  PlacedBinding& placed =
      store(std::move(binding), binder.shared_ledger(), std::move(charge), &binder);
  tell_if_parked(*placed.binding);
  settle(placed);
  changed_(id);
}

// Said once for each type: bindings often come a moment before their provider.
void TriggerTable::tell_if_parked(const Binding& binding) {
  constexpr size_t kMaxTold = 100;
  if (told_missing_.size() >= kMaxTold || resolve(binding)) return;
  if (!told_missing_.insert(binding.trigger_type).second) return;
  log_info("{} is waiting for trigger type '{}'; no worker provides it", binding.function_id,
           binding.trigger_type);
}

std::shared_ptr<Ledger> TriggerTable::namespace_ledger(const std::string& name_space) {
  std::shared_ptr<Ledger>& ledger = namespaces_[name_space];
  if (!ledger) ledger = std::make_shared<Ledger>(owners_.next(), limits_);
  return ledger;
}

void TriggerTable::bind_by_function(const std::string& maker_namespace, Binding binding,
                                    Verdict done) {
  const std::shared_ptr<Ledger> ledger = namespace_ledger(maker_namespace);
  binding.account = maker_namespace;
  binding.owner = ledger->owner;
  Charge charge;
  if (!charge.set(ledger->stored, stored_size(binding))) {
    if (ledger->stored.used() == 0) namespaces_.erase(maker_namespace);
    return done(Error{"limit", "too many trigger bindings were made by function in namespace " +
                                   maker_namespace +
                                   ". Next: list them with engine::registered-triggers::list "
                                   "(include_parked) and unregister some."});
  }
  PlacedBinding& placed = store(std::make_shared<const Binding>(std::move(binding)), ledger,
                                std::move(charge), nullptr);
  placed.verdict = std::move(done);
  const TriggerTypePtr target = resolve(*placed.binding);
  if (!target) {
    tell_if_parked(*placed.binding);
    return finish_verdict(placed, std::nullopt);  // parked, and that is fine
  }
  const std::string id = placed.binding->id;
  if (target->builtin == nullptr) {
    placed.verdict_timer = timers_.after(limits_.verdict_timeout, [this, id] {
      if (const auto it = bindings_.find(id); it != bindings_.end()) {
        it->second.verdict_timer = 0;
        finish_verdict(it->second, std::nullopt);
      }
    });
  }
  deliver(placed, target);
  // The engine's own providers answer at once; a refusal has removed the binding by now.
  if (const auto it = bindings_.find(id); it != bindings_.end() && target->builtin != nullptr) {
    finish_verdict(it->second, std::nullopt);
  }
}

PlacedBinding& TriggerTable::store(BindingPtr binding, std::shared_ptr<Ledger> ledger,
                                   Charge charge, Worker* maker) {
  // A second binding with a live id replaces the first, from whomever it comes (wire §8.1).
  if (const auto old = bindings_.find(binding->id); old != bindings_.end()) {
    const TriggerTypePtr current = old->second.type.lock();
    // A worker that provides the type takes the new one as an update. The engine's own providers
    // may refuse it, and must then not be left with the old one.
    const bool updates = current && current->builtin == nullptr && current == resolve(*binding);
    if (current && !updates) tell_to_unbind(*current, *old->second.binding);
    erase(old);
  }
  if (maker != nullptr) {
    maker->bindings.insert(binding->id);
  } else {
    namespaces_[binding->account] = ledger;
  }
  by_type_[binding->trigger_type].insert(binding->id);
  by_function_[function_key(binding->name_space, binding->function_id)].insert(binding->id);
  PlacedBinding& placed = bindings_[binding->id];
  placed.binding = std::move(binding);
  placed.ledger = std::move(ledger);
  placed.charge = std::move(charge);
  placed.maker = maker;
  return placed;
}

void TriggerTable::erase(Bindings::iterator it) {
  PlacedBinding placed = std::move(it->second);
  const Binding& binding = *placed.binding;
  if (placed.verdict_timer != 0) timers_.cancel(placed.verdict_timer);
  placed.charge = {};
  if (placed.maker != nullptr) {
    placed.maker->bindings.erase(binding.id);
  } else {
    if (placed.ledger->stored.used() == 0) namespaces_.erase(binding.account);
  }
  drop(by_type_, binding.trigger_type, binding.id);
  drop(by_function_, function_key(binding.name_space, binding.function_id), binding.id);
  bindings_.erase(it);
  // Gone before its provider said anything: as with a silent provider, its maker hears of no
  // refusal.
  if (placed.verdict) placed.verdict(std::nullopt);
}

// Brings a binding to the provider that is responsible for it now, unless that one has it already
// or has refused it. May erase the binding, when the engine's own provider refuses it.
void TriggerTable::settle(PlacedBinding& placed) {
  if (placed.gone()) return;
  const TriggerTypePtr current = placed.type.lock();
  const TriggerTypePtr target = resolve(*placed.binding);
  if (current && current != target) {
    tell_to_unbind(*current, *placed.binding);
    placed.type.reset();
  }
  if (!target) return finish_verdict(placed, std::nullopt);  // parked; silently (wire §8.1)
  if (placed.offered == target->registration) return;
  const std::string id = placed.binding->id;
  if (!current) finish_verdict(placed, std::nullopt);  // its maker may come back to this table
  if (const auto it = bindings_.find(id); it != bindings_.end()) deliver(it->second, target);
}

void TriggerTable::deliver(PlacedBinding& placed, const TriggerTypePtr& target) {
  placed.type = target;
  placed.offered = target->registration;
  if (target->builtin != nullptr) {
    const Result<void> bound = target->builtin->provider->bind(placed.binding, placed.ledger);
    if (!bound) refuse(placed, {"trigger_registration_failed", bound.error().message});
    return;
  }
  const Binding& binding = *placed.binding;
  protocol::RegisterTrigger frame{.id = binding.id,
                                  .trigger_type = binding.trigger_type,
                                  .function_id = binding.function_id,
                                  .config = binding.config,
                                  .metadata = view_of(binding.metadata),
                                  .name_space = binding.name_space,
                                  .trigger_namespace = target->key.name_space};
  const protocol::SplitMessage message = protocol::split(frame);
  const SharedBytes parts[] = {{nullptr, message.head},
                               {placed.binding, message.body},
                               {nullptr, message.tail},
                               {placed.binding, message.metadata},
                               {nullptr, message.end}};
  target->provider->link.send_parts(parts);
}

void TriggerTable::refuse(PlacedBinding& placed, const Error& error) {
  if (placed.maker != nullptr) {
    send_refusal(*placed.maker, *placed.binding, {error.code, error.message, std::nullopt});
  }
  // Taken out first: whoever hears the verdict may come back to this table.
  Verdict verdict = std::exchange(placed.verdict, nullptr);
  const std::string id = placed.binding->id;
  erase(bindings_.find(id));
  changed_(id);
  if (verdict) verdict(error);
}

void TriggerTable::finish_verdict(PlacedBinding& placed, std::optional<Error> error) {
  if (placed.verdict_timer != 0) timers_.cancel(std::exchange(placed.verdict_timer, 0));
  if (!placed.verdict) return;
  Verdict verdict = std::exchange(placed.verdict, nullptr);
  verdict(std::move(error));
}

void TriggerTable::verdict(Worker& provider, const protocol::TriggerRegistrationResult& frame) {
  const auto it = bindings_.find(frame.id);
  if (it == bindings_.end()) return;
  PlacedBinding& placed = it->second;
  const TriggerTypePtr current = placed.type.lock();
  if (!current || current->provider != &provider) return;  // not its provider (any more)
  if (!frame.error) return finish_verdict(placed, std::nullopt);

  if (placed.verdict) {
    // Function-style: refused means forgotten, and its maker is told (wire §8.5).
    return refuse(placed, {"trigger_registration_failed", std::string(frame.error->code) + ": " +
                                                              std::string(frame.error->message)});
  }
  placed.type.reset();  // parked, to be offered again when the type is registered again
  if (placed.maker != nullptr && !placed.gone()) {
    send_refusal(*placed.maker, *placed.binding, *frame.error);
  }
}

bool TriggerTable::unbind(std::string_view id) {
  const auto it = bindings_.find(id);
  if (it == bindings_.end()) return false;
  if (const TriggerTypePtr current = it->second.type.lock()) {
    tell_to_unbind(*current, *it->second.binding);
  }
  const std::string removed = it->first;  // `id` may be a part of it
  erase(it);
  changed_(removed);
  return true;
}

void TriggerTable::tell_to_unbind(const TriggerType& type, const Binding& binding) {
  if (type.builtin != nullptr) return type.builtin->provider->unbind(binding);
  protocol::UnregisterTrigger frame{binding.id, binding.trigger_type};
  type.provider->link.send(protocol::to_text(frame));
}

// ---- many bindings at once ----

void TriggerTable::offer_again(const std::string& type_id) {
  const auto [pass, fresh] = passes_.try_emplace(type_id);
  pass->second.again = !fresh;
  if (fresh) offer_soon(type_id);
}

void TriggerTable::offer_soon(const std::string& type_id) {
  slices_.add(kEngineOwner, [this, type_id] {
    offer_some(type_id);
    return false;
  });
}

void TriggerTable::offer_some(const std::string& type_id) {
  Pass& pass = passes_.find(type_id)->second;
  for (size_t n = 0; n < kSettledPerSlice; ++n) {
    const std::set<std::string_view>& ids = of_type(type_id);
    const auto next = pass.after ? ids.upper_bound(*pass.after) : ids.begin();
    if (next == ids.end()) {
      if (!pass.again) {
        passes_.erase(type_id);
        return;
      }
      pass = {};
      break;
    }
    PlacedBinding& placed = bindings_.find(*next)->second;
    const TriggerTypePtr target = resolve(*placed.binding);
    if (target && target->provider != nullptr &&
        target->provider->link.queued_bytes() > kMostUnreadByProvider) {
      held_back_[target->provider].push_back(type_id);
      return;
    }
    const std::string id(*next);
    pass.after = id;
    settle(placed);
    changed_(id);
  }
  offer_soon(type_id);
}

void TriggerTable::drained(const Worker& provider) {
  if (const auto waiting = held_back_.extract(&provider)) {
    for (const std::string& id : waiting.mapped()) offer_soon(id);
  }
}

void TriggerTable::forget(Worker& worker) {
  if (const auto registered = registered_by_.extract(&worker)) {
    for (const TypeKey& key : registered.mapped()) withdraw(worker, key);
  }
  if (worker.bindings.empty()) return;
  // The engine's own providers let go of them at once, the others are told in slices.
  for (TriggerProvider* provider : own_providers_) provider->forget(worker.owner());
  slices_.add(kEngineOwner, [this, worker = worker.shared_from_this()] {
    for (size_t n = 0; n < kSettledPerSlice && !worker->bindings.empty(); ++n) {
      unbind(std::string(*worker->bindings.begin()));
    }
    return !worker->bindings.empty();
  });
}

}  // namespace iii::engine
