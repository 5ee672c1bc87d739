// What is served of a folder full of files: walk, ids, prompts, the merge of roots, the accounting.
#include "directory/content/content.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

#include "directory/content/fixture_for_test.h"
#include "directory/content/ids.h"

namespace iii::content {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

class ContentRules : public testing::Test {
 protected:
  GenerationPtr scan() { return scan(tree_.options()); }
  GenerationPtr scan(ContentOptions options) {
    content_ = Content::open(std::move(options));
    return content_->fresh();
  }
  const Finding* finding(const GenerationPtr& generation, const std::string& code) const {
    for (const FindingsPtr& findings : generation->findings) {
      for (const Finding& each : *findings) {
        if (each.code == code) return &each;
      }
    }
    return nullptr;
  }

  TempTree tree_;
  std::unique_ptr<Content> content_;
};

TEST_F(ContentRules, MissingRootsAreEmpty) {
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), IsEmpty());
  EXPECT_THAT(complaints(generation), IsEmpty());
  EXPECT_FALSE(fs::exists(tree_.at("global"))) << "a read never creates a root";
}

TEST_F(ContentRules, R1OnlyLowerCaseMdIsADocument) {
  tree_.put("global/ns/a.md");
  for (const char* other : {"X.MD", "x.markdown", "x.md.bak", "run.sh", "md"}) {
    tree_.put(std::string("global/ns/") + other);
  }
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("ns/a"));
  EXPECT_EQ(counts(generation), "6 = 1 skills + 0 prompts + 5 supporting + 0 skipped");
}

TEST_F(ContentRules, WhatDownloadsPrepareIsNoContent) {
  tree_.put("global/ns/a.md");
  tree_.put("global/ns/.iii-skill-complete");
  tree_.put("global/directory.lock");
  tree_.put("global/.iii-directory/staging/ns~1/early.md");
  tree_.put("global/ns/.iii-directory/b.md");  // only that of the root is ours
  const GenerationPtr generation = scan();
  EXPECT_EQ(ids(generation).size(), 2u);
  EXPECT_EQ(counts(generation), "4 = 2 skills + 0 prompts + 2 supporting + 0 skipped");
  tree_.put("global/.iii-directory/staging/ns~2/early.md");
  EXPECT_EQ(content_->fresh(), generation) << "nor does it make a generation";
}

TEST_F(ContentRules, R2FilesInTheRootCount) {
  tree_.put("global/foo.md");
  EXPECT_THAT(ids(scan()), ElementsAre("foo"));
}

TEST_F(ContentRules, R3R13TheFirstInByteOrderWins) {
  for (const char* name : {"index.md", "SKILLS.md", "SKILL.md"}) {
    tree_.put(std::string("global/tri/") + name);
  }
  for (const char* name : {"index.md", "SKILLS.md"}) tree_.put(std::string("global/duo/") + name);
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("duo/index", "tri/index"));
  EXPECT_EQ(generation->skill("tri/index")->file.path, "tri/SKILL.md");
  EXPECT_EQ(generation->skill("duo/index")->file.path, "duo/SKILLS.md");
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:duo/index.md duplicate_id", "global:tri/SKILLS.md duplicate_id",
                          "global:tri/index.md duplicate_id"));
  EXPECT_THAT(finding(generation, "duplicate_id")->message, HasSubstr("duo/SKILLS.md"));
  EXPECT_EQ(counts(generation), "5 = 2 skills + 0 prompts + 0 supporting + 3 skipped");
}

TEST_F(ContentRules, R4HiddenNamesAreVisited) {
  tree_.put("global/.hidden/h.md");
  tree_.put("global/vis/.dot.md");
  tree_.put("global/.x/prompts/p.md", "---\ndescription: Hidden folder.\n---\nBody\n");
  tree_.put("global/ns/prompts/.p.md", "---\nname: named\ndescription: Hidden file.\n---\nBody\n");
  ContentOptions strict = tree_.options();
  strict.normalise_ids = false;
  const GenerationPtr generation = scan(strict);
  EXPECT_THAT(ids(generation), IsEmpty());
  EXPECT_THAT(names(generation), ElementsAre("named", "p"));
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:.hidden/h.md invalid_id", "global:vis/.dot.md invalid_id"));
}

