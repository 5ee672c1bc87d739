#include "engine/trigger_table.h"

#include <utility>

#include "base/log.h"
#include "engine/function_table.h"
#include "protocol/writer.h"

namespace iii::engine {

namespace {

std::optional<std::string> copy(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<std::string_view> view(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

size_t size_of(const std::optional<std::string>& text) { return text ? text->size() : 0; }

size_t stored_size(const TriggerBinding& b) {
  return 2 * b.id.size() + b.trigger_type.size() + b.function_id.size() + b.name_space.size() +
         b.binder_namespace.size() + b.config.size() + size_of(b.metadata) +
         size_of(b.trigger_namespace) + sizeof b;
}

size_t stored_size(const TriggerType& t) {
  return 2 * (t.key.name_space.size() + t.key.id.size()) + t.description.size() +
         size_of(t.trigger_request_format) + size_of(t.call_request_format) + sizeof t;
}

void send_refusal(const TriggerBinding& binding, const Error& error) {
  if (binding.owner == nullptr) return;
  protocol::TriggerRegistrationResult frame{
      binding.id, binding.trigger_type, binding.function_id, {}};
  frame.error = protocol::ErrorBody{error.code, error.message, std::nullopt};
  binding.owner->link.send(protocol::to_text(frame));
}

}  // namespace

std::string TriggerType::worker_name() const {
  if (builtin != nullptr) return builtin->owner;
  if (provider != nullptr && provider->name) return *provider->name;
  return first_segment(key.id);
}

TriggerTable::~TriggerTable() {
  for (const auto& [id, binding] : bindings_) {
    if (binding.verdict_timer != 0) timers_.cancel(binding.verdict_timer);
  }
}

void TriggerTable::add_builtin(const BuiltinTriggerType& type) {
  TriggerType entry{.key = {"default", type.id},
                    .description = type.description,
                    .trigger_request_format = {},
                    .call_request_format = {},
                    .builtin = &type};
  if (type.configuration_schema)
    entry.trigger_request_format = json::to_text(*type.configuration_schema);
  if (type.request_schema) entry.call_request_format = json::to_text(*type.request_schema);
  types_.insert_or_assign(entry.key, std::move(entry));
}

const TriggerType* TriggerTable::type(const TypeKey& key) const {
  const auto it = types_.find(key);
  return it == types_.end() ? nullptr : &it->second;
}

const TriggerBinding* TriggerTable::live_binding(std::string_view id) const {
  const auto it = bindings_.find(id);
  return it == bindings_.end() || !it->second.live ? nullptr : &it->second;
}

// §9.7: an explicit trigger namespace is strict; else the binder's own namespace, then `default`.
const TriggerType* TriggerTable::resolve(const TriggerBinding& binding) const {
  if (binding.trigger_namespace) return type({*binding.trigger_namespace, binding.trigger_type});
  if (const TriggerType* own = type({binding.binder_namespace, binding.trigger_type})) return own;
  return type({"default", binding.trigger_type});
}

void TriggerTable::register_type(Worker& provider, const protocol::RegisterTriggerType& frame) {
  TypeKey key{std::string(frame.name_space.value_or(provider.name_space)), std::string(frame.id)};
  const TriggerType* known = type(key);
  if (known != nullptr && known->builtin != nullptr) {
    provider.limit_log.warn("worker {} may not replace the engine's own trigger type {}",
                            provider.label(), key.id);
    return;
  }
  TriggerType entry{.key = key,
                    .description = std::string(frame.description),
                    .trigger_request_format = copy(frame.trigger_request_format),
                    .call_request_format = copy(frame.call_request_format),
                    .provider = &provider};
  const bool replaces_own = known != nullptr && known->provider == &provider;
  const size_t earlier_bytes = replaces_own ? stored_size(*known) : 0;
  if ((!replaces_own && !provider.ledger.types.fits()) ||
      !provider.ledger.stored_bytes.replace(earlier_bytes, stored_size(entry))) {
    provider.limit_log.warn("worker {} has reached its limit of trigger types; {} is ignored",
                            provider.label(), key.id);
    return;
  }
  if (known != nullptr && !replaces_own) {  // the last one to register a type provides it (§8.2)
    known->provider->ledger.types.give_back();
    known->provider->ledger.stored_bytes.give_back(stored_size(*known));
  }
  if (!replaces_own) (void)provider.ledger.types.take();
  types_.insert_or_assign(key, std::move(entry));
  // The newcomer gets every binding that now resolves to it: the live ones of its predecessor,
  // parked ones, and those that had fallen back to a provider in `default`.
  for (auto& [id, binding] : bindings_) {
    const TriggerType* target = resolve(binding);
    if (target == nullptr || target->key != key) continue;
    if (binding.live && *binding.live != key) tell_provider_to_unbind(binding, &provider);
    deliver(binding, *target);
  }
}

void TriggerTable::bind(Worker& binder, const protocol::RegisterTrigger& frame) {
  TriggerBinding binding{.id = std::string(frame.id),
                         .trigger_type = std::string(frame.trigger_type),
                         .function_id = std::string(frame.function_id),
                         .name_space = std::string(frame.name_space.value_or("default")),
                         .config = std::string(frame.config),
                         .metadata = copy(frame.metadata),
                         .trigger_namespace = copy(frame.trigger_namespace),
                         .binder_namespace = binder.name_space,
                         .owner = &binder,
                         .live = {},
                         .verdict = {}};
  const auto old = bindings_.find(binding.id);
  const bool replaces_own = old != bindings_.end() && old->second.owner == &binder;
  const size_t freed = replaces_own ? stored_size(old->second) : 0;
  Quota bytes = binder.ledger.stored_bytes;
  if ((!replaces_own && !binder.ledger.bindings.fits()) ||
      !bytes.replace(freed, stored_size(binding))) {
    binder.limit_log.warn("worker {} has reached its limit of trigger bindings; more are refused",
                          binder.label());
    return send_refusal(binding, {"trigger_registration_failed",
                                  "This connection has too many trigger bindings already. Next: "
                                  "unregister some, or raise the engine's limits."});
  }
  const std::string id = binding.id;
  store(std::move(binding));
  activate(bindings_.find(id)->second);
}

void TriggerTable::bind_by_function(TriggerBinding binding,
                                    std::move_only_function<void(std::optional<Error>)> done) {
  if (ownerless_ >= limits_.max_bindings_per_worker ||
      ownerless_bytes_ + stored_size(binding) > limits_.max_stored_bytes_per_worker) {
    return done(Error{"limit", "too many trigger bindings were made by function; unregister some"});
  }
  const std::string id = binding.id;
  binding.verdict = std::move(done);
  store(std::move(binding));
  TriggerBinding& stored = bindings_.find(id)->second;
  const TriggerType* target = resolve(stored);
  if (target == nullptr) return finish_verdict(stored, std::nullopt);  // parked, and that is fine
  if (target->builtin == nullptr) {
    stored.verdict_timer = timers_.after(limits_.verdict_timeout, [this, id] {
      if (const auto it = bindings_.find(id); it != bindings_.end()) {
        it->second.verdict_timer = 0;
        finish_verdict(it->second, std::nullopt);
      }
    });
  }
  deliver(stored, *target);
  // The engine's own providers answer at once; a refusal has removed the binding by now.
  if (const auto it = bindings_.find(id); it != bindings_.end() && target->builtin != nullptr) {
    finish_verdict(it->second, std::nullopt);
  }
}

void TriggerTable::store(TriggerBinding binding) {
  // A second binding with a live id replaces the first, from whomever it comes (§8.1.6).
  if (const auto old = bindings_.find(binding.id); old != bindings_.end()) {
    const TriggerType* target = resolve(binding);
    // A worker that provides the type takes the new one as an update. The engine's own providers
    // may refuse it, and must then not be left with the old one.
    const bool updates =
        target != nullptr && target->builtin == nullptr && old->second.live == target->key;
    if (!updates) tell_provider_to_unbind(old->second, nullptr);
    erase(binding.id);
  }
  if (binding.owner != nullptr) {
    binding.owner->bindings.insert(binding.id);
    (void)binding.owner->ledger.bindings.take();
    (void)binding.owner->ledger.stored_bytes.take(stored_size(binding));
  } else {
    ++ownerless_;
    ownerless_bytes_ += stored_size(binding);
  }
  const std::string id = binding.id;
  bindings_.insert_or_assign(id, std::move(binding));
}

void TriggerTable::erase(std::string_view id) {
  const auto it = bindings_.find(id);
  if (it == bindings_.end()) return;
  TriggerBinding& binding = it->second;
  if (binding.verdict_timer != 0) timers_.cancel(binding.verdict_timer);
  if (binding.owner != nullptr) {
    binding.owner->bindings.erase(binding.id);
    binding.owner->ledger.bindings.give_back();
    binding.owner->ledger.stored_bytes.give_back(stored_size(binding));
  } else {
    --ownerless_;
    ownerless_bytes_ -= stored_size(binding);
  }
  auto verdict = std::exchange(binding.verdict, nullptr);
  bindings_.erase(it);
  // Gone before its provider said anything: as with a silent provider, its maker hears of no
  // refusal.
  if (verdict) verdict(std::nullopt);
}

void TriggerTable::activate(TriggerBinding& binding) {
  if (const TriggerType* target = resolve(binding)) {
    deliver(binding, *target);
  } else {
    binding.live.reset();  // parked; the binder hears nothing (§8.1.3)
  }
}

// May erase the binding, when the engine's own provider refuses it.
void TriggerTable::deliver(TriggerBinding& binding, const TriggerType& target) {
  binding.live = target.key;
  if (target.builtin != nullptr) {
    const Result<void> bound = target.builtin->provider->bind(
        {.id = binding.id,
         .function_id = binding.function_id,
         .name_space = binding.name_space,
         .config = binding.config,
         .metadata = binding.metadata,
         .ledger = binding.owner != nullptr ? binding.owner->shared_ledger() : nullptr});
    if (!bound) refuse(binding, {"trigger_registration_failed", bound.error().message});
    return;
  }
  protocol::RegisterTrigger frame{.id = binding.id,
                                  .trigger_type = binding.trigger_type,
                                  .function_id = binding.function_id,
                                  .config = binding.config,
                                  .metadata = view(binding.metadata),
                                  .name_space = binding.name_space,
                                  .trigger_namespace = target.key.name_space};
  target.provider->link.send(protocol::to_text(frame));
}

void TriggerTable::refuse(TriggerBinding& binding, const Error& error) {
  send_refusal(binding, error);
  // Taken out first: whoever hears the verdict may come back to this table.
  auto verdict = std::exchange(binding.verdict, nullptr);
  erase(std::string(binding.id));
  if (verdict) verdict(error);
}

void TriggerTable::finish_verdict(TriggerBinding& binding, std::optional<Error> error) {
  if (binding.verdict_timer != 0) timers_.cancel(std::exchange(binding.verdict_timer, 0));
  if (!binding.verdict) return;
  auto verdict = std::exchange(binding.verdict, nullptr);
  verdict(std::move(error));
}

void TriggerTable::verdict(Worker& provider, const protocol::TriggerRegistrationResult& frame) {
  const auto it = bindings_.find(frame.id);
  if (it == bindings_.end() || !it->second.live) return;
  TriggerBinding& binding = it->second;
  const TriggerType* current = type(*binding.live);
  if (current == nullptr || current->provider != &provider) return;  // not its provider (any more)
  if (!frame.error) return finish_verdict(binding, std::nullopt);

  if (binding.verdict) {
    // Function-style: refused means forgotten, and its maker is told (§8.5).
    return refuse(binding, {"trigger_registration_failed", std::string(frame.error->code) + ": " +
                                                               std::string(frame.error->message)});
  }
  binding.live.reset();  // parked, to be offered again when the type is registered again
  if (binding.owner != nullptr) {
    protocol::TriggerRegistrationResult notice{binding.id, binding.trigger_type,
                                               binding.function_id, frame.error};
    binding.owner->link.send(protocol::to_text(notice));
  }
}

bool TriggerTable::unbind(std::string_view id) {
  const auto it = bindings_.find(id);
  if (it == bindings_.end()) return false;
  tell_provider_to_unbind(it->second, nullptr);
  erase(std::string(id));
  return true;
}

void TriggerTable::tell_provider_to_unbind(const TriggerBinding& binding, const Worker* except) {
  if (!binding.live) return;
  const TriggerType* bound = type(*binding.live);
  if (bound == nullptr) return;
  if (bound->builtin != nullptr) {
    bound->builtin->provider->unbind(binding.id);
  } else if (bound->provider != except) {
    protocol::UnregisterTrigger frame{binding.id, binding.trigger_type};
    bound->provider->link.send(protocol::to_text(frame));
  }
}

void TriggerTable::forget(Worker& worker) {
  const std::vector<std::string> own(worker.bindings.begin(), worker.bindings.end());
  for (const std::string& id : own) {
    if (const auto it = bindings_.find(id); it != bindings_.end()) {
      tell_provider_to_unbind(it->second, &worker);
      erase(id);
    }
  }
  std::erase_if(types_, [&](const auto& entry) {
    if (entry.second.provider != &worker) return false;
    worker.ledger.types.give_back();
    worker.ledger.stored_bytes.give_back(stored_size(entry.second));
    return true;
  });
  // Other workers' bindings lose their provider: another namespace's one takes over, or they are
  // parked.
  std::vector<std::string> orphans;
  for (const auto& [id, binding] : bindings_) {
    if (binding.live && type(*binding.live) == nullptr) orphans.push_back(id);
  }
  // Looked up anew each time: a provider that refuses, or somebody who hears a verdict, may remove
  // one.
  for (const std::string& id : orphans) {
    if (const auto it = bindings_.find(id); it != bindings_.end()) {
      finish_verdict(it->second, std::nullopt);
    }
    if (const auto it = bindings_.find(id); it != bindings_.end()) activate(it->second);
  }
}

}  // namespace iii::engine
