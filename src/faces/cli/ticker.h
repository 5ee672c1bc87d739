// Says how far something is while the thread that does it is busy: on a terminal only, and only
// when it takes a while.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace iii::cli {

struct Tick {
  std::string step;       // `reading folders`
  uint64_t done = 0;      // files, or bytes when the step is `fetching`
  uint64_t total = 0;     // 0: unknown
  std::string what = {};  // what it is about
};

// Draws from a thread of its own until it is destroyed, which takes the line away again. Nothing
// else may write to the terminal meanwhile.
class Ticker {
 public:
  // `ask` is called on that thread.
  explicit Ticker(std::function<Tick()> ask);
  ~Ticker();
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run();

  const std::function<Tick()> ask_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace iii::cli
