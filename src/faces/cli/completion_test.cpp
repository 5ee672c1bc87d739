#include "faces/cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faces/cli/verbs.h"

namespace iii::cli {
namespace {

using testing::HasSubstr;

TEST(Completion, EveryVerbAndOptionIsThere) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = completion_script(shell);
    ASSERT_TRUE(script);
    for (const Verb& verb : verbs()) {
      if (verb.hidden) continue;
      EXPECT_THAT(*script, HasSubstr(std::string(verb.name))) << shell;
      for (const Option& option : verb.options)
        EXPECT_THAT(*script, HasSubstr(std::string(option.name)));
    }
  }
  EXPECT_EQ(completion_script("tcsh").error().code, "usage");
}

TEST(Completion, KeysFollowTheWordsOfConfig) {
  EXPECT_THAT(*completion_script("bash"), HasSubstr("words='get set path check' kind=keys"));
  EXPECT_THAT(*completion_script("zsh"), HasSubstr("'2:argument:_iii_directory_words keys'"));
  EXPECT_THAT(
      *completion_script("fish"),
      HasSubstr("'__fish_seen_subcommand_from config; and __fish_seen_subcommand_from get "
                "set path check' -f -a '(iii-directory __complete keys (commandline -ct))'"));
}

}  // namespace
}  // namespace iii::cli
