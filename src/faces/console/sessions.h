// Who has shown the token: sessions that a cookie stands for. In memory, so they end with the
// process.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "bus/net/client_shares.h"
#include "foundation/base/hash.h"
#include "foundation/base/timers.h"

namespace iii::console {

struct SessionLimits {
  std::chrono::seconds life{12 * 3'600};
  size_t max_sessions = 1'024;  // that addresses share as net::Places says
};

class Sessions {
 public:
  // An empty token: nobody needs a session.
  Sessions(const Timers& timers, std::string token, SessionLimits limits = {});

  bool needed() const { return !token_.empty(); }

  // The id of a new session; nothing when the token is wrong.
  std::optional<std::string> begin(std::string_view token, const std::string& address);
  bool is_valid(std::string_view id) const;
  void end(std::string_view id);

  std::chrono::seconds life() const { return limits_.life; }
  size_t size() const { return sessions_.size(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Session {
    Time end;
    std::string client;  // see net::client_of_address
    net::Places::Place place;
  };

  net::Places::Place place_for(const std::string& client);

  const Timers& timers_;
  const std::string token_;
  const SessionLimits limits_;
  net::Places places_;
  std::unordered_map<std::string, Session, TextHash, std::equal_to<>> sessions_;  // by id
};

}  // namespace iii::console
