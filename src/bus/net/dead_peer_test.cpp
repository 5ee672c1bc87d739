// A peer whose host vanishes says nothing any more, not even that it is gone.
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include "bus/net/net_fixture_for_test.h"

namespace iii::net {
namespace {

class DeadPeerTest : public NetTest {
 protected:
  // The server's end of the only connection.
  int accepted_socket() const {
    for (int fd = 0; fd < 1024; ++fd) {
      sockaddr_in local{};
      sockaddr_in peer{};
      socklen_t size = sizeof local;
      socklen_t peer_size = sizeof peer;
      if (::getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) == 0 &&
          ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) == 0 &&
          local.sin_family == AF_INET && ntohs(local.sin_port) == server->port()) {
        return fd;
      }
    }
    return -1;
  }
  int option(int level, int name) const {
    int value = -1;
    socklen_t size = sizeof value;
    EXPECT_EQ(::getsockopt(accepted_socket(), level, name, &value, &size), 0);
    return value;
  }
};

TEST_F(DeadPeerTest, SocketsAskForSignsOfLife) {
  serve();
  RawPeer peer;
  upgrade(peer);
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_NODELAY), 1);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 30'000);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPIDLE), 15);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPINTVL), 5);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_KEEPCNT), 3);
  accepted[0]->connection->allow_stalls();
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 0) << "would end a reader that takes its time";
}

TEST_F(DeadPeerTest, ZeroLeavesItToTheSystem) {
  ServerOptions options;
  options.connection.dead_peer_timeout = {};
  serve(options);
  RawPeer peer;
  upgrade(peer);
  EXPECT_EQ(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 0);
  EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
}

// A host of its own: a network namespace behind a pair of virtual interfaces. It belongs to a
// thread and has no name: names are mounts (`ip netns`, `ip -n`), which do not work in a chroot.
class OtherHost {
 public:
  static constexpr uint32_t kOurAddress = 0xa9fe5a01;  // 169.254.90.1

  OtherHost() {
    std::thread([this] {
      if (::unshare(CLONE_NEWNET) != 0) {
        why_not = std::string("no network namespace: ") + std::strerror(errno);
        return;
      }
      space_ = ::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
      run("link add " + theirs_ + " type veth peer name " + ours_ + " netns " +
          std::to_string(::getpid()));
      run("address add 169.254.90.2/30 dev " + theirs_);
      run("link set " + theirs_ + " up");
    }).join();
    run("address add 169.254.90.1/30 dev " + ours_);
    run("link set " + ours_ + " up");
  }
  ~OtherHost() {
    why_not.clear();
    run("link delete " + ours_);
    if (space_ >= 0) ::close(space_);
  }
  OtherHost(const OtherHost&) = delete;
  OtherHost& operator=(const OtherHost&) = delete;

  void connect(std::optional<RawPeer>& peer, uint16_t port) {
    inside([&] {
      peer.emplace();
      peer->connect(port, kOurAddress);
      peer->upgrade();
    });
  }
  void vanish() {
    inside([&] { run("link set " + theirs_ + " down"); });
    ASSERT_EQ(why_not, "");
  }

  std::string why_not;  // the first thing that failed

 private:
  template <typename Action>
  void inside(const Action& action) {
    std::thread([&] {
      ASSERT_EQ(::setns(space_, CLONE_NEWNET), 0);
      action();
    }).join();
  }
  // `ip` in the namespace of this thread.
  void run(const std::string& words) {
    if (!why_not.empty()) return;
    std::FILE* const output = ::popen(("ip " + words + " 2>&1").c_str(), "r");
    std::string said;
    for (int c = std::fgetc(output); c != EOF; c = std::fgetc(output)) said += static_cast<char>(c);
    if (::pclose(output) != 0) why_not = "`ip " + words + "`: " + said;
  }
  const std::string ours_ = "iii" + std::to_string(::getpid()) + "a";
  const std::string theirs_ = "iii" + std::to_string(::getpid()) + "b";
  int space_ = -1;
};

TEST_F(DeadPeerTest, IsGoneAfterTheTimeout) {
  OtherHost host;
  if (!host.why_not.empty()) GTEST_SKIP() << host.why_not;
  ServerOptions options;
  options.host = "0.0.0.0";
  options.connection.dead_peer_timeout = Millis(2000);
  serve(options);
  std::optional<RawPeer> idle;
  host.connect(idle, server->port());
  std::optional<RawPeer> addressed;
  host.connect(addressed, server->port());
  run_until([&] { return accepted.size() == 2; }, "both upgrades");
  host.vanish();
  accepted[1]->connection->send(ws::Opcode::kText, "are you there?");
  run_until([&] { return accepted[0]->closed && accepted[1]->closed; }, "both ends");
}

}  // namespace
}  // namespace iii::net
