// What is kept of a folder, and what makes it go.
#include "faces/mcp/skill_cache.h"

#include <gmock/gmock.h>

namespace iii::mcp {
namespace {

using testing::ElementsAre;

class SkillCacheTest : public testing::Test {
 protected:
  SkillCacheTest() {
    for (const char* folder : {"a", "a/inner", "b"}) {
      rows.push_back({folder, std::make_shared<const content::Skill>()});
    }
  }
  directory::Snapshot now() const {
    directory::Snapshot out;
    out.folders = folders;
    out.touched = log;
    return out;
  }
  void touch(const std::string& path, bool complete = true) {
    content::TouchedRound round;
    round.add(0, path, false);
    log = round.append_to(*log, complete);
  }
  void keep_all() {
    for (const SkillRow& row : rows) {
      cache.keep(now(), row, std::make_shared<const std::string>(row.folder), 100);
    }
  }
  // Folders of the rows that are known.
  std::vector<std::string> known() {
    std::vector<std::string> out;
    for (const SkillRow& row : rows) {
      if (const auto found = cache.find(now(), row)) out.push_back(*found);
    }
    return out;
  }

  std::vector<SkillRow> rows;
  std::shared_ptr<const directory::Folders> folders = std::make_shared<const directory::Folders>();
  content::TouchedPtr log = content::nothing_touched();
  SkillCache<std::string> cache{1'000};
};

TEST_F(SkillCacheTest, AFileConcernsTheSkillsInTheFoldersAboveIt) {
  keep_all();
  EXPECT_THAT(known(), ElementsAre("a", "a/inner", "b"));
  touch("a/x.txt");
  EXPECT_THAT(known(), ElementsAre("a/inner", "b"));
  keep_all();
  touch("a/inner/scripts/run.sh");
  EXPECT_THAT(known(), ElementsAre("b"));
  keep_all();
  touch("ab");
  EXPECT_THAT(known(), ElementsAre("a", "a/inner", "b"));
}

TEST_F(SkillCacheTest, AFolderConcernsTheSkillsInItToo) {
  keep_all();
  touch("a");
  EXPECT_THAT(known(), ElementsAre("b"));
  keep_all();
  touch("");
  EXPECT_THAT(known(), ElementsAre());
}

TEST_F(SkillCacheTest, AnotherRowIsNotWhatWasKept) {
  keep_all();
  rows[0].skill = std::make_shared<const content::Skill>();
  EXPECT_THAT(known(), ElementsAre("a/inner", "b"));
}

TEST_F(SkillCacheTest, WhatWasMadeBeforeAChangeIsNotKept) {
  const directory::Snapshot before = now();
  touch("b/x.txt");
  EXPECT_THAT(known(), ElementsAre());
  cache.keep(before, rows[2], std::make_shared<const std::string>("old"), 100);
  EXPECT_THAT(known(), ElementsAre());
  keep_all();
  EXPECT_EQ(*cache.find(before, rows[2]), "b") << "what is newer than the snapshot may be given";
}

TEST_F(SkillCacheTest, NothingIsKnownWithoutACompleteLog) {
  keep_all();
  touch("c", false);
  EXPECT_THAT(known(), ElementsAre());
  keep_all();
  EXPECT_THAT(known(), ElementsAre());
  touch("c", true);
  EXPECT_THAT(known(), ElementsAre("a", "a/inner", "b"));
}

TEST_F(SkillCacheTest, MoreFilesThanTheLogKeepsAndOtherFoldersEndEverything) {
  keep_all();
  for (size_t i = 0; i <= content::TouchedFiles::kKept; ++i) touch("x" + std::to_string(i));
  EXPECT_THAT(known(), ElementsAre());
  keep_all();
  EXPECT_EQ(known().size(), 3U);
  folders = std::make_shared<const directory::Folders>();
  EXPECT_THAT(known(), ElementsAre());
}

TEST_F(SkillCacheTest, TheRestIsNotKeptWhenItIsFull) {
  for (const SkillRow& row : rows) {
    cache.keep(now(), row, std::make_shared<const std::string>(row.folder), 330);
  }
  EXPECT_THAT(known(), ElementsAre("a", "a/inner"));
  touch("a/x.txt");
  EXPECT_THAT(known(), ElementsAre("a/inner"));
  cache.keep(now(), rows[2], std::make_shared<const std::string>("b"), 330);
  EXPECT_THAT(known(), ElementsAre("a/inner", "b"));
}

}  // namespace
}  // namespace iii::mcp
