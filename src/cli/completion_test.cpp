#include "cli/completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/verbs.h"

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

}  // namespace
}  // namespace iii::cli
