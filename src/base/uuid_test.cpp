#include "base/uuid.h"

#include <gtest/gtest.h>

#include <set>

namespace iii {
namespace {

constexpr char kCanonical[] = "0190a5da-c967-74bb-cceb-302099a80571";

TEST(Uuid, ReadsEverySpellingAndWritesOne) {
  for (const char* spelling :
       {"0190a5da-c967-74bb-cceb-302099a80571", "0190A5DA-C967-74BB-CCEB-302099A80571",
        "{0190a5da-c967-74bb-cceb-302099a80571}", "urn:uuid:0190a5da-c967-74bb-cceb-302099a80571",
        "0190a5dac96774bbcceb302099a80571"}) {
    const auto id = Uuid::parse(spelling);
    ASSERT_TRUE(id) << spelling;
    EXPECT_EQ(id->to_string(), kCanonical);
  }
}

TEST(Uuid, RefusesWhatIsNotAUuid) {
  for (const char* text : {"", "abc", "0190a5da-c967-74bb-cceb-302099a8057",
                           "0190a5da-c967-74bb-cceb-302099a8057g",
                           "0190a5da+c967-74bb-cceb-302099a80571", "0190a5da-c96774bb-cceb-302099a80571-",
                           "(0190a5da-c967-74bb-cceb-302099a80571)"}) {
    EXPECT_FALSE(Uuid::parse(text)) << text;
  }
}

TEST(Uuid, NilIsAValue) {
  EXPECT_EQ(Uuid::parse("00000000-0000-0000-0000-000000000000"), Uuid{});
}

TEST(RandomIds, AreDistinctVersion4) {
  RandomIds ids;
  std::set<Uuid> seen;
  for (int i = 0; i < 1000; ++i) {
    const Uuid id = ids.next();
    EXPECT_EQ(id.to_string()[14], '4');
    EXPECT_NE(std::string("89ab").find(id.to_string()[19]), std::string::npos);
    EXPECT_TRUE(seen.insert(id).second);
  }
}

}  // namespace
}  // namespace iii
