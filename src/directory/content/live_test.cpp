// Always fresh: whatever finished before a call is in its answer.
#include <gmock/gmock.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "directory/content/content.h"
#include "directory/content/fixture_for_test.h"
#include "foundation/base/log_format.h"
#include "foundation/base/log_sink.h"

namespace iii::content {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kOne = "# One\n\nText.\n";
constexpr std::string_view kTwo = "# Two\n\nText.\n";  // of the same size

// Each way of noticing: watches, none at all, and too few.
class AlwaysFresh : public testing::TestWithParam<size_t> {
 protected:
  void open() {
    ContentOptions options = tree_.options();
    options.max_watches = GetParam();
    content_ = Content::open(options);
  }
  GenerationPtr fresh() { return content_->fresh(); }
  std::string title(const std::string& id) {
    const GenerationPtr generation = fresh();
    const Skill* skill = generation->skill(id);
    return skill == nullptr ? "(none)" : skill->title;
  }
  // What a Content that has never seen this tree says.
  std::vector<std::string> expected() const {
    ContentOptions options = tree_.options();
    options.max_watches = 0;
    return everything(Content::open(options)->fresh());
  }

  TempTree tree_;
  std::unique_ptr<Content> content_;
};

INSTANTIATE_TEST_SUITE_P(EveryWay, AlwaysFresh, testing::Values(SIZE_MAX, 0, 2),
                         [](const testing::TestParamInfo<size_t>& one) {
                           return one.param == 0 ? "Stamps" : one.param == 2 ? "Mixed" : "Watches";
                         });

TEST_P(AlwaysFresh, NothingChangedMeansTheSameGeneration) {
  tree_.put("global/ns/a.md");
  open();
  const GenerationPtr first = fresh();
  EXPECT_EQ(fresh(), first);
  EXPECT_EQ(first->number, 1u);
}

TEST_P(AlwaysFresh, AnEditOfTheSameSizeIsSeenAtOnce) {
  tree_.put("global/ns/a.md", kOne);
  open();
  for (int i = 0; i < 50; ++i) {
    tree_.put("global/ns/a.md", kTwo);
    ASSERT_EQ(title("ns/a"), "Two");
    tree_.put("global/ns/a.md", kOne);
    ASSERT_EQ(title("ns/a"), "One");
  }
}

TEST_P(AlwaysFresh, AWriterThatKeepsItsFileOpenIsSeen) {
  tree_.put("global/ns/a.md", "");
  open();
  std::ofstream writer(tree_.at("global/ns/a.md"), std::ios::app);
  writer << kOne << std::flush;
  EXPECT_EQ(title("ns/a"), "One");
  writer << "\nMore.\n" << std::flush;
  EXPECT_EQ(fresh()->skill("ns/a")->bytes, kOne.size() + 7);
}

TEST_P(AlwaysFresh, CreateReplaceRenameDelete) {
  open();
  tree_.put("global/ns/a.md", kOne);
  EXPECT_THAT(ids(fresh()), ElementsAre("ns/a"));
  tree_.put("global/ns/.tmp", kTwo);
  tree_.rename("global/ns/.tmp", "global/ns/a.md");
  EXPECT_EQ(title("ns/a"), "Two");
  tree_.rename("global/ns/a.md", "global/other/deep/b.md");
  EXPECT_THAT(ids(fresh()), ElementsAre("other/deep/b"));
  tree_.rename("global/other", "global/moved");
  EXPECT_THAT(ids(fresh()), ElementsAre("moved/deep/b"));
  tree_.put("global/moved/deep/c.md", kOne);
  EXPECT_THAT(ids(fresh()), ElementsAre("moved/deep/b", "moved/deep/c"));
  tree_.remove("global/moved");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  EXPECT_EQ(everything(fresh()), expected());
}

TEST_P(AlwaysFresh, AFolderRemovedAndMadeAgainIsWatchedAgain) {
  tree_.put("global/ns/a.md", kOne);
  open();
  for (int i = 0; i < 5; ++i) {
    tree_.remove("global/ns");
    tree_.put("global/ns/a.md", kTwo);
    ASSERT_EQ(title("ns/a"), "Two");
    tree_.put("global/ns/a.md", kOne);
    ASSERT_EQ(title("ns/a"), "One");
  }
}

TEST_P(AlwaysFresh, FoldersThatChangePlaces) {
  tree_.put("global/a/sub/x.md", kOne);
  tree_.put("global/b/sub/x.md", kTwo);
  open();
  tree_.rename("global/a", "global/t");
  tree_.rename("global/b", "global/a");
  tree_.rename("global/t", "global/b");
  EXPECT_EQ(title("a/sub/x"), "Two");
  tree_.put("global/a/sub/x.md", "# Three\n\nText.\n");
  EXPECT_EQ(title("a/sub/x"), "Three");
  EXPECT_EQ(title("b/sub/x"), "One");
}

TEST_P(AlwaysFresh, ARootWhoseParentsAppearIsNoticed) {
  ContentOptions options = tree_.options();
  options.max_watches = GetParam();
  options.roots = {{RootKind::kGlobal, tree_.at("home/me/skills")}};
  content_ = Content::open(options);
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.folder("home");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.folder("home/me");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.put("home/me/skills/ns/a.md", kOne);
  EXPECT_EQ(title("ns/a"), "One");
  // All at once, by moving a folder above it.
  tree_.rename("home", "aside");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.put("aside/me/skills/ns/a.md", kTwo);
  tree_.rename("aside", "home");
  EXPECT_EQ(title("ns/a"), "Two");
}

TEST_P(AlwaysFresh, RootsComeAndGo) {
  open();
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.put("global/ns/a.md", kOne);
  EXPECT_EQ(title("ns/a"), "One");
  tree_.rename("global", "away");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.put("global/ns/a.md", kTwo);
  EXPECT_EQ(title("ns/a"), "Two");
  tree_.remove("global");
  tree_.link("global", "away");
  EXPECT_EQ(title("ns/a"), "One");
  tree_.put("away/ns/a.md", kTwo);
  EXPECT_EQ(title("ns/a"), "Two");
  tree_.remove("global");
  tree_.put("elsewhere/ns/b.md");
  tree_.link("global", "elsewhere");
  EXPECT_THAT(ids(fresh()), ElementsAre("ns/b"));
}

TEST_P(AlwaysFresh, TheLogSaysThatARootIsGoneAndThatItIsBack) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel level, std::string_view text) {
    lines.push_back(std::string(log_level_word(level)) + " " + std::string(text));
  });
  tree_.put("global/ns/a.md", kOne);
  open();
  fresh();
  EXPECT_THAT(lines, Not(Contains(HasSubstr("folder /")))) << "that is told by whoever opened it";
  lines.clear();
  tree_.rename("global", "away");
  fresh();
  fresh();
  tree_.rename("away", "global");
  fresh();
  set_log_sink({});
  const std::string path = tree_.at("global").string();
  EXPECT_THAT(lines, ElementsAre("warn global folder " + path +
                                     " is gone: what it held is not served until it is back",
                                 "info global folder " + path + " is there now, and served"));
}

