#include "directory/reading/skill_search.h"

#include <filesystem>
#include <thread>

#include "directory/reading/fixture_for_test.h"
#include "directory/reading/indexed_skills_store.h"
#include "directory/reading/skill_links.h"
#include "directory/reading/task_index.h"
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
  static void build(IndexedSkillsBuild& build) {
    while (build.step()) {
    }
  }
  // The stamps of files that were just written say nothing.
  void let_files_settle() {
    const auto settled = [this] {
      const View now = view();
      return std::ranges::all_of(now.generation().skills, [&](const content::SkillPtr& skill) {
        return read_body_head(now, *skill, 100).settled;
      });
    };
    while (!settled()) std::this_thread::yield();
  }

  content::TempTree tree_;
  std::shared_ptr<Folders> content_;
};

TEST_F(IndexedSkillsTest, FollowsChangesWithTheirBodies) {
  IndexedSkillsBuild all(view());
  build(all);
  const IndexedSkillsPtr first = all.finish();
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

TEST_F(IndexedSkillsTest, StoredIndexIsUsedOnlyForRowsThatAreAsTheyWere) {
  for (int i = 0; i < 8; ++i) {
    put("filler-" + std::to_string(i) + "/SKILL.md",
        "---\ndescription: Filler text " + std::to_string(i) + ".\n---\nNothing.\n");
  }
  let_files_settle();
  IndexedSkillsBuild all(view());
  build(all);
  static_cast<void>(all.finish());
  const std::filesystem::path file = tree_.at("x.search");
  ASSERT_TRUE(write_indexed_skills(file, all));
  put("bees/SKILL.md", "---\ndescription: Repair an old bicycle.\n---\nTrue the wheel.\n");
  const IndexedSkillsPtr stored = read_indexed_skills(file, view());
  ASSERT_NE(stored, nullptr);
  EXPECT_THAT(find(*stored, "knead dough"), ElementsAre("bread/index"));
  EXPECT_THAT(find(*stored, "repair a bicycle"), ElementsAre("bees/index"));

  // A damaged file is as good as none.
  std::string bytes = read_cache_file(file, 1U << 24U).value();
  for (const size_t at : {size_t{3}, size_t{40}, bytes.size() / 2, bytes.size() - 1}) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    ASSERT_TRUE(write_cache_file(file, damaged));
    EXPECT_EQ(read_indexed_skills(file, view()), nullptr) << at;
  }
  for (const size_t size : {size_t{0}, size_t{20}, bytes.size() / 2}) {
    ASSERT_TRUE(write_cache_file(file, bytes.substr(0, size)));
    EXPECT_EQ(read_indexed_skills(file, view()), nullptr) << size;
  }
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
