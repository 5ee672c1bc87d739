// Trigger types, bindings, and the life they lead together (wire-protocol §8 and §9.7).
//
// A binding is live (handed to the provider of its type) or parked (no provider, or refused by it).
// Parked bindings come back by themselves when a provider registers the type.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/timers.h"
#include "engine/limits.h"
#include "engine/worker.h"
#include "protocol/frame.h"

namespace iii::engine {

struct TypeKey {
  std::string name_space;
  std::string id;

  auto operator<=>(const TypeKey&) const = default;
};

struct TriggerType {
  TypeKey key;
  std::string description;
  std::optional<std::string> trigger_request_format;  // JSON text
  std::optional<std::string> call_request_format;     // JSON text
  Worker* provider = nullptr;                         // null when `builtin` is set
  const BuiltinTriggerType* builtin = nullptr;

  std::string worker_name() const;
};

struct TriggerBinding {
  std::string id;
  std::string trigger_type;
  std::string function_id;
  std::string name_space = "default";  // of the target function
  std::string config = "null";         // JSON text
  std::optional<std::string> metadata;
  std::optional<std::string> trigger_namespace;  // asked for explicitly
  std::string binder_namespace = "default";
  Worker* owner = nullptr;      // null for bindings made by function, which outlive their maker
  std::optional<TypeKey> live;  // where it is bound; nothing while parked
  // A function-style binding whose maker still waits for the provider's verdict.
  std::move_only_function<void(std::optional<Error>)> verdict;
  TimerId verdict_timer = 0;
};

class TriggerTable {
 public:
  TriggerTable(Timers& timers, const EngineLimits& limits) : timers_(timers), limits_(limits) {}
  ~TriggerTable();
  TriggerTable(const TriggerTable&) = delete;
  TriggerTable& operator=(const TriggerTable&) = delete;

  void add_builtin(const BuiltinTriggerType& type);

  // From workers' frames. Blank namespaces were refused before.
  void register_type(Worker& provider, const protocol::RegisterTriggerType& frame);
  void bind(Worker& binder, const protocol::RegisterTrigger& frame);
  void verdict(Worker& provider, const protocol::TriggerRegistrationResult& frame);
  // True when there was such a binding, live or parked.
  bool unbind(std::string_view id);

  // A binding without an owner. `done` hears whether the provider refused; a silent provider has
  // accepted.
  void bind_by_function(TriggerBinding binding,
                        std::move_only_function<void(std::optional<Error>)> done);

  // Teardown steps 4–6 of a connection (§4.4).
  void forget(Worker& worker);

  const TriggerType* type(const TypeKey& key) const;
  const TriggerBinding* live_binding(std::string_view id) const;
  const std::map<TypeKey, TriggerType>& types() const { return types_; }
  // Live and parked; sorted by id.
  const std::map<std::string, TriggerBinding, std::less<>>& bindings() const { return bindings_; }

 private:
  const TriggerType* resolve(const TriggerBinding& binding) const;
  void activate(TriggerBinding& binding);
  void deliver(TriggerBinding& binding, const TriggerType& type);
  void tell_provider_to_unbind(const TriggerBinding& binding, const Worker* except);
  void refuse(TriggerBinding& binding, const Error& error);
  void finish_verdict(TriggerBinding& binding, std::optional<Error> error);
  void store(TriggerBinding binding);
  void erase(std::string_view id);

  Timers& timers_;
  const EngineLimits& limits_;
  std::map<TypeKey, TriggerType> types_;
  std::map<std::string, TriggerBinding, std::less<>> bindings_;
  size_t ownerless_ = 0;  // bindings without an owner
  size_t ownerless_bytes_ = 0;
};

}  // namespace iii::engine
