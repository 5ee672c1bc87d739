// A WebSocket client on src/net for tests: connects to argv[1], then does what standard input says.
//
//   text WORDS | binary HEX | big N | ping WORDS | close [CODE REASON] | drop | pause | resume
//
// and prints one line per event: `open`, `failed CODE MESSAGE`, `text …`, `binary HEX`, `pong`,
// `ping`, `closed CODE REASON`. Texts above 200 bytes are printed as `text <N bytes>`. Ends after
// `closed`.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "bus/net/client.h"
#include "bus/net/loop.h"

namespace {

using iii::net::ClientConnection;
using iii::net::CloseInfo;
using iii::net::ConnectionEvents;
using iii::ws::Opcode;

void say(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
  std::fflush(stdout);
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::strtoul(std::string(hex.substr(i, 2)).c_str(), nullptr, 16));
  }
  return bytes;
}

class Driver final : public ConnectionEvents {
 public:
  explicit Driver(iii::net::Loop& loop) : loop_(loop) {}

  void opened(std::shared_ptr<ClientConnection> connection) {
    connection_ = std::move(connection);
    connection_->start(*this);
    say("open");
  }

  void obey(const std::string& line) {
    if (!connection_) return;
    const size_t space = line.find(' ');
    const std::string verb = line.substr(0, space);
    const std::string rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (verb == "text") connection_->send(Opcode::kText, rest);
    if (verb == "binary") connection_->send(Opcode::kBinary, from_hex(rest));
    if (verb == "big") connection_->send(Opcode::kText, std::string(std::stoul(rest), 'b'));
    if (verb == "ping") connection_->ping(rest);
    if (verb == "drop") connection_->drop();
    if (verb == "pause") connection_->pause_reading();
    if (verb == "resume") connection_->resume_reading();
    if (verb == "close") close(rest);
  }

  void on_message(Opcode kind, std::string_view payload) override {
    if (payload.size() > 200) return say(fmt::format("text <{} bytes>", payload.size()));
    if (kind == Opcode::kText) return say("text " + std::string(payload));
    say("binary " + to_hex(payload));
  }
  void on_ping() override { say("ping"); }
  void on_pong() override { say("pong"); }
  void on_closed(const CloseInfo& info) override {
    say(fmt::format("closed {} {}", info.code, info.reason));
    connection_.reset();
    loop_.stop();
  }

 private:
  void close(const std::string& rest) {
    if (rest.empty()) return connection_->close(iii::ws::kCloseNone, {});
    const size_t space = rest.find(' ');
    connection_->close(static_cast<uint16_t>(std::stoul(rest)),
                       space == std::string::npos ? "" : rest.substr(space + 1));
  }

  iii::net::Loop& loop_;
  std::shared_ptr<ClientConnection> connection_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  iii::net::Loop loop;
  Driver driver(loop);
  auto url = iii::net::Url::parse(argv[1]);
  if (!url) {
    say("failed " + url.error().code + " " + url.error().message);
    return 1;
  }
  iii::net::ConnectOptions options;
  if (url->secure) {
    const char* ca_file = std::getenv("III_CA_FILE");
    options.trust = iii::net::make_tls_trust(ca_file != nullptr ? ca_file : "").value();
  }
  if (argc > 2) options.connection.limits = {std::stoul(argv[2]), std::stoul(argv[2])};
  // Standard input blocks, so a thread of its own reads it, from when the connection is open; it
  // ends with the process.
  const auto read_orders = [&loop, &driver] {
    for (std::string line; std::getline(std::cin, line);) {
      loop.post([&driver, line] { driver.obey(line); });
    }
  };
  auto connecting = iii::net::connect(loop, *url, options, [&](auto result) {
    if (result) {
      driver.opened(std::move(*result));
      std::thread(read_orders).detach();
      return;
    }
    say("failed " + result.error().code + " " + result.error().message);
    loop.stop();
  });
  loop.run();
  connecting.reset();
  std::fflush(stdout);
  _exit(0);  // the reading thread still refers to the loop
}
