#include "console/sessions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/bearer.h"
#include "base/random.h"

namespace iii::console {

namespace {

std::string random_id() {
  std::array<unsigned char, 32> bytes{};
  fill_random(bytes.data(), bytes.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

}  // namespace

Sessions::Sessions(const Timers& timers, std::string token, SessionLimits limits)
    : timers_(timers), token_(std::move(token)), limits_(limits) {}

std::expected<std::string, Sessions::Refused> Sessions::begin(std::string_view token,
                                                              const std::string& address) {
  forget_old();
  if (const std::chrono::seconds wait = wait_of(address); wait.count() > 0) {
    return std::unexpected(Refused{wait});
  }
  if (!is_bearer("Bearer " + std::string(token), token_)) {
    failed(address);
    return std::unexpected(Refused{});
  }
  failures_.erase(address);
  if (ends_.size() >= limits_.max_sessions) {
    ends_.erase(std::ranges::min_element(ends_, {}, [](const auto& each) { return each.second; }));
  }
  std::string id = random_id();
  ends_.emplace(id, timers_.now() + limits_.life);
  return id;
}

bool Sessions::is_valid(std::string_view id) const {
  const auto found = ends_.find(id);
  return found != ends_.end() && timers_.now() < found->second;
}

void Sessions::end(std::string_view id) {
  if (const auto found = ends_.find(id); found != ends_.end()) ends_.erase(found);
}

void Sessions::forget_old() {
  const Time now = timers_.now();
  std::erase_if(ends_, [now](const auto& each) { return each.second <= now; });
  std::erase_if(failures_, [&](const auto& each) {
    return each.second.back() + limits_.failure_window <= now;
  });
}

std::chrono::seconds Sessions::wait_of(const std::string& address) {
  const auto found = failures_.find(address);
  if (found == failures_.end()) {
    // Too many addresses at once: that is no person who mistyped.
    return failures_.size() < limits_.max_addresses ? std::chrono::seconds(0)
                                                    : limits_.failure_window;
  }
  std::deque<Time>& times = found->second;
  while (!times.empty() && times.front() + limits_.failure_window <= timers_.now()) {
    times.pop_front();
  }
  if (times.size() < limits_.max_failures) return std::chrono::seconds(0);
  return std::chrono::ceil<std::chrono::seconds>(times.front() + limits_.failure_window -
                                                 timers_.now());
}

void Sessions::failed(const std::string& address) { failures_[address].push_back(timers_.now()); }

}  // namespace iii::console
