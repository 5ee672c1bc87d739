#include "directory/library/library.h"

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <semaphore>
#include <stdexcept>

#include "bus/sdk/fake_engine.h"
#include "directory/content/fixture_for_test.h"
#include "directory/library/merger.h"
#include "directory/library/scripted_content_for_test.h"
#include "directory/library/testing.h"

namespace iii::directory {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScriptedGate final : public Gate {
 public:
  bool enter() override {
    if (shut_for == 0) return true;
    --shut_for;
    return false;
  }
  bool leave() override { return std::exchange(whole, true); }

  int shut_for = 0;
  bool whole = true;
};

struct LibraryTest : ::testing::Test {
  LibraryTest() : engine(loop), worker({.name = "w"}, loop, engine.transport()) {}

  void open(std::unique_ptr<content::Content> files, LibraryOptions options = {}) {
    auto own = std::make_unique<ScriptedGate>();
    gate = own.get();
    options.installed.filter = false;
    library = std::make_unique<Library>(
        worker, Folders{.content = std::move(files), .gate = std::move(own)}, std::move(options));
  }
  void open_scripted() {
    auto own = std::make_unique<ScriptedContent>(make_generation({{"old"}}));
    content = own.get();
    open(std::move(own));
  }

  // Runs a coroutine to its end.
  template <typename T>
  T wait(task::Task<T> task) {
    std::optional<T> out;
    worker.spawn(keep(std::move(task), out));
    if (!out) engine.run_until([&] { return out.has_value(); });
    return std::move(*out);
  }
  template <typename T>
  static task::Task<void> keep(task::Task<T> task, std::optional<T>& out) {
    out.emplace(co_await std::move(task));
  }
  View view() { return wait(library->current()); }
  std::string only_id() { return view().generation().skills[0]->id; }

