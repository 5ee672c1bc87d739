// Load on one server for a stretch of time, and what was seen of it from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "peers.h"
#include "process.h"

namespace iii::bench {

struct Shape {
  size_t connections = 1;
  size_t in_flight = 1;    // on each
  size_t observers = 0;    // of the function that is called (Talk::kCall)
  bool bystander = false;  // somebody else calls another function of another worker, one at a time
};

enum class Talk {
  kRaw,   // bare TCP
  kEcho,  // WebSocket messages that come back
  kCall,  // calls to a worker that the load generator plays, too
  kSet,   // state::set
};

struct Times {
  double warm_up = 0.15;  // seconds
  double measured = 1.0;
};

struct Seen {
  double rate = 0;  // answers per second
  double p50_us = 0;
  double p99_us = 0;
  double server_us = 0;    // CPU of the server per answer
  double server_busy = 0;  // share of a core
  double load_busy = 0;
  double others_busy = 0;  // whatever else ran on this machine meanwhile
  double rss_mb = 0;
  double bystander_p50_us = 0;
  double bystander_p99_us = 0;
  double bystander_worst_us = 0;
  uint64_t sent = 0;
  uint64_t unanswered = 0;
  uint64_t wrong = 0;
};

class Load {
 public:
  Load(const ServerProcess& server, Talk talk, Shape shape);
  // Peers of any other kind, one per connection.
  using Make = std::function<std::unique_ptr<Peer>(Tally&)>;
  Load(const ServerProcess& server, const Make& make, size_t connections);
  ~Load();

  Seen run(Times times);
  // `count` messages and their answers, however long that takes; gives up when nothing arrives for
  // ten seconds.
  Seen run_count(uint64_t count);

 private:
  void watch();
  void turn(int timeout_ms);
  void flush(Peer& peer);
  void begin();
  void drain(Seen& seen);

  const ServerProcess& server_;
  Tally tally_;
  Tally bystander_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::string scratch_;
  int epoll_ = -1;
  int64_t now_ = 0;
};

}  // namespace iii::bench
