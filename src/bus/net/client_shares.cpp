#include "bus/net/client_shares.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace iii::net {

namespace {

constexpr const char* kThisMachine = "this machine";
constexpr size_t kReserve = 4;   // the part of the budget that lasting things leave free
constexpr size_t kMuchMore = 4;  // times as much

std::string client_of_v4(const in_addr& address, const std::string& text) {
  constexpr uint32_t kLoopback = 127;
  return ntohl(address.s_addr) >> 24U == kLoopback ? kThisMachine : text;
}

std::string client_of_v6(in6_addr address) {
  if (IN6_IS_ADDR_LOOPBACK(&address)) return kThisMachine;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    in_addr inner{};
    std::memcpy(&inner, &address.s6_addr[12], sizeof inner);
    ::inet_ntop(AF_INET, &inner, text.data(), text.size());
    return client_of_v4(inner, text.data());
  }
  constexpr size_t kNetworkBytes = 8;
  std::memset(&address.s6_addr[kNetworkBytes], 0, sizeof address.s6_addr - kNetworkBytes);
  ::inet_ntop(AF_INET6, &address, text.data(), text.size());
  return std::string(text.data()) + "/64";
}

}  // namespace

std::string client_of_address(const std::string& address) {
  in_addr v4{};
  if (::inet_pton(AF_INET, address.c_str(), &v4) == 1) return client_of_v4(v4, address);
  in6_addr v6{};
  if (::inet_pton(AF_INET6, address.c_str(), &v6) == 1) return client_of_v6(v6);
  return address;
}

// --- memory

struct KeptMemory::Account final : MemoryBudget::Holder {
  explicit Account(std::shared_ptr<MemoryBudget> from) : budget(std::move(from)) {}

  void give_up() override {
    if (can_go.empty()) return;
    const auto largest = *can_go.rbegin();
    const std::function<void()> action = largest.second->give_up_;  // it may end the thing
    action();
    // What goes soon has gone for the budget.
    if (can_go.contains(largest)) largest.second->set(0);
  }

  const std::shared_ptr<MemoryBudget> budget;
  size_t total = 0;
  std::set<std::pair<size_t, KeptMemory*>> can_go;
};

KeptMemory::~KeptMemory() { set(0); }

bool KeptMemory::resize(size_t bytes) {
  if (bytes > bytes_) {
    const MemoryBudget& budget = *account_->budget;
    const auto& can_go = account_->can_go;
    const bool another = !can_go.empty() && can_go.rbegin()->first / kMuchMore > bytes;
    const size_t reserve = lasting_ ? budget.limit() / kReserve : 0;
    if (!another && !budget.fits(*account_, bytes - bytes_, reserve)) return false;
  }
  set(bytes);
  return true;
}

// The last line may end this.
void KeptMemory::set(size_t bytes) {
  Account& account = *account_;
  account.can_go.erase({bytes_, this});
  if (bytes > 0 && give_up_) account.can_go.insert({bytes, this});
  account.total += bytes - bytes_;
  bytes_ = bytes;
  account.budget->set(account, account.total, 0);
}

void KeptMemory::on_give_up(std::function<void()> action) {
  give_up_ = std::move(action);
  account_->can_go.erase({bytes_, this});
  if (bytes_ > 0 && give_up_) account_->can_go.insert({bytes_, this});
}

KeptPtr ClientMemory::keep(const std::string& client) {
  auto found = accounts_.find(client);
  if (found == accounts_.end()) {
    std::erase_if(accounts_, [](const auto& each) { return each.second.use_count() == 1; });
    found = accounts_.emplace(client, std::make_shared<KeptMemory::Account>(budget_)).first;
  }
  return KeptPtr(new KeptMemory(found->second));
}

size_t ClientMemory::held_by(const std::string& client) const {
  const auto found = accounts_.find(client);
  return found != accounts_.end() ? found->second->total : 0;
}

// --- places

Places::Place Places::take(const std::string& client) {
  State& state = *state_;
  const size_t free = state.most - state.taken;
  const size_t has = of(client);
  if (free == 0 || (has >= free && has >= kFew)) return nullptr;
  ++state.taken;
  ++state.clients[client];
  return {this, [state = state_, client](void*) {
            --state->taken;
            const auto found = state->clients.find(client);
            if (--found->second == 0) state->clients.erase(found);
          }};
}

std::string Places::from_whom(const std::string& client) const {
  const size_t has = of(client);
  if (has >= kFew || state_->clients.empty()) return client;
  const auto most =
      std::ranges::max_element(state_->clients, {}, [](const auto& each) { return each.second; });
  return most->second > has + 1 ? most->first : client;
}

size_t Places::of(const std::string& client) const {
  const auto found = state_->clients.find(client);
  return found != state_->clients.end() ? found->second : 0;
}

}  // namespace iii::net
