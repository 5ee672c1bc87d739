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

std::optional<std::string> Sessions::begin(std::string_view token) {
  const Time now = timers_.now();
  std::erase_if(ends_, [now](const auto& each) { return each.second <= now; });
  if (!is_bearer("Bearer " + std::string(token), token_)) return std::nullopt;
  if (ends_.size() >= limits_.max_sessions) {
    ends_.erase(std::ranges::min_element(ends_, {}, [](const auto& each) { return each.second; }));
  }
  std::string id = random_id();
  ends_.emplace(id, now + limits_.life);
  return id;
}

bool Sessions::is_valid(std::string_view id) const {
  const auto found = ends_.find(id);
  return found != ends_.end() && timers_.now() < found->second;
}

void Sessions::end(std::string_view id) {
  if (const auto found = ends_.find(id); found != ends_.end()) ends_.erase(found);
}

}  // namespace iii::console