TEST_F(ContentRules, R5LinksInsideTheRootAreFollowedOthersAreExplained) {
  tree_.put("global/real/doc.md");
  tree_.put("global/real/sub/deep.md");
  tree_.put("elsewhere/secret.md", "# secret\n\nSecret.\n");
  tree_.link("global/flink.md", "real/doc.md");
  tree_.link("global/dlink", "real");
  tree_.link("global/z/inner", "../real");
  tree_.link("global/dangling.md", "nowhere.md");
  tree_.link("global/out", "../elsewhere");
  tree_.link("global/out.md", "../elsewhere/secret.md");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("dlink/doc", "dlink/sub/deep", "flink", "real/doc",
                                           "real/sub/deep", "z/inner/doc", "z/inner/sub/deep"));
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:dangling.md dangling_link", "global:out outside_root",
                          "global:out.md outside_root"));
  EXPECT_EQ(counts(generation), "10 = 7 skills + 0 prompts + 0 supporting + 3 skipped");
}

TEST_F(ContentRules, R5ACycleOfLinksIsWalkedOnce) {
  tree_.put("global/loop/doc.md");
  tree_.link("global/loop/self", ".");
  tree_.put("global/a/x.md");
  tree_.put("global/b/y.md");
  tree_.link("global/a/to-b", "../b");
  tree_.link("global/b/to-a", "../a");
  tree_.link("global/a/up", "..");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("a/to-b/y", "a/x", "b/to-a/x", "b/y", "loop/doc"));
  EXPECT_THAT(complaints(generation), Contains("global:loop/self link_cycle"));
  EXPECT_THAT(complaints(generation), Contains("global:a/to-b/to-a link_cycle"));
}

TEST_F(ContentRules, R6AFolderCalledLikeADocumentIsAFolder) {
  tree_.put("global/dirmd.md/inner.md");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("dirmd-md/inner"));
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:dirmd.md/inner.md id_normalised -> dirmd-md/inner"));
}

TEST_F(ContentRules, R7AnUnreadableFolderIsOneFinding) {
  tree_.put("global/shut/x.md");
  tree_.put("global/open/y.md");
  tree_.put("global/file/no.md");
  ::chmod(tree_.at("global/shut").c_str(), 0);
  ::chmod(tree_.at("global/file/no.md").c_str(), 0);
  {
    const AsNobody nobody;
    const GenerationPtr generation = scan();
    EXPECT_THAT(ids(generation), ElementsAre("file/no", "open/y"));
    EXPECT_FALSE(generation->skill("file/no")->readable);
    EXPECT_THAT(complaints(generation),
                ElementsAre("global:file/no.md unreadable -> file/no", "global:shut unreadable"));
  }
  ::chmod(tree_.at("global/shut").c_str(), 0755);
  ::chmod(tree_.at("global/file/no.md").c_str(), 0644);
  const GenerationPtr later = content_->fresh();
  EXPECT_THAT(ids(later), ElementsAre("file/no", "open/y", "shut/x"));
  EXPECT_TRUE(later->skill("file/no")->readable);
  EXPECT_THAT(complaints(later), IsEmpty());
}

TEST_F(ContentRules, R8NamesThatAreNotUtf8AreFindings) {
  tree_.put("global/badname/n\xff.md");
  tree_.put(
      "global/bad\xfe"
      "folder/ok.md");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), IsEmpty());
  EXPECT_THAT(complaints(generation), ElementsAre("global:badname/n\\xff.md name_not_utf8",
                                                  "global:bad\\xfe"
                                                  "folder/ok.md name_not_utf8"));
  EXPECT_EQ(counts(generation), "2 = 0 skills + 0 prompts + 0 supporting + 2 skipped");
}

