// What one owner costs the engine, counted before it is spent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "bus/engine/limits.h"
#include "bus/engine/owner.h"

namespace iii::engine {

// How many things there may be, and how many bytes they may take together.
class Quota {
 public:
  Quota(size_t most, size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}
  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  // Whether there is room for one more, of so many bytes.
  bool fits(size_t bytes) const { return used_ < most_ && bytes <= most_bytes_ - used_bytes_; }
  size_t used() const { return used_; }
  size_t used_bytes() const { return used_bytes_; }

 private:
  friend class Charge;

  const size_t most_;
  const size_t most_bytes_;
  size_t used_ = 0;
  size_t used_bytes_ = 0;
};

// One thing that is counted in a quota until it is destroyed. The quota outlives it.
class Charge {
 public:
  Charge() = default;
  Charge(Charge&& other) noexcept
      : quota_(std::exchange(other.quota_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge& operator=(Charge&& other) noexcept {
    Charge taken(std::move(other));
    std::swap(quota_, taken.quota_);
    std::swap(bytes_, taken.bytes_);
    return *this;
  }
  ~Charge() {
    if (quota_ == nullptr) return;
    --quota_->used_;
    quota_->used_bytes_ -= bytes_;
  }

  // Counts it in `quota`, with so many bytes, in place of what was counted before. False, and
  // nothing is changed, when that does not fit.
  [[nodiscard]] bool set(Quota& quota, size_t bytes) {
    if (quota_ != &quota) {
      if (!quota.fits(bytes)) return false;
      *this = Charge();
      quota_ = &quota;
      ++quota.used_;
    } else if (bytes > quota.most_bytes_ - (quota.used_bytes_ - bytes_)) {
      return false;
    }
    quota.used_bytes_ += bytes - bytes_;
    bytes_ = bytes;
    return true;
  }
  explicit operator bool() const { return quota_ != nullptr; }
  size_t bytes() const { return bytes_; }

 private:
  Quota* quota_ = nullptr;
  size_t bytes_ = 0;
};

// One per connection, and one per namespace for the bindings that were made by function there.
struct Ledger {
  Ledger(OwnerId its_owner, const EngineLimits& limits)
      : owner(its_owner),
        calls(limits.max_calls_per_worker, limits.max_call_bytes_per_worker),
        stored(SIZE_MAX, limits.max_stored_bytes_per_worker),
        events(limits.max_events_per_owner, limits.max_event_bytes_per_owner) {}

  // Each registration counts as this much, besides its texts.
  static constexpr size_t kEntryBytes = 4096;

  const OwnerId owner;
  Quota calls;   // unanswered calls it made, and what is kept of them for the answer
  Quota stored;  // its functions, bindings, trigger types and observers
  Quota events;  // on their way to its bindings and observers, and their payloads
};

// What waits in the name of an owner, for several holders.
struct EventCharge {
  // Null when it does not fit.
  static std::shared_ptr<EventCharge> take(const std::shared_ptr<Ledger>& ledger, size_t bytes) {
    auto taken = std::make_shared<EventCharge>(ledger);
    return taken->charge.set(ledger->events, bytes) ? taken : nullptr;
  }
  bool add(size_t bytes) { return charge.set(ledger->events, charge.bytes() + bytes); }
  OwnerId owner() const { return ledger->owner; }

  std::shared_ptr<Ledger> ledger;
  Charge charge = {};
};

}  // namespace iii::engine
