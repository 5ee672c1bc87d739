// Files of a skill that are not documents: who is told when they change.
#include <gmock/gmock.h>

#include <set>

#include "faces/mcp/fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class McpSupportingFilesTest : public McpTest {
 protected:
  void SetUp() override {
    tree.put("global/demo/SKILL.md", kSkill);
    tree.put("global/demo/scripts/run.sh", "echo one\n");
    tree.put("global/other/SKILL.md", "---\nname: other\ndescription: x\n---\nText\n");
    tree.put("global/other/logo.png", "x");
    open();
    initialize("2025-11-25");
    for (const char* uri :
         {"skill://demo/SKILL.md", "skill://demo/scripts/run.sh", "iii://demo",
          "iii://demo/scripts/run.sh", "skill://other/SKILL.md", "skill://other/logo.png"}) {
      session_result("resources/subscribe", R"("uri":")" + std::string(uri) + "\"");
    }
    lines.clear();
  }
  // The addresses of all `updated` notices so far, once there are any notices.
  std::set<std::string> updated() {
    run_until([&] { return !lines.empty(); });
    settle();
    std::set<std::string> out;
    for (const json::Value& notice : notices("notifications/resources/updated")) {
      out.insert(text(*notice.find("params"), "uri"));
    }
    return out;
  }
  size_t list_changes() { return notices("notifications/resources/list_changed").size(); }
};

TEST_F(McpSupportingFilesTest, N78AScriptThatIsEditedUpdatesItselfAndItsSkill) {
  tree.put("global/demo/scripts/run.sh", "echo two\n");
  EXPECT_THAT(updated(), ElementsAre("iii://demo", "iii://demo/scripts/run.sh",
                                     "skill://demo/SKILL.md", "skill://demo/scripts/run.sh"));
  EXPECT_EQ(list_changes(), 0U);
}

TEST_F(McpSupportingFilesTest, N78AFileThatComesOrGoesChangesTheListToo) {
  tree.put("global/other/data.bin", std::string("\0\1", 2));
  EXPECT_THAT(updated(), ElementsAre("skill://other/SKILL.md"));
  EXPECT_GT(list_changes(), 0U);
  lines.clear();
  tree.remove("global/other/logo.png");
  EXPECT_THAT(updated(), ElementsAre("skill://other/SKILL.md", "skill://other/logo.png"));
  EXPECT_GT(list_changes(), 0U);
}

TEST_F(McpSupportingFilesTest, N78AReferenceUpdatesItsSkill) {
  tree.put("global/demo/references/more.md", "# More\n\nText.\n");
  EXPECT_THAT(updated(), Contains("skill://demo/SKILL.md"));
  lines.clear();
  tree.put("global/demo/references/more.md", "# More\n\nOther.\n");
  EXPECT_THAT(updated(), ElementsAre("iii://demo", "skill://demo/SKILL.md"));
}

TEST_F(McpSupportingFilesTest, FilesOutsideOfSkillsConcernNobody) {
  tree.put("global/notes.txt", "x");
  tree.put("global/demo/SKILL.md", std::string(kSkill) + "More.\n");
  EXPECT_THAT(updated(), ElementsAre("iii://demo", "skill://demo/SKILL.md"));
  EXPECT_EQ(list_changes(), 0U);
}

TEST_F(McpSupportingFilesTest, ManyFilesAtOnceMayBeAnyFile) {
  // Twice as many as needed: a scan that is still running may see some of them by itself.
  for (size_t i = 0; i < 2 * (content::TouchedFiles::kKept + 1); ++i) {
    tree.put("global/f" + std::to_string(i), "x");
  }
  EXPECT_THAT(updated(), SizeIs(6));
}

TEST_F(McpSupportingFilesTest, TheGenerationAndTheChangesOfTheBusStayAsTheyAre) {
  size_t changes = 0;
  size_t told = 0;
  const auto subscription = library->changes().subscribe([&](const directory::ChangeSet& set) {
    ++told;
    changes += set.changes->size();
    EXPECT_EQ(set.before, set.after);
  });
  const content::GenerationPtr before = library->latest()->generation;
  tree.put("global/demo/scripts/run.sh", "echo two\n");
  EXPECT_THAT(updated(), Not(IsEmpty()));
  EXPECT_GT(told, 0U);
  EXPECT_EQ(changes, 0U);
  EXPECT_EQ(library->latest()->generation, before);
}

}  // namespace
}  // namespace iii::mcp
