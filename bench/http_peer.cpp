#include "http_peer.h"

#include <fmt/format.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "wire.h"

namespace iii::bench {
namespace {

// Where the value of a header begins in the head of a response; nothing when it is not there.
const char* header_value(std::string_view head, std::string_view name) {
  for (size_t at = head.find("\r\n"); at != std::string_view::npos; at = head.find("\r\n", at)) {
    at += 2;
    if (head.size() - at > name.size() && head[at + name.size()] == ':' &&
        strncasecmp(head.data() + at, name.data(), name.size()) == 0) {
      return head.data() + at + name.size() + 1;
    }
  }
  return nullptr;
}

// Of a chunked body; false while it is not complete.
bool take_chunks(std::string_view& bytes, std::string& body) {
  for (;;) {
    const size_t line = bytes.find("\r\n");
    if (line == std::string_view::npos) return false;
    const size_t size = std::strtoul(bytes.data(), nullptr, 16);
    if (bytes.size() < line + 2 + size + 2) return false;
    body.append(bytes.substr(line + 2, size));
    bytes.remove_prefix(line + 2 + size + 2);
    if (size == 0) return true;
  }
}

class HttpClient final : public Peer {
 public:
  HttpClient(int fd, const HttpQuestion& question, Tally& tally)
      : Peer(fd), request_(request_text(question)), expect_(question.expect), tally_(tally) {}

  void begin(int64_t now) override { ask(now); }

 private:
  void ask(int64_t now) {
    if (!tally_.take()) return;
    asked_ = now;
    out_ += request_;
  }
  size_t consume(std::string_view bytes, int64_t now) override {
    while (const auto reply = next_reply(bytes)) {
      if (reply->status == 200 && reply->body.find(expect_) != std::string::npos) {
        tally_.answered(now - asked_);
      } else {
        ++tally_.wrong;
      }
      ask(now);
    }
    return bytes.size();
  }

  const std::string request_;
  const std::string expect_;
  Tally& tally_;
  int64_t asked_ = 0;
};

}  // namespace

std::string request_text(const HttpQuestion& question) {
  return fmt::format("{}Host: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{}", question.head,
                     question.body.size(), question.body);
}

HttpQuestion mcp_question(std::string_view method, std::string_view name, std::string_view params,
                          std::string expect) {
  constexpr std::string_view kVersion = "2026-07-28";
  std::string head = fmt::format(
      "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, "
      "text/event-stream\r\nMCP-Protocol-Version: {}\r\nMcp-Method: {}\r\n",
      kVersion, method);
  if (!name.empty()) head += fmt::format("Mcp-Name: {}\r\n", name);
  std::string body = fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}"_meta":{{)"
                                 R"("io.modelcontextprotocol/protocolVersion":"{}",)"
                                 R"("io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
                                 method, params, kVersion);
  return {std::move(head), std::move(body), std::move(expect)};
}

std::optional<size_t> announced_size(std::string_view bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const char* length = header_value(bytes.substr(0, end + 2), "content-length");
  if (length == nullptr) return std::nullopt;
  return end + 4 + std::strtoul(length, nullptr, 10);
}

std::optional<HttpReply> next_reply(std::string_view& bytes) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = bytes.substr(0, end + 2);
  std::string_view rest = bytes.substr(end + 4);
  HttpReply reply{.status = std::atoi(head.data() + 9)};
  if (const char* length = header_value(head, "content-length")) {
    const size_t size = std::strtoul(length, nullptr, 10);
    if (rest.size() < size) return std::nullopt;
    reply.body = rest.substr(0, size);
    rest.remove_prefix(size);
  } else if (header_value(head, "transfer-encoding") != nullptr) {
    if (!take_chunks(rest, reply.body)) return std::nullopt;
  }
  bytes = rest;
  return reply;
}

std::optional<HttpReply> ask_once(uint16_t port, const HttpQuestion& question) {
  const int fd = connect_tcp(port);
  send_all(fd, request_text(question));
  std::string got;
  std::optional<HttpReply> reply;
  for (char piece[65536]; !reply;) {
    const ssize_t count = recv(fd, piece, sizeof piece, 0);
    if (count <= 0) break;
    got.append(piece, static_cast<size_t>(count));
    std::string_view bytes = got;
    reply = next_reply(bytes);
  }
  close(fd);
  return reply;
}

std::unique_ptr<Peer> http_client(uint16_t port, const HttpQuestion& question, Tally& tally) {
  return std::make_unique<HttpClient>(connect_tcp(port), question, tally);
}

}  // namespace iii::bench
