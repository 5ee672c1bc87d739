#include "bus/net/memory_budget.h"

namespace iii::net {

// Keeps the bytes alive, and counted.
struct MemoryBudget::Shared {
  Shared(std::shared_ptr<MemoryBudget> from, std::shared_ptr<const void> bytes_owner, size_t bytes)
      : budget(std::move(from)), owner(std::move(bytes_owner)), size(bytes) {
    budget->total_ += size;
  }
  ~Shared() {
    budget->total_ -= size;
    budget->shared_.erase(owner.get());
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  const std::shared_ptr<MemoryBudget> budget;
  const std::shared_ptr<const void> owner;
  size_t size;
};

SharedBytes MemoryBudget::share(SharedBytes bytes, size_t held) {
  if (bytes.owner == nullptr) return bytes;
  std::weak_ptr<Shared>& known = shared_[bytes.owner.get()];
  std::shared_ptr<Shared> counted = known.lock();
  if (counted == nullptr) {
    counted = std::make_shared<Shared>(shared_from_this(), bytes.owner, held);
    known = counted;
  } else if (held > counted->size) {
    total_ += held - counted->size;
    counted->size = held;
  }
  return {std::move(counted), bytes.bytes};
}

void MemoryBudget::track(Holder& holder, size_t before) {
  if (before == holder.held_) return;
  if (before >= kTracked) largest_.erase({before, &holder});
  if (holder.held_ >= kTracked) largest_.insert({holder.held_, &holder});
}

void MemoryBudget::enforce(Holder& asking) {
  if (enforcing_) return;  // a holder that gives up reports its smaller figure here
  enforcing_ = true;
  while (total_ > limit_ && !largest_.empty()) make_give_up(*largest_.rbegin()->second);
  while (total_ > limit_ && asking.held_ > 0) make_give_up(asking);
  enforcing_ = false;
}

// What does not become smaller does not count any more, so that this comes to an end.
void MemoryBudget::make_give_up(Holder& holder) {
  const size_t before = holder.held_;
  holder.give_up();
  if (holder.held_ >= before) set(holder, 0, 0);
}

}  // namespace iii::net
