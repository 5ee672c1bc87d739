// Answers to wrong tokens are delayed, by the address that the tokens come from: whoever tries many
// gets few verdicts. A right token is never delayed, from whatever address: nobody is locked out.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "foundation/base/timers.h"

namespace iii::net {

struct WrongTokenLimits {
  size_t free = 5;          // so many are answered at once: a person who mistypes does not wait
  Millis first_delay{250};  // doubles with each further one
  Millis longest_delay{4'000};
  // Wrong tokens are forgotten so long after the last one. The right one does not clear them:
  // others may be at the same address.
  std::chrono::seconds memory{60};
  // Addresses that are remembered; all others share one more place.
  size_t max_addresses = 1'024;
  // Answers that wait at a time, each of which holds a connection; more are sent at once.
  size_t max_waiting = 256;
};

// On the loop thread. One for all servers of a process.
class WrongTokens {
 public:
  explicit WrongTokens(Timers& timers, WrongTokenLimits limits = {});

  // A wrong token came from there: calls `answer` when it is time. At once means before it returns.
  void refuse(const std::string& address, std::move_only_function<void()> answer);

  size_t waiting() const;
  size_t addresses() const;

 private:
  struct State;

  Timers& timers_;
  // Shared with the timers that are set, which may outlive this object.
  const std::shared_ptr<State> state_;
};

}  // namespace iii::net
