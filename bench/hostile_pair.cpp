#include "hostile_pair.h"

#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>

#include "http_peer.h"
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

Pair::Pair(uint16_t port, uint16_t http_port) : scratch_(kScratch, '\0') {
  peers_.push_back(worker(port, kFunction));
  peers_.push_back(caller(port, Calls{0xfa17, 1, kFunction, json_payload()}, calls_.tally));
  if (http_port != 0) {
    const HttpQuestion health{"GET /healthz HTTP/1.1\r\n", "", R"("ok")"};
    peers_.push_back(http_client(http_port, health, health_.tally));
  }
  for (const std::unique_ptr<Peer>& peer : peers_) {
    peer->on_lost = [this] {
      disconnected_ = true;
      stop_ = true;
    };
  }
  calls_.last_answer_ns = health_.last_answer_ns = now_ns();
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
    for (const std::unique_ptr<Peer>& peer : peers_) {
      peer->begin(now_ns());
      peer->flush();
    }
  }
  std::vector<pollfd> ready(peers_.size());
  while (!stop_) {
    for (size_t i = 0; i < ready.size(); ++i) {
      const bool blocked = peers_[i]->blocked;
      ready[i] = {peers_[i]->fd(), static_cast<short>(blocked ? POLLIN | POLLOUT : POLLIN), 0};
    }
    if (poll(ready.data(), ready.size(), 20) <= 0) continue;
    const std::scoped_lock lock(mutex_);
    for (size_t i = 0; i < ready.size() && !stop_; ++i) {
      if ((ready[i].revents & ~POLLOUT) != 0) read(*peers_[i], now_ns());
      if (!stop_) peers_[i]->blocked = !peers_[i]->flush();
    }
  }
}

void Pair::read(Peer& peer, int64_t now) {
  const uint64_t before[] = {calls_.settled(), health_.settled()};
  const double worst[] = {calls_.tally.latencies.worst(), health_.tally.latencies.worst()};
  peer.readable(now, scratch_);
  Line* const lines[] = {&calls_, &health_};
  for (size_t i = 0; i < 2; ++i) {
    if (lines[i]->settled() != before[i]) lines[i]->last_answer_ns = now;
    if (lines[i]->tally.latencies.worst() > worst[i]) lines[i]->worst_end_ns = now;
  }
}

bool Pair::wait_until_answered(uint64_t calls, uint64_t health, double patience) {
  const int64_t end = now_ns() + static_cast<int64_t>(patience * 1e9);
  while (!stop_ && now_ns() < end) {
    {
      const std::scoped_lock lock(mutex_);
      if (calls_.settled() >= calls && health_.settled() >= health) return true;
    }
    usleep(500);
  }
  return false;
}

PairDelays Pair::look(double patience) {
  uint64_t next[2];
  {
    const std::scoped_lock lock(mutex_);
    next[0] = calls_.tally.sent + 1;
    next[1] = peers_.size() > 2 ? health_.tally.sent + 1 : 0;
  }
  wait_until_answered(next[0], next[1], patience);
  const std::scoped_lock lock(mutex_);
  const auto seen = [](Line& line, uint64_t wanted) {
    const Histogram& all = line.tally.latencies;
    Delays out{all.quantile(0.99) / 1000, all.worst() / 1000, all.count(), line.worst_end_ns};
    if (line.settled() < wanted) {
      out.worst_ms = std::max(out.worst_ms, ms_between(line.last_answer_ns, now_ns()));
    }
    line.tally.latencies.clear();
    return out;
  };
  return {seen(calls_, next[0]), seen(health_, next[1])};
}

Pair::Books Pair::finish(double patience) {
  uint64_t sent[2];
  {
    const std::scoped_lock lock(mutex_);
    calls_.tally.budget = health_.tally.budget = 0;
    sent[0] = calls_.tally.sent;
    sent[1] = health_.tally.sent;
  }
  wait_until_answered(sent[0], sent[1], patience);
  const std::scoped_lock lock(mutex_);
  Books books{.disconnected = disconnected_};
  for (const Line* line : {&calls_, &health_}) {
    books.sent += line->tally.sent;
    books.lost += line->tally.sent - std::min(line->tally.sent, line->settled());
    books.wrong += line->tally.wrong;
  }
  return books;
}

}  // namespace iii::bench
