#include "hostile_peer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include "http_peer.h"
#include "process.h"
#include "wire.h"

namespace iii::bench {

namespace {

constexpr size_t kMaxFrame = 16 * 1024 * 1024;
constexpr uint8_t kFin = 0x80;
constexpr uint8_t kText = 0x01;

int64_t in(double seconds) { return now_ns() + static_cast<int64_t>(std::min(seconds, 1e6) * 1e9); }

}  // namespace

std::string invocation_id(uint64_t high, uint64_t low) {
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

std::string call_text(const std::string& id, std::string_view function, std::string_view data,
                      std::string_view extra) {
  return fmt::format(
      R"({{"type":"invokefunction","invocation_id":"{}","function_id":"{}","data":{}{}}})", id,
      function, data, extra);
}

std::string void_text(std::string_view function, std::string_view data) {
  return fmt::format(R"({{"type":"invokefunction","function_id":"{}","data":{}}})", function, data);
}

std::string answer_text(std::string_view id, std::string_view result) {
  return fmt::format(
      R"({{"type":"invocationresult","invocation_id":"{}","function_id":"?","result":{}}})", id,
      result);
}

std::string function_text(std::string_view id, std::string_view extra) {
  return fmt::format(R"({{"type":"registerfunction","id":"{}"{}}})", id, extra);
}

std::string type_text(std::string_view id) {
  return fmt::format(R"({{"type":"registertriggertype","id":"{}","description":"d"}})", id);
}

std::string bind_text(std::string_view id, std::string_view type, std::string_view function,
                      std::string_view config, std::string_view extra) {
  return fmt::format(
      R"({{"type":"registertrigger","id":"{}","trigger_type":"{}","function_id":"{}","config":{}{}}})",
      id, type, function, config, extra);
}

std::string raw_frame(uint8_t first, std::string_view payload) {
  std::string frame(1, static_cast<char>(first));
  const size_t size = payload.size();
  if (size < 126) {
    frame += static_cast<char>(0x80 | size);
  } else {
    const int bytes = size <= 0xffff ? 2 : 8;
    frame += static_cast<char>(0x80 | (bytes == 2 ? 126 : 127));
    for (int i = bytes - 1; i >= 0; --i) frame += static_cast<char>(size >> (8 * i));
  }
  frame.append(4, '\0');
  return frame.append(payload);
}

std::string message_frames(std::string_view text) {
  std::string frames;
  uint8_t opcode = kText;
  while (text.size() > kMaxFrame) {
    frames += raw_frame(opcode, text.substr(0, kMaxFrame));
    text.remove_prefix(kMaxFrame);
    opcode = 0;
  }
  return frames += raw_frame(kFin | opcode, text);
}

std::string text_of(std::string_view json, std::string_view key) {
  const std::string start = fmt::format(R"("{}":")", key);
  const size_t at = json.find(start);
  if (at == std::string_view::npos) return {};
  const size_t begin = at + start.size();
  return std::string(json.substr(begin, json.find('"', begin) - begin));
}

HostilePeer::HostilePeer(Tcp, uint16_t port, int64_t deadline) : deadline_(deadline) {
  static std::atomic<uint64_t> last{0};
  number_ = ++last;
  connect_tcp(port);
}

HostilePeer::HostilePeer(uint16_t port, int64_t deadline, const std::string& path)
    : HostilePeer(Tcp{}, port, deadline) {
  upgrade(path);
}

void HostilePeer::connect_tcp(uint16_t port) {
  fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
  if (errno != EINPROGRESS) return leave();
  pollfd waiting{fd_, POLLOUT, 0};
  int error = 0;
  socklen_t size = sizeof error;
  if (poll(&waiting, 1, wait_ms(deadline_)) != 1 ||
      getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0) {
    leave();
  }
}

void HostilePeer::upgrade(const std::string& path) {
  const std::string request = "GET " + path +
                              " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: "
                              "websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
                              "dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  if (!open() || ::send(fd_, request.data(), request.size(), MSG_NOSIGNAL) < 0) return leave();
  size_t end = 0;
  while ((end = rest_.find("\r\n\r\n")) == std::string::npos) {
    pollfd waiting{fd_, POLLIN, 0};
    if (poll(&waiting, 1, wait_ms(deadline_)) != 1 || !read_some()) return leave();
  }
  if (!rest_.starts_with("HTTP/1.1 101")) return leave();
  rest_.erase(0, end + 4);
  upgraded_ = true;
  take_messages();
}

HostilePeer::HostilePeer(HostilePeer&& other) noexcept
    : reads(other.reads),
      keeps_bodies(other.keeps_bodies),
      hear(std::move(other.hear)),
      fd_(std::exchange(other.fd_, -1)),
      upgraded_(other.upgraded_),
      deadline_(other.deadline_),
      rest_(std::move(other.rest_)),
      partial_(std::move(other.partial_)),
      inbox_(std::move(other.inbox_)),
      heard_(other.heard_),
      received_(other.received_),
      left_(other.left_),
      number_(other.number_),
      asked_(other.asked_) {}

void HostilePeer::leave() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

int HostilePeer::wait_ms(int64_t until) const {
  const int64_t left = std::min(until, deadline_) - now_ns();
  constexpr int64_t kMillisecond = 1'000'000;
  return static_cast<int>(
      std::clamp<int64_t>((left + kMillisecond - 1) / kMillisecond, 0, kMillisecond));
}

bool HostilePeer::read_some() {
  constexpr size_t kPiece = 256 * 1024;
  const size_t before = rest_.size();
  rest_.resize_and_overwrite(before + kPiece, [&](char* data, size_t) {
    const ssize_t count = recv(fd_, data + before, kPiece, MSG_DONTWAIT);
    if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) {
      close(std::exchange(fd_, -1));
    }
    received_ += static_cast<size_t>(std::max<ssize_t>(count, 0));
    return before + static_cast<size_t>(std::max<ssize_t>(count, 0));
  });
  return open();
}

void HostilePeer::deliver(std::string_view text) {
  ++heard_;
  if (!hear || !hear(text)) inbox_.emplace_back(text);
}

// Of a response that is not kept: counts what has arrived of it.
void HostilePeer::drop_body() {
  if (left_ == 0) left_ = announced_size(rest_).value_or(0);
  const size_t here = std::min(left_, rest_.size());
  if (here == 0) return;
  left_ -= here;
  if (left_ == 0) deliver("HTTP/1.1");
  rest_.erase(0, here);
}

void HostilePeer::take_responses() {
  if (!keeps_bodies) drop_body();
  std::string_view bytes = rest_;
  for (std::string_view all = bytes; next_reply(bytes); all = bytes) {
    deliver(all.substr(0, all.size() - bytes.size()));
  }
  if (bytes.size() < rest_.size()) rest_.erase(0, rest_.size() - bytes.size());
}

void HostilePeer::take_messages() {
  if (!upgraded_) return take_responses();
  std::string_view bytes = rest_;
  std::string_view text;
  while (true) {
    const uint8_t first = bytes.empty() ? 0 : static_cast<uint8_t>(bytes.front());
    if (!next_frame(bytes, text)) break;
    if ((first & 0x08) != 0) continue;  // a control frame
    if ((first & kFin) == 0 || !partial_.empty()) {
      partial_ += text;
      if ((first & kFin) != 0) deliver(std::exchange(partial_, {}));
      continue;
    }
    deliver(text);
  }
  if (bytes.size() < rest_.size()) rest_.erase(0, rest_.size() - bytes.size());
}

// Waits until there is something to read (or room to write), and reads it.
bool HostilePeer::pump(int timeout_ms, bool writable) {
  if (!open()) return false;
  pollfd waiting{fd_, static_cast<short>((reads ? POLLIN : 0) | (writable ? POLLOUT : 0)), 0};
  if (poll(&waiting, 1, timeout_ms) < 0) return errno == EINTR;
  if ((waiting.revents & POLLIN) != 0 || (waiting.revents & (POLLERR | POLLHUP)) != 0) {
    read_some();
    take_messages();
  }
  return open();
}

bool HostilePeer::send_bytes(std::string_view bytes, int64_t until) {
  while (!bytes.empty()) {
    if (!open()) return false;
    const ssize_t count = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      bytes.remove_prefix(static_cast<size_t>(count));
      if (reads) pump(0, false);
      continue;
    }
    if (errno != EAGAIN && errno != EINTR) {
      leave();
      return false;
    }
    const int left = wait_ms(until);
    if (left == 0 || !pump(std::min(left, 100), true)) return false;
  }
  return true;
}

