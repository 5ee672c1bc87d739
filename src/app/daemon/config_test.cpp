#include "app/daemon/config.h"

#include <gtest/gtest.h>

namespace iii::daemon {
namespace {

TEST(Config, ATildeInFrontOfANameIsTheHomeFolderToo) {
  EXPECT_EQ(expand_path("~x/y", "/h"), "/h/x/y");
}

TEST(Config, PathsStartAtHomeOrAtTheWorkingDirectory) {
  EXPECT_EQ(expand_path("~/x", "/h"), "/h/x");
  EXPECT_EQ(expand_path("~", "/h"), "/h/");
  EXPECT_EQ(expand_path("/abs", "/h"), "/abs");
  EXPECT_EQ(expand_path("rel", "/h"), std::filesystem::absolute("rel"));
}

}  // namespace
}  // namespace iii::daemon
