#include "directory/reading/skill_search.h"

#include "directory/reading/fixture_for_test.h"
#include "directory/reading/skill_links.h"
#include "directory/reading/skill_list.h"
#include "directory/search/token_budget.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Lt;

class IndexedSkillsTest : public testing::Test {
 protected:
  IndexedSkillsTest() {
    put("bread/SKILL.md",
        "---\ndescription: Bake sourdough bread at home.\n---\nKnead the dough.\n");
    put("bees/SKILL.md", "---\ndescription: Keep bees in a garden.\n---\nInspect the hive.\n");
    content_ = open();
  }

  void put(const std::string& path, const std::string& text) { tree_.put("global/" + path, text); }
  std::shared_ptr<Folders> open() {
    auto out = std::make_shared<Folders>();
    out->content = content::Content::open(tree_.options());
    return out;
  }
  View view() {
    const content::GenerationPtr now = content_->content->fresh();
    return {std::make_shared<const Snapshot>(now, now, std::make_shared<const Registrations>(),
                                             content_),
            nullptr};
  }
  static std::vector<std::string> find(const IndexedSkills& skills, const std::string& query) {
    std::vector<std::string> out;
    for (const search::Hit& hit : search::find(skills.index, query)->hits) out.push_back(hit.key);
    return out;
  }
  static IndexedSkillsPtr built(View view) {
    IndexedSkillsBuild build(std::move(view));
    while (build.left()) build.step(0);
    build.finish(0);
    build.finish(1);
    return build.take();
  }

  content::TempTree tree_;
  std::shared_ptr<Folders> content_;
};

TEST_F(IndexedSkillsTest, FollowsChangesWithTheirBodies) {
  const IndexedSkillsPtr first = built(view());
  EXPECT_THAT(find(*first, "knead dough"), ElementsAre("bread/index"));
  put("bees/SKILL.md", "---\ndescription: Repair an old bicycle.\n---\nTrue the wheel.\n");
  put("tea/SKILL.md", "---\ndescription: Brew green tea.\n---\nWarm the teapot.\n");
  tree_.remove("global/bread");
  const IndexedSkillsPtr next = followed(*first, view());
  EXPECT_THAT(find(*next, "sourdough bread"), IsEmpty());
  EXPECT_THAT(find(*next, "repair a bicycle wheel"), ElementsAre("bees/index"));
  EXPECT_THAT(find(*next, "warm the teapot"), ElementsAre("tea/index"));
  // Readers of the first one are not disturbed.
  EXPECT_THAT(find(*first, "sourdough bread"), ElementsAre("bread/index"));
}

TEST_F(IndexedSkillsTest, PageForATaskStaysWithinItsBudget) {
  const View now = view();
  TaskIndexRequest request;
  for (int i = 0; i < 30; ++i) request.rows.push_back(now.generation().skills[0].get());
  for (const size_t budget : {kLeastIndexBudget, size_t{300}, size_t{5'000}}) {
    request.budget = budget;
    const IndexSkillsOutput page = task_index(now, request);
    EXPECT_LE(search::estimate_tokens(json::encode(page)), budget);
    const bool all = page.workers_count == request.rows.size();
    EXPECT_EQ(all, page.body.find("left out") == std::string::npos) << page.body;
    EXPECT_THAT(page.body, HasSubstr("directory::skills::get"));
  }
}

}  // namespace
}  // namespace iii::directory
