// The well-behaved pair: a worker that answers at once, and a caller that makes one call after the
// other and writes down how long each took. On a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "peers.h"

namespace iii::bench {

struct Delays {
  double p99_ms = 0;
  double worst_ms = 0;
  uint64_t calls = 0;
  int64_t worst_end_ns = 0;  // when the call with the worst delay was answered
};

class Pair {
 public:
  explicit Pair(uint16_t port);
  ~Pair();

  // What was seen since the last look. Waits until a call that was begun after this moment is
  // answered, but not longer than `patience` seconds; a call that is still unanswered counts with
  // the time it has taken so far.
  Delays look(double patience);
  // Makes no more calls and waits for the last answer.
  struct Books {
    uint64_t sent = 0;
    uint64_t lost = 0;   // never answered
    uint64_t wrong = 0;  // answered with an error, or with somebody else's answer
    bool disconnected = false;
  };
  Books finish(double patience);

 private:
  void run();
  bool wait_until_answered(uint64_t count, double patience);

  std::mutex mutex_;
  Tally tally_;                 // guarded by mutex_
  int64_t last_answer_ns_ = 0;  // guarded by mutex_
  int64_t worst_end_ns_ = 0;    // guarded by mutex_
  bool disconnected_ = false;   // guarded by mutex_
  std::unique_ptr<Peer> worker_;
  std::unique_ptr<Peer> caller_;
  std::string scratch_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace iii::bench
