#include "faces/mcp/client_list.h"

#include <gmock/gmock.h>

#include "foundation/base/fake_timers.h"

namespace iii::mcp {
namespace {

using std::chrono::minutes;

TEST(ClientName, IsCutAndNeverMissing) {
  EXPECT_EQ(client_name(nullptr), ClientName{});
  const json::Value odd = json::parse(R"({"name":7})").value();
  EXPECT_EQ(client_name(&odd), ClientName{});
  const json::Value info(json::Object{{"name", std::string(1'000, 'n')}, {"version", "1"}});
  EXPECT_EQ(client_name(&info), (ClientName{std::string(100, 'n'), "1"}));
}

TEST(RecentClients, AreForgottenAfterAWhileUnlessTheyListen) {
  FakeTimers timers;
  RecentClients clients(timers);
  clients.seen({"a", "1"}, "x", "d")->reads = 3;
  const auto listener = clients.seen({"b", "1"}, "x", "d");
  listener->subscribed = 1;
  timers.advance(minutes(4));
  EXPECT_EQ(clients.seen({"a", "1"}, "x", "d")->reads, 3U) << "the same one";
  EXPECT_EQ(clients.seen({"a", "1"}, "y", "d")->reads, 0U) << "from elsewhere";
  EXPECT_EQ(clients.size(), 3U);
  timers.advance(minutes(5));
  ASSERT_EQ(clients.rows().size(), 1U);
  EXPECT_EQ(clients.rows()[0].client.name, "b");
  EXPECT_EQ(clients.seen({"a", "1"}, "x", "d")->reads, 0U) << "another visit";
  listener->subscribed = 0;
  EXPECT_EQ(clients.size(), 1U);
}

TEST(RecentClients, AreBounded) {
  FakeTimers timers;
  RecentClients clients(timers);
  for (int i = 0; i < 1'000; ++i) {
    timers.advance(Millis(1));
    clients.seen({"a", std::to_string(i)}, "x", "d");
  }
  EXPECT_EQ(clients.size(), RecentClients::kMost);
}

TEST(RecentClients, OneAddressDoesNotPushOutOthers) {
  FakeTimers timers;
  RecentClients clients(timers);
  clients.seen({"idle", "1"}, "y", "d")->reads = 3;
  for (int i = 0; i < 1'000; ++i) {
    timers.advance(Millis(1));
    clients.seen({"a", std::to_string(i)}, "x", "d");
  }
  EXPECT_EQ(clients.size(), RecentClients::kMost);
  EXPECT_EQ(clients.seen({"idle", "1"}, "y", "d")->reads, 3U);
}

}  // namespace
}  // namespace iii::mcp
