#include "peers.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "process.h"
#include "wire.h"

namespace iii::bench {

Peer::Peer(int fd, std::string rest) : fd_(fd), rest_(std::move(rest)) { make_non_blocking(fd_); }

Peer::~Peer() { close(fd_); }

void Peer::readable(int64_t now, std::string& scratch) {
  const size_t before = rest_.size();
  if (before > scratch.size() / 2) die("a message above what the load generator reads");
  std::memcpy(scratch.data(), rest_.data(), before);
  const ssize_t count = recv(fd_, scratch.data() + before, scratch.size() - before, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return lost();
  const std::string_view bytes(scratch.data(), before + static_cast<size_t>(count));
  const size_t left = consume(bytes, now);
  rest_.assign(bytes.substr(bytes.size() - left));
}

bool Peer::flush() {
  while (flushed_ < out_.size()) {
    const ssize_t count =
        send(fd_, out_.data() + flushed_, out_.size() - flushed_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) return false;
    if (count < 0 && errno != EINTR) {
      lost();
      break;
    }
    if (count > 0) flushed_ += static_cast<size_t>(count);
  }
  out_.clear();
  flushed_ = 0;
  return true;
}

void Peer::lost() {
  if (!on_lost) die("the server under test ended a connection");
  on_lost();
}

namespace {

// Answers come back in the order of the questions; only their number counts.
class Pinger : public Peer {
 public:
  Pinger(int fd, std::string message, size_t in_flight, Tally& tally)
      : Peer(fd), message_(std::move(message)), sent_at_(in_flight), tally_(tally) {}

  void begin(int64_t now) override {
    for (size_t i = 0; i < sent_at_.size(); ++i) ping(i, now);
  }

 protected:
  void answered(int64_t now) {
    tally_.answered(now - sent_at_[oldest_]);
    ping(oldest_, now);
    if (++oldest_ == sent_at_.size()) oldest_ = 0;
  }

 private:
  void ping(size_t slot, int64_t now) {
    if (!tally_.take()) return;
    sent_at_[slot] = now;
    out_ += message_;
  }

  const std::string message_;
  std::vector<int64_t> sent_at_;
  size_t oldest_ = 0;
  Tally& tally_;
};

class RawPinger final : public Pinger {
 public:
  using Pinger::Pinger;

 private:
  size_t consume(std::string_view bytes, int64_t now) override {
    for (; bytes.size() >= kPayload; bytes.remove_prefix(kPayload)) answered(now);
    return bytes.size();
  }
};

class EchoPinger final : public Pinger {
 public:
  using Pinger::Pinger;

 private:
  size_t consume(std::string_view bytes, int64_t now) override {
    std::string_view text;
    while (next_frame(bytes, text)) answered(now);
    return bytes.size();
  }
};

constexpr std::string_view kCallHead = R"({"type":"invokefunction","invocation_id":")";
constexpr std::string_view kAnswerHead = R"({"type":"invocationresult","invocation_id":")";
constexpr size_t kIdLength = 36;

// The last 12 digits of an id; 8 of them count.
void write_number(char* to, uint32_t number) {
  for (size_t i = 0; i < 8; ++i) to[i] = "0123456789abcdef"[(number >> (28 - 4 * i)) & 15];
}

uint32_t read_hex(std::string_view digits) {
  uint32_t value = 0;
  for (const char c : digits) {
    value = (value << 4) | static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
  }
  return value;
}

// Where the id stands in a text of ours: at its fixed place, or wherever the engine put it.
std::string_view id_in(std::string_view text, std::string_view head) {
  if (text.size() > head.size() + kIdLength && text.starts_with(head)) {
    return text.substr(head.size(), kIdLength);
  }
  constexpr std::string_view kKey = R"("invocation_id":")";
  const size_t key = text.find(kKey);
  if (key == std::string_view::npos) return {};
  return text.substr(key + kKey.size(), kIdLength);
}

// Each call in flight has a frame of its own; only the number in its id changes from use to use.
class Caller final : public Peer {
 public:
  Caller(int fd, const Calls& calls, Tally& tally)
      : Peer(fd), number_(static_cast<uint32_t>(calls.number)), tally_(tally) {
    for (size_t slot = 0; slot < calls.in_flight; ++slot) {
      const std::string text =
          fmt::format(R"({}{:08x}-{:04x}-4000-8000-000000000000","function_id":"{}","data":{}}})",
                      kCallHead, number_, slot, calls.function, calls.data);
      slots_.push_back({client_frame(text), 0, 0});
    }
  }

  void begin(int64_t now) override {
    for (Slot& slot : slots_) call(slot, now);
  }

 private:
  struct Slot {
    std::string frame;
    int64_t sent_at;  // 0: nothing is in flight
    uint32_t uses;
  };
  static constexpr size_t kDigits = kLongHeader + kCallHead.size() + kIdLength - 8;

  void call(Slot& slot, int64_t now) {
    if (!tally_.take()) return;
    slot.sent_at = now;
    write_number(slot.frame.data() + kDigits, ++slot.uses);
    out_ += slot.frame;
  }

  size_t consume(std::string_view bytes, int64_t now) override {
    std::string_view text;
    while (next_frame(bytes, text)) {
      if (!text.starts_with(kAnswerHead)) continue;  // the greeting
      const std::string_view id = id_in(text, kAnswerHead);
      const uint32_t at = read_hex(id.substr(9, 4));
      const bool ours = read_hex(id.substr(0, 8)) == number_ && at < slots_.size();
      if (!ours || slots_[at].sent_at == 0 || read_hex(id.substr(28)) != slots_[at].uses ||
          is_error(text)) {
        ++tally_.wrong;
        continue;
      }
      Slot& slot = slots_[at];
      tally_.answered(now - slot.sent_at);
      slot.sent_at = 0;
      call(slot, now);
    }
    return bytes.size();
  }

  // `error` stands where `result` would: behind the function's id.
  static bool is_error(std::string_view text) {
    constexpr std::string_view kKey = R"(,"function_id":")";
    const size_t id_end = text.find('"', kAnswerHead.size() + kIdLength + 1 + kKey.size());
    return text.substr(id_end, 9) == R"(","error")";
  }

  const uint32_t number_;
  std::vector<Slot> slots_;
  Tally& tally_;
};

