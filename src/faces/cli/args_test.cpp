#include "faces/cli/args.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace iii::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Verb kVerb{.name = "x",
                 .summary = "Does x.",
                 .usage = {"x [options]"},
                 .options = {{"port", "N", "The port.", 'p'},
                             {"quiet", "", "Less."},
                             {"color", "WHEN", "When.", 0, "auto always never"},
                             {"help", "", "Help.", 'h'}},
                 .least_words = 1,
                 .most_words = 3};

Result<Args> parse(std::vector<std::string> words) { return parse_args(kVerb, words); }

TEST(Args, ReadsEverySpellingOfAnOption) {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"a", "--port", "5"},
                                             {"a", "--port=5"},
                                             {"a", "-p", "5"},
                                             {"a", "--port", "4", "--port", "5"}}) {
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
  EXPECT_THAT(parse({"a", "--prot", "5"}).error().message, HasSubstr("Did you mean --port?"));
  EXPECT_THAT(parse({"a", "--port"}).error().message, HasSubstr("needs a value"));
  EXPECT_THAT(parse({"a", "--quiet=1"}).error().message, HasSubstr("takes no value"));
  EXPECT_THAT(parse({"a", "--color", "alway"}).error().message, HasSubstr("Did you mean always?"));
  EXPECT_THAT(parse({"a", "b", "c", "d"}).error().message, HasSubstr("unexpected argument 'd'"));
  EXPECT_THAT(parse({}).error().message, HasSubstr("Usage: iii-directory x [options]"));
  for (const auto& wrong : {parse({}), parse({"a", "--prot"})})
    EXPECT_EQ(wrong.error().code, "usage");
}

TEST(Args, HelpNeedsNoArguments) { EXPECT_TRUE(parse({"--help"})->has("help")); }

TEST(Args, NumbersAreChecked) {
  EXPECT_EQ(number("port", "0", 0, 10), 0);
  for (const char* text : {"", "x", "11", "-1", "1x", "99999999999999999999"}) {
    EXPECT_FALSE(number("port", text, 0, 10)) << text;
  }
}

}  // namespace
}  // namespace iii::cli