TEST_F(ContentRules, R9RootsWithGlobCharactersWork) {
  tree_.put("odd [a]*?/ns/x.md");
  ContentOptions options = tree_.options();
  options.roots = {{RootKind::kGlobal, tree_.at("odd [a]*?")}};
  EXPECT_THAT(ids(scan(options)), ElementsAre("ns/x"));
}

TEST_F(ContentRules, R10ToR12IdsComeFromPaths) {
  tree_.put("global/SKILL.md");
  tree_.put("global/ns/skill.md");
  tree_.put("global/ns/deep/er/SKILLS.md");
  tree_.put("global/promptsx/q.md");
  tree_.put("global/bs\\q.md");
  EXPECT_THAT(ids(scan()),
              ElementsAre("bs/q", "index", "ns/deep/er/index", "ns/index", "promptsx/q"));
}

TEST_F(ContentRules, R14PathsThatBreakTheRuleAreServedUnderANormalisedId) {
  tree_.put("global/up/UPPER.md");
  tree_.put("global/with space/x.md");
  tree_.put("global/cap/Skill.md");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("cap/index", "up/upper", "with-space/x"));
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:cap/Skill.md skill_case -> cap/index",
                          "global:up/UPPER.md id_normalised -> up/upper",
                          "global:with space/x.md id_normalised -> with-space/x"));
}

TEST_F(ContentRules, R14WithoutTheSwitchTheyAreSkipped) {
  tree_.put("global/up/UPPER.md");
  tree_.put("global/cap/Skill.md");
  tree_.put("global/low/skill.md");
  ContentOptions options = tree_.options();
  options.normalise_ids = false;
  const GenerationPtr generation = scan(options);
  EXPECT_THAT(ids(generation), ElementsAre("low/skill")) << "R12 to the letter";
  EXPECT_EQ(counts(generation), "3 = 1 skills + 0 prompts + 0 supporting + 2 skipped");
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:cap/Skill.md invalid_id", "global:up/UPPER.md invalid_id"));
}

TEST_F(ContentRules, ANormalisedIdNeverDisplacesOneThatIsSpelledOut) {
  tree_.put("global/ns/Doc.md", "# bent\n\nBent.\n");
  tree_.put("global/ns/doc.md", "# exact\n\nExact.\n");
  tree_.put("local/Other.md", "# bent local\n\nBent.\n");
  tree_.put("global/other.md", "# exact global\n\nExact.\n");
  const GenerationPtr generation = scan();
  const std::string aside = alternate_id("ns/Doc.md");
  EXPECT_THAT(ids(generation), ElementsAre("ns/doc", aside, "other"));
  EXPECT_EQ(generation->skill("ns/doc")->title, "exact");
  EXPECT_EQ(generation->skill(aside)->title, "bent");
  EXPECT_EQ(generation->skill("other")->title, "exact global");
  EXPECT_THAT(complaints(generation),
              ElementsAre("local:Other.md shadowed", "global:ns/Doc.md id_normalised -> " + aside));
}

TEST_F(ContentRules, R17R18ALocalFolderHidesTheGlobalNamespace) {
  tree_.put("global/ns/a.md");
  tree_.put("global/ns/prompts/p.md", "---\ndescription: Global.\n---\nBody\n");
  tree_.put("global/empty/b.md");
  tree_.put("global/bar.md");
  tree_.put("global/kept/c.md");
  tree_.put("global/linked/d.md");
  tree_.put("local/ns/mine.md");
  tree_.put("local/bar/leaf.md");
  tree_.folder("local/empty");
  tree_.folder("local/real");
  tree_.link("local/linked", "real");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("bar/leaf", "kept/c", "ns/mine"));
  EXPECT_THAT(names(generation), IsEmpty());
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:bar.md shadowed", "global:empty/b.md shadowed",
                          "global:linked/d.md shadowed", "global:ns/a.md shadowed",
                          "global:ns/prompts/p.md shadowed"));
  EXPECT_EQ(counts(generation), "8 = 3 skills + 0 prompts + 0 supporting + 5 skipped");
}

