// The log of files that were written, made or removed.
#include "directory/content/touched.h"

#include <gmock/gmock.h>

#include <fstream>

#include "directory/content/content.h"
#include "directory/content/fixture_for_test.h"

namespace iii::content {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> shown(std::span<const TouchedFile> files) {
  std::vector<std::string> out;
  for (const TouchedFile& each : files) {
    out.push_back((each.came_or_went ? "±" : "~") + each.file.path);
  }
  return out;
}

TEST(TouchedFiles, ALogKeepsTheNewestAndSaysWhenItDoesNotKnow) {
  TouchedPtr log = nothing_touched();
  for (size_t i = 0; i < TouchedFiles::kKept; ++i) {
    TouchedRound round;
    round.add(0, std::to_string(i), false);
    log = round.append_to(*log, true);
  }
  EXPECT_EQ(log->after(0)->size(), TouchedFiles::kKept);
  EXPECT_THAT(shown(*log->after(log->count - 2)), ElementsAre("~254", "~255"));
  EXPECT_THAT(shown(*log->after(log->count)), IsEmpty());
  TouchedRound round;
  round.add(0, "x", false);
  log = round.append_to(*log, true);
  EXPECT_EQ(log->after(0), std::nullopt);
  EXPECT_EQ(log->after(1)->size(), TouchedFiles::kKept);
  EXPECT_EQ(log->after(log->count + 1), std::nullopt);
}

TEST(TouchedFiles, ARoundWithTooManyFilesIsTheWholeRoot) {
  TouchedRound round;
  round.add(1, "other", false);
  for (size_t i = 0; i <= TouchedFiles::kKept; ++i) round.add(0, std::to_string(i), false);
  const TouchedPtr log = round.append_to(*nothing_touched(), true);
  EXPECT_THAT(shown(log->last), ElementsAre("±", "~other"));
  EXPECT_TRUE(round.empty());
}

class TouchedTest : public testing::Test {
 protected:
  void open(size_t watches = SIZE_MAX) {
    ContentOptions options = tree.options();
    options.max_watches = watches;
    content = Content::open(options);
    known = content->touched()->count;
  }
  // What was touched since the last call.
  std::vector<std::string> now() {
    content->fresh();
    const TouchedPtr log = content->touched();
    const auto files = log->after(std::exchange(known, log->count));
    return files ? shown(*files) : std::vector<std::string>{"(any)"};
  }

  TempTree tree;
  std::unique_ptr<Content> content;
  uint64_t known = 0;
};

TEST_F(TouchedTest, FilesThatAreNotDocumentsAreInTheLogAndNotInTheGeneration) {
  tree.put("global/a/SKILL.md");
  tree.put("global/a/scripts/run.sh", "one");
  open();
  const GenerationPtr before = content->fresh();
  EXPECT_THAT(now(), IsEmpty());
  tree.put("global/a/scripts/run.sh", "two");
  EXPECT_THAT(now(), ElementsAre("~a/scripts/run.sh"));
  EXPECT_EQ(content->fresh(), before);
  tree.put("global/a/scripts/more.sh", "x");
  EXPECT_THAT(now(), ElementsAre("±a/scripts/more.sh"));
  tree.remove("global/a/scripts/more.sh");
  tree.put("global/a/SKILL.md", "# B\n\nText.\n");
  EXPECT_THAT(now(), ElementsAre("~a/SKILL.md", "±a/scripts/more.sh"));
  tree.rename("global/a/scripts", "global/a/tools");
  EXPECT_THAT(now(), ElementsAre("±a/scripts", "±a/tools"));
  tree.put("global/a/tools/run.sh", "three");
  EXPECT_THAT(now(), ElementsAre("~a/tools/run.sh"));
  EXPECT_TRUE(content->touched()->complete);
}

TEST_F(TouchedTest, AFileThatStaysOpenIsReportedWhenItIsWritten) {
  tree.put("global/a/data.bin", "one");
  open();
  std::ofstream file(tree.at("global/a/data.bin"), std::ios::app);
  EXPECT_THAT(now(), IsEmpty());
  file << "two" << std::flush;
  EXPECT_THAT(now(), ElementsAre("~a/data.bin"));
}

TEST_F(TouchedTest, ARootThatIsReplacedIsTouchedAsAWhole) {
  tree.put("global/a/SKILL.md");
  open();
  tree.rename("global", "old");
  EXPECT_THAT(now(), ElementsAre("±"));
  tree.put("global/b/SKILL.md");
  EXPECT_THAT(now(), ElementsAre("±"));
  EXPECT_THAT(now(), IsEmpty());
}

TEST_F(TouchedTest, WithoutWatchesTheLogSaysThatItIsNotComplete) {
  tree.put("global/a/SKILL.md");
  open(0);
  EXPECT_FALSE(content->touched()->complete);
  tree.put("global/a/x.txt", "x");
  EXPECT_THAT(now(), IsEmpty());
}

}  // namespace
}  // namespace iii::content
