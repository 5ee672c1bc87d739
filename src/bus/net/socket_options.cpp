#include "bus/net/socket_options.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>

namespace iii::net {
namespace {

// Failures are ignored: a connection without an option is better than none.
void set(int socket, int level, int option, int value) {
  ::setsockopt(socket, level, option, &value, sizeof value);
}

}  // namespace

// Half of the time nobody says anything; in the other half the peer is asked three times.
void prepare_socket(int socket, std::chrono::milliseconds timeout) {
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  if (timeout.count() <= 0) return;
  constexpr int kProbes = 3;
  const auto seconds = static_cast<int>(std::clamp<int64_t>(timeout.count() / 1000, 2, 65'000));
  const int idle = seconds / 2;
  set(socket, IPPROTO_TCP, TCP_KEEPIDLE, idle);
  set(socket, IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, (seconds - idle) / kProbes));
  set(socket, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

void allow_closed_window(int socket) { set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 0); }

}  // namespace iii::net