TEST_P(AlwaysFresh, R17AFolderThatAppearsHidesAndUnhides) {
  tree_.put("global/ns/a.md");
  tree_.put("global/ns/prompts/p.md", "---\ndescription: P.\n---\nBody\n");
  tree_.folder("local");
  open();
  tree_.folder("local/ns");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  EXPECT_THAT(names(fresh()), IsEmpty());
  EXPECT_EQ(everything(fresh()), expected());
  tree_.rename("local/ns", "local/other");
  EXPECT_THAT(ids(fresh()), ElementsAre("ns/a"));
  EXPECT_THAT(names(fresh()), ElementsAre("p"));
  tree_.put("local/ns", "a file hides nothing");
  EXPECT_THAT(ids(fresh()), ElementsAre("ns/a"));
  tree_.remove("local/ns");
  tree_.link("local/ns", "other");
  EXPECT_THAT(ids(fresh()), IsEmpty());
  tree_.remove("local/other");
  EXPECT_THAT(ids(fresh()), ElementsAre("ns/a")) << "a link to nothing is no folder";
  EXPECT_EQ(everything(fresh()), expected());
}

TEST_P(AlwaysFresh, TheNextInLineTakesOverAndStepsBack) {
  tree_.put("global/ns/SKILL.md", kOne);
  tree_.put("global/ns/index.md", kTwo);
  open();
  tree_.remove("global/ns/SKILL.md");
  EXPECT_EQ(title("ns/index"), "Two");
  EXPECT_THAT(complaints(fresh()), IsEmpty());
  tree_.put("global/ns/SKILL.md", kOne);
  EXPECT_EQ(title("ns/index"), "One");
  EXPECT_THAT(complaints(fresh()), ElementsAre("global:ns/index.md duplicate_id"));
}

