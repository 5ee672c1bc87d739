#include "functions/document.h"

#include <gtest/gtest.h>

#include "library/testing.h"

namespace iii::directory {
namespace {

// One file, in memory.
class OneFile final : public content::Content {
 public:
  content::GenerationPtr fresh() override { return make_generation({}); }
  Result<FileBytes> read(const content::Generation&, const content::FileRef&) override {
    return file;
  }
  Result<void> write(const content::Generation&, const content::FileRef&,
                     std::string_view) override {
    return fail("denied", "not here");
  }
  content::ContentStatus status() const override { return {}; }
  bool lenient() const override { return true; }
  void save() override {}
  int notify_fd() const override { return -1; }

  FileBytes file;
};

TEST(ReadSkill, AKnownPlaceOfTheBodyCountsForThatVeryVersionOnly) {
  OneFile content;
  content.file.bytes = "---\ntitle: T\n---\nBody\n";
  content.file.stamp = {
      .device = 1, .inode = 7, .size = content.file.bytes.size(), .mtime_ns = 100, .ctime_ns = 200};
  content::Skill skill;
  skill.bytes = content.file.bytes.size();
  skill.mtime_ns = 100;
  skill.body = {.inode = 7, .ctime_ns = 200, .offset = 4};  // wrong, so that its use shows
  const auto body = [&](const content::Skill& known) {
    return read_skill(content, *make_generation({}), known, "a")->body;
  };
  EXPECT_EQ(body(skill), "title: T\n---\nBody\n");
  const auto differs = [&](auto change) {
    content::Skill other = skill;
    change(other);
    EXPECT_EQ(body(other), "Body\n");
  };
  differs([](content::Skill& other) { other.body = {}; });
  differs([](content::Skill& other) { ++other.body.inode; });
  differs([](content::Skill& other) { ++other.body.ctime_ns; });
  differs([](content::Skill& other) { ++other.mtime_ns; });
  differs([](content::Skill& other) { ++other.bytes; });
  differs([](content::Skill& other) { other.body.offset = 1'000; });
}

}  // namespace
}  // namespace iii::directory
