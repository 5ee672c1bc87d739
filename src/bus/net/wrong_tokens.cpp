#include "bus/net/wrong_tokens.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "foundation/base/hash.h"

namespace iii::net {
namespace {

// Everybody may have all addresses of an IPv6 network (64 bits), so it counts as one.
std::string network_of(const std::string& address) {
  in6_addr six{};
  if (::inet_pton(AF_INET6, address.c_str(), &six) != 1) return address;
  return {reinterpret_cast<const char*>(&six), 8};
}

}  // namespace

struct WrongTokens::State {
  using Time = std::chrono::steady_clock::time_point;
  struct Tries {
    size_t count = 0;
    Time last = {};
  };

  Tries& of(const std::string& address, Time now);
  Millis delay_for(Tries& those, Time now) const;
  bool is_old(const Tries& those, Time now) const { return those.last + limits.memory <= now; }

  WrongTokenLimits limits;
  std::unordered_map<std::string, Tries, TextHash, std::equal_to<>> tries;
  Tries others;  // when there is no room for more addresses
  Time swept = {};
  size_t waiting = 0;
};

WrongTokens::State::Tries& WrongTokens::State::of(const std::string& address, Time now) {
  std::string network = network_of(address);
  if (const auto found = tries.find(network); found != tries.end()) return found->second;
  // Not for every address of somebody who has very many of them.
  if (tries.size() >= limits.max_addresses && now - swept >= std::chrono::seconds(1)) {
    swept = now;
    std::erase_if(tries, [&](const auto& each) { return is_old(each.second, now); });
  }
  if (tries.size() >= limits.max_addresses) return others;
  return tries[std::move(network)];
}

Millis WrongTokens::State::delay_for(Tries& those, Time now) const {
  if (is_old(those, now)) those.count = 0;
  those.last = now;
  if (++those.count <= limits.free) return Millis(0);
  Millis delay = limits.first_delay;
  for (size_t i = limits.free + 1; i < those.count && delay < limits.longest_delay; ++i) delay *= 2;
  return std::min(delay, limits.longest_delay);
}

WrongTokens::WrongTokens(Timers& timers, WrongTokenLimits limits)
    : timers_(timers), state_(std::make_shared<State>()) {
  state_->limits = limits;
}

void WrongTokens::refuse(const std::string& address, std::move_only_function<void()> answer) {
  State& state = *state_;
  const auto now = timers_.now();
  const Millis delay = state.delay_for(state.of(address, now), now);
  if (delay == Millis(0) || state.waiting >= state.limits.max_waiting) return answer();
  ++state.waiting;
  timers_.after(delay, [shared = state_, answer = std::move(answer)]() mutable {
    --shared->waiting;
    answer();
  });
}

size_t WrongTokens::waiting() const { return state_->waiting; }
size_t WrongTokens::addresses() const { return state_->tries.size(); }

}  // namespace iii::net
