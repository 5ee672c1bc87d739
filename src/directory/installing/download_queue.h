// Who may download now: a few places, given in the order of the calls; one caller has at most half
// of them, so that its downloads do not keep everyone else waiting. On the loop thread.
#pragma once

#include <memory>
#include <string>

#include "directory/library/latch.h"
#include "foundation/base/result.h"

namespace iii::directory {

struct DownloadLimits {
  size_t places = 4;               // downloads at the same time
  size_t waiting_per_caller = 16;  // more are refused
  size_t waiting = 256;            // of all callers
};

class DownloadQueue {
 public:
  explicit DownloadQueue(DownloadLimits limits);
  ~DownloadQueue();  // whoever waits is never let in
  DownloadQueue(const DownloadQueue&) = delete;
  DownloadQueue& operator=(const DownloadQueue&) = delete;

  struct State;
  struct Entry;
  // A place, or the wait for one; given back when it ends. May outlive the queue.
  class Ticket {
   public:
    Ticket(std::shared_ptr<State> state, std::shared_ptr<Entry> entry)
        : state_(std::move(state)), entry_(std::move(entry)) {}
    Ticket(Ticket&&) = default;
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket();

    bool has_place() const;
    Latch turn() const;  // opens when there is a place

   private:
    std::shared_ptr<State> state_;
    std::shared_ptr<Entry> entry_;
  };

  // D334 when the caller, or everyone together, has too many waiting. One caller has at most half
  // of the places, however many are free: the next caller must not wait for its downloads.
  Result<Ticket> enter(const std::string& caller);

  size_t running() const;  // places that are taken
  size_t waiting() const;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace iii::directory
