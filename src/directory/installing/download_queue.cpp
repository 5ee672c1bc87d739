#include "directory/installing/download_queue.h"

#include <algorithm>
#include <vector>

namespace iii::directory {

struct DownloadQueue::Entry {
  std::string caller;
  Latch turn;
  bool has_place = false;
};

struct DownloadQueue::State {
  explicit State(DownloadLimits given) : limits(given) {}

  size_t share() const { return std::max<size_t>(1, limits.places / 2); }

  size_t count(const std::string& caller, bool has_place) const {
    return static_cast<size_t>(std::ranges::count_if(entries, [&](const auto& entry) {
      return entry->caller == caller && entry->has_place == has_place;
    }));
  }
  size_t count(bool has_place) const {
    return static_cast<size_t>(
        std::ranges::count(entries, has_place, [](const auto& entry) { return entry->has_place; }));
  }

  // Gives free places to the oldest entries whose caller does not have its share.
  void fill() {
    while (!closed && count(true) < limits.places) {
      const auto next = std::ranges::find_if(entries, [this](const auto& entry) {
        return !entry->has_place && count(entry->caller, true) < share();
      });
      if (next == entries.end()) return;
      (*next)->has_place = true;
      Latch turn = (*next)->turn;
      turn.open();  // may enter and leave this queue
    }
  }

  void leave(const std::shared_ptr<Entry>& entry) {
    std::erase(entries, entry);
    fill();
  }

  const DownloadLimits limits;
  std::vector<std::shared_ptr<Entry>> entries;  // the oldest first
  bool closed = false;
};

size_t DownloadQueue::running() const { return state_->count(true); }

size_t DownloadQueue::waiting() const { return state_->count(false); }

DownloadQueue::DownloadQueue(DownloadLimits limits) : state_(std::make_shared<State>(limits)) {}

DownloadQueue::~DownloadQueue() { state_->closed = true; }

DownloadQueue::Ticket::~Ticket() {
  if (entry_) state_->leave(entry_);
}

bool DownloadQueue::Ticket::has_place() const { return entry_->has_place; }

Latch DownloadQueue::Ticket::turn() const { return entry_->turn; }

Result<DownloadQueue::Ticket> DownloadQueue::enter(const std::string& caller) {
  State& state = *state_;
  const size_t before = state.count(caller, false);
  const size_t waiting = state.count(false);
  if (before >= state.limits.waiting_per_caller || waiting >= state.limits.waiting) {
    return fail("D334", "D334 too_many_downloads: " + std::to_string(waiting) +
                            " downloads are waiting, " + std::to_string(before) +
                            " of them of this caller, which may have " +
                            std::to_string(state.limits.waiting_per_caller) +
                            ". Next: wait until some of them have ended, then call again.");
  }
  auto entry = std::make_shared<Entry>();
  entry->caller = caller;
  state.entries.push_back(entry);
  Ticket ticket(state_, entry);
  state.fill();
  return ticket;
}

}  // namespace iii::directory
