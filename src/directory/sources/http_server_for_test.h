// For tests: an HTTP/1.1 server on a free loopback port that does to its clients what a test says.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "foundation/base/check.h"
#include "foundation/base/text.h"

namespace iii::sources {

class TestServer {
 public:
  struct Request {
    std::string target;
    std::map<std::string, std::string> headers;  // names in lower case
  };
  struct Reply {
    int status = 200;
    std::string body = {};
    std::vector<std::pair<std::string, std::string>> headers = {};
    enum class Fault { kNone, kReset, kCut, kHang, kEndless } fault = Fault::kNone;
  };
  using Handler = std::function<Reply(const Request&)>;

  explicit TestServer(Handler handler) : handler_(std::move(handler)) {
    setenv("no_proxy", "*", 1);  // whatever the machine's proxy is, it is not meant here
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    III_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
    III_CHECK(listen(listener_, 64) == 0);
    III_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~TestServer() { stop(); }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  // Ends connections too: from now on nobody listens.
  void stop() {
    if (!acceptor_.joinable()) return;
    stopping_ = true;
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    {
      const std::lock_guard lock(mutex_);
      for (const int peer : peers_) shutdown(peer, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int peer : peers_) close(peer);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  uint16_t port() const { return port_; }
  std::vector<std::string> targets() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> out;
    for (const Request& request : requests_) out.push_back(request.target);
    return out;
  }
  std::vector<Request> requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
  }
  size_t connections() {
    const std::lock_guard lock(mutex_);
    return peers_.size();
  }
  // Blocks until that many requests have come.
  void wait_for(size_t count) {
    std::unique_lock lock(mutex_);
    came_.wait(lock, [&] { return requests_.size() >= count; });
  }

 private:
  void accept_all() {
    while (true) {
      const int peer = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) return;
      const std::lock_guard lock(mutex_);
      peers_.push_back(peer);
      threads_.emplace_back([this, peer] { serve(peer); });
    }
  }

  static bool send_all(int peer, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(peer, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  static Request parse(std::string_view head) {
    Request request;
    bool first = true;
    for (std::string_view line : split(head, '\n')) {
      line = trim(line);
      if (std::exchange(first, false)) {
        const auto words = split(line, ' ');
        if (words.size() > 1) request.target = words[1];
      } else if (const size_t colon = line.find(':'); colon != std::string_view::npos) {
        request.headers.emplace(ascii_lower(line.substr(0, colon)),
                                std::string(trim(line.substr(colon + 1))));
      }
    }
    return request;
  }

  void serve(int peer) {
    std::string input;
    std::array<char, 4096> block{};
    while (!stopping_) {
      const size_t end = input.find("\r\n\r\n");
      if (end == std::string::npos) {
        const ssize_t got = recv(peer, block.data(), block.size(), 0);
        if (got <= 0) break;
        input.append(block.data(), static_cast<size_t>(got));
        continue;
      }
      const Request request = parse(std::string_view(input).substr(0, end));
      input.erase(0, end + 4);
      {
        const std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      came_.notify_all();
      if (!answer(peer, handler_(request))) break;
    }
    shutdown(peer, SHUT_RDWR);
  }

  bool answer(int peer, const Reply& reply) const {
    if (reply.fault == Reply::Fault::kReset) {
      const linger now{.l_onoff = 1, .l_linger = 0};
      setsockopt(peer, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
      return false;
    }
    if (reply.fault == Reply::Fault::kHang) {
      char ignored = 0;
      while (recv(peer, &ignored, 1, 0) > 0) continue;
      return false;
    }
    const bool endless = reply.fault == Reply::Fault::kEndless;
    const size_t more = reply.fault == Reply::Fault::kCut ? 50 : 0;
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " X\r\n";
    for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
    head += endless ? "Transfer-Encoding: chunked\r\n"
                    : "Content-Length: " + std::to_string(reply.body.size() + more) + "\r\n";
    if (!send_all(peer, head + "\r\n")) return false;
    if (endless) {
      const std::string chunk = "4000\r\n" + std::string(0x4000, ' ') + "\r\n";
      while (!stopping_ && send_all(peer, chunk)) continue;
      return false;
    }
    return send_all(peer, reply.body) && more == 0;
  }

  Handler handler_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread acceptor_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<Request> requests_;     // under mutex_
  std::vector<int> peers_;            // under mutex_
  std::vector<std::thread> threads_;  // by the acceptor, then by stop()
};

}  // namespace iii::sources
