// What is kept of a folder, and what makes it go.
#include "directory/reading/folder_cache.h"

#include <gmock/gmock.h>

namespace iii::directory {
namespace {

using testing::ElementsAre;

class FolderCacheTest : public testing::Test {
 protected:
  FolderCacheTest() {
    for (const char* folder : {"a", "a/inner", "b"}) {
      rows.push_back({folder, std::make_shared<const content::Skill>()});
    }
  }
  Snapshot now() const {
    Snapshot out;
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
    for (const auto& each : cache.find(now(), rows)) {
      if (each) out.push_back(*each);
    }
    return out;
  }

  std::vector<SkillRow> rows;
  std::shared_ptr<const Folders> folders = std::make_shared<const Folders>();
  content::TouchedPtr log = content::nothing_touched();
  FolderCache<std::string> cache{1'000};
};

TEST_F(FolderCacheTest, AFileConcernsTheSkillsInTheFoldersAboveIt) {
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

TEST_F(FolderCacheTest, AFolderConcernsTheSkillsInItToo) {
  keep_all();
  touch("a");
  EXPECT_THAT(known(), ElementsAre("b"));
  keep_all();
  touch("");
  EXPECT_THAT(known(), ElementsAre());
}

TEST_F(FolderCacheTest, AnotherRowIsNotWhatWasKept) {
  keep_all();
  rows[0].skill = std::make_shared<const content::Skill>();
  EXPECT_THAT(known(), ElementsAre("a/inner", "b"));
}

TEST_F(FolderCacheTest, WhatWasMadeBeforeAChangeIsNotKept) {
  const Snapshot before = now();
  touch("b/x.txt");
  EXPECT_THAT(known(), ElementsAre());
  cache.keep(before, rows[2], std::make_shared<const std::string>("old"), 100);
  EXPECT_THAT(known(), ElementsAre());
  keep_all();
  EXPECT_EQ(*cache.find(before, rows)[2], "b") << "what is newer than the snapshot may be given";
}

TEST_F(FolderCacheTest, NothingIsKnownWithoutACompleteLog) {
  keep_all();
  touch("c", false);
  EXPECT_THAT(known(), ElementsAre());
  keep_all();
  EXPECT_THAT(known(), ElementsAre());
  touch("c", true);
  EXPECT_THAT(known(), ElementsAre("a", "a/inner", "b"));
}

TEST_F(FolderCacheTest, MoreFilesThanTheLogKeepsAndOtherFoldersEndEverything) {
  keep_all();
  for (size_t i = 0; i <= content::TouchedFiles::kKept; ++i) touch("x" + std::to_string(i));
  EXPECT_THAT(known(), ElementsAre());
  keep_all();
  EXPECT_EQ(known().size(), 3U);
  folders = std::make_shared<const Folders>();
  EXPECT_THAT(known(), ElementsAre());
}

TEST_F(FolderCacheTest, TheRestIsNotKeptWhenItIsFull) {
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
}  // namespace iii::directory
