// The persisted index: what is kept between two runs, and when it is not believed.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "directory/content/content.h"
#include "directory/content/fixture_for_test.h"
#include "foundation/base/files.h"

namespace iii::content {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr size_t kFiles = 12;

class PersistedIndex : public testing::Test {
 protected:
  PersistedIndex() {
    for (size_t i = 0; i < kFiles - 2; ++i) {
      tree_.put("global/n" + std::to_string(i % 3) + "/d" + std::to_string(i) + ".md",
                "# Title " + std::to_string(i) + "\n\nText.\n");
    }
    tree_.put("global/n0/prompts/p.md", "---\nname: p\ndescription: D.\n---\nBody\n");
    tree_.put("global/n0/Odd.md", "---\ntitle: a: b\n---\nBody\n");
    tree_.put("global/n0/run.sh", "echo\n");
    options_ = tree_.options();
    options_.cache_file = index_;
    // All stamps count as old.
    options_.clock = [] { return file_clock_ns() + 60'000'000'000; };
  }
  // Opens, and says how many files had to be read for it.
  uint64_t open() { return open(options_); }
  uint64_t open(const ContentOptions& options) {
    content_.reset();
    content_ = Content::open(options);
    return content_->status().parsed_at_start;
  }
  std::vector<std::string> served() { return everything(content_->fresh()); }
  // What a Content without an index says.
  std::vector<std::string> expected(ContentOptions options) const {
    options.cache_file.reset();
    return everything(Content::open(options)->fresh());
  }
  std::string index_bytes() const {
    std::stringstream bytes;
    bytes << std::ifstream(index_, std::ios::binary).rdbuf();
    return bytes.str();
  }
  void set_index(const std::string& bytes) const {
    std::ofstream(index_, std::ios::binary | std::ios::trunc) << bytes;
  }

  TempTree tree_;
  const fs::path index_ = tree_.at("cache/index");
  ContentOptions options_;
  std::unique_ptr<Content> content_;
};

TEST_F(PersistedIndex, AnUnchangedTreeIsNotReadAgain) {
  EXPECT_EQ(open(), kFiles);
  const std::vector<std::string> first = served();
  EXPECT_EQ(open(), 0U);
  EXPECT_EQ(served(), first);
  EXPECT_EQ(served(), expected(options_));
}

TEST_F(PersistedIndex, WhatChangedWhileNobodyLookedIsReadAgain) {
  open();
  content_.reset();
  tree_.put("global/n0/d0.md", "# Other 0\n\nText.\n");
  tree_.put("global/n1/new.md");
  tree_.remove("global/n2/d2.md");
  tree_.rename("global/n2/d5.md", "global/n1/d5.md");
  EXPECT_EQ(open(), 3U);
  EXPECT_EQ(served(), expected(options_));
}

TEST_F(PersistedIndex, WhatChangedWhileWeRanIsKept) {
  open();
  tree_.put("global/n0/d0.md", "# Other 0\n\nText.\n");
  tree_.put("global/deep/er/new.md");
  content_->fresh();
  content_->save();
  EXPECT_EQ(open(), 0U);
  EXPECT_EQ(served(), expected(options_));
}

// A notification that nobody has read: the stamp of the folder is newer than what is known of it.
TEST_F(PersistedIndex, WhatChangedJustBeforeTheEndIsNotLost) {
  int64_t later = 0;
  options_.clock = [&later] { return file_clock_ns() + later; };
  open();
  tree_.put("global/n0/seen.md");
  content_->fresh();
  tree_.put("global/n0/unseen.md");
  tree_.put("global/n0/d0.md", "# Other 0\n\nText.\n");
  later = 60'000'000'000;  // all stamps are old
  open();
  EXPECT_EQ(served(), expected(options_));
}

TEST_F(PersistedIndex, AFileThatWasTooYoungToBeTrustedIsReadAgain) {
  options_.clock = file_clock_ns;
  tree_.put("global/young.md");
  open();
  // Written in the same tick of the clock, it could have the same stamp and other content.
  EXPECT_GE(open(), 1U);
  EXPECT_EQ(served(), expected(options_));
}

TEST_F(PersistedIndex, ADamagedOneIsAsGoodAsNone) {
  open();
  content_.reset();
  const std::string good = index_bytes();
  ASSERT_GT(good.size(), 100U);
  const std::vector<std::string> right = expected(options_);
  std::vector<std::string> damaged = {"", "iii-index 1\n", good + "x",
                                      good.substr(0, good.size() / 2),
                                      std::string(good.size(), '\0')};
  for (size_t at = 0; at < good.size(); at += 1 + good.size() / 40) {
    damaged.push_back(good);
    damaged.back()[at] = static_cast<char>(damaged.back()[at] ^ 0x10);
  }
  for (const std::string& bytes : damaged) {
    set_index(bytes);
    ASSERT_EQ(open(), kFiles);
    ASSERT_EQ(served(), right);
  }
  EXPECT_EQ(open(), 0U) << "replaced by a good one";
}

TEST_F(PersistedIndex, OneThatWasMadeUnderOtherRulesIsNotUsed) {
  open();
  ContentOptions strict = options_;
  strict.lenient = false;
  EXPECT_EQ(open(strict), kFiles);
  EXPECT_EQ(served(), expected(strict));
  ContentOptions moved = strict;
  moved.roots[1].path = tree_.at("elsewhere");
  EXPECT_EQ(open(moved), 0U);
  EXPECT_THAT(ids(content_->fresh()), IsEmpty());
}

TEST_F(PersistedIndex, ARootThatIsGoneTakesItsPartAlong) {
  open();
  content_.reset();
  tree_.rename("global", "away");
  EXPECT_EQ(open(), 0U);
  EXPECT_THAT(ids(content_->fresh()), IsEmpty());
  tree_.put("global/x.md");
  EXPECT_THAT(ids(content_->fresh()), ElementsAre("x"));
}

TEST_F(PersistedIndex, APlaceThatCannotBeWrittenIsNoReasonToFail) {
  tree_.put("file", "x");
  options_.cache_file = tree_.at("file/index");
  EXPECT_EQ(open(), kFiles);
  EXPECT_EQ(served(), expected(options_));
}

}  // namespace
}  // namespace iii::content
