// What a hostile peer of the adversary benchmark does, and where it does it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hostile_peer.h"
#include "process.h"

namespace iii::bench {

// One server with the well-behaved pair on it. Attacks run on a thread of their own.
class Arena {
 public:
  struct Check {
    std::string what;
    bool holds;
  };

  Arena(uint16_t port, pid_t server, bool quick, int64_t deadline)
      : port_(port), server_(server), quick_(quick), deadline_(deadline) {}

  // How much of something: the real amount, or that of a smoke test.
  size_t amount(size_t full, size_t quick) const { return quick_ ? quick : full; }
  double seconds(double full, double quick) const { return quick_ ? quick : full; }
  HostilePeer connect(const std::string& path = "/") const { return {port_, deadline_, path}; }
  HostilePeer connect_tcp() const { return {HostilePeer::Tcp{}, port_, deadline_}; }
  // A connection that has announced itself.
  HostilePeer worker(const std::string& name) const;
  bool in_time() const { return now_ns() < deadline_; }
  // The same bytes again and again for so many seconds (fewer in a smoke test).
  void flood(HostilePeer& peer, std::string_view block, double seconds) const;
  // File descriptors that the server has open.
  size_t descriptors() const;

  // Something that must hold whatever the hostile peer did.
  void check(std::string what, bool holds) { checks_.push_back({std::move(what), holds}); }
  const std::vector<Check>& checks() const { return checks_; }

 private:
  const uint16_t port_;
  const pid_t server_;
  const bool quick_;
  const int64_t deadline_;
  std::vector<Check> checks_;
};

enum class Errors { kFile, kClosedPipe, kFullPipe };

struct Attack {
  const char* name;
  const char* what;
  void (*run)(Arena&);
  std::vector<std::string> options = {};  // of the server
  Errors errors = Errors::kFile;          // where the server's standard error goes
};

inline constexpr size_t kMiB = 1024 * 1024;

// An answer came, and it is not an error.
inline bool succeeded(const std::string& answer) {
  return !answer.empty() && answer.substr(0, 300).find(R"("error":{)") == std::string::npos;
}
// `count` messages, one behind the other, as bytes for the socket.
template <typename Text>
std::string many(size_t count, const Text& text) {
  std::string bytes;
  for (size_t i = 0; i < count; ++i) bytes += message_frames(text(i));
  return bytes;
}

std::vector<Attack> trigger_attacks();
std::vector<Attack> state_attacks();
std::vector<Attack> call_attacks();
std::vector<Attack> connection_attacks();

}  // namespace iii::bench