  net::Loop loop;
  sdk::FakeEngine engine;
  sdk::Worker worker;
  ScriptedContent* content = nullptr;
  ScriptedGate* gate = nullptr;
  std::unique_ptr<Library> library;
};

TEST_F(LibraryTest, AnObserverThatLeftDuringAChangeIsNotCalledAnyMore) {
  open_scripted();
  view();
  int calls = 0;
  ChangeHub::Subscription second;
  const ChangeHub::Subscription first =
      library->changes().subscribe([&](const ChangeSet&) { second = ChangeHub::Subscription(); });
  second = library->changes().subscribe([&](const ChangeSet&) { ++calls; });
  content->now = make_generation({{"new"}});
  EXPECT_EQ(only_id(), "new");
  EXPECT_EQ(calls, 0);
}

TEST_F(LibraryTest, AnObserverThatThrowsKeepsNobodyWaiting) {
  open_scripted();
  view();
  const ChangeHub::Subscription first = library->changes().subscribe(
      [](const ChangeSet&) { throw std::runtime_error("broken observer"); });
  int calls = 0;
  const ChangeHub::Subscription second =
      library->changes().subscribe([&](const ChangeSet&) { ++calls; });
  content->now = make_generation({{"new"}});
  EXPECT_EQ(only_id(), "new");
  EXPECT_EQ(calls, 1);
}

TEST(Merger, ARegisteredDocumentHasItsNameAndAudience) {
  Registrations registrations;
  registrations.skills.push_back(std::make_shared<const RegisteredDocument>(
      RegisteredDocument{.key = "a/b",
                         .text = "---\nname: n\ndisable-model-invocation: true\n---\n# H\n",
                         .time_ns = 1}));
  const content::GenerationPtr merged =
      GenerationMerger().merge(content::Generation(), registrations, 1, true);
  ASSERT_NE(merged->skill("a/b"), nullptr);
  EXPECT_EQ(merged->skill("a/b")->name, "n");
  EXPECT_FALSE(merged->skill("a/b")->for_agents);
  EXPECT_EQ(merged->skill("a/b")->title, "H");
}

TEST_F(LibraryTest, WhileFilesAreSwappedTheGenerationBeforeIsShown) {
  open_scripted();
  content->now = make_generation({{"new"}});
  gate->shut_for = 1;
  EXPECT_EQ(only_id(), "old");
  EXPECT_EQ(only_id(), "new");
}

TEST_F(LibraryTest, WhatMayBeHalfIsNotShown) {
  open_scripted();
  content->now = make_generation({{"half"}});
  gate->whole = false;
  EXPECT_EQ(only_id(), "old");
  content->now = make_generation({{"new"}});
  EXPECT_EQ(only_id(), "new");
}

TEST_F(LibraryTest, WhenNothingIsPendingItAnswersAtOnceWithoutALookAtTheDisk) {
  open_scripted();
  std::optional<View> out;
  worker.spawn(keep(library->current(), out));
  EXPECT_TRUE(out.has_value()) << "the loop has not run";
  EXPECT_EQ(content->reads, 1) << "only the one at the beginning";
}

TEST_F(LibraryTest, EveryObserverHearsOfEveryGenerationButTheFirst) {
  open_scripted();
  std::vector<std::string> told;
  const auto note = [&told](const std::string& who) {
    return [&told, who](const ChangeSet& set) {
      for (const Change& change : *set.changes) {
        EXPECT_EQ(change.generation, set.after->number);
        told.push_back(who + std::string(word(change.act)) + " " + change.id);
      }
    };
  };
  const ChangeHub::Subscription one = library->changes().subscribe(note("1:"));
  std::optional two = library->changes().subscribe(note("2:"));
  view();
  EXPECT_THAT(told, IsEmpty()) << "nothing changed";
  content->now = make_generation({{"new"}, {"old"}});
  view();
  EXPECT_THAT(told, ElementsAre("1:added new", "2:added new"));
  two.reset();
  content->now = make_generation({{"new"}});
  view();
  EXPECT_THAT(told, ElementsAre("1:added new", "2:added new", "1:removed old"));
}

TEST_F(LibraryTest, OthersAreServedWhileTheFoldersAreLookedAt) {
  open_scripted();
  std::binary_semaphore go(0);
  content->on_read = [&go] { go.acquire(); };
  content->now = make_generation({{"new"}});
  std::optional<View> slow;
  worker.spawn(keep(library->current(), slow));
  // The loop runs, and this comes to its end.
  bool others = false;
  const auto sleep = [](sdk::Worker& on, bool& done) -> task::Task<void> {
    co_await on.sleep(std::chrono::milliseconds(1));
    done = true;
  };
  worker.spawn(sleep(worker, others));
  engine.run_until([&] { return others; });
  EXPECT_FALSE(slow.has_value());
  go.release();
  engine.run_until([&] { return slow.has_value(); });
  EXPECT_EQ(slow->generation().skills[0]->id, "new");
}

TEST_F(LibraryTest, WhoAsksDuringALookWaitsForOneThatBeganLater) {
  open_scripted();
  std::binary_semaphore inside(0), go(0);
  content->on_read = [&] {
    inside.release();
    go.acquire();
  };
  content->now = make_generation({{"early"}});
  std::optional<View> first, second;
  worker.spawn(keep(library->current(), first));
  inside.acquire();
  worker.spawn(keep(library->current(), second));
  go.release();
  go.release();
  engine.run_until([&] { return second.has_value(); });
  EXPECT_TRUE(first.has_value());
  EXPECT_EQ(content->reads, 3);
}

// A skill as it is in a generation, and the file that belongs to it.
struct ReadTest : LibraryTest {
  ReadTest() {
    open_scripted();
    file.bytes = "---\ntitle: T\n---\nBody\n";
    file.stamp = {
        .device = 1, .inode = 7, .size = file.bytes.size(), .mtime_ns = 100, .ctime_ns = 200};
    skill.file = {0, "a.md"};
    skill.bytes = file.bytes.size();
    skill.mtime_ns = 100;
    skill.version = {.inode = 7, .ctime_ns = 200};
    content->file = file;
  }
  Result<Body> read(const content::Skill& row) { return library->read(view(), row); }

