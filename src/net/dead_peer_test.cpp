// A peer whose host vanishes says nothing any more, not even that it is gone.
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sched.h>

#include <cstdlib>
#include <optional>
#include <thread>

#include "net/net_fixture_for_test.h"

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

// A host of its own: a network namespace behind a pair of virtual interfaces.
class OtherHost {
 public:
  static constexpr uint32_t kOurAddress = 0xa9fe5a01;  // 169.254.90.1

  OtherHost() {
    works = run("ip netns add " + name_) &&
            run("ip link add " + name_ + "a type veth peer name " + name_ + "b") &&
            run("ip link set " + name_ + "b netns " + name_) &&
            run("ip address add 169.254.90.1/30 dev " + name_ + "a") &&
            run("ip link set " + name_ + "a up") &&
            run("ip -n " + name_ + " address add 169.254.90.2/30 dev " + name_ + "b") &&
            run("ip -n " + name_ + " link set " + name_ + "b up");
  }
  ~OtherHost() {
    run("ip link delete " + name_ + "a");
    run("ip netns delete " + name_);
  }
  OtherHost(const OtherHost&) = delete;
  OtherHost& operator=(const OtherHost&) = delete;

  void connect(std::optional<RawPeer>& peer, uint16_t port) {
    std::thread([&] {
      const int space = ::open(("/var/run/netns/" + name_).c_str(), O_RDONLY | O_CLOEXEC);
      ASSERT_EQ(::setns(space, CLONE_NEWNET), 0);
      ::close(space);
      peer.emplace();
      peer->connect(port, kOurAddress);
      peer->upgrade();
    }).join();
  }
  void vanish() { ASSERT_TRUE(run("ip -n " + name_ + " link set " + name_ + "b down")); }

  bool works = false;

 private:
  static bool run(const std::string& command) {
    return std::system((command + " >/dev/null 2>&1").c_str()) == 0;
  }
  const std::string name_ = "iii" + std::to_string(::getpid());
};

TEST_F(DeadPeerTest, IsGoneAfterTheTimeout) {
  OtherHost host;
  if (!host.works) GTEST_SKIP() << "network namespaces need root and the `ip` command";
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
