#include "faces/cli/ask.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>

#include "faces/cli/interrupt.h"
#include "faces/cli/output.h"
#include "foundation/base/text.h"

namespace iii::cli {

namespace {

// Waits until somebody typed a line. False: interrupted. A Ctrl-C that comes just before the wait
// must end it, too, so signals are let through by the waiting call alone.
bool wait_for_line() {
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM}) sigaddset(&signals, signal);
  if (::pthread_sigmask(SIG_BLOCK, &signals, &before) != 0) return true;
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const bool there = !was_interrupted() && ::ppoll(&input, 1, nullptr, &before) > 0;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return there;
}

}  // namespace

bool can_ask() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::optional<std::string> ask_line(std::string_view question) {
  note("{} ", question);
  std::string answer;
  if (!wait_for_line() || !std::getline(std::cin, answer)) {
    note_text("\n");
    return std::nullopt;
  }
  return std::string(trim(answer));
}

bool ask(std::string_view question) {
  const std::string word = ascii_lower(ask_line(std::string(question) + " [y/N]").value_or(""));
  return word == "y" || word == "yes";
}

}  // namespace iii::cli
