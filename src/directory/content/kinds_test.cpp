#include "directory/content/kinds.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "directory/content/fixture_for_test.h"

namespace iii::content {
namespace {

using testing::ElementsAre;

SkillKind kind(std::string_view path, const std::string& text, bool below_a_skill) {
  return kind_of(own_kind(path, parse_document(text, {})), below_a_skill);
}

TEST(Kinds, ASkillIsAnOverviewOrDescribesItselfOrBelongsToNone) {
  for (const char* path : {"a/SKILL.md", "a/skill.md", "a/Skill.md", "a/SKILL.MD",
                           "a/SKILL.markdown", "a/SKILLS.md", "a/index.md", "SKILL.md"}) {
    EXPECT_EQ(kind(path, "text", true), SkillKind::kSkill) << path;
  }
  for (const char* key : {"description", "name", "type", "function_id"}) {
    EXPECT_EQ(kind("a/b.md", "---\n" + std::string(key) + ": x\n---\ntext", true),
              SkillKind::kSkill)
        << key;
  }
  EXPECT_EQ(kind("a/b.md", "text", false), SkillKind::kSkill);
  EXPECT_EQ(kind("a/b.md", "text", true), SkillKind::kReference);
  EXPECT_EQ(kind("a/b.md", "---\nauthor: me\n---\ntext", true), SkillKind::kReference);
  EXPECT_EQ(kind("a/skill-notes.md", "text", true), SkillKind::kReference);
}

TEST(Kinds, AFolderIsASkillByTheNameOfAFile) {
  for (const char* path : {"SKILL.md", "a/skill.md", "Skill.markdown", "a/SKILLS.md"}) {
    EXPECT_TRUE(is_skill_file(path)) << path;
  }
  for (const char* path : {"SKILL.txt", "skills.md", "a/index.md", "SKILL.md/x.md"}) {
    EXPECT_FALSE(is_skill_file(path)) << path;
  }
}

TEST(Kinds, ReadmesInAnySpelling) {
  for (const char* path :
       {"README.md", "a/readme.md", "a/Readme.MD", "AGENTS.md", "a/CLAUDE.md", "GEMINI.md",
        "LICENSE.md", "notice.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md",
        "CODE_OF_CONDUCT.md", "README.zh-CN.md", "README_ja.md", "README-pt-BR.md"}) {
    EXPECT_EQ(kind(path, "---\nname: x\ndescription: y\n---\ntext", true), SkillKind::kReadme)
        << path;
    EXPECT_EQ(kind(path, "text", false), SkillKind::kReadme) << path;
  }
  EXPECT_EQ(kind("a/README.md", "---\ntype: how-to\n---\ntext", true), SkillKind::kSkill);
  EXPECT_EQ(kind("a/README.md", "---\nfunction_id: a::b\n---\ntext", true), SkillKind::kSkill);
  for (const char* path : {"readme-driven.md", "README.old.md", "agents-list.md", "licenses.md"}) {
    EXPECT_EQ(kind(path, "text", true), SkillKind::kReference) << path;
  }
}

// `id kind`
std::vector<std::string> kinds(const GenerationPtr& generation) {
  constexpr std::array<const char*, 3> kWords = {"skill", "reference", "readme"};
  std::vector<std::string> out;
  for (const SkillPtr& skill : generation->skills) {
    out.push_back(skill->id + " " + kWords.at(static_cast<size_t>(skill->kind)));
  }
  return out;
}

class KindsOfATree : public testing::Test {
 protected:
  TempTree tree_;
  std::unique_ptr<Content> content_;
};

TEST_F(KindsOfATree, FollowASkillFileThatComesOrGoes) {
  tree_.put("global/pdf/refs/forms.md");
  tree_.put("global/pdf/refs/named.md", "---\ndescription: D.\n---\ntext\n");
  tree_.put("global/pdf/README.md");
  tree_.put("global/pdf/nested/SKILL.md");
  tree_.put("global/pdf/nested/more.md");
  tree_.put("global/top.md");
  content_ = Content::open(tree_.options());
  const GenerationPtr before = content_->fresh();
  EXPECT_THAT(kinds(before), ElementsAre("pdf/nested/index skill", "pdf/nested/more reference",
                                         "pdf/readme readme", "pdf/refs/forms skill",
                                         "pdf/refs/named skill", "top skill"));
  tree_.put("global/pdf/SKILL.md");
  const GenerationPtr with = content_->fresh();
  EXPECT_THAT(kinds(with),
              ElementsAre("pdf/index skill", "pdf/nested/index skill", "pdf/nested/more reference",
                          "pdf/readme readme", "pdf/refs/forms reference", "pdf/refs/named skill",
                          "top skill"));
  EXPECT_EQ(before->skill("pdf/refs/forms")->kind, SkillKind::kSkill) << "rows never change";
  EXPECT_EQ(before->skill("pdf/refs/named"), with->skill("pdf/refs/named")) << "rows are shared";
  // An edit of the SKILL.md changes nothing else.
  tree_.put("global/pdf/SKILL.md", "# Another title\n\nAnd text.\n");
  const GenerationPtr edited = content_->fresh();
  EXPECT_EQ(kinds(edited), kinds(with));
  EXPECT_EQ(edited->skill("pdf/refs/forms"), with->skill("pdf/refs/forms"));
  // A reference that is touched stays one.
  tree_.put("global/pdf/refs/forms.md", "# New\n\ntext\n");
  EXPECT_EQ(kinds(content_->fresh()), kinds(with));
  tree_.remove("global/pdf/SKILL.md");
  EXPECT_EQ(kinds(content_->fresh()), kinds(before));
}

TEST_F(KindsOfATree, FolderMovesAndRootSkills) {
  tree_.put("global/a/SKILL.md");
  tree_.put("global/a/b/c.md");
  tree_.put("global/d/e.md");
  content_ = Content::open(tree_.options());
  EXPECT_THAT(kinds(content_->fresh()),
              ElementsAre("a/b/c reference", "a/index skill", "d/e skill"));
  tree_.rename("global/a/b", "global/d/b");
  tree_.rename("global/d/e.md", "global/a/e.md");
  EXPECT_THAT(kinds(content_->fresh()),
              ElementsAre("a/e reference", "a/index skill", "d/b/c skill"));
  tree_.remove("global/a");
  tree_.put("global/SKILL.md");
  EXPECT_EQ(content_->fresh()->skill("d/b/c")->kind, SkillKind::kReference);
}

TEST_F(KindsOfATree, AlsoOfDocumentsWithAnAlternateId) {
  tree_.put("global/ns/A B.md");
  tree_.put("global/ns/a-b.md");
  content_ = Content::open(tree_.options());
  const auto all_are = [&](SkillKind kind) {
    const GenerationPtr now = content_->fresh();
    return std::ranges::count(now->skills, kind, [](const SkillPtr& row) { return row->kind; });
  };
  EXPECT_EQ(all_are(SkillKind::kSkill), 2);
  tree_.put("global/ns/SKILL.md");
  EXPECT_EQ(all_are(SkillKind::kReference), 2);
  tree_.remove("global/ns/SKILL.md");
  EXPECT_EQ(all_are(SkillKind::kSkill), 2);
}

}  // namespace
}  // namespace iii::content
