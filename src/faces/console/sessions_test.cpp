#include "faces/console/sessions.h"

#include <gmock/gmock.h>

#include <set>

#include "foundation/base/fake_timers.h"

namespace iii::console {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class SessionsTest : public testing::Test {
 protected:
  bool attempt(std::string_view token) {
    const std::optional<std::string> id = sessions.begin(token, "192.0.2.1");
    if (id) last = *id;
    return id.has_value();
  }

  FakeTimers timers;
  Sessions sessions{timers, "secret", {.max_sessions = 3}};
  std::string last;
};

TEST_F(SessionsTest, TheTokenGivesAnIdForTwelveHours) {
  EXPECT_TRUE(sessions.needed());
  EXPECT_FALSE(Sessions(timers, "").needed());
  ASSERT_TRUE(attempt("secret"));
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
  for (int i = 0; i < 100; ++i) ids.insert(*many.begin("secret", "192.0.2.1"));
  EXPECT_EQ(ids.size(), 100U);
}

TEST_F(SessionsTest, EndedIsOver) {
  ASSERT_TRUE(attempt("secret"));
  sessions.end(last);
  EXPECT_FALSE(sessions.is_valid(last));
  sessions.end("nonsense");
}

TEST_F(SessionsTest, TheOldestGivesWay) {
  ASSERT_TRUE(attempt("secret"));
  const std::string first = last;
  for (int i = 0; i < 3; ++i) {
    timers.advance(seconds(1));
    ASSERT_TRUE(attempt("secret"));
  }
  EXPECT_EQ(sessions.size(), 3U);
  EXPECT_FALSE(sessions.is_valid(first));
  EXPECT_TRUE(sessions.is_valid(last));
}

TEST_F(SessionsTest, WrongTokensDoNotLockOutTheRightOne) {
  for (int i = 0; i < 100; ++i) {
    for (const char* wrong : {"", "secre", "secrets", "SECRET", " secret x"}) {
      EXPECT_FALSE(attempt(wrong)) << wrong;
    }
  }
  EXPECT_TRUE(attempt("secret"));
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
  ASSERT_TRUE(sessions.begin("secret", "192.0.2.4")) << "whoever has the token is let in";
  EXPECT_EQ(sessions.size(), 3U);
}

}  // namespace
}  // namespace iii::console