TEST_P(AlwaysFresh, LinksFollowTheirTargets) {
  tree_.put("global/real/sub/doc.md", kOne);
  tree_.link("global/file.md", "real/sub/doc.md");
  tree_.link("global/dir", "real/sub");
  tree_.link("global/later.md", "real/later.md");
  open();
  EXPECT_EQ(title("dir/doc"), "One");
  tree_.put("global/real/sub/doc.md", kTwo);
  EXPECT_EQ(title("file"), "Two");
  EXPECT_EQ(title("dir/doc"), "Two");
  tree_.put("global/real/later.md", kOne);
  EXPECT_EQ(title("later"), "One");
  // The way to the target changes, not the link.
  tree_.rename("global/real", "global/old");
  EXPECT_EQ(title("file"), "(none)");
  tree_.put("global/real/sub/doc.md", kOne);
  EXPECT_EQ(title("file"), "One");
  EXPECT_EQ(title("dir/doc"), "One");
  tree_.put("global/real/sub/more.md", kOne);
  EXPECT_EQ(title("dir/more"), "One");
  EXPECT_EQ(everything(fresh()), expected());
}

TEST_P(AlwaysFresh, LinksAreSwapped) {
  tree_.put("global/v1/doc.md", kOne);
  tree_.put("global/v2/doc.md", kTwo);
  tree_.put("outside/doc.md", kTwo);
  tree_.link("global/current", "v1");
  open();
  EXPECT_EQ(title("current/doc"), "One");
  tree_.link("global/next", "v2");
  tree_.rename("global/next", "global/current");
  EXPECT_EQ(title("current/doc"), "Two");
  tree_.put("global/v2/doc.md", kOne);
  EXPECT_EQ(title("current/doc"), "One");
  tree_.link("global/next", "../outside");
  tree_.rename("global/next", "global/current");
  EXPECT_EQ(title("current/doc"), "(none)");
  EXPECT_THAT(complaints(fresh()), Contains("global:current outside_root"));
}

TEST_P(AlwaysFresh, AFindingGoesWithItsFolder) {
  tree_.put("global/a/shut/x.md");
  ::chmod(tree_.at("global/a/shut").c_str(), 0);
  const AsNobody nobody;
  open();
  EXPECT_THAT(complaints(fresh()), ElementsAre("global:a/shut unreadable"));
  // Opened and taken away between two calls.
  {
    const AsRoot root;
    ::chmod(tree_.at("global/a/shut").c_str(), 0755);
    tree_.rename("global/a", "global/b");
    tree_.remove("global/b");
  }
  EXPECT_THAT(complaints(fresh()), IsEmpty());
}

TEST_P(AlwaysFresh, AnUnreadableRootIsTheSameHoweverItCameToBe) {
  tree_.put("global/a.md", kOne);
  const AsNobody nobody;
  open();
  EXPECT_EQ(title("a"), "One");
  for (const mode_t mode : {0U, 0444U, 0111U}) {
    {
      const AsRoot root;
      ::chmod(tree_.at("global").c_str(), mode);
    }
    EXPECT_EQ(everything(fresh()), expected()) << mode;
  }
  {
    const AsRoot root;
    ::chmod(tree_.at("global").c_str(), 0755);
  }
  EXPECT_EQ(title("a"), "One");
  EXPECT_THAT(complaints(fresh()), IsEmpty());
}

