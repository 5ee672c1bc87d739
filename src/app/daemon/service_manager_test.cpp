#include "app/daemon/service_manager.h"

#include <gmock/gmock.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "foundation/base/beneath.h"
#include "foundation/base/fake_timers.h"
#include "foundation/base/temp_folder_for_test.h"

namespace iii::daemon {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A socket that plays systemd.
class Manager {
 public:
  Manager() : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    const std::string path = folder_.path() / "notify";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::setenv("NOTIFY_SOCKET", path.c_str(), 1);
  }
  ~Manager() {
    ::unsetenv("NOTIFY_SOCKET");
    ::unsetenv("WATCHDOG_USEC");
    ::unsetenv("WATCHDOG_PID");
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // What it was told since the last call.
  std::vector<std::string> told() {
    std::vector<std::string> out;
    std::array<char, 512> block{};
    for (ssize_t got = 0;
         (got = ::recv(fd_.get(), block.data(), block.size(), MSG_DONTWAIT)) > 0;) {
      out.emplace_back(block.data(), static_cast<size_t>(got));
    }
    return out;
  }

 private:
  TempFolder folder_;
  UniqueFd fd_;
};

TEST(ServiceManager, IsToldAboutReadyReloadAndStop) {
  Manager manager;
  FakeTimers timers;
  ServiceManager service(timers);
  EXPECT_THAT(manager.told(), IsEmpty());
  service.ready("3 skills");
  EXPECT_THAT(manager.told(), ElementsAre("READY=1\nSTATUS=3 skills"));
  service.reloading();
  EXPECT_THAT(manager.told(), ElementsAre(StartsWith("RELOADING=1\nMONOTONIC_USEC=")));
  service.stopping();
  EXPECT_THAT(manager.told(), ElementsAre("STOPPING=1"));
}

TEST(ServiceManager, TheWatchdogIsFedTwicePerPeriodFromReadyOn) {
  Manager manager;
  ::setenv("WATCHDOG_USEC", "10000000", 1);
  ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  FakeTimers timers;
  ServiceManager service(timers);
  service.ready("");
  service.ready("");
  manager.told();
  timers.advance(std::chrono::seconds(20));
  EXPECT_THAT(manager.told(), ElementsAre("WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"));
}

TEST(ServiceManager, AWatchdogOfAnotherProcessIsNotFed) {
  Manager manager;
  ::setenv("WATCHDOG_USEC", "10000000", 1);
  ::setenv("WATCHDOG_PID", "1", 1);
  FakeTimers timers;
  ServiceManager service(timers);
  service.ready("");
  manager.told();
  timers.advance(std::chrono::seconds(20));
  EXPECT_THAT(manager.told(), IsEmpty());
}

TEST(ServiceManager, NobodyWantsToKnow) {
  FakeTimers timers;
  ServiceManager service(timers);
  service.ready("");
  service.stopping();
}

}  // namespace
}  // namespace iii::daemon
