#include "directory/installing/download_queue.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace iii::directory {

struct DownloadQueue::Entry {
  std::string caller;
  Latch turn;
  bool has_place = false;
};

struct DownloadQueue::State {
  explicit State(DownloadLimits given) : limits(given) {}

  size_t share() const { return std::max<size_t>(1, limits.places / 2); }

  // Gives free places to callers in turn.
  void fill() {
    size_t passed_over = 0;
    while (!closed && taken < limits.places && passed_over < turns.size()) {
      const std::string caller = std::move(turns.front());
      turns.pop_front();
      if (holding[caller] >= share()) {
        turns.push_back(caller);
        ++passed_over;
        continue;
      }
      auto& line = waiting[caller];
      const std::shared_ptr<Entry> next = std::move(line.front());
      line.pop_front();
      if (line.empty()) {
        waiting.erase(caller);
      } else {
        turns.push_back(caller);
      }
      --waiting_count;
      passed_over = 0;
      admit(*next);
      next->turn.open();  // may enter and leave this queue
    }
  }

  void admit(Entry& entry) {
    entry.has_place = true;
    ++taken;
    ++holding[entry.caller];
  }

  void leave(const std::shared_ptr<Entry>& entry) {
    if (entry->has_place) {
      --taken;
      const auto held = holding.find(entry->caller);
      if (--held->second == 0) holding.erase(held);
    } else if (const auto line = waiting.find(entry->caller); line != waiting.end()) {
      waiting_count -= std::erase(line->second, entry);
      if (line->second.empty()) {
        std::erase(turns, entry->caller);
        waiting.erase(line);
      }
    }
    fill();
  }

  const DownloadLimits limits;
  std::map<std::string, std::deque<std::shared_ptr<Entry>>> waiting;
  std::deque<std::string> turns;          // callers that wait, the next one first
  std::map<std::string, size_t> holding;  // places, by caller
  size_t taken = 0;
  size_t waiting_count = 0;
  bool closed = false;
};

size_t DownloadQueue::running() const { return state_->taken; }

size_t DownloadQueue::waiting() const { return state_->waiting_count; }

DownloadQueue::DownloadQueue(DownloadLimits limits) : state_(std::make_shared<State>(limits)) {}

DownloadQueue::~DownloadQueue() { state_->closed = true; }

DownloadQueue::Ticket::~Ticket() {
  if (entry_) state_->leave(entry_);
}

bool DownloadQueue::Ticket::has_place() const { return entry_->has_place; }

Latch DownloadQueue::Ticket::turn() const { return entry_->turn; }

Result<DownloadQueue::Ticket> DownloadQueue::enter(const std::string& caller) {
  State& state = *state_;
  const auto line = state.waiting.find(caller);
  const size_t before = line == state.waiting.end() ? 0 : line->second.size();
  if (before >= state.limits.waiting_per_caller || state.waiting_count >= state.limits.waiting) {
    return fail("D334", "D334 too_many_downloads: " + std::to_string(state.waiting_count) +
                            " downloads are waiting, " + std::to_string(before) +
                            " of them of this caller, which may have " +
                            std::to_string(state.limits.waiting_per_caller) +
                            ". Next: wait until some of them have ended, then call again.");
  }
  auto entry = std::make_shared<Entry>();
  entry->caller = caller;
  if (before == 0) state.turns.push_back(caller);
  state.waiting[caller].push_back(entry);
  ++state.waiting_count;
  Ticket ticket(state_, entry);
  state.fill();
  return ticket;
}

}  // namespace iii::directory