TEST_P(AlwaysFresh, AReaderKeepsItsGeneration) {
  tree_.put("global/a.md", kOne);
  open();
  const GenerationPtr before = fresh();
  tree_.put("global/a.md", kTwo);
  tree_.put("global/b.md", kTwo);
  const GenerationPtr after = fresh();
  EXPECT_GT(after->number, before->number);
  EXPECT_EQ(before->skill("a")->title, "One");
  EXPECT_EQ(before->skills.size(), 1u);
}

TEST(Watching, LostNotificationsMeanALookAtEverything) {
  TempTree tree;
  tree.put("global/ns/kept.md", kOne);
  tree.put("global/moved/x.md", kOne);
  std::unique_ptr<Content> content = Content::open(tree.options());
  size_t queue = 16'384;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> queue;
  // Each file gives at least three notifications.
  for (size_t i = 0; i < queue / 3 + 10; ++i)
    tree.put("global/ns/f" + std::to_string(i) + ".txt", "x");
  tree.remove("global/moved");
  tree.put("global/moved/x.md", kTwo);
  tree.put("global/ns/new.md", kOne);
  const GenerationPtr generation = content->fresh();
  EXPECT_THAT(ids(generation), ElementsAre("moved/x", "ns/kept", "ns/new"));
  EXPECT_EQ(generation->skill("moved/x")->title, "Two");
  EXPECT_EQ(content->status().rescans, 1u);
  EXPECT_TRUE(content->status().watching);
  // And the watches are good again.
  tree.put("global/moved/x.md", kOne);
  EXPECT_EQ(content->fresh()->skill("moved/x")->title, "One");
  EXPECT_EQ(content->status().rescans, 1u);
}

TEST(Watching, SaysWhenAndWhyItFallsBack) {
  TempTree tree;
  for (int i = 0; i < 10; ++i) tree.put("global/n" + std::to_string(i) + "/a.md");
  std::unique_ptr<Content> content = Content::open(tree.options());
  EXPECT_TRUE(content->status().watching);
  EXPECT_EQ(content->status().watches, 11u) << "one per folder, none per file";
  EXPECT_EQ(content->status().fallback_reason, "");
  EXPECT_EQ(content->status().files, 10u);

  ContentOptions few = tree.options();
  few.max_watches = 4;
  testing::internal::CaptureStderr();
  content = Content::open(few);
  for (int i = 0; i < 3; ++i) {
    tree.put("global/m" + std::to_string(i) + "/a.md");
    EXPECT_EQ(content->fresh()->skills.size(), 11U + static_cast<size_t>(i));
  }
  const std::string log = testing::internal::GetCapturedStderr();
  const size_t said = log.find("limit of watches");
  EXPECT_NE(said, std::string::npos) << log;
  EXPECT_EQ(log.find("limit of watches", said + 1), std::string::npos) << "once: " << log;
  EXPECT_FALSE(content->status().watching);
  EXPECT_THAT(content->status().fallback_reason, testing::HasSubstr("limit of watches"));

  few.max_watches = 0;
  content = Content::open(few);
  EXPECT_FALSE(content->status().watching);
  EXPECT_EQ(content->notify_fd(), -1);
}

// More folders than watches, and too many to compare them at every call.
class BeyondTheLimit : public testing::Test {
 protected:
  BeyondTheLimit() {
    for (size_t i = 0; i < kFolders; ++i) tree.put(path(i), kOne);
    ContentOptions options = tree.options();
    options.max_watches = kWatches;
    options.scan_threads = 1;  // several may set one watch more
    content = Content::open(std::move(options));
  }
  static std::string path(size_t i) { return "global/f" + std::to_string(i) + "/SKILL.md"; }
  // How many documents show that they were rewritten.
  size_t edited() const {
    const GenerationPtr now = content->fresh();
    return static_cast<size_t>(std::ranges::count_if(
        now->skills, [](const SkillPtr& each) { return each->title == "Two"; }));
  }
  FileRef file(const std::string& path) const {
    return {content->fresh()->skill("f0/index")->file.root, path};
  }