TEST_F(ContentRules, R19TheLocalFileWinsAndThereIsOneRow) {
  tree_.put("local/index.md", "# local\n\nLocal.\n");
  tree_.put("global/index.md", "# global\n\nGlobal.\n");
  tree_.put("local/lq/prompts/both.md", "---\ndescription: Local.\n---\nBody\n");
  tree_.put("global/gp/prompts/both.md", "---\ndescription: Global.\n---\nBody\n");
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation), ElementsAre("index"));
  EXPECT_EQ(generation->skill("index")->title, "local");
  EXPECT_THAT(names(generation), ElementsAre("both"));
  EXPECT_EQ(generation->prompt("both")->description, "Local.");
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:gp/prompts/both.md shadowed", "global:index.md shadowed"));
}

TEST_F(ContentRules, ExtraRootsComeAfterGlobalAndBeforeWhatIsCompiledIn) {
  tree_.put("global/iii/SKILL.md", "# downloaded\n\nDownloaded.\n");
  tree_.put("extra/iii/more.md");
  tree_.put("extra/pdf/SKILL.md", "# extra\n\nExtra.\n");
  ContentOptions options = tree_.options();
  options.roots.push_back({RootKind::kExtra, tree_.at("extra")});
  options.builtin = {{"iii/SKILL.md", "# compiled in\n\nCompiled in.\n"},
                     {"iii-directory/SKILL.md", "# the directory\n\nOf the directory.\n"},
                     {"pdf/SKILL.md", "# compiled in\n\nCompiled in.\n"}};
  const GenerationPtr generation = scan(options);
  EXPECT_THAT(ids(generation), ElementsAre("iii-directory/index", "iii/index", "pdf/index"));
  EXPECT_EQ(generation->skill("iii/index")->title, "downloaded");
  EXPECT_EQ(generation->skill("pdf/index")->title, "extra");
  EXPECT_EQ(counts(generation), "3 = 2 skills + 0 prompts + 0 supporting + 1 skipped");
  EXPECT_THAT(complaints(generation), ElementsAre("extra-1:iii/more.md shadowed"));
  EXPECT_EQ(format_time(generation->skill("iii-directory/index")->mtime_ns), "");
  EXPECT_EQ(content_->read(*generation, generation->skill("iii-directory/index")->file)->bytes,
            "# the directory\n\nOf the directory.\n");
  // Taken away, what is compiled in comes back.
  tree_.remove("global/iii");
  EXPECT_EQ(content_->fresh()->skill("iii/index")->title, "compiled in");
}

TEST_F(ContentRules, R27R28R47RowsThatCannotBeReadStay) {
  tree_.put("global/r/oversize.md", "# Big\n\n" + std::string(800, 'x'));
  tree_.put("global/r/exact.md", "# E\n\n" + std::string(195, 'x'));
  tree_.put("global/r/empty.md", "---\ntitle: Empty\n---\n\n\n");
  tree_.put("global/r/bytes.md", "# \xff\n");
  ContentOptions options = tree_.options();
  options.max_file_bytes = 200;
  options.lenient = false;
  const GenerationPtr generation = scan(options);
  EXPECT_THAT(ids(generation), ElementsAre("r/bytes", "r/empty", "r/exact", "r/oversize"));
  EXPECT_TRUE(generation->skill("r/exact")->readable);
  for (const char* id : {"r/bytes", "r/empty", "r/oversize"}) {
    const Skill& skill = *generation->skill(id);
    EXPECT_FALSE(skill.readable) << id;
    EXPECT_EQ(skill.title, "") << id;
    EXPECT_EQ(skill.description, "") << id;
    EXPECT_GT(skill.bytes, 0u) << id;
    EXPECT_NE(skill.mtime_ns, kNoTime) << id;
  }
  EXPECT_THAT(complaints(generation), ElementsAre("global:r/bytes.md not_utf8 -> r/bytes",
                                                  "global:r/empty.md empty_body -> r/empty",
                                                  "global:r/oversize.md too_large -> r/oversize"));
}

