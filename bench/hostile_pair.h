// The well-behaved pair: a worker that answers at once, and a caller that makes one call after the
// other and writes down how long each took. Beside it somebody may ask for GET /healthz, again and
// again. On a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "peers.h"

namespace iii::bench {

struct Delays {
  double p99_ms = 0;
  double worst_ms = 0;
  uint64_t calls = 0;
  int64_t worst_end_ns = 0;  // when the call with the worst delay was answered
};
struct PairDelays : Delays {
  Delays health;  // of GET /healthz
};

class Pair {
 public:
  // Without an HTTP port nobody asks for /healthz.
  explicit Pair(uint16_t port, uint16_t http_port = 0);
  ~Pair();

  // What was seen since the last look. Waits until what is begun after this moment is answered, but
  // not longer than `patience` seconds; a call that is still unanswered counts with the time it has
  // taken so far.
  PairDelays look(double patience);
  // Makes no more calls and waits for the last answer.
  struct Books {
    uint64_t sent = 0;
    uint64_t lost = 0;   // never answered
    uint64_t wrong = 0;  // answered with an error, or with somebody else's answer
    bool disconnected = false;
  };
  Books finish(double patience);

 private:
  // One question after the other.
  struct Line {
    Tally tally = {};
    int64_t last_answer_ns = 0;
    int64_t worst_end_ns = 0;
    uint64_t settled() const { return tally.answers + tally.wrong; }
  };

  void run();
  void read(Peer& peer, int64_t now);
  bool wait_until_answered(uint64_t calls, uint64_t health, double patience);

  std::mutex mutex_;
  Line calls_;                 // guarded by mutex_
  Line health_;                // guarded by mutex_
  bool disconnected_ = false;  // guarded by mutex_
  std::vector<std::unique_ptr<Peer>> peers_;
  std::string scratch_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

}  // namespace iii::bench
