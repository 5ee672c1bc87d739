// What a hostile peer of the adversary benchmark does, and where it does it.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
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
  struct Place {
    uint16_t port;
    uint16_t http_port;
    pid_t server;
    std::filesystem::path skills = {};  // the folder that it serves
  };

  Arena(Place place, bool quick, int64_t deadline)
      : place_(std::move(place)), quick_(quick), deadline_(deadline) {}

  // How much of something: the real amount, or that of a smoke test.
  size_t amount(size_t full, size_t quick) const { return quick_ ? quick : full; }
  double seconds(double full, double quick) const { return quick_ ? quick : full; }
  bool quick() const { return quick_; }
  HostilePeer connect(const std::string& path = "/") const {
    return {place_.port, deadline_, path};
  }
  HostilePeer connect_tcp() const { return {HostilePeer::Tcp{}, place_.port, deadline_}; }
  HostilePeer connect_http() const { return {HostilePeer::Tcp{}, place_.http_port, deadline_}; }
  const std::filesystem::path& skills() const { return place_.skills; }
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
  const Place place_;
  const bool quick_;
  const int64_t deadline_;
  std::vector<Check> checks_;
};

enum class Errors { kFile, kClosedPipe, kFullPipe };

struct Attack {
  const char* name;
  const char* what;
  void (*run)(Arena&);
  // Writes skills before the server starts, fewer in a smoke test. Null: the engine alone is
  // served.
  void (*files)(const std::filesystem::path& folder, bool quick) = nullptr;
  std::vector<std::string> options = {};  // of the server
  Errors errors = Errors::kFile;          // where the server's standard error goes
};

inline constexpr size_t kMiB = 1024 * 1024;

// A skill of that name with this text, and maybe a file beside it.
void write_skill(const std::filesystem::path& folder, const std::string& name,
                 const std::string& text, const std::string& file = "",
                 std::string_view bytes = "");
// Just the skill that every server of these attacks has.
inline void few_files(const std::filesystem::path&, bool) {}

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
std::vector<Attack> input_attacks();
std::vector<Attack> mcp_attacks();
std::vector<Attack> session_attacks();

}  // namespace iii::bench