TEST_F(ContentRules, ADocumentWithoutTextIsADocument) {
  tree_.put("global/r/empty.md", "---\ntitle: Empty\ndescription: D.\n---\n\n\n");
  tree_.put("global/r/nothing.md", "");
  const GenerationPtr generation = scan();
  EXPECT_TRUE(generation->skill("r/empty")->readable);
  EXPECT_EQ(generation->skill("r/empty")->title, "Empty");
  EXPECT_EQ(generation->skill("r/empty")->description, "D.");
  EXPECT_TRUE(generation->skill("r/nothing")->readable);
  EXPECT_THAT(complaints(generation), ElementsAre("global:r/empty.md empty_body -> r/empty",
                                                  "global:r/nothing.md empty_body -> r/nothing"));
  EXPECT_EQ(generation->findings[0]->front().severity, Severity::kInfo);
}

TEST_F(ContentRules, ASkillFarOverTheLimitIsListedWithItsMetadata) {
  tree_.put("global/r/huge.md",
            "---\nname: huge\ndescription: Large.\n---\n# H\n\n```\n" + std::string(900, 'x'));
  ContentOptions options = tree_.options();
  options.max_file_bytes = 200;
  const GenerationPtr generation = scan(options);
  const Skill& skill = *generation->skill("r/huge");
  EXPECT_EQ(skill.title, "huge");
  EXPECT_EQ(skill.description, "Large.");
  EXPECT_FALSE(skill.readable) << "not as a whole";
  EXPECT_THAT(complaints(generation), ElementsAre("global:r/huge.md too_large -> r/huge"));
  EXPECT_EQ(finding(generation, "too_large")->message,
            "The document is larger than 800 bytes; it is served in parts only. Next: split it.");
}

TEST_F(ContentRules, APromptFarOverTheLimitIsNotServed) {
  tree_.put("global/r/prompts/p.md", "---\ndescription: P.\n---\n" + std::string(900, 'x'));
  ContentOptions options = tree_.options();
  options.max_file_bytes = 200;
  GenerationPtr generation = scan(options);
  EXPECT_EQ(generation->prompt("p"), nullptr);
  EXPECT_EQ(counts(generation), "1 = 0 skills + 0 prompts + 0 supporting + 1 skipped");
  EXPECT_THAT(complaints(generation), ElementsAre("global:r/prompts/p.md prompt_too_large"));
  EXPECT_EQ(finding(generation, "prompt_too_large")->severity, Severity::kError);
  // R72: 0.8.0 lists it, and says so when it is read.
  options.lenient = false;
  generation = scan(options);
  EXPECT_EQ(generation->prompt("p")->description, "P.");
  EXPECT_THAT(complaints(generation), ElementsAre("global:r/prompts/p.md prompt_too_large -> p"));
}

TEST_F(ContentRules, ATitleIsTheTitleElseTheNameElseTheHeading) {
  tree_.put("global/a.md", "---\ntitle: T\nname: n\n---\n# H\n");
  tree_.put("global/b.md", "---\nname: xlsx\n---\n# Requirements for Outputs\n");
  tree_.put("global/c.md", "# H\n");
  tree_.put("global/d.md", "text\n");
  GenerationPtr generation = scan();
  const auto titles = [&] {
    std::vector<std::string> out;
    for (const SkillPtr& skill : generation->skills) out.push_back(skill->title);
    return out;
  };
  EXPECT_THAT(titles(), ElementsAre("T", "xlsx", "H", ""));
  EXPECT_EQ(generation->skill("a")->name, "n");
  EXPECT_EQ(generation->skill("b")->name, "xlsx");
  EXPECT_EQ(generation->skill("c")->name, "");
  ContentOptions options = tree_.options();
  options.title_from_name = false;
  generation = scan(options);
  EXPECT_THAT(titles(), ElementsAre("T", "Requirements for Outputs", "H", ""));
  EXPECT_EQ(generation->skill("b")->name, "xlsx") << "searched all the same";
}

