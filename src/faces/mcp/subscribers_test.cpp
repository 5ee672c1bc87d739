// Who is told of which change: in order, nothing lost, and in slices.
#include "faces/mcp/subscribers.h"

#include <gmock/gmock.h>

#include "foundation/base/fake_timers.h"

namespace iii::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr size_t kMostOfOne = 1'000;

class SubscribersTest : public testing::Test {
 protected:
  struct Client {
    SubscriberPtr subscriber = std::make_shared<Subscriber>();
    std::vector<std::string> heard = {};
  };
  using ClientPtr = std::unique_ptr<Client>;

  ClientPtr join() {
    auto out = std::make_unique<Client>();
    out->subscriber->send = [this, it = out.get()](const std::string& message) {
      ++sent;
      it->heard.push_back(message);
    };
    subscribers.add(out->subscriber);
    return out;
  }
  std::optional<RpcError> subscribe(const ClientPtr& client, const std::string& uri) {
    return subscribers.subscribe(client->subscriber, uri);
  }
  static directory::Change change(std::string id) {
    directory::Change out{
        .kind = directory::ChangeKind::kSkill, .act = directory::ChangeAct::kAdded, .id = id};
    out.file.path = std::move(id) + ".md";
    return out;
  }
  void changed(const std::vector<std::string>& ids) {
    std::vector<directory::Change> changes;
    for (const std::string& id : ids) changes.push_back(change(id));
    const auto generation = std::make_shared<content::Generation>();
    subscribers.changed(
        {.before = generation,
         .after = generation,
         .changes = std::make_shared<std::vector<directory::Change>>(std::move(changes))});
  }
  void any_file_changed() {
    const auto generation = std::make_shared<content::Generation>();
    subscribers.changed(
        {.before = generation, .after = generation, .changes = nullptr, .all_touched = true});
  }
  void settle() { timers.advance(Millis(1'000)); }
  // The addresses of the notices, in order.
  static std::vector<std::string> updated(const ClientPtr& client) {
    std::vector<std::string> out;
    for (const std::string& each : client->heard) {
      const json::Value message = json::parse(each).value();
      const std::string* uri = text_of(*message.find("params"), "uri");
      if (uri != nullptr) out.push_back(*uri);
    }
    return out;
  }

  FakeTimers timers;
  Subscribers subscribers{timers, kMostOfOne};
  size_t sent = 0;
};

TEST_F(SubscribersTest, EachIsToldOfItsAddressesInItsSpelling) {
  const ClientPtr one = join();
  const ClientPtr other = join();
  for (const char* uri : {"iii://b", "skill://%61.md", "iii://a", "test://x"}) {
    EXPECT_FALSE(subscribe(one, uri)) << uri;
  }
  EXPECT_FALSE(subscribe(other, "iii://%61"));
  EXPECT_FALSE(subscribe(other, "iii://c"));
  EXPECT_EQ(subscribers.addresses(), 5U);
  changed({"a", "b"});
  EXPECT_EQ(sent, 0U) << "changes are gathered";
  settle();
  EXPECT_THAT(updated(one), ElementsAre("iii://a", "iii://b", "skill://%61.md"));
  EXPECT_THAT(updated(other), ElementsAre("iii://%61"));
  subscribers.unsubscribe(other->subscriber, "iii://a");
  one->heard.clear();
  other->heard.clear();
  any_file_changed();
  settle();
  EXPECT_THAT(updated(one), ElementsAre("iii://a", "iii://b", "skill://%61.md"));
  EXPECT_THAT(updated(other), ElementsAre("iii://c"));
}

TEST_F(SubscribersTest, TheEmptyAddressIsNotToldOfChanges) {
  const ClientPtr one = join();
  EXPECT_FALSE(subscribe(one, ""));
  changed({"a"});
  any_file_changed();
  settle();
  EXPECT_THAT(one->heard, IsEmpty());
}

TEST_F(SubscribersTest, TheNewestSpellingCounts) {
  const ClientPtr one = join();
  EXPECT_FALSE(subscribe(one, "iii://%61"));
  EXPECT_FALSE(subscribe(one, "iii://a"));
  EXPECT_EQ(one->subscriber->subscriptions(), 1U);
  changed({"a"});
  settle();
  EXPECT_THAT(updated(one), ElementsAre("iii://a"));
}

TEST_F(SubscribersTest, ListsAreToldOnceAndBeforeAddresses) {
  const ClientPtr one = join();
  one->subscriber->resources = true;
  one->subscriber->subscription_id = "7";
  EXPECT_FALSE(subscribe(one, "iii://a"));
  changed({"a", "b"});
  changed({"c"});
  settle();
  ASSERT_THAT(one->heard, SizeIs(2));
  EXPECT_THAT(one->heard[0], HasSubstr("resources/list_changed"));
  EXPECT_THAT(one->heard[0], HasSubstr(R"(subscriptionId":7)"));
  EXPECT_THAT(one->heard[1], HasSubstr("resources/updated"));
}

// The stall that a client could cause: all of this took one turn of the loop.
TEST_F(SubscribersTest, ABulkChangeIsToldInSlicesInOrderAndCompletely) {
  constexpr size_t kClients = 20;
  constexpr size_t kAddresses = kMostOfOne;
  std::vector<std::string> ids;
  std::vector<std::string> wanted;
  for (size_t i = 0; i < kAddresses; ++i) ids.push_back("s" + std::to_string(10'000 + i));
  for (const std::string& id : ids) wanted.push_back("iii://" + id);
  std::vector<ClientPtr> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.push_back(join());
    for (const std::string& uri : wanted) ASSERT_FALSE(subscribe(clients.back(), uri));
  }
  changed(ids);
  size_t turns = 0;
  size_t most = 0;
  const auto turn = [&] {
    const size_t before = sent;
    timers.run_next();
    most = std::max(most, sent - before);
    ++turns;
  };
  // One that leaves in the middle hears no more; others do not notice.
  while (sent < kClients * kAddresses / 2) turn();
  const size_t heard = clients[0]->heard.size();
  subscribers.remove(clients[0]->subscriber);
  while (timers.pending() > 0) turn();
  EXPECT_EQ(clients[0]->heard.size(), heard);
  EXPECT_LE(most, Subscribers::kSlice);
  EXPECT_GT(turns, kClients * kAddresses / Subscribers::kSlice / 2);
  for (size_t i = 1; i < kClients; ++i) EXPECT_EQ(updated(clients[i]), wanted) << i;
}

TEST_F(SubscribersTest, WhatChangesMeanwhileIsToldAfterwards) {
  const ClientPtr one = join();
  std::vector<std::string> ids;
  for (size_t i = 0; i < kMostOfOne; ++i) ids.push_back(std::to_string(10'000 + i));
  for (const std::string& id : ids) ASSERT_FALSE(subscribe(one, "iii://" + id));
  changed(ids);
  while (sent < 10) timers.run_next();
  changed({ids[0]});
  settle();
  ASSERT_THAT(one->heard, SizeIs(kMostOfOne + 1));
  EXPECT_EQ(updated(one).back(), "iii://10000");
}

TEST_F(SubscribersTest, WhoLeavesIsForgottenInSlices) {
  const ClientPtr one = join();
  const ClientPtr other = join();
  for (size_t i = 0; i < kMostOfOne; ++i) {
    ASSERT_FALSE(subscribe(one, "iii://" + std::to_string(i)));
  }
  EXPECT_FALSE(subscribe(other, "iii://0"));
  subscribers.remove(one->subscriber);
  subscribers.remove(one->subscriber);
  EXPECT_EQ(subscribers.addresses(), kMostOfOne);
  timers.run_next();
  EXPECT_EQ(subscribers.addresses(), kMostOfOne - Subscribers::kSlice);
  settle();
  EXPECT_EQ(subscribers.addresses(), 1U);
  EXPECT_EQ(one->subscriber.use_count(), 1);
  EXPECT_FALSE(subscribe(one, "iii://x")) << "ignored";
  EXPECT_EQ(subscribers.addresses(), 1U);
}

TEST_F(SubscribersTest, AddressesHaveALimit) {
  const ClientPtr one = join();
  const std::string longest = "iii://" + std::string(kMaxUriBytes - 6, 'a');
  EXPECT_FALSE(subscribe(one, longest)) << "at the limit";
  const std::optional<RpcError> error = subscribe(one, longest + "a");
  ASSERT_TRUE(error) << "beyond it";
  EXPECT_EQ(error->code, kInvalidParams);
  EXPECT_THAT(error->message, HasSubstr("1025 bytes, and at most 1024"));
  EXPECT_EQ(one->subscriber->subscriptions(), 1U);
}

TEST_F(SubscribersTest, SubscriptionsOfOneHaveALimit) {
  const ClientPtr one = join();
  for (size_t i = 0; i < kMostOfOne; ++i) {
    ASSERT_FALSE(subscribe(one, "iii://" + std::to_string(i))) << "at the limit";
  }
  EXPECT_FALSE(subscribe(one, "iii://%30")) << "it has that one already";
  const std::optional<RpcError> error = subscribe(one, "iii://x");
  ASSERT_TRUE(error) << "beyond it";
  EXPECT_THAT(error->message, HasSubstr("1000 subscriptions already"));
  subscribers.unsubscribe(one->subscriber, "iii://7");
  EXPECT_FALSE(subscribe(one, "iii://x"));
}

TEST_F(SubscribersTest, SubscriptionsCountInTheBudget) {
  net::ClientMemory memory(100'000);
  const ClientPtr one = join();
  one->subscriber->memory = memory.keep("a");
  size_t kept = 0;
  std::optional<RpcError> error;
  while (!error) error = subscribe(one, "iii://" + std::to_string(kept++));
  EXPECT_EQ(error->code, kInternalError);
  EXPECT_THAT(error->message, HasSubstr("no memory left"));
  EXPECT_LE(memory.budget().total(), 100'000U);
  EXPECT_GT(kept, 200U);
  EXPECT_EQ(one->subscriber->subscriptions(), kept - 1);
  for (size_t i = 0; i < kept; ++i) {
    subscribers.unsubscribe(one->subscriber, "iii://" + std::to_string(i));
  }
  EXPECT_EQ(memory.budget().total(), 0U);
  EXPECT_FALSE(subscribe(one, "iii://again"));
  subscribers.remove(one->subscriber);
  one->subscriber.reset();
  settle();
  EXPECT_EQ(memory.budget().total(), 0U);
}

}  // namespace
}  // namespace iii::mcp
