// Who has shown the token: sessions that a cookie stands for. In memory, so they end with the
// process.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <expected>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/hash.h"
#include "base/timers.h"
#include "net/client_shares.h"

namespace iii::console {

struct SessionLimits {
  std::chrono::seconds life{12 * 3'600};
  size_t max_sessions = 1'024;  // that addresses share as net::Places says
  // So many wrong tokens in that time, then nobody at that address gets an answer for a while.
  size_t max_failures = 5;
  std::chrono::seconds failure_window{60};
  size_t max_addresses = 4'096;  // whose failures are remembered
};

class Sessions {
 public:
  // An empty token: nobody needs a session.
  Sessions(const Timers& timers, std::string token, SessionLimits limits = {});

  bool needed() const { return !token_.empty(); }

  struct Refused {
    // Nothing: the token is wrong. Else: no token is looked at before this time has passed.
    std::chrono::seconds wait{0};
  };
  // The id of a new session.
  std::expected<std::string, Refused> begin(std::string_view token, const std::string& address);
  bool is_valid(std::string_view id) const;
  void end(std::string_view id);

  std::chrono::seconds life() const { return limits_.life; }
  size_t size() const { return sessions_.size(); }

 private:
  using Time = std::chrono::steady_clock::time_point;

  void forget_old();
  net::Places::Place place_for(const std::string& client);
  std::chrono::seconds wait_of(const std::string& address);
  void failed(const std::string& address);

  const Timers& timers_;
  const std::string token_;
  const SessionLimits limits_;
  struct Session {
    Time end;
    std::string client;  // see net::client_of_address
    net::Places::Place place;
  };
  net::Places places_;
  std::unordered_map<std::string, Session, TextHash, std::equal_to<>> sessions_;  // by id
  std::unordered_map<std::string, std::deque<Time>, TextHash, std::equal_to<>> failures_;
};

}  // namespace iii::console
