#include "faces/cli/ticker.h"

#include <unistd.h>

#include <chrono>
#include <utility>

#include "faces/cli/progress_line.h"

namespace iii::cli {

namespace {

constexpr std::chrono::milliseconds kSilence{300};
constexpr std::chrono::milliseconds kTickRedraw{100};

}  // namespace

Ticker::Ticker(std::function<Tick()> ask) : ask_(std::move(ask)) {
  if (::isatty(STDERR_FILENO) == 1) thread_ = std::thread([this] { run(); });
}

Ticker::~Ticker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

void Ticker::run() {
  ProgressLine line;
  std::unique_lock lock(mutex_);
  auto pause = kSilence;
  while (!ended_.wait_for(lock, pause, [this] { return end_; })) {
    const Tick tick = ask_();
    line.show(tick.what, tick.step, tick.done, tick.total);
    pause = kTickRedraw;
  }
}

}  // namespace iii::cli
