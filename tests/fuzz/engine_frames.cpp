// A few peers of one engine say what the input holds, a line each: the first byte chooses the peer
// (or what happens to it), the rest is the frame. The engine must neither crash nor call a
// connection that has ended.
#include <array>
#include <cstdint>

#include "engine_bus.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iii;
  GTEST_FLAG_SET(break_on_failure, true);
  set_log_level(LogLevel::kOff);
  fuzz::EngineBus bus;
  std::array<std::unique_ptr<engine::Peer>, 4> peers;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.empty()) continue;
    const auto first = static_cast<uint8_t>(line.front());
    auto& peer = peers[first % peers.size()];
    if (first >= 0x80) {
      bus.timers.advance(Millis(first * 50));
    } else if (first < 0x20) {
      peer.reset();
    } else {
      if (!peer || !peer->connected()) peer = std::make_unique<engine::Peer>(bus);
      peer->say(line.substr(1));
    }
    bus.run_loop(50);
    for (auto& other : peers) {
      if (other) other->take();
    }
  }
  for (auto& peer : peers) peer.reset();
  bus.run_loop(1'000);
  return 0;
}
