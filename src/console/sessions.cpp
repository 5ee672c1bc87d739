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
    : timers_(timers), token_(std::move(token)), limits_(limits), places_(limits.max_sessions) {}

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
  const std::string client = net::client_of_address(address);
  net::Places::Place place = place_for(client);
  if (!place) return std::unexpected(Refused{limits_.failure_window});
  std::string id = random_id();
  sessions_.emplace(id, Session{timers_.now() + limits_.life, client, std::move(place)});
  return id;
}

// The oldest session gives way: of the same client, or of the one that has most of them.
net::Places::Place Sessions::place_for(const std::string& client) {
  if (net::Places::Place place = places_.take(client)) return place;
  const std::string from = places_.from_whom(client);
  auto oldest = sessions_.end();
  for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
    if (each->second.client != from) continue;
    if (oldest == sessions_.end() || each->second.end < oldest->second.end) oldest = each;
  }
  if (oldest == sessions_.end()) return nullptr;
  sessions_.erase(oldest);
  return places_.take(client);
}

bool Sessions::is_valid(std::string_view id) const {
  const auto found = sessions_.find(id);
  return found != sessions_.end() && timers_.now() < found->second.end;
}

void Sessions::end(std::string_view id) {
  if (const auto found = sessions_.find(id); found != sessions_.end()) sessions_.erase(found);
}

void Sessions::forget_old() {
  const Time now = timers_.now();
  std::erase_if(sessions_, [now](const auto& each) { return each.second.end <= now; });
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
