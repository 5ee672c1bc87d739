#include "hostile_pair.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "process.h"
#include "wire.h"

namespace iii::bench {

namespace {

constexpr const char* kFunction = "pair::echo";
constexpr size_t kScratch = 1024 * 1024;

double ms_between(int64_t from, int64_t to) { return static_cast<double>(to - from) / 1e6; }

// What is measured is the server's delay, not our own turn on a core we share with the hostile
// peer. Without the right to ask for this it stays as it is.
void go_first() {
  sched_param first{};
  first.sched_priority = 1;
  sched_setscheduler(0, SCHED_FIFO, &first);
}

}  // namespace

Pair::Pair(uint16_t port)
    : worker_(worker(port, kFunction)),
      caller_(caller(port, Calls{0xfa17, 1, kFunction, json_payload()}, tally_)),
      scratch_(kScratch, '\0') {
  const auto lost = [this] {
    disconnected_ = true;
    stop_ = true;
  };
  worker_->on_lost = lost;
  caller_->on_lost = lost;
  last_answer_ns_ = now_ns();
  thread_ = std::thread([this] { run(); });
}

Pair::~Pair() {
  stop_ = true;
  thread_.join();
}

void Pair::run() {
  go_first();
  {
    const std::scoped_lock lock(mutex_);
    caller_->begin(now_ns());
    caller_->flush();
  }
  Peer* const peers[] = {worker_.get(), caller_.get()};
  while (!stop_) {
    pollfd ready[2];
    for (size_t i = 0; i < 2; ++i) {
      ready[i] = {peers[i]->fd(), static_cast<short>(peers[i]->blocked ? POLLIN | POLLOUT : POLLIN),
                  0};
    }
    if (poll(ready, 2, 20) <= 0) continue;
    const std::scoped_lock lock(mutex_);
    for (size_t i = 0; i < 2 && !stop_; ++i) {
      const uint64_t before = tally_.answers + tally_.wrong;
      const double worst = tally_.latencies.worst();
      const int64_t now = now_ns();
      if ((ready[i].revents & ~POLLOUT) != 0) peers[i]->readable(now, scratch_);
      if (tally_.answers + tally_.wrong != before) last_answer_ns_ = now;
      if (tally_.latencies.worst() > worst) worst_end_ns_ = now;
      if (!stop_) peers[i]->blocked = !peers[i]->flush();
    }
  }
}

bool Pair::wait_until_answered(uint64_t count, double patience) {
  const int64_t end = now_ns() + static_cast<int64_t>(patience * 1e9);
  while (!stop_ && now_ns() < end) {
    {
      const std::scoped_lock lock(mutex_);
      if (tally_.answers + tally_.wrong >= count) return true;
    }
    usleep(500);
  }
  return false;
}

Delays Pair::look(double patience) {
  uint64_t next = 0;
  {
    const std::scoped_lock lock(mutex_);
    next = tally_.sent + 1;
  }
  const bool answered = wait_until_answered(next, patience);
  const std::scoped_lock lock(mutex_);
  Delays seen{tally_.latencies.quantile(0.99) / 1000, tally_.latencies.worst() / 1000,
              tally_.latencies.count(), worst_end_ns_};
  if (!answered) seen.worst_ms = std::max(seen.worst_ms, ms_between(last_answer_ns_, now_ns()));
  tally_.latencies.clear();
  return seen;
}

Pair::Books Pair::finish(double patience) {
  uint64_t sent = 0;
  {
    const std::scoped_lock lock(mutex_);
    tally_.budget = 0;
    sent = tally_.sent;
  }
  wait_until_answered(sent, patience);
  const std::scoped_lock lock(mutex_);
  return {tally_.sent, tally_.sent - std::min(tally_.sent, tally_.answers + tally_.wrong),
          tally_.wrong, disconnected_};
}

}  // namespace iii::bench