void HostilePeer::listen(double seconds) {
  const int64_t until = in(seconds);
  while (open() && wait_ms(until) > 0) pump(wait_ms(until), false);
}

bool HostilePeer::ended_by_server(double seconds) {
  const auto kept = std::exchange(hear, [](std::string_view) { return true; });
  listen(seconds);
  hear = kept;
  return !open();
}

std::optional<std::string> HostilePeer::wait_for(std::string_view part, double seconds) {
  const int64_t until = in(seconds);
  while (true) {
    while (!inbox_.empty()) {
      std::string text = std::move(inbox_.front());
      inbox_.pop_front();
      if (text.find(part) != std::string::npos) return text;
    }
    if (!open() || wait_ms(until) == 0) return std::nullopt;
    pump(wait_ms(until), false);
  }
}

std::string HostilePeer::fresh_id() {
  return invocation_id((number_ << 32) | 0xa5a5'4000ULL, 0x8000'0000'0000'0000ULL | ++asked_);
}

bool HostilePeer::announce(std::string_view name) {
  return !call("engine::workers::register", fmt::format(R"({{"name":"{}","pid":1}})", name))
              .empty();
}

std::string HostilePeer::call(std::string_view function, std::string_view data, double seconds) {
  const std::string id = fresh_id();
  if (!send(call_text(id, function, data))) return {};
  return wait_for(R"("invocationresult","invocation_id":")" + id, seconds).value_or("");
}

std::string HostilePeer::ask(std::string_view request, double seconds) {
  send_bytes(request);  // whoever refuses it early may have answered
  return wait_for("", seconds).value_or("");
}

size_t HostilePeer::calls(size_t count, size_t window, std::string_view function,
                          const std::function<std::string(size_t)>& data) {
  size_t answered = 0;
  size_t right = 0;
  const auto kept = std::exchange(hear, [&](std::string_view text) {
    if (!text.starts_with(R"({"type":"invocationresult")")) return false;
    ++answered;
    if (text.substr(0, 300).find(R"("error":{)") == std::string_view::npos) ++right;
    return true;
  });
  size_t sent = 0;
  while (answered < count) {
    while (sent < count && sent - answered < window) {
      if (!send(call_text(fresh_id(), function, data(sent)))) break;
      ++sent;
    }
    if (!open() || wait_ms(deadline_) == 0) break;
    if (answered < sent) pump(std::min(wait_ms(deadline_), 100), false);
  }
  hear = kept;
  return right;
}

}  // namespace iii::bench
