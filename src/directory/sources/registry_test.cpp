#include "directory/sources/registry.h"

#include "directory/sources/registry_fixture_for_test.h"

namespace iii::sources {
namespace {

using json::Value;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::UnorderedElementsAre;

const std::string kRow = R"({"name":"resend","version":"1.2.3"})";
const std::string kList = R"({"workers":[)" + kRow + R"(],"pagination":{"has_more":false}})";
const std::string kDetail = R"({"worker":)" + kRow + "}";
const std::string kBundle =
    R"({"name":"resend","version":"1.2.3","skills":[{"path":"index.md","content":"# r\n"}]})";
const std::string kDetailTarget = "/w/resend?version=latest";
const std::string kBundleTarget = "/w/resend/skills?version=latest";

TEST_F(RegistryTest, RequestsAreThoseOfThePublishedWorker) {
  set("/w", {{.body = kList}});
  set("/w?search=a+b%26c%3Dd%23%C3%A9&cursor=x%2Fy%2Bz%3D", {{.body = kList}});
  set("/w/resend/skills?version=a+b%26c", {{.body = kBundle}});
  ASSERT_TRUE(registry().list("", "", job));
  ASSERT_TRUE(registry().list("a b&c=d#é", "x/y+z=", job));
  const RegistrySource tagged{.worker = "resend", .version = {}, .tag = "a b&c"};
  ASSERT_TRUE(registry().bundle(tagged, job));
  EXPECT_THAT(server.targets(),
              ElementsAre("/w", "/w?search=a+b%26c%3Dd%23%C3%A9&cursor=x%2Fy%2Bz%3D",
                          "/w/resend/skills?version=a+b%26c"));
  EXPECT_THAT(server.requests().at(0).headers.at("user-agent"),
              testing::MatchesRegex("iii-directory/[0-9.]+"));
}

TEST_F(RegistryTest, InfoAsksForBothLegs) {
  set(kDetailTarget, {{.body = kDetail}});
  set(kBundleTarget, {{.body = kBundle}});
  const auto answer = registry().info(latest("resend"), job);
  ASSERT_TRUE(answer);
  EXPECT_EQ(*answer->value.find("worker")->find("name"), Value("resend"));
  EXPECT_EQ(json::to_text(*answer->value.find("skills_tree")),
            R"({"prompts":[],"skills":[{"path":"index.md"}]})");
  EXPECT_THAT(server.targets(), UnorderedElementsAre(kDetailTarget, kBundleTarget));
}

TEST_F(RegistryTest, BadNamesAskNothing) {
  for (const char* name : {"../../admin", "x?admin=1", "x#frag", "Shell", ""}) {
    EXPECT_THAT(info_refusal(latest(name)), HasSubstr("D311 invalid_input:")) << name;
    EXPECT_THAT(bundle_refusal(latest(name)), HasSubstr("D311 invalid_input:")) << name;
  }
  EXPECT_THAT(list_refusal(std::string(2'000, 'x')), HasSubstr("D311"));
  EXPECT_TRUE(server.targets().empty());
}

TEST_F(RegistryTest, TheOlderSearchRouteStandsInForAMissingList) {
  set("/search?q=mail", {{.body = R"([{"name":"old","latest_version":"0.4","repository":"r",
      "author":{"name":"a","profile_picture":"p","is_verified":true}}])"}});
  const auto answer = registry().list("mail", "", job);
  ASSERT_TRUE(answer);
  const Value row = answer->value.find("workers")->as_array()->at(0);
  EXPECT_EQ(*row.find("version"), Value("0.4"));
  EXPECT_EQ(*row.find("repo"), Value("r"));
  EXPECT_EQ(json::to_text(*row.find("author")), R"({"name":"a","pfp":"p","verified":true})");
  EXPECT_THAT(server.targets(), ElementsAre("/w?search=mail", "/search?q=mail"));
  EXPECT_THAT(list_refusal("none"), AllOf(HasSubstr("D320 registry_error:"), HasSubstr("404")));
}

TEST_F(RegistryTest, W16_ServerErrorsAreRetriedWithGrowingPauses) {
  set("/w", {{.status = 500}, {.status = 503}, {.body = kList}});
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_THAT(pauses, ElementsAre(Millis(250), Millis(500)));
  EXPECT_EQ(server.targets().size(), 3U);
}

TEST_F(RegistryTest, W16_LostConnectionsAreRetried) {
  set("/w", {{.fault = Fault::kReset}, {.body = "{", .fault = Fault::kCut}, {.body = kList}});
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_EQ(pauses.size(), 2U);
}

TEST_F(RegistryTest, W16_RetriesEnd) {
  set("/w", {{.status = 502, .body = "not for callers"}});
  EXPECT_THAT(list_refusal(),
              AllOf(HasSubstr("D320 registry_error:"), HasSubstr("502"), HasSubstr("Next:")));
  EXPECT_EQ(server.targets().size(), 3U);
}

TEST_F(RegistryTest, W16_JitterSpreadsThePauses) {
  clock.random = [] { return -1.0; };
  set("/w", {{.status = 503}, {.body = kList}});
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_THAT(pauses, ElementsAre(Millis(175)));
}

TEST_F(RegistryTest, W16_RetryAfterIsWaitedFor) {
  set("/w", {{.status = 429, .headers = {{"Retry-After", "7"}}}, {.body = kList}});
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_THAT(pauses, ElementsAre(Millis(7'000)));
}

TEST_F(RegistryTest, W16_ARetryAfterBeyondTheDeadlineIsNotWaitedFor) {
  set("/w", {{.status = 429, .headers = {{"Retry-After", "3600"}}}});
  EXPECT_THAT(list_refusal(), AllOf(HasSubstr("429"), HasSubstr("Next: retry in 3600 s")));
  EXPECT_TRUE(pauses.empty());
  EXPECT_EQ(server.targets().size(), 1U);
}

TEST_F(RegistryTest, W16_OtherStatusesAreFinal) {
  for (const int status : {400, 401, 403, 501}) {
    set("/w", {{.status = status}});
    EXPECT_THAT(list_refusal(), HasSubstr(std::to_string(status)));
  }
  EXPECT_EQ(server.targets().size(), 4U);
}

TEST_F(RegistryTest, AnswersThatAreNoJsonAreD320) {
  options.retries = 0;
  set("/w", {{.body = "<html>not for callers</html>", .headers = {{"Content-Type", "text/html"}}},
             {.status = 204},
             {.body = R"({"workers":[)", .fault = Fault::kCut}});
  for (int i = 0; i < 3; ++i) EXPECT_THAT(list_refusal(), HasSubstr("could not be decoded"));
}

TEST_F(RegistryTest, FailuresOfTheNetworkAreD320) {
  options.retries = 0;
  options.timeout = Millis(50);
  set("/w", {{.fault = Fault::kHang}});
  EXPECT_THAT(list_refusal(), AllOf(HasSubstr("D320"), HasSubstr("in time"), HasSubstr("Next:")));
  set("/w", {{.fault = Fault::kReset}});
  EXPECT_THAT(list_refusal(), AllOf(HasSubstr("D320"), HasSubstr("reached"), HasSubstr("Next:")));
  set("/w?search=loop", {{.status = 302, .headers = {{"Location", "/w?search=loop"}}}});
  EXPECT_THAT(list_refusal("loop"), AllOf(HasSubstr("D320"), HasSubstr("redirects")));
}

TEST_F(RegistryTest, D320_NamesTheFunctionThatHelps) {
  options.retries = 0;
  set("/w", {{.status = 500}});
  EXPECT_THAT(list_refusal(),
              EndsWith(" Next: retry shortly: call directory::registry::workers::list again."));
  set("/w", {{.status = 403}});
  EXPECT_THAT(list_refusal(), EndsWith(" Next: check `registry_url` in the configuration, then "
                                       "call directory::registry::workers::list again."));
  set(kBundleTarget, {{.status = 500}});
  EXPECT_THAT(bundle_refusal(latest("resend")),
              EndsWith(" Next: retry shortly, or call directory::registry::workers::list to browse "
                       "worker names."));
}

TEST_F(RegistryTest, W6_EndlessAnswersAreCutOff) {
  options.max_answer_bytes = 100'000;
  set("/w", {{.fault = Fault::kEndless}});
  set(kBundleTarget, {{.fault = Fault::kEndless}});
  EXPECT_THAT(list_refusal(), HasSubstr("larger"));
  EXPECT_THAT(bundle_refusal(latest("resend")), HasSubstr("larger"));
}

TEST_F(RegistryTest, W17_AWorkerWithoutABundleHasAnEmptyTree) {
  set(kDetailTarget, {{.body = kDetail}});
  const auto answer = registry().info(latest("resend"), job);
  ASSERT_TRUE(answer);
  EXPECT_EQ(json::to_text(*answer->value.find("skills_tree")), R"({"prompts":[],"skills":[]})");
}

TEST_F(RegistryTest, W17_OtherFailuresOfTheBundleLegStillCount) {
  options.retries = 0;
  set(kDetailTarget, {{.body = kDetail}});
  set(kBundleTarget, {{.status = 500}});
  EXPECT_THAT(
      info_refusal(latest("resend")),
      AllOf(HasSubstr("D320"), HasSubstr("500"), HasSubstr("directory::registry::workers::list")));
}

TEST_F(RegistryTest, W20_NotFoundNamesTheVersionAndWhatMayBeMeant) {
  set("/w", {{.body = kList}});
  ASSERT_TRUE(registry().list("", "", job));
  EXPECT_THAT(registry().known_names(), ElementsAre("resend"));
  EXPECT_THAT(info_refusal(latest("resnd")),
              AllOf(HasSubstr("D310 not_found:"), HasSubstr("\"resnd@latest\""),
                    HasSubstr("Did you mean: resend?"),
                    HasSubstr("Next: call directory::registry::workers::list")));
  const RegistrySource wrong{.worker = "resend", .version = "99.99.99", .tag = {}};
  EXPECT_THAT(bundle_refusal(wrong),
              AllOf(HasSubstr("D310 not_found:"), HasSubstr("\"resend\""), HasSubstr("99.99.99"),
                    HasSubstr("ask without one"), Not(HasSubstr("404"))));
  EXPECT_THAT(bundle_refusal(latest("zzzzzzzz")), Not(HasSubstr("Did you mean")));
}

TEST_F(RegistryTest, W20_RefusedAndTooManyAreToldApart) {
  options.retries = 0;
  set("/w?search=a", {{.status = 401}});
  set("/w?search=b", {{.status = 429}});
  EXPECT_THAT(list_refusal("a"), AllOf(HasSubstr("401"), HasSubstr("credentials")));
  EXPECT_THAT(list_refusal("b"), AllOf(HasSubstr("429"), HasSubstr("too many requests")));
}

TEST_F(RegistryTest, ResolveAsksForDetailsAndNotForBundles) {
  set(kDetailTarget, {{.body = kDetail}});
  set(kBundleTarget, {{.body = kBundle}});
  EXPECT_EQ(*registry().resolve(latest("resend"), job), "1.2.3");
  EXPECT_THAT(server.targets(), ElementsAre(kDetailTarget));
  EXPECT_EQ(registry().resolve(latest("nope"), job).error().code, "D310");
}

TEST_F(RegistryTest, ResolveTakesTheVersionOfTheBundleWhereDetailsDoNotTellIt) {
  set(kBundleTarget, {{.body = kBundle}});
  EXPECT_EQ(*registry().resolve(latest("resend"), job), "1.2.3");
  set(kDetailTarget, {{.body = R"({"worker":{"name":"resend"}})"}});
  EXPECT_EQ(*registry().resolve(latest("resend"), job), "1.2.3");
}

TEST_F(RegistryTest, APinThatIsNotHonouredIsRefused) {
  const auto ask = [this](const std::string& version) {
    set("/w/resend/skills?version=" + form_encode(version), {{.body = kBundle}});
    return bundle_refusal({.worker = "resend", .version = version, .tag = {}});
  };
  for (const char* version : {"9.9.9", "1.2.4", "1.2.3-rc.1", "v1.2.30"}) {
    EXPECT_THAT(ask(version), AllOf(HasSubstr("D314 version_mismatch:"), HasSubstr(version),
                                    HasSubstr("1.2.3"), HasSubstr("Next:")));
  }
  // The same release in another spelling, and selectors that may mean several releases.
  for (const char* version : {"1.2.3", "v1.2.3", "1.2.3+build.7", "1.2", "^1.2.0", "latest", "1"}) {
    EXPECT_EQ(ask(version), "answered") << version;
  }
}

}  // namespace
}  // namespace iii::sources
