#include "faces/cli/interrupt.h"

#include <unistd.h>

#include <csignal>

namespace iii::cli {

namespace {

static_assert(std::atomic<bool>::is_always_lock_free);
std::atomic<bool>* stop_wanted = nullptr;
std::atomic<bool> interrupted = false;

void on_signal(int) {
  if (interrupted.exchange(true)) ::_exit(kInterrupted);
  stop_wanted->store(true);
}

}  // namespace

void catch_interrupts(std::atomic<bool>& stop) {
  stop_wanted = &stop;
  struct sigaction action{};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = 0;  // a question that waits for an answer ends, too
  for (const int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

bool was_interrupted() { return interrupted.load(); }

}  // namespace iii::cli