  static constexpr size_t kFolders = 300;
  static constexpr size_t kWatches = 10;
  TempTree tree;
  std::unique_ptr<Content> content;
};

TEST_F(BeyondTheLimit, FoldersAreComparedInTheBackground) {
  EXPECT_TRUE(content->status().in_background);
  EXPECT_EQ(content->status().watches, kWatches);
  const GenerationPtr before = content->fresh();
  EXPECT_EQ(content->unchanged(), before);
  for (size_t i = 0; i < kFolders; ++i) tree.put(path(i), kTwo);
  EXPECT_LT(edited(), kFolders);
  do {
    content->compare_more();
    content->fresh();
  } while (content->status().comparing);
  EXPECT_EQ(edited(), kFolders);
}

TEST_F(BeyondTheLimit, TheFolderThatIsAskedForIsComparedAtOnce) {
  for (size_t i = 0; i < kFolders; ++i) {
    tree.put("global/f" + std::to_string(i) + "/new.md", kTwo);
    content->recheck(file("f" + std::to_string(i) + "/new"));
    EXPECT_EQ(edited(), i + 1);
  }
  for (size_t i = 0; i < kFolders; ++i) tree.put(path(i), kTwo);
  content->recheck(file(""));
  EXPECT_EQ(edited(), 2 * kFolders);
}

TEST_F(BeyondTheLimit, AFolderThatIsUsedIsWatchedInsteadOfOneThatIsNot) {
  for (size_t i = 0; i < kFolders; ++i) {
    content->note_use(file("f" + std::to_string(i) + "/SKILL.md"));
    content->fresh();
    tree.put(path(i), kTwo);
    EXPECT_EQ(edited(), i + 1) << "a notification said so";
  }
  EXPECT_EQ(content->status().watches, kWatches);
  tree.put("global/another/SKILL.md", kTwo);
  EXPECT_EQ(edited(), kFolders + 1) << "the root itself stays watched";
}

