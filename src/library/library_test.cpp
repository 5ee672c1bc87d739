#include "library/library.h"

#include <gmock/gmock.h>

#include "library/testing.h"

namespace iii::directory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A content whose generations a test chooses.
class ScriptedContent final : public content::Content {
 public:
  explicit ScriptedContent(const content::GenerationPtr& now) : now_(now) {}
  content::GenerationPtr fresh() override {
    ++looks;
    return now_;
  }
  Result<FileBytes> read(const content::Generation&, const content::FileRef&) override {
    return fail("missing", "nothing here");
  }
  Result<void> write(const content::Generation&, const content::FileRef&,
                     std::string_view) override {
    return {};
  }
  content::ContentStatus status() const override { return {}; }
  bool lenient() const override { return true; }
  void save() override {}
  int notify_fd() const override { return -1; }

  int looks = 0;

 private:
  const content::GenerationPtr& now_;
};

class ScriptedGate final : public Gate {
 public:
  ScriptedGate(const bool& open, bool& whole) : open_(open), whole_(whole) {}
  bool enter() override { return open_; }
  bool leave() override { return std::exchange(whole_, true); }

 private:
  const bool& open_;
  bool& whole_;
};

struct LibraryTest : ::testing::Test {
  content::GenerationPtr now = make_generation({{"old"}});
  bool open = true;
  bool whole = true;
  Library library{std::make_unique<ScriptedContent>(now),
                  std::make_unique<ScriptedGate>(open, whole)};
};

TEST_F(LibraryTest, WhileFilesAreSwappedTheGenerationBeforeIsShown) {
  const content::GenerationPtr before = library.fresh();
  now = make_generation({{"new"}});
  open = false;
  EXPECT_EQ(library.fresh(), before);
  open = true;
  EXPECT_EQ(library.fresh(), now);
}

TEST_F(LibraryTest, WhatMayBeHalfIsNotShown) {
  const content::GenerationPtr before = library.fresh();
  now = make_generation({{"half"}});
  whole = false;
  EXPECT_EQ(library.fresh(), before);
  EXPECT_EQ(library.fresh(), now);
}

TEST_F(LibraryTest, EveryGenerationButTheFirstIsTold) {
  std::vector<std::string> told;
  library.observe([&](const auto& before, const auto& after) {
    told.push_back(before->skills[0]->id + ">" + after->skills[0]->id);
  });
  library.fresh();
  EXPECT_THAT(told, IsEmpty());
  library.fresh();
  EXPECT_THAT(told, IsEmpty()) << "nothing changed";
  now = make_generation({{"new"}});
  library.fresh();
  EXPECT_THAT(told, ElementsAre("old>new"));
}

}  // namespace
}  // namespace iii::directory
