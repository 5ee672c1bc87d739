// Tells systemd how the service is (sd_notify(3)): ready, reloading, stopping, still alive. Does
// nothing when the process was not started by a service manager that wants to know.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/timers.h"

namespace iii::daemon {

class ServiceManager {
 public:
  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. `timers` outlives it.
  explicit ServiceManager(Timers& timers);
  ~ServiceManager();
  ServiceManager(const ServiceManager&) = delete;
  ServiceManager& operator=(const ServiceManager&) = delete;

  // From now on the watchdog, if there is one, is told twice per period that the loop runs.
  void ready(std::string_view status);
  void reloading();
  void stopping();

 private:
  void tell(std::string_view text) const;
  void feed_watchdog();

  Timers& timers_;
  std::string socket_;  // empty: nobody wants to know
  std::optional<std::chrono::microseconds> watchdog_;
  TimerId timer_ = 0;
};

}  // namespace iii::daemon