  FileBytes file;
  content::Skill skill;
};

TEST_F(ReadTest, ABodyIsReadOnlyOfTheVersionThatTheRowShows) {
  EXPECT_EQ(read(skill)->text, "Body\n");
  EXPECT_THAT(content->rechecked, IsEmpty());
  const auto is_stale = [&](auto change) {
    content::Skill other = skill;
    change(other);
    EXPECT_EQ(read(other).error().code, kStale);
  };
  is_stale([](content::Skill& other) { ++other.version.inode; });
  is_stale([](content::Skill& other) { ++other.version.ctime_ns; });
  is_stale([](content::Skill& other) { ++other.mtime_ns; });
  is_stale([](content::Skill& other) { ++other.bytes; });
  EXPECT_THAT(content->rechecked, ElementsAre("a.md", "a.md", "a.md", "a.md"));
}

TEST_F(ReadTest, AReadableFileThatCannotBeReadAnyMoreIsStale) {
  content->file = fail("missing", "gone");
  EXPECT_EQ(read(skill).error().code, kStale);
  content->file = fail("denied", "not yours");
  EXPECT_EQ(read(skill).error().code, kStale);
  skill.readable = false;
  EXPECT_EQ(read(skill).error().code, "denied") << "as the row says";
}

TEST_F(ReadTest, AKnownPlaceOfTheBodyIsUsed) {
  skill.body_offset = 4;  // wrong, so that its use shows
  EXPECT_EQ(read(skill)->text, "title: T\n---\nBody\n");
  skill.body_offset = 1'000;
  EXPECT_EQ(read(skill)->text, "Body\n");
}

TEST_F(ReadTest, AnAnswerIsMadeAgainFromANewerViewUntilNothingInItIsStale) {
  auto later = std::make_shared<content::Generation>(*content->now);
  later->number = 2;
  gate->shut_for = 3;  // a swap is under way
  content->now = later;
  std::vector<uint64_t> asked;
  const auto answer = [&](const View& view) -> task::Task<Result<uint64_t>> {
    asked.push_back(view.generation().number);
    if (view.generation().number < 2) co_return fail(kStale, "replaced");
    co_return view.generation().number;
  };
  EXPECT_EQ(wait(library->answer_from({}, answer)), 2U);
  EXPECT_EQ(asked.front(), 1U);
  EXPECT_EQ(asked.back(), 2U);
}

TEST_F(ReadTest, AFileThatChangesFasterThanItIsReadIsReadAsItIs) {
  skill.mtime_ns = 1;
  int attempts = 0;
  const auto answer = [&](const View& view) -> task::Task<Result<Body>> {
    ++attempts;
    content->now = make_generation({{"old"}});  // again and again
    co_return library->read(view, skill);
  };
  EXPECT_EQ(wait(library->answer_from({}, answer))->text, "Body\n");
  EXPECT_GT(attempts, 10);
}

struct Reload : LibraryTest {
  content::TempTree tree;

  content::ContentOptions options(const std::string& root) {
    content::ContentOptions out = tree.options();
    out.roots = {{content::RootKind::kGlobal, tree.at(root)}};
    return out;
  }
  void replace_by(const std::string& root) {
    library->replace(options(root), nullptr);
    view();
  }
};

TEST_F(Reload, OtherFoldersAreToldAsDifferencesAndTheNumbersGoOn) {
  tree.put("one/same.md", "# Same\n\nSame.\n");
  tree.put("one/old.md", "# Old\n\nOld.\n");
  tree.put("two/new.md", "# New\n\nNew.\n");
  std::filesystem::copy_file(tree.at("one/same.md"), tree.at("two/same.md"));
  std::filesystem::last_write_time(tree.at("two/same.md"),
                                   std::filesystem::last_write_time(tree.at("one/same.md")));
  open(content::Content::open(options("one")));
  const uint64_t before = view().generation().number;
  std::vector<std::string> told;
  uint64_t generation = 0;
  const auto subscription = library->changes().subscribe([&](const ChangeSet& set) {
    for (const Change& change : *set.changes) {
      told.push_back(std::string(word(change.act)) + " " + change.id);
      generation = change.generation;
    }
  });
  replace_by("two");
  EXPECT_THAT(told, ElementsAre("added new", "removed old"));
  EXPECT_GT(generation, before);
  EXPECT_EQ(view().generation().number, generation);
}

TEST_F(Reload, AViewTakenBeforeReadsItsOwnFolders) {
  tree.put("one/a.md", "# A\n\nOne.\n");
  tree.put("two/a.md", "# A\n\nTwo.\n");
  open(content::Content::open(options("one")));
  const View before = view();
  replace_by("two");
  EXPECT_EQ(library->read(before, *before.generation().skill("a"))->text, "# A\n\nOne.\n");
  const View after = view();
  EXPECT_EQ(library->read(after, *after.generation().skill("a"))->text, "# A\n\nTwo.\n");
}

}  // namespace
}  // namespace iii::directory
