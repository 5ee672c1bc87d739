// Several threads: readers that call at the same time, and a writer who does not wait for anybody.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "directory/content/content.h"
#include "directory/content/fixture_for_test.h"

namespace iii::content {
namespace {

class ManyThreads : public testing::TestWithParam<size_t> {
 protected:
  ContentOptions options() const {
    ContentOptions options = tree_.options();
    options.max_watches = GetParam();
    return options;
  }

  TempTree tree_;
};

INSTANTIATE_TEST_SUITE_P(EveryWay, ManyThreads, testing::Values(SIZE_MAX, 0, 3),
                         [](const testing::TestParamInfo<size_t>& one) {
                           return one.param == 0 ? "Stamps" : one.param == 3 ? "Mixed" : "Watches";
                         });

std::string number(size_t value) { return std::to_string(value); }

// Every generation is whole: ascending, unique, counted.
void check(const Generation& generation) {
  for (size_t i = 1; i < generation.skills.size(); ++i) {
    ASSERT_LT(generation.skills[i - 1]->id, generation.skills[i]->id);
  }
  ASSERT_EQ(generation.accounting.skills, generation.skills.size());
}

TEST_P(ManyThreads, EachCallSeesWhatItsOwnThreadWrote) {
  const std::unique_ptr<Content> content = Content::open(options());
  std::vector<std::jthread> threads;
  for (size_t me = 0; me < 4; ++me) {
    threads.emplace_back([&, me] {
      const std::string id = "n" + number(me) + "/doc";
      for (size_t i = 0; i < 40; ++i) {
        const std::string title = "T" + number(me) + "-" + number(i);
        tree_.put("global/" + id + ".md", "# " + title + "\n\nText.\n");
        const GenerationPtr seen = content->fresh();
        check(*seen);
        const Skill* const skill = seen->skill(id);
        ASSERT_NE(skill, nullptr);
        ASSERT_EQ(skill->title, title);
        ASSERT_TRUE(content->read(*seen, skill->file));
        ASSERT_GE(content->status().generation, seen->number);
      }
    });
  }
}

TEST_P(ManyThreads, AGenerationThatIsHeldStaysWholeWhileFilesChange) {
  for (size_t i = 0; i < 30; ++i) tree_.put("global/a/d" + number(i) + ".md");
  const std::unique_ptr<Content> content = Content::open(options());
  const GenerationPtr held = content->fresh();
  const std::vector<std::string> before = everything(held);
  std::jthread reader([&] {
    for (int i = 0; i < 50; ++i) ASSERT_EQ(everything(held), before);
  });
  for (size_t i = 0; i < 30; ++i) {
    tree_.remove("global/a/d" + number(i) + ".md");
    tree_.put("global/b/d" + number(i) + ".md");
    content->fresh();
  }
  reader.join();
  EXPECT_EQ(everything(held), before);
}

TEST_P(ManyThreads, EditsDuringALookAreInTheNextOne) {
  const std::unique_ptr<Content> content = Content::open(options());
  std::atomic<bool> done = false;
  std::jthread editor([&] {
    for (size_t i = 0; i < 150; ++i) {
      const std::string folder = "global/f" + number(i % 5);
      tree_.put(folder + "/sub/d" + number(i % 7) + ".md", "# " + number(i) + "\n\nText.\n");
      std::error_code ignored;
      if (i % 3 == 0) fs::rename(tree_.at(folder), tree_.at("global/m" + number(i % 4)), ignored);
      if (i % 11 == 0) fs::remove_all(tree_.at("global/m" + number(i % 4)), ignored);
      if (i % 13 == 0) fs::create_symlink("m1/sub", tree_.at("global/l" + number(i)), ignored);
    }
    done = true;
  });
  while (!done) check(*content->fresh());
  editor.join();
  ContentOptions plain = options();
  plain.max_watches = 0;
  EXPECT_EQ(everything(content->fresh()), everything(Content::open(plain)->fresh()));
}

}  // namespace
}  // namespace iii::content
