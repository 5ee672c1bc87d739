// The parties the load generator plays, each on one socket, all on one epoll thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "histogram.h"

namespace iii::bench {

// What all callers of one load share.
struct Tally {
  uint64_t budget = UINT64_MAX;  // messages that may still be sent
  uint64_t sent = 0;
  uint64_t answers = 0;  // right ones
  uint64_t wrong = 0;    // not asked for, or an error
  Histogram latencies;

  bool take() {
    if (budget == 0) return false;
    --budget;
    ++sent;
    return true;
  }
  void answered(int64_t nanoseconds) {
    ++answers;
    latencies.add(static_cast<uint64_t>(nanoseconds));
  }
};

// A socket: reads what is there, hands it on, writes everything that came of it in one go.
class Peer {
 public:
  // `rest`: bytes that were read from the socket before.
  explicit Peer(int fd, std::string rest = {});
  virtual ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  int fd() const { return fd_; }
  // Sends the first messages.
  virtual void begin(int64_t now) { static_cast<void>(now); }
  void readable(int64_t now, std::string& scratch);
  // False while the socket does not take everything.
  bool flush();
  bool blocked = false;  // the load's own note: it waits for room in the socket
  // Called when the server ends the connection. Empty: the program ends with a message.
  std::function<void()> on_lost;

 protected:
  // Returns how many bytes are not used yet.
  virtual size_t consume(std::string_view bytes, int64_t now) = 0;
  std::string out_;

 private:
  void lost();

  const int fd_;
  std::string rest_;
  size_t flushed_ = 0;
};

// `frames` of a kind, in flight on one connection.
std::unique_ptr<Peer> raw_pinger(uint16_t port, size_t in_flight, Tally& tally);
std::unique_ptr<Peer> echo_pinger(uint16_t port, size_t in_flight, Tally& tally);
// `number` makes invocation ids unique. `data` is the JSON text sent with each call.
struct Calls {
  size_t number = 0;
  size_t in_flight = 1;
  std::string function;
  std::string data;
};
std::unique_ptr<Peer> caller(uint16_t port, const Calls& calls, Tally& tally);
// Registers `function` and answers its calls at once.
std::unique_ptr<Peer> worker(uint16_t port, const std::string& function,
                             const std::string& name = "bench-worker");
// Observes `function` that many times and answers the activations at once.
std::unique_ptr<Peer> observing(uint16_t port, const std::string& function, size_t observers);
// Announced, with one function of its own, and silent from then on.
std::unique_ptr<Peer> idle_worker(uint16_t port, size_t number);

}  // namespace iii::bench