TEST(Watching, LookingDoesNotWakeItself) {
  TempTree tree;
  tree.put("global/1/2/3/4/deep.md");
  tree.put("global/shut/x.md");
  tree.link("global/1/up", "..");
  tree.link("global/1/2/deep", "3/4");
  tree.link("global/gone.md", "nowhere");
  ::chmod(tree.at("global/shut").c_str(), 0);
  ContentOptions options = tree.options();
  options.max_depth = 2;
  const AsNobody nobody;
  std::unique_ptr<Content> content = Content::open(options);
  const auto woken = [&] {
    pollfd waiting{.fd = content->notify_fd(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) == 1;
  };
  content->fresh();
  for (int i = 0; i < 3; ++i) {
    {
      const AsRoot root;
      tree.put("global/a.md", i % 2 == 0 ? kOne : kTwo);
    }
    EXPECT_TRUE(woken());
    content->fresh();
    EXPECT_FALSE(woken());
  }
}

TEST(Watching, TheDescriptorWakesForEditsAndForRootsThatAppear) {
  TempTree tree;
  std::unique_ptr<Content> content = Content::open(tree.options());
  const auto woken = [&] {
    pollfd waiting{.fd = content->notify_fd(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) == 1;
  };
  content->fresh();
  EXPECT_FALSE(woken());
  tree.folder("global");
  EXPECT_TRUE(woken());
  content->fresh();
  EXPECT_FALSE(woken());
  tree.put("global/a.md");
  EXPECT_TRUE(woken());
  EXPECT_THAT(ids(content->fresh()), ElementsAre("a"));
  EXPECT_FALSE(woken());
}

// A content over roots that a test chooses.
struct Roots : testing::Test {
  void open(std::vector<RootConfig> roots) {
    ContentOptions options = tree.options();
    options.roots = std::move(roots);
    content = Content::open(options);
  }
  std::vector<std::string> served() const { return ids(content->fresh()); }
  // Whether whoever waits on the descriptor is woken up.
  bool wakes() const {
    pollfd waiting{.fd = content->notify_fd(), .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 1'000) == 1;
  }
  void point(const std::string& link, const std::string& target) const {
    tree.link("next", target);
    tree.rename("next", link);
  }

  TempTree tree;
  std::unique_ptr<Content> content;
};

TEST_F(Roots, ALinkedRootThatIsSwappedWakesWhoeverWaits) {
  tree.put("one/old.md");
  tree.put("two/new.md");
  tree.link("link", "one");
  open({{RootKind::kGlobal, tree.at("link")}});
  EXPECT_THAT(served(), ElementsAre("old"));
  point("link", "two");
  EXPECT_TRUE(wakes());
  EXPECT_THAT(served(), ElementsAre("new"));
  // And again: the new link is watched, too.
  point("link", "one");
  EXPECT_TRUE(wakes());
  EXPECT_THAT(served(), ElementsAre("old"));
}

TEST_F(Roots, ARootWhoseParentIsRenamedWakesWhoeverWaits) {
  tree.put("above/parent/root/a.md");
  open({{RootKind::kGlobal, tree.at("above/parent/root")}});
  EXPECT_THAT(served(), ElementsAre("a"));
  tree.rename("above", "elsewhere");
  EXPECT_TRUE(wakes());
  EXPECT_THAT(served(), IsEmpty());
  tree.rename("elsewhere", "above");
  EXPECT_TRUE(wakes());
  EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(Roots, AFolderThatIsTwoRootsCountsOnce) {
  tree.put("one/a.md");
  tree.put("two/b.md");
  tree.link("link", "one");
  open({{RootKind::kLocal, tree.at("one")}, {RootKind::kGlobal, tree.at("link")}});
  const GenerationPtr now = content->fresh();
  EXPECT_THAT(ids(now), ElementsAre("a"));
  EXPECT_EQ(now->accounting.files, 1U);
  EXPECT_EQ(now->accounting.skipped, 0U);
  EXPECT_EQ(content->unchanged(), now);
  // As soon as they differ, both are read.
  point("link", "two");
  EXPECT_THAT(served(), ElementsAre("a", "b"));
  point("link", "one");
  EXPECT_THAT(served(), ElementsAre("a"));
}

TEST_F(Roots, WithNothingPendingThereIsNothingToLookAt) {
  tree.put("global/a.md");
  open({{RootKind::kGlobal, tree.at("global")}});
  const GenerationPtr first = content->fresh();
  EXPECT_EQ(content->unchanged(), first);
  tree.put("global/b.md");
  EXPECT_EQ(content->unchanged(), nullptr);
  EXPECT_EQ(content->unchanged(), nullptr) << "asking takes nothing away";
  EXPECT_THAT(served(), ElementsAre("a", "b"));
  EXPECT_EQ(content->unchanged(), content->fresh());
}

// The kernel reports a new hard link to nobody; a reader that finds another stamp says so.
TEST_F(Roots, AFileThatAReaderFoundChangedIsReadAgain) {
  tree.put("global/ns/a.md");
  open({{RootKind::kGlobal, tree.at("global")}});
  const GenerationPtr before = content->fresh();
  const Skill& row = *before->skill("ns/a");
  fs::create_hard_link(tree.at("global/ns/a.md"), tree.at("outside"));
  const Result<FileBytes> now = content->read(*before, row.file);
  ASSERT_TRUE(now);
  EXPECT_NE(now->stamp.ctime_ns, row.version.ctime_ns);
  content->recheck(row.file);
  EXPECT_EQ(content->unchanged(), nullptr);
  EXPECT_EQ(content->fresh()->skill("ns/a")->version.ctime_ns, now->stamp.ctime_ns);
}

}  // namespace
}  // namespace iii::content
