// Who has shown the token: sessions that a cookie stands for. In memory, so they end with the
// process.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "base/timers.h"

namespace iii::console {

struct SessionLimits {
  std::chrono::seconds life{12 * 3'600};
  size_t max_sessions = 1'024;
};

class Sessions {
 public:
  // An empty token: nobody needs a session.
  Sessions(const Timers& timers, std::string token, SessionLimits limits = {});

  bool needed() const { return !token_.empty(); }

  // The id of a new session; nothing when the token is wrong.
  std::optional<std::string> begin(std::string_view token);
  bool is_valid(std::string_view id) const;
  void end(std::string_view id);

  std::chrono::seconds life() const { return limits_.life; }
  size_t size() const { return ends_.size(); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  const Timers& timers_;
  const std::string token_;
  const SessionLimits limits_;
  std::unordered_map<std::string, Time, TextHash, std::equal_to<>> ends_;  // by id
};

}  // namespace iii::console
