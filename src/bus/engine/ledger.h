// What one owner costs the engine, counted before it is spent.
#pragma once

#include <cstddef>

#include "bus/engine/limits.h"
#include "bus/engine/owner.h"

namespace iii::engine {

class Quota {
 public:
  explicit Quota(size_t most) : most_(most) {}

  // False, and nothing taken, when it does not fit.
  [[nodiscard]] bool take(size_t amount = 1) {
    if (amount > most_ - used_) return false;
    used_ += amount;
    return true;
  }
  // Takes `amount` in place of `earlier`, which was taken before. False, and nothing changed, when
  // it does not fit.
  [[nodiscard]] bool replace(size_t earlier, size_t amount) {
    if (amount > most_ - (used_ - earlier)) return false;
    used_ += amount - earlier;
    return true;
  }
  void give_back(size_t amount = 1) { used_ -= amount; }
  bool fits(size_t amount = 1) const { return amount <= most_ - used_; }
  size_t used() const { return used_; }
  size_t most() const { return most_; }

 private:
  size_t most_;
  size_t used_ = 0;
};

// One per connection, and one per namespace for the bindings that were made by function there.
struct Ledger {
  Ledger(OwnerId its_owner, const EngineLimits& limits)
      : owner(its_owner),
        calls(limits.max_calls_per_worker),
        call_bytes(limits.max_call_bytes_per_worker),
        functions(limits.max_functions_per_worker),
        bindings(limits.max_bindings_per_worker),
        types(limits.max_types_per_worker),
        observers(limits.max_observers_per_worker),
        stored_bytes(limits.max_stored_bytes_per_worker),
        events(limits.max_events_per_owner),
        event_bytes(limits.max_event_bytes_per_owner) {}

  const OwnerId owner;
  Quota calls;         // unanswered calls it made
  Quota call_bytes;    // what is kept of them for the answer
  Quota functions;     // that it registered
  Quota bindings;      // trigger bindings that it made
  Quota types;         // trigger types that it provides
  Quota observers;     // that it made
  Quota stored_bytes;  // ids, schemas, metadata and configs of all these
  Quota events;        // events on their way to its bindings and observers
  Quota event_bytes;   // their payloads
};

}  // namespace iii::engine
