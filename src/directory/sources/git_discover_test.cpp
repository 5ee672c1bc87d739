// Tree entries in, skills out: nothing of git is needed.
#include "directory/sources/git_discover.h"

#include <gmock/gmock.h>

#include <set>

namespace iii::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Files with their folders, as `ls-tree -r -t` lists them. The id of a folder is `tree:` and its
// path, unless `trees` says otherwise.
RepoTree tree_of(const std::vector<std::string>& files,
                 const std::map<std::string, std::string>& links = {},
                 const std::map<std::string, std::string>& trees = {}) {
  std::vector<TreeEntry> entries;
  std::set<std::string> folders;
  const auto add = [&](const std::string& path, TreeKind kind) {
    entries.push_back({.kind = kind, .id = "blob:" + path, .path = path});
    for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
      folders.insert(path.substr(0, at));
    }
  };
  for (const std::string& path : files) add(path, TreeKind::kFile);
  for (const auto& [path, target] : links) add(path, TreeKind::kLink);
  for (const std::string& folder : folders) {
    const auto id = trees.find(folder);
    entries.push_back({.kind = TreeKind::kFolder,
                       .id = id == trees.end() ? "tree:" + folder : id->second,
                       .path = folder});
  }
  return RepoTree(std::move(entries));
}

std::vector<std::string> folders_of(const std::vector<FoundSkill>& skills) {
  std::vector<std::string> out;
  for (const FoundSkill& skill : skills) out.push_back(skill.path());
  return out;
}

TEST(Discover, FindsEverySkillFileInEverySpellingAndFolder) {
  const auto skills = find_skills(tree_of(
      {"SKILL.md", "a/skill.md", "b/SKILL.MD", "c/Skill.markdown", "d/README.md", "e/SKILLS.md",
       "skills/x/SKILL.md", "skills/.curated/y/SKILL.md", "plugins/p/skills/z/SKILL.md",
       "deep/er/and/deeper/SKILL.md", ".claude/skills/k/SKILL.md", ".git/SKILL.md"}));
  EXPECT_THAT(folders_of(skills),
              ElementsAre(".", "a", "b", "c", "deep/er/and/deeper", "e", "plugins/p/skills/z",
                          "skills/x", ".claude/skills/k", "skills/.curated/y"));
}

TEST(Discover, OneSkillPerFolderAndTheUsualSpellingCounts) {
  const auto skills = find_skills(tree_of({"a/SKILL.MD", "a/SKILL.md", "a/skill.md"}));
  ASSERT_EQ(skills.size(), 1U);
  EXPECT_EQ(skills.front().main, "a/SKILL.md");
  EXPECT_EQ(skills.front().tree, "tree:a");
}

TEST(Discover, CopiesAndHiddenFoldersDoNotMakeANameAmbiguous) {
  const RepoTree tree = tree_of({"x/a/SKILL.md", "y/a/SKILL.md", ".claude/skills/a/SKILL.md"}, {},
                                {{"y/a", "tree:x/a"}});
  EXPECT_THAT(folders_of(preferred(find_skills(tree))), ElementsAre("x/a"));
  const RepoTree others = tree_of({"x/a/SKILL.md", "y/a/SKILL.md"});
  EXPECT_THAT(folders_of(preferred(find_skills(others))), ElementsAre("x/a", "y/a"));
  const RepoTree hidden = tree_of({".claude/skills/a/SKILL.md"});
  EXPECT_THAT(folders_of(preferred(find_skills(hidden))), ElementsAre(".claude/skills/a"));
}

TEST(Discover, NamespacesForAllAreDifferentAndPartsHaveNone) {
  const auto skills = find_skills(
      tree_of({"SKILL.md", "plugins/a/skills/send/SKILL.md", "plugins/b/skills/send/SKILL.md",
               "skills/outer/SKILL.md", "skills/outer/assets/template/SKILL.md",
               "skills/Send/SKILL.md", ".claude/skills/send/SKILL.md"},
              {}, {{".claude/skills/send", "tree:plugins/a/skills/send"}}));
  const std::vector<std::string> names = namespaces_for(skills, "whole");
  EXPECT_THAT(folders_of(skills),
              ElementsAre(".", "plugins/a/skills/send", "plugins/b/skills/send", "skills/Send",
                          "skills/outer", "skills/outer/assets/template", ".claude/skills/send"));
  EXPECT_THAT(names, ElementsAre("whole", "send", "b-send", "skills-Send", "outer", "", ""));
}

