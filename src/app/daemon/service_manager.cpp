#include "app/daemon/service_manager.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "foundation/base/beneath.h"

namespace iii::daemon {

namespace {

std::string_view environment_view(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

std::optional<int64_t> number(std::string_view text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc() || end != text.data() + text.size() || out <= 0) return std::nullopt;
  return out;
}

uint64_t monotonic_us() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000 + static_cast<uint64_t>(now.tv_nsec) / 1'000;
}

}  // namespace

ServiceManager::ServiceManager(Timers& timers)
    : timers_(timers), socket_(environment_view("NOTIFY_SOCKET")) {
  const auto pid = number(environment_view("WATCHDOG_PID"));
  if (pid && *pid != ::getpid()) return;
  if (const auto us = number(environment_view("WATCHDOG_USEC"))) {
    watchdog_ = std::chrono::microseconds(*us);
  }
}

ServiceManager::~ServiceManager() { timers_.cancel(timer_); }

void ServiceManager::ready(std::string_view status) {
  tell(fmt::format("READY=1\nSTATUS={}", status));
  if (watchdog_ && timer_ == 0 && !socket_.empty()) feed_watchdog();
}

// `Type=notify-reload` wants to know when the reload was asked for.
void ServiceManager::reloading() {
  tell(fmt::format("RELOADING=1\nMONOTONIC_USEC={}", monotonic_us()));
}

void ServiceManager::stopping() { tell("STOPPING=1"); }

void ServiceManager::feed_watchdog() {
  tell("WATCHDOG=1");
  timer_ = timers_.after(*watchdog_ / 2, [this] { feed_watchdog(); });
}

void ServiceManager::tell(std::string_view text) const {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() < 2 || socket_.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  // `@name` is in the abstract name space.
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  [[maybe_unused]] const ssize_t sent = ::sendto(fd.get(), text.data(), text.size(), MSG_NOSIGNAL,
                                                 reinterpret_cast<const sockaddr*>(&address), size);
}

}  // namespace iii::daemon
