#include "console/sessions.h"

#include <gmock/gmock.h>

#include <set>

#include "base/fake_timers.h"

namespace iii::console {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class SessionsTest : public testing::Test {
 protected:
  // 0: let in; -1: wrong; else how many seconds to wait.
  int64_t attempt(std::string_view token, const std::string& address = "192.0.2.1") {
    const auto id = sessions.begin(token, address);
    if (id) last = *id;
    if (id) return 0;
    return id.error().wait.count() > 0 ? id.error().wait.count() : -1;
  }

  FakeTimers timers;
  Sessions sessions{timers, "secret", {.max_sessions = 3, .max_addresses = 4}};
  std::string last;
};

TEST_F(SessionsTest, TheTokenGivesAnIdForTwelveHours) {
  EXPECT_TRUE(sessions.needed());
  EXPECT_FALSE(Sessions(timers, "").needed());
  ASSERT_EQ(attempt("secret"), 0);
  EXPECT_EQ(last.size(), 64U);
  EXPECT_TRUE(sessions.is_valid(last));
  EXPECT_FALSE(sessions.is_valid(""));
  EXPECT_FALSE(sessions.is_valid(last.substr(1)));
  timers.advance(hours(12) - seconds(1));
  EXPECT_TRUE(sessions.is_valid(last));
  timers.advance(seconds(1));
  EXPECT_FALSE(sessions.is_valid(last));
}

TEST_F(SessionsTest, EveryIdIsAnother) {
  Sessions many(timers, "secret");
  std::set<std::string> ids;
  for (int i = 0; i < 100; ++i) ids.insert(*many.begin("secret", "x"));
  EXPECT_EQ(ids.size(), 100U);
}

TEST_F(SessionsTest, EndedIsOver) {
  ASSERT_EQ(attempt("secret"), 0);
  sessions.end(last);
  EXPECT_FALSE(sessions.is_valid(last));
  sessions.end("nonsense");
}

TEST_F(SessionsTest, TheOldestGivesWay) {
  ASSERT_EQ(attempt("secret"), 0);
  const std::string first = last;
  for (int i = 0; i < 3; ++i) {
    timers.advance(seconds(1));
    ASSERT_EQ(attempt("secret"), 0);
  }
  EXPECT_EQ(sessions.size(), 3U);
  EXPECT_FALSE(sessions.is_valid(first));
  EXPECT_TRUE(sessions.is_valid(last));
}

TEST_F(SessionsTest, OneAddressDoesNotEndSessionsOfOthers) {
  Sessions many(timers, "secret", {.max_sessions = 40});
  const std::string idle = *many.begin("secret", "192.0.2.1");
  std::string first;
  for (int i = 0; i < 100; ++i) {
    timers.advance(seconds(1));
    const auto id = many.begin("secret", "192.0.2.2");
    ASSERT_TRUE(id);
    if (i == 0) first = *id;
  }
  EXPECT_TRUE(many.is_valid(idle));
  EXPECT_FALSE(many.is_valid(first)) << "its own oldest one gives way";
  EXPECT_EQ(many.size(), 21U);
}

TEST_F(SessionsTest, WhenNoneIsFreeWhoHasMostGivesOneUp) {
  std::vector<std::string> ids;
  for (const char* address : {"192.0.2.1", "192.0.2.1", "192.0.2.2"}) {
    timers.advance(seconds(1));
    ids.push_back(*sessions.begin("secret", address));
  }
  ASSERT_TRUE(sessions.begin("secret", "192.0.2.3"));
  EXPECT_FALSE(sessions.is_valid(ids[0]));
  EXPECT_TRUE(sessions.is_valid(ids[1]));
  EXPECT_TRUE(sessions.is_valid(ids[2]));
}

TEST_F(SessionsTest, FiveWrongTokensAMinute) {
  for (const char* wrong : {"", "secre", "secrets", "SECRET", " secret x"}) {
    EXPECT_EQ(attempt(wrong), -1) << wrong;
    timers.advance(seconds(2));
  }
  EXPECT_EQ(attempt("secret"), 50) << "the right one is not looked at either";
  EXPECT_EQ(attempt("secret", "192.0.2.2"), 0) << "others are not locked out";
  timers.advance(seconds(50));
  EXPECT_EQ(attempt("wrong"), -1) << "one is forgotten";
  EXPECT_EQ(attempt("wrong"), 2);
  timers.advance(seconds(60));
  EXPECT_EQ(attempt("secret"), 0);
}

TEST_F(SessionsTest, ManyAddressesDoNotFillTheMemory) {
  for (int i = 0; i < 4; ++i) EXPECT_EQ(attempt("wrong", std::to_string(i)), -1);
  EXPECT_EQ(attempt("secret", "another"), 60);
  timers.advance(seconds(60));
  EXPECT_EQ(attempt("secret", "another"), 0);
}

}  // namespace
}  // namespace iii::console