TEST_F(ContentRules, ModelInvocationCanBeSwitchedOff) {
  tree_.put("global/a.md", "---\ndisable-model-invocation: true\n---\ntext\n");
  tree_.put("global/b.md");
  const GenerationPtr generation = scan();
  EXPECT_FALSE(generation->skill("a")->for_agents);
  EXPECT_TRUE(generation->skill("b")->for_agents);
}

TEST_F(ContentRules, PromptsWithoutFrontmatterAreServedButNotTheirReadme) {
  tree_.put("global/p/prompts/review.md", "# Review\n\nReview the change.\n");
  tree_.put("global/p/prompts/README.md", "# Prompts\n\nAbout them.\n");
  tree_.put("global/p/prompts/agents.md", "---\ndescription: D.\n---\ntext\n");
  GenerationPtr generation = scan();
  EXPECT_THAT(names(generation), ElementsAre("agents", "review"));
  EXPECT_EQ(generation->prompt("review")->description, "Review the change.");
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:p/prompts/README.md prompt_readme",
                          "global:p/prompts/review.md prompt_no_frontmatter -> review"));
  EXPECT_EQ(counts(generation), "3 = 0 skills + 2 prompts + 0 supporting + 1 skipped");
  ContentOptions options = tree_.options();
  options.lenient = false;
  generation = scan(options);
  EXPECT_THAT(names(generation), ElementsAre("agents"));
  EXPECT_THAT(complaints(generation), ElementsAre("global:p/prompts/README.md prompt_undescribed",
                                                  "global:p/prompts/review.md prompt_undescribed"));
}

// error: not served; warning: served, something lost or guessed; info: harmless.
TEST_F(ContentRules, SeveritiesSayWhetherAFileIsServed) {
  tree_.put("global/A B.md");
  tree_.put("global/bytes.md", "\xff");
  tree_.put("global/colon.md", "---\ntitle: a: b\nallowed-tools: Read\n---\ntext\n");
  tree_.put("global/empty.md", "");
  tree_.put("global/p/prompts/none.md", "\n");
  tree_.link("global/out.md", "../../../etc/hosts");
  const GenerationPtr generation = scan();
  std::vector<std::string> seen;
  for (const FindingsPtr& list : generation->findings) {
    for (const Finding& finding : *list) {
      constexpr std::array<const char*, 3> kWords = {"info", "warning", "error"};
      seen.push_back(finding.code + " " + kWords.at(static_cast<size_t>(finding.severity)));
    }
  }
  EXPECT_THAT(seen, UnorderedElementsAre("id_normalised info", "not_utf8 error",
                                         "permission_unreadable warning", "unquoted_colon warning",
                                         "empty_body info", "outside_root error",
                                         "prompt_undescribed error"));
}

TEST_F(ContentRules, R27UpToFourTimesTheLimitIsReadLeniently) {
  tree_.put("global/r/large.md", "# Large\n\n" + std::string(300, 'x'));
  tree_.put("global/r/prompts/p.md", "---\ndescription: P.\n---\n" + std::string(300, 'x'));
  ContentOptions options = tree_.options();
  options.max_file_bytes = 200;
  GenerationPtr generation = scan(options);
  EXPECT_EQ(generation->skill("r/large")->title, "Large");
  EXPECT_TRUE(content_->read(*generation, generation->skill("r/large")->file));
  EXPECT_TRUE(content_->read(*generation, generation->prompt("p")->file));
  EXPECT_THAT(complaints(generation), ElementsAre("global:r/large.md too_large -> r/large",
                                                  "global:r/prompts/p.md too_large -> p"));
  EXPECT_EQ(finding(generation, "too_large")->severity, Severity::kWarning);
  options.lenient = false;
  generation = scan(options);
  EXPECT_FALSE(generation->skill("r/large")->readable);
  EXPECT_EQ(content_->read(*generation, generation->skill("r/large")->file).error().code,
            "too_large");
}

