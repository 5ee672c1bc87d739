// Fuzz target: whatever lines a client sends on stdin, every answer is one line of JSON, what is
// kept for the client stays within its budget, and nothing is left of it when it has gone.
//
// Input: lines. `~` and a letter stand for a long text: `~a` … `~p` are 2^1 … 2^16 characters,
// `~A` … `~P` are one more, so that sizes at and just over the limits are reached.
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "bus/net/loop.h"
#include "faces/mcp/duplex.h"
#include "faces/mcp/server.h"
#include "foundation/base/check.h"
#include "foundation/base/text.h"
#include "foundation/json/value.h"

namespace {

using namespace iii;

constexpr size_t kMostLine = 256 * 1024;
constexpr size_t kMostHeld = 512 * 1024;

std::string expanded(std::string_view line) {
  std::string out;
  for (size_t i = 0; i < line.size() && out.size() < kMostLine; ++i) {
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (line[i] == '~' && next >= 'a' && next <= 'p') {
      out.append(size_t{1} << static_cast<unsigned>(next - 'a' + 1), 'x');
      ++i;
    } else if (line[i] == '~' && next >= 'A' && next <= 'P') {
      out.append((size_t{1} << static_cast<unsigned>(next - 'A' + 1)) + 1, 'x');
      ++i;
    } else {
      out += line[i];
    }
  }
  return out;
}

// Until there is nothing left to do, or for a while.
void run(net::Loop& loop, const std::function<bool()>& done) {
  int turns = 1'000;
  std::function<void()> next = [&] {
    if (done() || --turns == 0) return loop.stop();
    loop.post([&] { next(); });
  };
  next();
  loop.run();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static net::Loop loop;
  // Without documents: requests that need them wait, and hold what they came with.
  mcp::Server server(loop, {.max_subscriptions = 100, .max_listen_addresses = 10});
  {
    mcp::Duplex client(
        server,
        [](const std::string& line) {
          III_CHECK(line.find('\n') == std::string::npos);
          III_CHECK(json::parse(line).has_value());
        },
        {.max_running = 32, .max_line_bytes = kMostLine, .max_held_bytes = kMostHeld});
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    for (const std::string_view line : split(input, '\n')) {
      client.receive(expanded(line));
      III_CHECK(client.held_bytes() <= kMostHeld);
    }
    client.end_of_input();
    client.cancel_all();
  }
  const auto is_clean = [&] { return server.subscribed_addresses() == 0; };
  run(loop, is_clean);
  III_CHECK(is_clean());
  return 0;
}