TEST(Discover, LinksAreFollowedInsideTheTreeOnly) {
  const std::map<std::string, std::string> links = {
      {"a/file", "../b/real.md"},    {"a/folder", "../b"},
      {"a/chain", "file"},           {"a/through", "folder/real.md"},
      {"a/out", "../../etc/passwd"}, {"a/absolute", "/etc/passwd"},
      {"a/none", "nothing"},         {"a/loop", "loop2"},
      {"a/loop2", "loop"},           {"a/top", ".."}};
  const RepoTree tree = tree_of({"b/real.md"}, links);
  const LinkTargets targets(links.begin(), links.end());
  const auto to = [&](const char* path) {
    const auto found = follow(tree, targets, path);
    return found ? *found : "error: " + found.error().message;
  };
  EXPECT_EQ(to("a/file"), "b/real.md");
  EXPECT_EQ(to("a/folder/real.md"), "b/real.md");
  EXPECT_EQ(to("a/chain"), "b/real.md");
  EXPECT_EQ(to("a/through"), "b/real.md");
  EXPECT_EQ(to("a/top"), "");
  EXPECT_THAT(to("a/out"), HasSubstr("leaves the repository"));
  EXPECT_THAT(to("a/absolute"), HasSubstr("leaves the repository"));
  EXPECT_THAT(to("a/none"), HasSubstr("nothing in the repository"));
  EXPECT_THAT(to("a/loop"), HasSubstr("circle"));
}

std::vector<std::string> paths_of(const Result<Selection>& selection) {
  std::vector<std::string> out;
  if (!selection) return {selection.error().message};
  for (const WantedFile& file : selection->files) out.push_back(file.path + "=" + file.id);
  return out;
}

TEST(Discover, SelectionTakesTheTargetsOfLinks) {
  const std::map<std::string, std::string> links = {{"s/x.md", "../shared/x.md"},
                                                    {"s/more", "../shared"},
                                                    {"s/self", "."},
                                                    {"shared/back", "../s"},
                                                    {"s/out.md", "/etc/passwd"}};
  const RepoTree tree = tree_of({"s/SKILL.md", "shared/x.md"}, links);
  const auto selection = select_files(tree, LinkTargets(links.begin(), links.end()), "s", {}, {});
  EXPECT_THAT(paths_of(selection),
              ElementsAre("SKILL.md=blob:s/SKILL.md", "more/x.md=blob:shared/x.md",
                          "x.md=blob:shared/x.md"));
  ASSERT_TRUE(selection);
  EXPECT_TRUE(selection->reaches_out);
  std::map<std::string, std::string> skipped;
  for (const SkippedFile& file : selection->skipped) skipped[file.path] = file.reason;
  EXPECT_THAT(skipped["self"], HasSubstr("contains it"));
  EXPECT_THAT(skipped["more/back"], HasSubstr("contains it"));
  EXPECT_THAT(skipped["out.md"], HasSubstr("leaves the repository"));
}

TEST(Discover, LinksCannotMultiplyWithoutEnd) {
  // Ten folders, each with ten links to each of the folders after it.
  std::map<std::string, std::string> links;
  std::vector<std::string> files;
  for (int i = 0; i < 10; ++i) {
    const std::string folder = "f" + std::to_string(i);
    files.push_back(folder + "/file.md");
    for (int j = i + 1; j < 10; ++j) {
      for (int n = 0; n < 10; ++n) {
        links[folder + "/l" + std::to_string(j) + "-" + std::to_string(n)] =
            "../f" + std::to_string(j);
      }
    }
  }
  const auto selection =
      select_files(tree_of(files, links), LinkTargets(links.begin(), links.end()), "f0", {},
                   {.max_files = 1'000'000});
  ASSERT_FALSE(selection);
  EXPECT_THAT(selection.error().message, HasSubstr("D312 invalid_bundle: the symbolic links"));
}

TEST(Discover, AMainFileThatCannotBeTakenIsAFailure) {
  const std::map<std::string, std::string> links = {{"s/SKILL.md", "/etc/passwd"}};
  const auto refused = select_files(tree_of({"s/a.md"}, links),
                                    LinkTargets(links.begin(), links.end()), "s", {}, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, "D312");
  EXPECT_THAT(refused.error().message, HasSubstr("main file SKILL.md"));
  EXPECT_TRUE(select_files(tree_of({"s/prompts/a.md"}), {}, "s", {}, {})) << "prompts alone";
}

TEST(Discover, MessagesNameWhatIsThere) {
  const auto skills = find_skills(tree_of({"x/pdf/SKILL.md", "y/pdf/SKILL.md"}));
  EXPECT_THAT(several_fit("pdf", skills).message, HasSubstr("x/pdf, y/pdf"));
  EXPECT_THAT(no_such_skill("pfd", skills).message, HasSubstr("Did you mean \"pdf\"?"));
  EXPECT_THAT(no_such_skill("pfd", skills).message, HasSubstr("directory::repo::skills"));
  EXPECT_THAT(no_such_skill("zzzzzz", {}).message, Not(HasSubstr("Did you mean")));
}

}  // namespace
}  // namespace iii::sources
