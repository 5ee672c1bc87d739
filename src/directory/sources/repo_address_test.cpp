// How people write where a repository is.
#include <gmock/gmock.h>

#include "directory/sources/source.h"

namespace iii::sources {
namespace {

using testing::HasSubstr;

std::string shown(std::string_view text) {
  const RepoAddress address = parse_repo(text);
  std::string out = address.repo;
  if (address.skill) out += " skill=" + *address.skill;
  if (address.path) out += " path=" + *address.path;
  if (address.ref) out += " ref=" + *address.ref;
  return out;
}

TEST(RepoAddress, EveryFormIsRead) {
  const std::string hub = "https://" + std::string(kDefaultGitHost) + "/";
  EXPECT_EQ(shown("a/b"), hub + "a/b");
  EXPECT_EQ(shown("a/b/"), hub + "a/b");
  EXPECT_EQ(shown("a/b.git"), hub + "a/b.git");
  EXPECT_EQ(shown("a/b@pdf"), hub + "a/b skill=pdf");
  EXPECT_EQ(shown("a/b@x/pdf"), hub + "a/b skill=x/pdf");
  EXPECT_EQ(shown("a/b/skills/My Skill"), hub + "a/b path=skills/My Skill");
  EXPECT_EQ(shown("a/b/.claude/skills/x"), hub + "a/b path=.claude/skills/x");
  EXPECT_EQ(shown("a/b#v1"), hub + "a/b ref=v1");
  EXPECT_EQ(shown("a/b@pdf#feature/x"), hub + "a/b skill=pdf ref=feature/x");
  EXPECT_EQ(shown("a/b/c/d#v1"), hub + "a/b path=c/d ref=v1");
  EXPECT_EQ(shown("git.test/a/b"), "https://git.test/a/b");
  EXPECT_EQ(shown("git.test/a/b@pdf"), "https://git.test/a/b skill=pdf");
  EXPECT_EQ(shown("https://git.test/a/b/tree/main/skills/x"),
            "https://git.test/a/b path=skills/x ref=main");
  EXPECT_EQ(shown("https://git.test/a/b/tree/main"), "https://git.test/a/b path=. ref=main");
  EXPECT_EQ(shown("https://git.test/a/b/tree/v1/My%20Skill/?x=1"),
            "https://git.test/a/b path=My Skill ref=v1");
  EXPECT_EQ(shown("https://git.test/g/s/b/-/tree/main/x"),
            "https://git.test/g/s/b path=x ref=main");
  EXPECT_EQ(shown("https://git.test/a/b/blob/main/x/SKILL.md"),
            "https://git.test/a/b path=x ref=main");
  EXPECT_EQ(shown("https://git.test/tree/b"), "https://git.test/tree/b") << "an owner's name";
  EXPECT_EQ(shown("https://git.test/a/b.git#v1"), "https://git.test/a/b.git ref=v1");
  EXPECT_EQ(shown("https://git.test/a/b@pdf"), "https://git.test/a/b skill=pdf");
  EXPECT_EQ(shown("https://me@git.test/a/b"), "https://me@git.test/a/b");
  EXPECT_EQ(shown("ssh://git@git.test:22/a/b#v1"), "ssh://git@git.test:22/a/b ref=v1");
  EXPECT_EQ(shown("git@git.test:a/b.git"), "git@git.test:a/b.git");
}

TEST(RepoAddress, WhatIsNoneOfThemIsLeftAsItIs) {
  for (const char* text :
       {"x", "", "./x", "../x", "/x", "~/x", "file:///x", "-x/y", "ext::sh -c id",
        "http://git.test/a/b", "a//b", "/a/b", "a/-b", "a/.b", "sh`id`/x"}) {
    EXPECT_EQ(shown(text), text);
  }
  EXPECT_TRUE(is_local_word("./x") && is_local_word("/x") && is_local_word("file:///x"));
  EXPECT_FALSE(is_local_word("a/b") || is_local_word("git@h:x") || is_local_word(".x/y"));
}

RepoSource source(const SourceFields& fields) {
  const auto out = classify(fields);
  EXPECT_TRUE(out) << out.error().message;
  return out ? std::get<RepoSource>(*out) : RepoSource{};
}
std::string refusal(const SourceFields& fields) {
  const auto out = classify(fields);
  return out ? "accepted" : out.error().message;
}

TEST(RepoAddress, FieldsAndAddressTogetherSayOneThing) {
  RepoSource found = source({.repo = "a/b@pdf"});
  EXPECT_EQ(found.skill, "pdf");
  EXPECT_FALSE(found.path);
  EXPECT_EQ(namespace_of(found), "pdf");
  found = source({.repo = "a/b", .skill = "x/y/pdf"});
  EXPECT_EQ(found.path, "x/y/pdf");
  EXPECT_EQ(namespace_of(found), "pdf");
  found = source({.repo = "a/b/x/SKILL.md", .as = "mine"});
  EXPECT_EQ(found.path, "x");
  EXPECT_EQ(namespace_of(found), "mine");
  found = source({.repo = "https://h/a/whole.git", .path = "./"});
  EXPECT_EQ(found.path, ".");
  EXPECT_EQ(namespace_of(found), "whole");
  EXPECT_EQ(namespace_of(source({.repo = "a/b", .path = ".github"})), "github");
  EXPECT_THAT(refusal({.repo = "a/b@x", .skill = "y"}), HasSubstr("`skill` is given twice"));
  EXPECT_THAT(refusal({.repo = "a/b#x", .ref = "y"}), HasSubstr("`ref` is given twice"));
  EXPECT_THAT(refusal({.repo = "a/b"}), HasSubstr("skill is required"));
}

TEST(RepoAddress, PathsAndNamespacesStayInside) {
  for (const char* path : {"../x", "a/../x", "/x", "a\\b", "a\nb"}) {
    EXPECT_THAT(refusal({.repo = "a/b", .path = path}), HasSubstr("D311")) << path;
  }
  for (const char* as : {"..", "a/b", ".x", "a\\b", "x\ny"}) {
    EXPECT_THAT(refusal({.repo = "a/b", .skill = "s", .as = as}), HasSubstr("D311")) << as;
  }
  EXPECT_EQ(refusal({.repo = "a/b", .skill = "s", .as = std::string(128, 'x')}), "accepted");
  EXPECT_THAT(refusal({.repo = "a/b", .skill = "s", .as = std::string(129, 'x')}),
              HasSubstr("1 to 128 bytes"));
  EXPECT_THAT(refusal({.worker = "w", .as = "x"}), HasSubstr("not both"));
}

TEST(RepoAddress, LocalFoldersAreForWhoIsAllowed) {
  EXPECT_THAT(refusal({.repo = "file:///x", .skill = "s"}), HasSubstr("'file:'"));
  const RepoSource local = source({.repo = "file:///x", .skill = "s", .local = true});
  EXPECT_TRUE(is_local(local));
  EXPECT_TRUE(check_source(local)) << "a lock may name it";
  EXPECT_FALSE(is_local(source({.repo = "a/b@x"})));
}

TEST(RepoAddress, OneKeyForEverySpellingOfARepository) {
  for (const char* url :
       {"https://Git.Test/a/b", "https://git.test/a/b.git", "https://git.test/a/b/",
        "git@git.test:a/b.git", "ssh://git@git.test/a/b"}) {
    EXPECT_EQ(repository_key(url), "git.test/a/b") << url;
  }
  EXPECT_NE(repository_key("https://git.test/a/b"), repository_key("https://git.test:444/a/b"));
  EXPECT_NE(repository_key("https://git.test/a/b"), repository_key("https://git.test/a/B"));
  EXPECT_NE(repository_key("https://git.test/a/b"), repository_key("https://other.test/a/b"));
}

}  // namespace
}  // namespace iii::sources
