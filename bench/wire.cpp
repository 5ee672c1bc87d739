#include "wire.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "process.h"

namespace iii::bench {

std::string json_payload() {
  std::string text =
      R"({"user":{"id":48213,"name":"Grace Hopper","tags":["navy","compiler"]},"when":1731700000123,)"
      R"("score":0.8125,"ok":true,"note":")";
  const std::string_view words = "the quick brown fox jumps over the lazy dog ";
  while (text.size() < kPayload - 2) text += words[text.size() % words.size()];
  return text + "\"}";
}

std::string client_frame(std::string_view text) {
  std::string frame;
  frame += static_cast<char>(0x81);
  if (text.size() < 126) {
    frame += static_cast<char>(0x80 | text.size());
  } else if (text.size() <= 0xffff) {
    frame += static_cast<char>(0x80 | 126);
    frame += static_cast<char>(text.size() >> 8);
    frame += static_cast<char>(text.size() & 0xff);
  } else {
    die("the load generator sends no frames above 64 KiB");
  }
  frame.append(4, '\0');
  return frame.append(text);
}

int connect_tcp(uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    die("cannot connect to the server under test: " + std::string(std::strerror(errno)));
  }
  const int on = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return fd;
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) die("the server under test ended a connection");
    bytes.remove_prefix(static_cast<size_t>(count));
  }
}

namespace {

void receive_more(int fd, std::string& rest) {
  char piece[4096];
  const ssize_t count = recv(fd, piece, sizeof piece, 0);
  if (count <= 0) die("the server under test ended a connection");
  rest.append(piece, static_cast<size_t>(count));
}

}  // namespace

int connect_websocket(uint16_t port, std::string& rest) {
  const int fd = connect_tcp(port);
  send_all(fd,
           "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  size_t end = 0;
  while ((end = rest.find("\r\n\r\n")) == std::string::npos) receive_more(fd, rest);
  if (!rest.starts_with("HTTP/1.1 101")) die("the server under test refused the upgrade");
  rest.erase(0, end + 4);
  return fd;
}

void wait_for_text(int fd, std::string& rest, std::string_view wanted) {
  while (true) {
    std::string_view bytes = rest;
    std::string_view text;
    bool found = false;
    while (!found && next_frame(bytes, text)) found = text.find(wanted) != std::string_view::npos;
    rest.erase(0, rest.size() - bytes.size());
    if (found) return;
    receive_more(fd, rest);
  }
}

void make_non_blocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace iii::bench