class Worker final : public Peer {
 public:
  Worker(int fd, std::string rest, const std::string& function)
      : Peer(fd, std::move(rest)),
        answer_(client_frame(fmt::format(
            R"({}00000000-0000-4000-8000-000000000000","function_id":"{}","result":{}}})",
            kAnswerHead, function, json_payload()))) {}

 private:
  size_t consume(std::string_view bytes, int64_t) override {
    std::string_view text;
    while (next_frame(bytes, text)) {
      const std::string_view id = id_in(text, kCallHead);
      if (id.size() != kIdLength) continue;
      std::memcpy(answer_.data() + kLongHeader + kAnswerHead.size(), id.data(), kIdLength);
      out_ += answer_;
    }
    return bytes.size();
  }

  std::string answer_;
};

class Silent final : public Peer {
 public:
  using Peer::Peer;

 private:
  size_t consume(std::string_view, int64_t) override { return 0; }
};

// Registers a function, announces the worker, and waits until that is answered: then it can be
// called.
int join(uint16_t port, const std::string& function, const std::string& name, std::string& rest,
         std::string_view features = "") {
  const int fd = connect_websocket(port, rest);
  constexpr std::string_view kAnnounceId = "ffffffff-0000-4000-8000-000000000001";
  send_all(fd,
           client_frame(fmt::format(
               R"({{"type":"registerfunction","id":"{}","description":"answers"}})", function)));
  send_all(fd,
           client_frame(fmt::format(
               R"({}{}","function_id":"engine::workers::register","data":{{"name":"{}","runtime":)"
               R"("cpp","version":"1","os":"linux","pid":1{}}}}})",
               kCallHead, kAnnounceId, name, features)));
  wait_for_text(fd, rest, kAnnounceId);
  return fd;
}

}  // namespace

std::unique_ptr<Peer> raw_pinger(uint16_t port, size_t in_flight, Tally& tally) {
  return std::make_unique<RawPinger>(connect_tcp(port), std::string(kPayload, 'x'), in_flight,
                                     tally);
}

std::unique_ptr<Peer> echo_pinger(uint16_t port, size_t in_flight, Tally& tally) {
  std::string rest;
  const int fd = connect_websocket(port, rest);
  return std::make_unique<EchoPinger>(fd, client_frame(json_payload()), in_flight, tally);
}

std::unique_ptr<Peer> caller(uint16_t port, const Calls& calls, Tally& tally) {
  std::string rest;
  const int fd = connect_websocket(port, rest);
  wait_for_text(fd, rest, "workerregistered");
  return std::make_unique<Caller>(fd, calls, tally);
}

std::unique_ptr<Peer> worker(uint16_t port, const std::string& function, const std::string& name) {
  std::string rest;
  const int fd = join(port, function, name, rest);
  return std::make_unique<Worker>(fd, std::move(rest), function);
}

std::unique_ptr<Peer> observing(uint16_t port, const std::string& function, size_t observers) {
  constexpr std::string_view kTarget = "bench::observed";
  std::string rest;
  const int fd =
      join(port, std::string(kTarget), "bench-observer", rest, R"(,"features":["observe.v1"])");
  for (size_t i = 0; i < observers; ++i) {
    send_all(fd, client_frame(fmt::format(
                     R"({{"type":"observe","id":"bench-{}","source":{{"function_id":"{}"}},)"
                     R"("target":{{"function_id":"{}"}}}})",
                     i, function, kTarget)));
  }
  wait_for_text(fd, rest, fmt::format(R"("id":"bench-{}","state":"active")", observers - 1));
  return std::make_unique<Worker>(fd, std::move(rest), std::string(kTarget));
}

std::unique_ptr<Peer> idle_worker(uint16_t port, size_t number) {
  std::string rest;
  const int fd =
      join(port, fmt::format("idle{}::wait", number), fmt::format("idle-{}", number), rest);
  return std::make_unique<Silent>(fd);
}

}  // namespace iii::bench
