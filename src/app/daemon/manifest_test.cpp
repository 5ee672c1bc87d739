#include "app/daemon/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "app/daemon/version.h"

namespace iii::daemon {
namespace {

TEST(Manifest, TheVersionIsThatOfTheBuildAndTheChangelogKnowsIt) {
  EXPECT_THAT(manifest(), testing::HasSubstr("\"version\": \"" + std::string(kVersion) + "\""));
  std::ifstream file(III_SOURCE_DIR "/CHANGELOG.md");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, testing::HasSubstr("\n## " + std::string(kVersion)));
}

}  // namespace
}  // namespace iii::daemon
