// DW11, DW19: what is asked again, and what is not.
#include "directory/sources/registry_fixture_for_test.h"

namespace iii::sources {
namespace {

using json::Value;
using testing::ElementsAre;
using testing::HasSubstr;

using RegistryCacheTest = RegistryTest;

const std::string kList = R"({"workers":[{"name":"resend"}]})";
const std::string kBundle =
    R"({"name":"resend","version":"1","skills":[{"path":"a.md","content":"x"}]})";
const std::string kDetailTarget = "/w/resend?version=latest";
const std::string kBundleTarget = "/w/resend/skills?version=latest";

TEST_F(RegistryCacheTest, W19_AnswersAreKeptForTheTtl) {
  options.cache_ttl = Millis(2'000);
  set("/w", {{.body = kList}});
  ASSERT_TRUE(registry().list("", "", job));
  pass(Millis(1'999));
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_EQ(count("/w"), 1U);
  pass(Millis(1));
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_EQ(count("/w"), 2U);
}

TEST_F(RegistryCacheTest, NothingIsKeptWithoutATtl) {
  options.cache_ttl = Millis(0);
  set("/w", {{.body = kList}, {.status = 500}});
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_THAT(list_refusal(), HasSubstr("D320"));
}

TEST_F(RegistryCacheTest, W19_DifferentQuestionsNeverShareAnAnswer) {
  set("/w?search=a&cursor=b%3A", {{.body = R"({"workers":[{"name":"one"}]})"}});
  set("/w?search=a%3Ab", {{.body = R"({"workers":[{"name":"two"}]})"}});
  const auto one = registry().list("a", "b:", job);
  const auto two = registry().list("a:b", "", job);
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->value, two->value);
}

TEST_F(RegistryCacheTest, W19_LatestAsVersionAndAsTagIsOneQuestion) {
  set(kDetailTarget, {{.body = R"({"worker":{"name":"resend"}})"}});
  ASSERT_TRUE(registry().info({.worker = "resend", .version = "latest", .tag = {}}, job));
  ASSERT_TRUE(registry().info({.worker = "resend", .version = {}, .tag = "latest"}, job));
  EXPECT_EQ(server.targets().size(), 2U);
}

TEST_F(RegistryCacheTest, W19_NotFoundIsKeptForAShortWhile) {
  options.negative_ttl = Millis(5'000);
  EXPECT_THAT(info_refusal(latest("nope")), HasSubstr("D310"));
  pass(Millis(4'999));
  EXPECT_THAT(info_refusal(latest("nope")), HasSubstr("D310"));
  EXPECT_EQ(count("/w/nope?version=latest"), 1U);
  pass(Millis(1));
  EXPECT_THAT(info_refusal(latest("nope")), HasSubstr("D310"));
  EXPECT_EQ(count("/w/nope?version=latest"), 2U);
}

TEST_F(RegistryCacheTest, W19_AnOldAnswerStandsInWhenTheRegistryIsAway) {
  options.retries = 0;
  set("/w", {{.body = kList}, {.status = 503}});
  ASSERT_FALSE(registry().list("", "", job)->stale);
  pass(options.cache_ttl);
  const auto stale = registry().list("", "", job);
  ASSERT_TRUE(stale);
  EXPECT_TRUE(stale->stale);
  EXPECT_EQ(*stale->value.find("workers")->as_array()->at(0).find("name"), Value("resend"));
  // Nobody waits for it again at once.
  ASSERT_TRUE(registry().list("", "", job)->stale);
  EXPECT_EQ(count("/w"), 2U);
  pass(options.negative_ttl);
  ASSERT_TRUE(registry().list("", "", job)->stale);
  EXPECT_EQ(count("/w"), 3U);
  pass(options.stale_for);
  EXPECT_THAT(list_refusal(), HasSubstr("D320"));
}

TEST_F(RegistryCacheTest, W19_AnOldAnswerStandsInWhenNobodyListens) {
  options.retries = 0;
  set(kDetailTarget, {{.body = R"({"worker":{"name":"resend"}})"}});
  set(kBundleTarget, {{.body = kBundle}});
  ASSERT_FALSE(registry().info(latest("resend"), job)->stale);
  server.stop();
  pass(options.cache_ttl);
  const auto stale = registry().info(latest("resend"), job);
  ASSERT_TRUE(stale);
  EXPECT_TRUE(stale->stale);
  EXPECT_THAT(bundle_refusal(latest("resend")), HasSubstr("D320"));
}

TEST_F(RegistryCacheTest, ARefusalIsNotHiddenBehindAnOldAnswer) {
  set("/w", {{.body = kList}, {.status = 401}});
  ASSERT_TRUE(registry().list("", "", job));
  pass(options.cache_ttl);
  EXPECT_THAT(list_refusal(), HasSubstr("401"));
}

TEST_F(RegistryCacheTest, W11_AnEtagSavesTheBody) {
  const TestServer::Reply first{.body = kBundle, .headers = {{"ETag", "\"e1\""}}};
  set(kBundleTarget, {first, {.status = 304}});
  ASSERT_TRUE(registry().bundle(latest("resend"), job));
  const auto again = registry().bundle(latest("resend"), job);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->files.at(0).bytes, "x");
  EXPECT_EQ(again->resolved, "1");
  EXPECT_FALSE(server.requests().at(0).headers.contains("if-none-match"));
  EXPECT_EQ(server.requests().at(1).headers.at("if-none-match"), "\"e1\"");
}

TEST_F(RegistryCacheTest, W11_DownloadsAlwaysAsk) {
  set(kBundleTarget, {{.body = kBundle}});
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(registry().bundle(latest("resend"), job));
  EXPECT_EQ(count(kBundleTarget), 3U);
}

TEST_F(RegistryCacheTest, W19_EqualQuestionsAtTheSameTimeAreAskedOnce) {
  set("/w", {{.body = kList}});
  std::atomic<int> asking = 0;
  // The answer is held back until everybody has come.
  before_answer = [&](const Request&) {
    while (asking < 8) std::this_thread::yield();
  };
  registry();
  std::vector<std::thread> threads;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      ++asking;
      if (registry().list("", "", job)) ++answered;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(answered, 8);
  EXPECT_EQ(count("/w"), 1U);
}

TEST_F(RegistryCacheTest, W19_WhoeverWaitsAsksAnewWhenTheFirstIsCancelled) {
  set("/w", {{.fault = Fault::kHang}, {.body = kList}});
  Job first;
  registry();
  std::thread impatient([&] { EXPECT_FALSE(registry().list("", "", first)); });
  server.wait_for(1);
  std::thread patient([&] { EXPECT_TRUE(registry().list("", "", job)); });
  first.cancelled->store(true);
  impatient.join();
  patient.join();
  EXPECT_EQ(count("/w"), 2U);
}

// The other question is for details, which an old answer may stand in for.
TEST_F(RegistryCacheTest, W19_ADownloadThatWaitedNeverGetsAnOldAnswer) {
  options.retries = 0;
  set(kDetailTarget, {{.body = R"({"worker":{"name":"resend"}})"}});
  set(kBundleTarget, {{.body = kBundle}, {.status = 503}});
  ASSERT_TRUE(registry().info(latest("resend"), job));
  pass(options.cache_ttl);
  std::atomic<bool> asked = false;
  before_answer = [&](const Request& request) {
    while (request.target == kBundleTarget && !asked) std::this_thread::yield();
  };
  std::thread info([&] { EXPECT_TRUE(registry().info(latest("resend"), job)->stale); });
  server.wait_for(4);
  std::thread download([&] {
    asked = true;
    EXPECT_THAT(bundle_refusal(latest("resend")), HasSubstr("D320"));
  });
  info.join();
  download.join();
}

TEST(RegistryCache, W19_TheLeastRecentlyUsedLeavesFirst) {
  RegistryCache cache(2, 1'000'000);
  const auto answer = [](size_t size) {
    return CachedAnswer{.body = std::make_shared<const std::string>(size, 'x')};
  };
  cache.put("a", answer(1));
  cache.put("b", answer(1));
  ASSERT_NE(cache.find("a"), nullptr);
  cache.put("c", answer(1));
  EXPECT_EQ(cache.find("b"), nullptr);
  EXPECT_NE(cache.find("a"), nullptr);
  EXPECT_NE(cache.find("c"), nullptr);
}

TEST(RegistryCache, W19_BytesAreBounded) {
  RegistryCache cache(100, 10'000);
  const auto answer = [](size_t size) {
    return CachedAnswer{.body = std::make_shared<const std::string>(size, 'x')};
  };
  for (int i = 0; i < 10; ++i) {
    cache.put(std::to_string(i), answer(3'000));
    EXPECT_EQ(cache.find(std::to_string(i - 3)), nullptr) << "a fourth one does not fit";
  }
  for (const char* kept : {"7", "8", "9"}) EXPECT_NE(cache.find(kept), nullptr) << kept;
  cache.put("9", answer(20'000));  // too large to keep, and what was there is out of date
  EXPECT_EQ(cache.find("9"), nullptr);
}

// Sums of such times overflowed, and numbers that do not fit counted as none: it was asked at once.
TEST_F(RegistryCacheTest, AHugeRetryAfterIsCappedAndNotIgnored) {
  for (const char* wait : {"9223372036854775807", "9999999999999999999999", "86401"}) {
    const std::string search = "s" + std::string(wait);
    set("/w?search=" + search, {{.status = 503, .headers = {{"Retry-After", wait}}}});
    EXPECT_THAT(list_refusal(search), HasSubstr("retry in 86400 s")) << wait;
    EXPECT_EQ(count("/w?search=" + search), 1U) << wait;
  }
  EXPECT_TRUE(pauses.empty());
}

}  // namespace
}  // namespace iii::sources
