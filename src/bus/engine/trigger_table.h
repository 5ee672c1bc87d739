// Trigger types, bindings, and the life they lead together (wire §8 and §9.7).
//
// A binding is live (handed to the provider of its type) or parked (no provider, or refused by it).
// Parked bindings come back by themselves when a provider registers the type. A type belongs to the
// connection that registered it first; others that register it wait until that one leaves.
//
// Whatever concerns many bindings at once (a type comes or goes, a binder leaves) is done in
// slices.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/limits.h"
#include "bus/engine/owner.h"
#include "bus/engine/slices.h"
#include "bus/engine/worker.h"
#include "bus/protocol/frame.h"
#include "foundation/base/timers.h"

namespace iii::engine {

struct TypeKey {
  std::string name_space;
  std::string id;

  auto operator<=>(const TypeKey&) const = default;
};

// What a type says of itself; shared with other threads.
struct TypeTexts {
  std::string description;
  std::optional<std::string> trigger_request_format;  // JSON text
  std::optional<std::string> call_request_format;     // JSON text

  size_t size() const {
    return description.size() + (trigger_request_format ? trigger_request_format->size() : 0) +
           (call_request_format ? call_request_format->size() : 0);
  }
};

struct TriggerType {
  TypeKey key;
  std::shared_ptr<const TypeTexts> texts;
  Worker* provider = nullptr;  // null when `builtin` is set
  Charge charge;               // of the provider
  const BuiltinTriggerType* builtin = nullptr;
  uint64_t registration = 0;  // a new number each time that it is registered

  std::string worker_name() const;
};
using TriggerTypePtr = std::shared_ptr<const TriggerType>;

// What the provider of a type says about a binding: nothing, or why it refuses it.
using Verdict = std::move_only_function<void(std::optional<Error>)>;

// A binding and where it is bound.
struct PlacedBinding {
  BindingPtr binding;
  std::shared_ptr<Ledger> ledger;  // of the connection or the namespace that pays for it
  Charge charge;
  Worker* maker = nullptr;  // null for bindings made by function, which outlive their maker
  std::weak_ptr<const TriggerType> type;  // empty or expired while it is parked
  uint64_t offered = 0;                   // the registration of a type that it was last offered to
  // A function-style binding whose maker still waits for the provider's verdict.
  Verdict verdict;
  TimerId verdict_timer = 0;

  // Of a connection that has ended; it is about to be removed.
  bool gone() const { return maker != nullptr && maker->gone; }
  bool live() const { return !type.expired() && !gone(); }
};

class TriggerTable {
 public:
  using Types = std::map<TypeKey, std::shared_ptr<TriggerType>>;
  using Bindings = std::map<std::string, PlacedBinding, std::less<>>;

  TriggerTable(Timers& timers, Slices& slices, OwnerIds& owners, const EngineLimits& limits)
      : timers_(timers), slices_(slices), owners_(owners), limits_(limits) {}
  ~TriggerTable();
  TriggerTable(const TriggerTable&) = delete;
  TriggerTable& operator=(const TriggerTable&) = delete;

  void add_builtin(const BuiltinTriggerType& type);
  // `listener` hears the id of each binding that is made, replaced or removed, and of those whose
  // provider may be another one now.
  void on_change(std::function<void(std::string_view)> listener) { changed_ = std::move(listener); }

  // From workers' frames. Blank namespaces were refused before.
  // `texts`: those of the frame, when they have been copied already.
  void register_type(Worker& provider, const protocol::RegisterTriggerType& frame,
                     std::shared_ptr<const TypeTexts> texts = nullptr);
  void bind(Worker& binder, std::shared_ptr<Binding> binding);
  void verdict(Worker& provider, const protocol::TriggerRegistrationResult& frame);
  // True when there was such a binding, live or parked.
  bool unbind(std::string_view id);

  // A binding that outlives its maker; it counts against the maker's namespace. `done` hears
  // whether the provider refused; a silent provider has accepted.
  void bind_by_function(const std::string& maker_namespace, Binding binding, Verdict done);

  // The connection of a provider has taken everything that was sent to it.
  void drained(const Worker& provider);

  // Teardown steps 4–6 of a connection (wire §4.4). Its types and bindings have no effect from now
  // on; the providers of its bindings are notified in slices.
  void forget(Worker& worker);
  // Brings the bindings of a type to whoever is responsible for it now, in slices.
  void offer_again(const std::string& type_id);

  TriggerTypePtr type(const TypeKey& key) const;
  // The type that a binding is for; null when nobody provides it.
  TriggerTypePtr resolve(const Binding& binding) const;
  const PlacedBinding* live_binding(std::string_view id) const;
  const Types& types() const { return types_; }
  // Live and parked; sorted by id.
  const Bindings& bindings() const { return bindings_; }
  // Ids of the bindings of a type (in any namespace), and of those that call a function.
  const std::set<std::string_view>& of_type(std::string_view type_id) const;
  const std::set<std::string_view>& calling(std::string_view name_space,
                                            std::string_view function_id) const;

 private:
  // Offers the bindings of one type id to whoever provides it now.
  struct Pass {
    std::optional<std::string> after;  // the last binding that was looked at
    bool again = false;                // something has changed: once more from the start
  };
  using Index = std::map<std::string, std::set<std::string_view>, std::less<>>;

  void settle(PlacedBinding& placed);
  void tell_if_parked(const Binding& binding);
  void deliver(PlacedBinding& placed, const TriggerTypePtr& type);
  static void tell_to_unbind(const TriggerType& type, const Binding& binding);
  void refuse(PlacedBinding& placed, const Error& error);
  void finish_verdict(PlacedBinding& placed, std::optional<Error> error);
  PlacedBinding& store(BindingPtr binding, std::shared_ptr<Ledger> ledger, Charge charge,
                       Worker* maker);
  void erase(Bindings::iterator it);
  void offer_soon(const std::string& type_id);
  void offer_some(const std::string& type_id);
  std::shared_ptr<TriggerType>* candidate(const TypeKey& key, const Worker& provider);
  void withdraw(Worker& provider, const TypeKey& key);
  std::shared_ptr<Ledger> namespace_ledger(const std::string& name_space);

  Timers& timers_;
  Slices& slices_;
  OwnerIds& owners_;
  const EngineLimits& limits_;
  Types types_;
  std::vector<TriggerProvider*> own_providers_;
  // Registered by one connection while another provides the type; the oldest is next.
  std::map<TypeKey, std::vector<std::shared_ptr<TriggerType>>> candidates_;
  std::map<const Worker*, std::set<TypeKey>> registered_by_;  // types and candidates
  Bindings bindings_;
  Index by_type_;
  Index by_function_;  // namespace, NUL, id
  std::map<std::string, Pass, std::less<>> passes_;
  // Passes that wait until a provider has read what was sent to it.
  std::map<const Worker*, std::vector<std::string>> held_back_;
  uint64_t registrations_ = 0;
  // What pays for bindings made by function; there while the namespace has some.
  std::map<std::string, std::shared_ptr<Ledger>> namespaces_;
  std::set<std::string> told_missing_;  // types of which the log said that nobody has them
  std::function<void(std::string_view)> changed_ = [](std::string_view) {};
};

}  // namespace iii::engine
