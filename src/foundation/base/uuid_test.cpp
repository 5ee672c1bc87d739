#include "foundation/base/uuid.h"

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
  for (const char* text :
       {"", "abc", "0190a5da-c967-74bb-cceb-302099a8057", "0190a5da-c967-74bb-cceb-302099a8057g",
        "0190a5da+c967-74bb-cceb-302099a80571", "0190a5da-c96774bb-cceb-302099a80571-",
        "(0190a5da-c967-74bb-cceb-302099a80571)"}) {
    EXPECT_FALSE(Uuid::parse(text)) << text;
  }
}

TEST(Uuid, KnowsADigitFromEveryOtherByteInEveryPlace) {
  for (const std::string_view form :
       {std::string_view(kCanonical), std::string_view("0190a5dac96774bbcceb302099a80571")}) {
    for (size_t at = 0; at < form.size(); ++at) {
      if (form[at] == '-') continue;
      for (int byte = 0; byte < 256; ++byte) {
        std::string text(form);
        text[at] = static_cast<char>(byte);
        const bool digit = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
                           (byte >= 'A' && byte <= 'F');
        const auto id = Uuid::parse(text);
        ASSERT_EQ(id.has_value(), digit) << at << " " << byte;
        if (!digit) continue;
        std::string written = id->to_string();
        if (form.size() == 32) std::erase(written, '-');
        if (byte <= 'F' && byte >= 'A') text[at] = static_cast<char>(byte + 32);
        ASSERT_EQ(written, text);
      }
    }
  }
}

TEST(Uuid, NilIsAValue) { EXPECT_EQ(Uuid::parse("00000000-0000-0000-0000-000000000000"), Uuid{}); }

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
