// Who uses the server over HTTP: what `directory::sessions` tells.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/timers.h"
#include "foundation/json/value.h"

namespace iii::directory {
class FunctionTable;
}

namespace iii::mcp {

// A client as it names itself.
struct ClientName {
  std::string name = {};
  std::string version = {};

  auto operator<=>(const ClientName&) const = default;
};
// Of a value with `name` and `version`; null, or without them: empty. Long ones are cut.
ClientName client_name(const json::Value* info);

struct ClientUse {
  ClientName client = {};
  std::string dialect = {};
  int64_t since_ms = 0;     // since 1970
  uint64_t reads = 0;       // requests that read something
  uint64_t subscribed = 0;  // addresses, or streams that listen
};

// Whether a request of this method reads documents or calls a function.
bool is_read(std::string_view method);

// Clients of the stateless dialect: they have no session, so one that was not seen for a while is
// forgotten.
class RecentClients {
 public:
  explicit RecentClients(const Timers& timers) : timers_(timers) {}

  // A request of this client came. What it does with `subscribed` is seen by rows().
  std::shared_ptr<ClientUse> seen(ClientName client, const std::string& address,
                                  std::string_view dialect);
  // Those that listen or were seen lately.
  std::vector<ClientUse> rows() const;
  size_t size() const;

  static constexpr std::chrono::minutes kKept{5};
  static constexpr size_t kMost = 256;

 private:
  struct Seen {
    std::shared_ptr<ClientUse> use;
    std::chrono::steady_clock::time_point last;
  };
  using Key = std::pair<ClientName, std::string>;

  bool is_here(const Seen& seen) const;
  void forget_one();

  const Timers& timers_;
  std::map<Key, Seen> clients_;
};

// `directory::sessions`.
void add_sessions(directory::FunctionTable& table, std::function<std::vector<ClientUse>()> clients);

}  // namespace iii::mcp
