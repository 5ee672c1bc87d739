#include "bus/net/timer_queue.h"

#include <algorithm>
#include <utility>

namespace iii::net {
namespace {

constexpr size_t kSweepAbove = 64;

// An id is a slot and the slot's generation, so that the id of a finished timer finds nothing.
TimerId make_id(uint32_t slot, uint32_t generation) {
  return (TimerId{generation} << 32) | (TimerId{slot} + 1);
}

}  // namespace

bool TimerQueue::later(const Entry& a, const Entry& b) {
  return a.due != b.due ? a.due > b.due : a.order > b.order;
}

TimerId TimerQueue::add(Time due, Action action) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(slots_.size()));
    slots_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  Slot& slot = slots_[index];
  slot.action = std::move(action);
  slot.live = true;
  const TimerId id = make_id(index, slot.generation);
  heap_.push_back({due, added_++, id});
  std::ranges::push_heap(heap_, later);
  ++live_;
  return id;
}

TimerQueue::Slot* TimerQueue::find(TimerId id) {
  const auto index = static_cast<size_t>(id & 0xffffffff) - 1;
  if (id == 0 || index >= slots_.size()) return nullptr;
  Slot& slot = slots_[index];
  return slot.live && slot.generation == id >> 32 ? &slot : nullptr;
}

TimerQueue::Action TimerQueue::take(TimerId id) {
  Slot* slot = find(id);
  if (slot == nullptr) return {};
  slot->live = false;
  ++slot->generation;
  --live_;
  Action action = std::move(slot->action);
  slot->action = nullptr;
  free_.push_back(static_cast<uint32_t>(slot - slots_.data()));
  return action;
}

void TimerQueue::cancel(TimerId id) {
  // The action may own what calls back into this queue: it dies only when everything is in order.
  const Action dead = take(id);
  if (heap_.size() > kSweepAbove && heap_.size() > 2 * live_) sweep();
}

void TimerQueue::sweep() {
  std::erase_if(heap_, [this](const Entry& entry) { return find(entry.id) == nullptr; });
  std::ranges::make_heap(heap_, later);
}

void TimerQueue::pop() {
  std::ranges::pop_heap(heap_, later);
  heap_.pop_back();
}

std::optional<TimerQueue::Time> TimerQueue::next_due() {
  while (!heap_.empty() && find(heap_.front().id) == nullptr) pop();
  if (heap_.empty()) return std::nullopt;
  return heap_.front().due;
}

void TimerQueue::run_due(Time now, const std::function<bool()>& enough) {
  const uint64_t known = added_;
  std::vector<Entry> later_on;
  while (!heap_.empty() && heap_.front().due <= now) {
    const Entry entry = heap_.front();
    pop();
    if (entry.order >= known) {
      later_on.push_back(entry);
    } else if (Action action = take(entry.id)) {
      action();
      if (enough && enough()) break;
    }
  }
  for (const Entry& entry : later_on) {
    heap_.push_back(entry);
    std::ranges::push_heap(heap_, later);
  }
}

void TimerQueue::clear() {
  std::vector<Slot> slots = std::exchange(slots_, {});
  free_.clear();
  heap_.clear();
  live_ = 0;
}

}  // namespace iii::net
