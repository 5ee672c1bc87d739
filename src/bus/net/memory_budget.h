// What all connections of a server hold together. When it is too much, the holder of the most gives
// it up: a few greedy peers cannot use up the memory of everybody.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "foundation/base/shared_bytes.h"

namespace iii::net {

// On the loop thread only.
class MemoryBudget : public std::enable_shared_from_this<MemoryBudget> {
 public:
  explicit MemoryBudget(size_t limit) : limit_(limit) {}

  class Holder {
   public:
    // Frees everything it holds, or a part and reports the rest with set(); it is asked again while
    // that is not enough. May be called from inside set() of any holder.
    virtual void give_up() = 0;

   protected:
    ~Holder() = default;

   private:
    friend MemoryBudget;
    size_t own_ = 0;
    size_t held_ = 0;
  };

  // The holder now has `own` bytes for itself and `shared` bytes that it took from share(). A
  // holder reports 0 and 0 before it is destroyed.
  void set(Holder& holder, size_t own, size_t shared) {
    total_ += own - holder.own_;
    holder.own_ = own;
    const size_t before = std::exchange(holder.held_, own + shared);
    if (before >= kTracked || holder.held_ >= kTracked) track(holder, before);
    if (total_ > limit_) [[unlikely]]
      enforce(holder);
  }

  // Whether the holder may take so much more: there is room for it and `reserve`, or somebody else
  // would still hold more, and give up first.
  bool fits(const Holder& holder, size_t more, size_t reserve = 0) const {
    if (total_ + more + reserve <= limit_) return true;
    return !largest_.empty() && largest_.rbegin()->second != &holder &&
           largest_.rbegin()->first > holder.held_ + more;
  }

  // The same bytes, counted once however many holders have them. `held` is how much of the owner's
  // memory the holder has in all; the most that anybody has is what counts.
  SharedBytes share(SharedBytes bytes, size_t held);
  SharedBytes share(SharedBytes bytes) {
    const size_t size = bytes.bytes.size();
    return share(std::move(bytes), size);
  }

  size_t total() const { return total_; }
  size_t limit() const { return limit_; }

 private:
  // Who holds less is not looked for. (If only such holders are left, the one that asks for more
  // gives up.)
  static constexpr size_t kTracked = 256 * 1024;

  struct Shared;

  void track(Holder& holder, size_t before);
  void enforce(Holder& asking);
  void make_give_up(Holder& holder);

  const size_t limit_;
  size_t total_ = 0;
  bool enforcing_ = false;
  std::set<std::pair<size_t, Holder*>> largest_;
  std::unordered_map<const void*, std::weak_ptr<Shared>> shared_;
};

}  // namespace iii::net