TEST_F(ContentRules, R33TimesHaveAsManyDigitsAsTheyNeed) {
  EXPECT_EQ(format_time(1777638896000000000), "2026-05-01T12:34:56+00:00");
  EXPECT_EQ(format_time(1777638896123000000), "2026-05-01T12:34:56.123+00:00");
  EXPECT_EQ(format_time(1777638896123456000), "2026-05-01T12:34:56.123456+00:00");
  EXPECT_EQ(format_time(1777638896123456789), "2026-05-01T12:34:56.123456789+00:00");
  EXPECT_EQ(format_time(1777638896000000001), "2026-05-01T12:34:56.000000001+00:00");
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00+00:00");
  EXPECT_EQ(format_time(-1), "1969-12-31T23:59:59.999999999+00:00");
  EXPECT_EQ(format_time(kNoTime), "");
}

TEST_F(ContentRules, R70ToR73Prompts) {
  tree_.put("global/p1/prompts/dup.md", "---\ndescription: First.\n---\nBody\n");
  tree_.put("global/p2/prompts/dup.md", "---\ndescription: Second.\n---\nBody\n");
  tree_.put("global/p1/prompts/named.md", "---\nname: other\ndescription:  Trimmed. \n---\n");
  tree_.put("global/p1/prompts/no-desc.md", "---\nname: no-desc\n---\nFirst paragraph.\n");
  tree_.put("global/p1/prompts/no-fm.md", "Only text.\n");
  tree_.put("global/p1/prompts/Upper.md", "---\ndescription: Upper.\n---\nBody\n");
  tree_.put("global/p1/prompts/big.md",
            "---\ndescription: Too big to get.\n---\n" + std::string(800, 'x'));
  ContentOptions options = tree_.options();
  options.max_file_bytes = 200;
  const GenerationPtr generation = scan(options);
  EXPECT_THAT(names(generation), ElementsAre("dup", "no-desc", "no-fm", "other", "upper"));
  EXPECT_EQ(generation->prompt("dup")->description, "First.");
  EXPECT_EQ(generation->prompt("other")->description, "Trimmed.");
  EXPECT_EQ(generation->prompt("no-desc")->description, "First paragraph.");
  EXPECT_THAT(complaints(generation),
              ElementsAre("global:p1/prompts/Upper.md name_normalised -> upper",
                          "global:p1/prompts/big.md prompt_too_large",
                          "global:p1/prompts/no-desc.md prompt_no_description -> no-desc",
                          "global:p1/prompts/no-fm.md prompt_no_frontmatter -> no-fm",
                          "global:p2/prompts/dup.md duplicate_name"));
  EXPECT_EQ(counts(generation), "7 = 0 skills + 5 prompts + 0 supporting + 2 skipped");
}

TEST_F(ContentRules, DisplayIdsAreUnique) {
  for (const char* path : {"a.md", "a/index.md", "b/index.md", "c/index/index.md", "index.md"}) {
    tree_.put(std::string("global/") + path);
  }
  const GenerationPtr generation = scan();
  std::vector<std::string> shown;
  for (const std::string& id : ids(generation)) shown.push_back(display_id(*generation, id));
  EXPECT_THAT(shown, ElementsAre("a", "a/index", "b", "c/index", "index"));
}

TEST_F(ContentRules, LookupsAndPrefixes) {
  for (const char* path :
       {"a.md", "a-b/x.md", "a/b.md", "a/index.md", "a_b/index.md", "ab/index.md"}) {
    tree_.put(std::string("global/") + path);
  }
  const GenerationPtr generation = scan();
  EXPECT_THAT(ids(generation),
              ElementsAre("a", "a-b/x", "a/b", "a/index", "a_b/index", "ab/index"));  // R46
  EXPECT_EQ(generation->prefix_range("a/"), (std::pair<size_t, size_t>(2, 4)));
  EXPECT_EQ(generation->prefix_range(""), (std::pair<size_t, size_t>(0, 6)));
  EXPECT_EQ(generation->prefix_range("zz"), (std::pair<size_t, size_t>(6, 6)));
  EXPECT_EQ(generation->skill("a/x"), nullptr);
  EXPECT_EQ(generation->prompt("a"), nullptr);
}

