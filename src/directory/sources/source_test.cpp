#include "directory/sources/source.h"

#include <gmock/gmock.h>

namespace iii::sources {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SourceFields repo(std::string url, std::string skill = "s") {
  return {.repo = std::move(url), .skill = std::move(skill)};
}

std::string refusal(const SourceFields& fields) {
  const auto source = classify(fields);
  return source ? "accepted" : source.error().message;
}

TEST(Classify, OneSourceMustBeChosen) {
  EXPECT_THAT(refusal({}), HasSubstr("specify either"));
  EXPECT_THAT(refusal({.repo = " ", .worker = " "}), HasSubstr("specify either"));
  EXPECT_THAT(refusal({.repo = "x", .worker = "y"}), HasSubstr("not both"));
  EXPECT_THAT(refusal({.branch = "b"}), HasSubstr("repo"));
  EXPECT_THAT(refusal({.repo = "https://host/x"}), HasSubstr("skill"));
  EXPECT_THAT(refusal({.version = "1"}), HasSubstr("worker"));
  EXPECT_THAT(refusal({.worker = "w", .version = "1", .tag = "t"}),
              HasSubstr("either version OR tag"));
}

TEST(Classify, W20_EveryRefusalHasACode) {
  for (const SourceFields& fields : {SourceFields{}, SourceFields{.worker = "Bad"},
                                     repo("http://h/x"), repo("https://h/x", "..")}) {
    const auto source = classify(fields);
    ASSERT_FALSE(source);
    EXPECT_EQ(source.error().code, "D311");
    EXPECT_THAT(source.error().message, HasSubstr("D311 invalid_input:"));
    EXPECT_THAT(source.error().message, HasSubstr(" Next: "));
  }
}

TEST(Classify, LatestIsAskedForWhenNothingElseIs) {
  const auto source = classify({.worker = " resend "});
  ASSERT_TRUE(source);
  EXPECT_EQ(std::get<RegistrySource>(*source).worker, "resend");
  EXPECT_EQ(std::get<RegistrySource>(*source).tag, "latest");
  EXPECT_EQ(std::get<RegistrySource>(*source).selector(), "latest");
}

TEST(Classify, W22_NoBranchIsNotMainYet) {
  const auto source = classify(repo("https://host/x"));
  ASSERT_TRUE(source);
  EXPECT_FALSE(std::get<RepoSource>(*source).ref);
}

TEST(Classify, UrlsOfTheThreeTransportsAreTaken) {
  for (const std::string_view url :
       {"https://host/x/y", "ssh://git@host/x/y", "git@host:x/y", "ssh://host:2222/x"}) {
    EXPECT_EQ(refusal(repo(std::string(url))), "accepted") << url;
  }
}

TEST(Classify, UrlsThatRunOrReadSomethingElseAreRefused) {
  EXPECT_THAT(refusal(repo("--upload-pack=evil")), HasSubstr("'-'"));
  EXPECT_THAT(refusal(repo("ext::sh -c id")), HasSubstr("::"));
  EXPECT_THAT(refusal(repo("file:///etc")), HasSubstr("file:"));
  for (const std::string_view url : {"http://h/x", "git://h/x", "HTTPS://h/x", "/etc", "./x"}) {
    EXPECT_THAT(refusal(repo(std::string(url))), HasSubstr("https://")) << url;
  }
  EXPECT_THAT(refusal(repo("ssh://-oProxyCommand=x/y")), HasSubstr("host"));
  EXPECT_THAT(refusal(repo("git@-oProxyCommand=x:y")), HasSubstr("host"));
  EXPECT_THAT(refusal(repo("https://h/x\ny")), HasSubstr("control"));
}

// Where two programs could read a URL differently, the host that is checked might not be the one
// that is connected to.
TEST(Classify, HostsHaveOneReadingOnly) {
  for (const std::string_view url : {"https://%31%32%37.0.0.1/x",
                                     "https:///host/x",
                                     "https://host\\@127.0.0.1/x",
                                     "https://höst/x",
                                     "https://host./x",
                                     "https://host:/x",
                                     "https://host:0/x",
                                     "https://host:99999/x",
                                     "https://host:1x/x",
                                     "https://[host]/x",
                                     "https://ho_st/x",
                                     "ssh://us%65r@host/x",
                                     "ssh://git@-host/x",
                                     "ssh://a@b@host/x",
                                     "git@host/x",
                                     "git@[host:22]:x",
                                     "git@h'st:x",
                                     "git@$(id):x",
                                     "https://?x",
                                     "ssh://@host/x"}) {
    EXPECT_THAT(refusal(repo(std::string(url))), HasSubstr("D311")) << url;
  }
  const auto host = repo_host("ssh://git@Host.Example:2222/x");
  ASSERT_TRUE(host);
  EXPECT_EQ(host->host + " " + host->port + (host->ssh ? " ssh" : ""), "host.example 2222 ssh");
  EXPECT_EQ(repo_host("https://[2606:4700:0:0:0:0:0:1]:444/x")->host, "2606:4700:0:0:0:0:0:1");
  EXPECT_EQ(repo_host("git@host:x/y:z")->host, "host");
  EXPECT_EQ(repo_host("https://host?x@y")->host, "host");
}

TEST(Classify, W4_CredentialsInUrlsAreRefusedAndNotRepeated) {
  const std::string message = refusal(repo("https://user:tok3n@host/x"));
  EXPECT_THAT(message, HasSubstr("credentials"));
  EXPECT_THAT(message, Not(HasSubstr("tok3n")));
  EXPECT_THAT(refusal(repo("https://tok3n@host/x")), HasSubstr("credentials"));
  EXPECT_THAT(refusal(repo("ssh://git:tok3n@host/x")), HasSubstr("credentials"));
  EXPECT_EQ(redacted("http://user:tok3n@host/x"), "http://***@host/x");
  EXPECT_THAT(refusal(repo("http://user:tok3n@host/x")), Not(HasSubstr("tok3n")));
}

TEST(Classify, SkillNamesAreOneFolder) {
  for (const std::string_view name : {"frontend-design", "foo_bar", "v2", "a.b.c", "a b", "é"}) {
    EXPECT_EQ(refusal(repo("https://h/x", std::string(name))), "accepted") << name;
  }
  for (const std::string_view name : {"..", "a\\b", ".hidden", "a\nb", "a..b"}) {
    EXPECT_THAT(refusal(repo("https://h/x", std::string(name))), HasSubstr("skill name")) << name;
  }
}

TEST(Classify, RefsThatCouldBeOptionsOrRangesAreRefused) {
  for (const std::string_view ref : {"--upload-pack=x", "a..b", "a b", "HEAD~1", "x:y", "a//b"}) {
    EXPECT_THAT(refusal({.repo = "https://h/x", .skill = "s", .branch = std::string(ref)}),
                HasSubstr("branch"))
        << ref;
  }
  EXPECT_EQ(refusal({.repo = "https://h/x", .skill = "s", .ref = "feature/x-1"}), "accepted");
}

TEST(Classify, WorkerNamesAreLowerCaseWords) {
  for (const std::string_view name : {"iii-http", "x2", "a_b"}) {
    EXPECT_TRUE(check_worker_name(name)) << name;
  }
  for (const std::string_view name : {"", "Shell", "../x", "-x", "a/b", "x?y", "sh`id`", "é"}) {
    EXPECT_FALSE(check_worker_name(name)) << name;
  }
}

}  // namespace
}  // namespace iii::sources
