// The floor: an epoll loop that sends back what it reads.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "process.h"
#include "roles.h"

namespace iii::bench {
namespace {

void watch(int epoll, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

void echo(int fd, std::vector<char>& buffer) {
  const ssize_t count = recv(fd, buffer.data(), buffer.size(), 0);
  if (count <= 0) {
    close(fd);
    return;
  }
  ssize_t sent = 0;
  while (sent < count) {
    const ssize_t piece =
        send(fd, buffer.data() + sent, static_cast<size_t>(count - sent), MSG_NOSIGNAL);
    if (piece <= 0) break;
    sent += piece;
  }
}

}  // namespace

int serve_raw() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, any, size) != 0 || listen(listener, 4096) != 0 ||
      getsockname(listener, any, &size) != 0) {
    die("cannot listen on the loopback address");
  }
  std::printf("port %d\n", ntohs(address.sin_port));
  std::fflush(stdout);

  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  watch(epoll, listener);
  std::vector<char> buffer(256 * 1024);
  std::array<epoll_event, 128> events;
  while (true) {
    const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<size_t>(i)].data.fd;
      if (fd != listener) {
        echo(fd, buffer);
        continue;
      }
      const int accepted = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      const int on = 1;
      setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      watch(epoll, accepted);
    }
  }
}

}  // namespace iii::bench
