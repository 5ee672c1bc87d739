#include "load.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "wire.h"

namespace iii::bench {
namespace {

constexpr size_t kScratch = 8 * 1024 * 1024;
constexpr int64_t kGiveUp = 10'000'000'000;
constexpr const char* kFunction = "bench::answer";
constexpr const char* kOtherFunction = "bench::other";

}  // namespace

Load::Load(const ServerProcess& server, Talk talk, Shape shape)
    : server_(server), scratch_(kScratch, '\0'), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  const uint16_t port = server.port();
  if (talk == Talk::kCall) peers_.push_back(worker(port, kFunction));
  if (shape.observers > 0) peers_.push_back(observing(port, kFunction, shape.observers));
  if (shape.bystander) {
    peers_.push_back(worker(port, kOtherFunction, "bench-other"));
    const Calls calls{shape.connections, 1, kOtherFunction, json_payload()};
    peers_.push_back(caller(port, calls, bystander_));
  }
  for (size_t i = 0; i < shape.connections; ++i) {
    Calls calls{i, shape.in_flight, kFunction, json_payload()};
    if (talk == Talk::kSet) {
      calls.function = "state::set";
      calls.data =
          fmt::format(R"({{"scope":"bench","key":"key-{}","value":{}}})", i, json_payload());
    }
    switch (talk) {
      case Talk::kRaw:
        peers_.push_back(raw_pinger(port, shape.in_flight, tally_));
        break;
      case Talk::kEcho:
        peers_.push_back(echo_pinger(port, shape.in_flight, tally_));
        break;
      case Talk::kCall:
      case Talk::kSet:
        peers_.push_back(caller(port, calls, tally_));
        break;
    }
  }
  watch();
}

Load::Load(const ServerProcess& server, const Make& make, size_t connections)
    : server_(server), scratch_(kScratch, '\0'), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  for (size_t i = 0; i < connections; ++i) peers_.push_back(make(tally_));
  watch();
}

void Load::watch() {
  for (const auto& peer : peers_) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = peer.get();
    epoll_ctl(epoll_, EPOLL_CTL_ADD, peer->fd(), &event);
  }
}

Load::~Load() { close(epoll_); }

void Load::turn(int timeout_ms) {
  std::array<epoll_event, 256> events;
  const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
  for (int i = 0; i < count; ++i) {
    Peer& peer = *static_cast<Peer*>(events[static_cast<size_t>(i)].data.ptr);
    now_ = now_ns();
    if ((events[static_cast<size_t>(i)].events & EPOLLIN) != 0) peer.readable(now_, scratch_);
    flush(peer);
  }
  if (count <= 0) now_ = now_ns();
}

// A full socket is rare here; the rest goes out when it takes more.
void Load::flush(Peer& peer) {
  const bool blocked = !peer.flush();
  if (blocked == peer.blocked) return;
  peer.blocked = blocked;
  epoll_event event{};
  event.events = blocked ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.ptr = &peer;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, peer.fd(), &event);
}

void Load::begin() {
  now_ = now_ns();
  for (const auto& peer : peers_) {
    peer->begin(now_);
    flush(*peer);
  }
}

// No more questions; every one that was asked must be answered.
void Load::drain(Seen& seen) {
  const int64_t deadline = now_ns() + kGiveUp;
  const auto open = [](const Tally& tally) {
    return tally.sent - std::min(tally.sent, tally.answers + tally.wrong);
  };
  for (Tally* tally : {&tally_, &bystander_}) tally->budget = 0;
  while (open(tally_) + open(bystander_) > 0 && now_ < deadline) turn(100);
  seen.sent = tally_.sent + bystander_.sent;
  seen.wrong = tally_.wrong + bystander_.wrong;
  seen.unanswered = open(tally_) + open(bystander_);
}

Seen Load::run(Times times) {
  begin();
  const int64_t start = now_ + static_cast<int64_t>(times.warm_up * 1e9);
  while (now_ < start) turn(100);

  const int64_t began = now_;
  const int64_t end = began + static_cast<int64_t>(times.measured * 1e9);
  const uint64_t before = tally_.answers;
  const double server_before = server_.cpu_seconds();
  const double load_before = own_cpu_seconds();
  const double all_before = machine_cpu_seconds();
  tally_.latencies.clear();
  bystander_.latencies.clear();
  while (now_ < end) turn(100);

  const double seconds = static_cast<double>(now_ - began) / 1e9;
  const double server_cpu = server_.cpu_seconds() - server_before;
  const auto answers = static_cast<double>(tally_.answers - before);
  Seen seen;
  seen.rate = answers / seconds;
  seen.p50_us = tally_.latencies.quantile(0.50);
  seen.p99_us = tally_.latencies.quantile(0.99);
  seen.bystander_p50_us = bystander_.latencies.quantile(0.50);
  seen.bystander_p99_us = bystander_.latencies.quantile(0.99);
  seen.bystander_worst_us = bystander_.latencies.worst();
  seen.server_us = answers > 0 ? server_cpu * 1e6 / answers : 0;
  seen.server_busy = server_cpu / seconds;
  seen.load_busy = (own_cpu_seconds() - load_before) / seconds;
  const double all = (machine_cpu_seconds() - all_before) / seconds;
  seen.others_busy = std::max(0.0, all - seen.server_busy - seen.load_busy);
  seen.rss_mb = server_.rss_mb();
  drain(seen);
  return seen;
}

Seen Load::run_count(uint64_t count) {
  tally_.budget = count;
  begin();
  const int64_t began = now_;
  int64_t heard = now_;
  uint64_t before = 0;
  while (tally_.answers + tally_.wrong < count && now_ - heard < kGiveUp) {
    turn(100);
    if (tally_.answers != before) {
      before = tally_.answers;
      heard = now_;
    }
  }
  const double seconds = static_cast<double>(now_ - began) / 1e9;
  Seen seen;
  seen.rate = static_cast<double>(tally_.answers) / seconds;
  seen.p50_us = tally_.latencies.quantile(0.50);
  seen.p99_us = tally_.latencies.quantile(0.99);
  seen.rss_mb = server_.rss_mb();
  seen.sent = tally_.sent;
  seen.wrong = tally_.wrong;
  seen.unanswered = count - std::min(count, tally_.answers);
  return seen;
}

}  // namespace iii::bench
