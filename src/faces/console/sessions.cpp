#include "faces/console/sessions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/base/bearer.h"
#include "foundation/base/random.h"

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

std::optional<std::string> Sessions::begin(std::string_view token, const std::string& address) {
  const Time now = timers_.now();
  std::erase_if(sessions_, [now](const auto& each) { return each.second.end <= now; });
  if (!is_bearer("Bearer " + std::string(token), token_)) return std::nullopt;
  const std::string client = net::client_of_address(address);
  net::Places::Place place = place_for(client);
  std::string id = random_id();
  sessions_.emplace(id, Session{now + limits_.life, client, std::move(place)});
  return id;
}

// The oldest session gives way: of the same client, or of the one that has most of them. When
// everybody has one, of all of them: whoever has the token is let in.
net::Places::Place Sessions::place_for(const std::string& client) {
  if (net::Places::Place place = places_.take(client)) return place;
  const std::string from = places_.from_whom(client);
  const bool of_all = places_.of(from) == 0;
  auto oldest = sessions_.end();
  for (auto each = sessions_.begin(); each != sessions_.end(); ++each) {
    if (!of_all && each->second.client != from) continue;
    if (oldest == sessions_.end() || each->second.end < oldest->second.end) oldest = each;
  }
  if (oldest != sessions_.end()) sessions_.erase(oldest);
  return places_.take(client);
}

bool Sessions::is_valid(std::string_view id) const {
  const auto found = sessions_.find(id);
  return found != sessions_.end() && timers_.now() < found->second.end;
}

void Sessions::end(std::string_view id) {
  if (const auto found = sessions_.find(id); found != sessions_.end()) sessions_.erase(found);
}

}  // namespace iii::console
