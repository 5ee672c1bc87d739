#include "faces/cli/next_step.h"

#include <gtest/gtest.h>

#include "faces/cli/output.h"

namespace iii::cli {
namespace {

TEST(NextStep, AFunctionBecomesTheVerbThatDoesTheSame) {
  EXPECT_EQ(as_commands("D310 not_found: x. Next: call directory::lock::verify without a name."),
            "D310 not_found: x. Next: run `iii-directory verify` without a name.");
  EXPECT_EQ(as_commands("give `worker`; see directory::skills::download"),
            "give `worker`; see `iii-directory add --help`");
}

TEST(NextStep, WhatWasNotFoundLeadsToTheList) {
  EXPECT_EQ(as_commands("Next: call directory::skills::list to see the ids there are; or call "
                        "directory::skills::index for one overview per worker"),
            "Next: run `iii-directory list` to see the ids there are; or run `iii-directory index` "
            "for one overview per worker");
}

TEST(NextStep, OtherFunctionsAreTriggered) {
  EXPECT_EQ(
      as_commands("Next: retry shortly, or call directory::registry::workers::list to browse."),
      "Next: retry shortly, or run `iii-directory registry search` to browse.");
  EXPECT_EQ(as_commands("Call directory::search_functions."),
            "Run `iii-directory trigger directory::search_functions`.");
}

TEST(NextStep, FieldsBecomeOptions) {
  EXPECT_EQ(as_commands("under another name with `as`, or replace it with `force`."),
            "under another name with --as NAME, or replace it with --force.");
}

TEST(NextStep, OtherWordsStay) {
  for (const char* text : {"", "call it again", "see --help", "recall a::b", "call ", "a::b"}) {
    EXPECT_EQ(as_commands(text), text);
  }
}

TEST(NextStep, ErrorsOnTheTerminalNameCommands) {
  testing::internal::CaptureStderr();
  complain({"D310", "Next: call directory::doctor."});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "Error: Next: run `iii-directory doctor`.\n");
}

}  // namespace
}  // namespace iii::cli
