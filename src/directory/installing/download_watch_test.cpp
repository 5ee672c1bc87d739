#include "directory/installing/download_watch.h"

#include <gmock/gmock.h>

#include "directory/installing/latest_versions.h"
#include "foundation/base/log_sink.h"

namespace iii::directory {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DownloadWatchTest : public testing::Test {
 protected:
  sources::Job job() {
    watch->begin();
    return watch->attach({});
  }
  static void tell(const sources::Job& job, const std::string& step, uint64_t total = 0) {
    job.tell({.step = step, .done = 0, .total = total});
  }

  std::vector<std::string> steps;
  std::stop_source stop;
  Context context{.cancelled = stop.get_token(),
                  .progress = [this](const CallProgress& now) { steps.push_back(now.step); }};
  std::shared_ptr<DownloadWatch> watch = std::make_shared<DownloadWatch>(context, "ns");
};

TEST_F(DownloadWatchTest, StepsComeInOrderWhateverTheSourceDoes) {
  const sources::Job work = job();
  // git: it lists, fetches what is missing, looks, and asks once more.
  for (const char* step : {"asking", "fetching", "checking", "fetching", "checking", "asking"}) {
    tell(work, step);
  }
  tell(work, "checking", 3);
  tell(work, "fetching");
  tell(work, "writing", 3);
  work.before_swap({"ns/a", "ns/b"});
  watch->announce();
  EXPECT_THAT(steps, ElementsAre("resolve", "fetch", "check", "stage", "swap", "announce"));
}

TEST_F(DownloadWatchTest, TheNextBatchBeginsAnew) {
  const sources::Job work = job();
  tell(work, "writing", 1);
  work.before_swap({"a/x"});
  tell(work, "fetching");
  tell(work, "writing", 1);
  work.before_swap({"b/x"});
  EXPECT_THAT(steps, ElementsAre("resolve", "stage", "swap", "fetch", "stage", "swap"));
}

TEST_F(DownloadWatchTest, WhoCancelsEndsTheJobUntilTheSwap) {
  const sources::Job work = job();
  EXPECT_FALSE(work.should_stop());
  stop.request_stop();
  EXPECT_TRUE(work.should_stop());
  EXPECT_TRUE(work.is_cancelled());
  EXPECT_TRUE(watch->was_cancelled());
  work.before_swap({});
  EXPECT_FALSE(watch->was_cancelled()) << "it is finished then";
}

TEST_F(DownloadWatchTest, OthersHearOfTheSwapToo) {
  std::vector<std::string> told;
  sources::Job own;
  own.before_swap = [&told](const std::vector<std::string>& paths) { told = paths; };
  watch->attach(own).before_swap({"ns/a"});
  EXPECT_THAT(told, ElementsAre("ns/a"));
}

TEST(DownloadWatch, NeedsNobodyWhoListens) {
  const auto watch = std::make_shared<DownloadWatch>(Context{}, "ns");
  watch->begin();
  watch->attach({}).tell({.step = "asking"});
  EXPECT_FALSE(watch->was_cancelled());
}

TEST(DownloadWatch, TheLogSaysWhatIsDoneForWhom) {
  set_log_level(LogLevel::kInfo);  // others switch it off
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  for (const char* caller : {"", "worker-1"}) {
    const auto watch = std::make_shared<DownloadWatch>(Context{.caller = caller}, "mail");
    watch->attach({}).tell({.step = "asking"});
  }
  set_log_sink({});
  EXPECT_THAT(lines, ElementsAre("download of mail: asking its source what there is",
                                 "download of mail: asking its source what there is (asked for by "
                                 "worker-1)"));
}

class LatestVersionsTest : public testing::Test {
 protected:
  static sources::Source source(const std::string& worker) {
    return sources::RegistrySource{.worker = worker, .version = {}, .tag = "latest"};
  }
  static sources::OutdatedRow row(const std::string& current, const std::string& latest) {
    return {.name_space = "mail",
            .current = current,
            .latest = latest,
            .outdated = current != latest,
            .asked = source("mail")};
  }
  static sources::LockedNamespace locked(const std::string& resolved) {
    sources::LockedNamespace out;
    out.source = source("mail");
    out.resolved = resolved;
    return out;
  }

  LatestVersions versions;
};

TEST_F(LatestVersionsTest, AnAnswerHoldsForTheVersionItWasAbout) {
  EXPECT_FALSE(versions.about("mail", locked("1")));
  versions.note({row("1", "2")});
  const auto known = versions.about("mail", locked("1"));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->row.latest, "2");
  EXPECT_TRUE(known->row.outdated);
  EXPECT_GT(known->checked_ns, 0);
}

TEST_F(LatestVersionsTest, TheNewestInstalledMeanwhileIsCurrentAnotherIsNotKnown) {
  versions.note({row("1", "2")});
  const auto newest = versions.about("mail", locked("2"));
  ASSERT_TRUE(newest);
  EXPECT_FALSE(newest->row.outdated);
  EXPECT_FALSE(versions.about("mail", locked("3")));
}

TEST_F(LatestVersionsTest, AnotherSourceIsAnotherQuestion) {
  versions.note({row("1", "2")});
  sources::LockedNamespace other = locked("1");
  other.source = source("chat");
  EXPECT_FALSE(versions.about("mail", other));
  versions.forget("mail");
  EXPECT_FALSE(versions.about("mail", locked("1")));
}

TEST_F(LatestVersionsTest, WhatWasInstalledIsTheNewest) {
  versions.note_installed("mail", source("mail"), "2");
  const auto known = versions.about("mail", locked("2"));
  ASSERT_TRUE(known);
  EXPECT_EQ(known->row.latest, "2");
  EXPECT_FALSE(known->row.outdated);
}

}  // namespace
}  // namespace iii::directory