TEST_F(ContentRules, R46ManyDocumentsThatComeAtOnceAreInOrderToo) {
  for (int i = 0; i < 150; ++i) {
    const std::string name = "global/n" + std::to_string(i * 7 % 150);
    tree_.put(name + "/SKILL.md", "# Overview\n");
    tree_.put(name + "/z/b.md", "# B\n");
    tree_.put(name + "-x/a.md", "# A\n");
  }
  const GenerationPtr generation = scan();
  const auto id = [](const SkillPtr& skill) -> const std::string& { return skill->id; };
  EXPECT_EQ(generation->skills.size(), 450U);
  EXPECT_TRUE(std::ranges::is_sorted(generation->skills, {}, id));
  for (const SkillPtr& skill : generation->skills) {
    EXPECT_EQ(generation->skill(skill->id), skill.get()) << skill->id;
  }
}

TEST_F(ContentRules, PipesAndDevicesAreAccountedNotOpened) {
  tree_.folder("global/ns");
  ASSERT_EQ(::mkfifo(tree_.at("global/ns/pipe.md").c_str(), 0600), 0);
  const GenerationPtr generation = scan();
  EXPECT_THAT(complaints(generation), ElementsAre("global:ns/pipe.md not_regular"));
  EXPECT_EQ(counts(generation), "1 = 0 skills + 0 prompts + 0 supporting + 1 skipped");
}

TEST_F(ContentRules, LimitsAreSaid) {
  tree_.put("global/1/2/3/deep.md");
  tree_.put("global/1/2/fits.md");
  ContentOptions options = tree_.options();
  options.max_depth = 2;
  GenerationPtr generation = scan(options);
  EXPECT_THAT(ids(generation), ElementsAre("1/2/fits"));
  EXPECT_THAT(complaints(generation), ElementsAre("global:1/2/3 too_deep"));
  for (int i = 0; i < 20; ++i) tree_.put("global/many/" + std::to_string(i) + ".md");
  options.max_depth = 64;
  options.max_files = 10;
  generation = scan(options);
  EXPECT_LE(generation->accounting.files, 10u);
  EXPECT_THAT(complaints(generation), Contains("global: too_many_files"));
  tree_.remove("global/many");
  generation = content_->fresh();
  EXPECT_THAT(ids(generation), ElementsAre("1/2/3/deep", "1/2/fits"));
  EXPECT_THAT(complaints(generation), IsEmpty());
}

TEST_F(ContentRules, ARootThatIsAFileIsAFinding) {
  tree_.put("global", "not a folder");
  const GenerationPtr generation = scan();
  EXPECT_THAT(complaints(generation), ElementsAre("global: not_regular"));
  EXPECT_EQ(content_->fresh(), generation);
}

TEST_F(ContentRules, ReadAndWriteGoThroughTheRoot) {
  tree_.put("global/a.md", "# A\n\nText.\n");
  tree_.put("extra/b.md", "# B\n\nText.\n");
  ContentOptions options = tree_.options();
  options.roots.push_back({RootKind::kExtra, tree_.at("extra")});
  const GenerationPtr generation = scan(options);
  const FileRef a = generation->skill("a")->file;
  EXPECT_EQ(content_->read(*generation, a)->bytes, "# A\n\nText.\n");
  ASSERT_TRUE(content_->write(*generation, a, "# New\n\nText.\n"));
  EXPECT_EQ(content_->fresh()->skill("a")->title, "New");
  EXPECT_EQ(generation->skill("a")->title, "A") << "a generation never changes";
  EXPECT_EQ(content_->write(*generation, generation->skill("b")->file, "x").error().code,
            "read_only");
  const Result<FileBytes> missing = content_->read(*generation, {1, "gone.md"});
  EXPECT_EQ(missing.error().code, "missing");
  EXPECT_THAT(missing.error().message, Not(HasSubstr(tree_.at("").string())));
  EXPECT_EQ(content_->read(*generation, {1, "../local/x.md"}).error().code, "outside");
}

}  // namespace
}  // namespace iii::content
