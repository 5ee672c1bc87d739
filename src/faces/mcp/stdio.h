// MCP on two descriptors: one JSON value per line. A thread reads, a thread writes, so that neither
// a terminal nor a pipe has to be set to non-blocking mode, which others who share it would notice.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "bus/net/loop.h"
#include "faces/mcp/duplex.h"

namespace iii::mcp {

struct StdioOptions {
  DuplexOptions duplex = {};
  // Above this the client's input is not read until it has taken most of its output.
  size_t high_water = 4 * 1024 * 1024;
  // A client that lets more than this wait is given up.
  size_t max_queued = 128 * 1024 * 1024;
};

class Stdio {
 public:
  // `on_end` comes once, on the loop: the input has ended, or the client cannot be reached.
  Stdio(net::Loop& loop, Server& server, int in, int out, std::function<void()> on_end,
        StdioOptions options = {});
  ~Stdio();
  Stdio(const Stdio&) = delete;
  Stdio& operator=(const Stdio&) = delete;

  Duplex& client() { return duplex_; }
  // Waits until everything is written, at most so long. Not for the loop while it serves others.
  void flush(std::chrono::milliseconds most);

 private:
  void read();
  void write();
  bool write_out(std::string_view text) const;
  void wake_threads() const;
  void send(std::string line);
  bool wait_for_input();
  bool take(std::string_view bytes);
  void deliver(std::string line, bool too_long);
  void ended();

  net::Loop& loop_;
  const int in_;
  const int out_;
  const StdioOptions options_;
  std::function<void()> on_end_;
  Duplex duplex_;
  std::string line_;       // of the reading thread: the beginning of a line
  bool discards_ = false;  // of the reading thread: the line is too long
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> output_;  // under mutex_
  size_t queued_ = 0;               // under mutex_: bytes of output that are not written yet
  size_t undelivered_ = 0;          // under mutex_: bytes of input that the loop has not seen yet
  bool stopping_ = false;           // under mutex_
  bool broken_ = false;             // under mutex_: nobody reads our output any more
  int wake_ = -1;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::thread reader_;
  std::thread writer_;
};

}  // namespace iii::mcp
