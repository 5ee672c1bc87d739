#include "cli/args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace iii::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Command kCommand{.usage = "x [options]",
                       .summary = "Does x.",
                       .options = {{"port", "N", "The port.", 'p'}, {"quiet", "", "Less."}},
                       .positionals = true};

Result<Args> parse(std::vector<std::string> words) { return parse_args(kCommand, words); }

TEST(Args, ReadsEverySpellingOfAnOption) {
  for (const auto& words : std::vector<std::vector<std::string>>{
           {"--port", "5"}, {"--port=5"}, {"-p", "5"}, {"--port", "4", "--port", "5"}}) {
    const auto args = parse(words);
    ASSERT_TRUE(args);
    EXPECT_EQ(args->value("port"), "5");
  }
}

TEST(Args, KeepsPositionalsInOrderAndEverythingBehindTwoDashes) {
  const auto args = parse({"a", "--quiet", "b=-1", "--", "--port"});
  ASSERT_TRUE(args);
  EXPECT_TRUE(args->has("quiet"));
  EXPECT_THAT(args->positionals(), ElementsAre("a", "b=-1", "--port"));
}

TEST(Args, MistakesTeach) {
  EXPECT_THAT(parse({"--prot", "5"}).error().message, HasSubstr("Did you mean --port?"));
  EXPECT_THAT(parse({"--port"}).error().message, HasSubstr("needs a value"));
  EXPECT_THAT(parse({"--quiet=1"}).error().message, HasSubstr("takes no value"));
}

TEST(Args, HelpNamesEveryOption) {
  EXPECT_EQ(help_text(kCommand),
            "Does x.\n\nUsage: x [options]\n\nOptions:\n  -p, --port N  The port.\n"
            "      --quiet   Less.\n");
}

TEST(Args, NumbersAreChecked) {
  EXPECT_EQ(number("port", "0", 0, 10), 0);
  for (const char* text : {"", "x", "11", "-1", "1x", "99999999999999999999"}) {
    EXPECT_FALSE(number("port", text, 0, 10)) << text;
  }
}

}  // namespace
}  // namespace iii::cli
