// Where git may go: a peer that names a repository must not reach the operator's network by it.
#include "directory/sources/git_route.h"

#include <gmock/gmock.h>

#include "directory/sources/git_command.h"
#include "directory/sources/git_fixture_for_test.h"
#include "directory/sources/http_server_for_test.h"

namespace iii::sources {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class GitRoute : public GitTest {
 protected:
  GitRoute() {
    options_.private_hosts.clear();
    options_.resolver = folder_.path() / "resolver";
    options_.program = folder_.path() / "git";
    resolve_to({});
    // Writes down what it was called with, and fails.
    write_program(options_.program,
                  "for a; do echo \"$a\"; done > " + log() + "\nenv > " + log() + ".env\nexit 1");
  }

  // What every name means from now on; none: no name is known.
  void resolve_to(const std::vector<std::string>& addresses) const {
    std::string script;
    for (const std::string& address : addresses) script += "echo '" + address + " STREAM x'\n";
    write_program(options_.resolver, script + (addresses.empty() ? "exit 2\n" : ""));
  }
  Result<Route> route(const std::string& url) const {
    return find_route({.repo = url, .skill = "a", .ref = {}}, options_, job_);
  }
  std::string refusal(const std::string& url) const {
    const auto found = route(url);
    return found ? "allowed" : found.error().message;
  }
  std::string log() const { return (folder_.path() / "log").native(); }
  static std::string text(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempFolder folder_;
};

TEST_F(GitRoute, PrivateAddressesAreRefusedInEverySpelling) {
  resolve_to({"8.8.8.8"});
  for (const char* url :
       {"https://127.0.0.1/x", "https://127.1/x", "https://2130706433/x", "https://0x7f000001/x",
        "https://10.0.0.1/x", "https://169.254.169.254/latest", "https://localhost/x",
        "https://a.localhost/x", "https://0/x", "https://[0:0:0:0:0:ffff:7f00:1]/x",
        "https://[0:0:0:0:0:0:0:1]/x", "ssh://127.0.0.1/x", "ssh://git@192.168.1.1:22/x",
        "git@10.0.0.1:x", "git@localhost:x"}) {
    EXPECT_THAT(refusal(url), HasSubstr("D313 host_not_allowed:")) << url;
  }
}

TEST_F(GitRoute, NamesAreResolvedAndGitIsHeldToTheAddressesThatWereChecked) {
  resolve_to({"93.184.216.34", "93.184.216.34", "10.0.0.1", "2606:2800::1"});
  EXPECT_EQ(route("https://Git.Example/x")->resolve,
            "git.example:443:93.184.216.34,[2606:2800::1]");
  EXPECT_EQ(route("https://git.example:8443/x")->resolve,
            "git.example:8443:93.184.216.34,[2606:2800::1]");
  EXPECT_THAT(route("git@git.example:x")->ssh_options,
              ElementsAre("HostName=93.184.216.34", "HostKeyAlias=git.example"));
  EXPECT_THAT(route("ssh://git.example:2222/x")->ssh_options,
              ElementsAre("HostName=93.184.216.34", "HostKeyAlias=[git.example]:2222"));
  resolve_to({"10.0.0.1", "127.0.0.1", "fd00::1"});
  const std::string refused = refusal("https://git.example/x");
  EXPECT_THAT(refused, HasSubstr("D313 host_not_allowed:"));
  EXPECT_EQ(refusal("git@git.example:x"), refused);
  resolve_to({});
  EXPECT_EQ(refusal("https://git.example/x"), refused) << "nothing about the network is told";
}

TEST_F(GitRoute, WhatWasCheckedIsWhatGitIsGiven) {
  resolve_to({"93.184.216.34"});
  ASSERT_FALSE(fetch("https://git.example/x", "a", "v1"));
  EXPECT_THAT(text(log()), HasSubstr("\nhttp.curloptResolve=git.example:443:93.184.216.34\n"));
  ASSERT_FALSE(fetch("ssh://git@git.example:2222/x", "a", "v1"));
  EXPECT_THAT(text(log() + ".env"), AllOf(HasSubstr("-o 'HostName=93.184.216.34'"),
                                          HasSubstr("-o 'HostKeyAlias=[git.example]:2222'")));
}

TEST_F(GitRoute, NothingIsConnectedToAndOpenPortsLookLikeClosedOnes) {
  TestServer server([](const TestServer::Request&) { return TestServer::Reply{}; });
  options_.program = "git";
  const std::string port = std::to_string(server.port());
  const std::string open = message(fetch("https://127.0.0.1:" + port + "/x", "a"));
  EXPECT_EQ(message(fetch("https://127.0.0.1:1/x", "a")), open);
  EXPECT_EQ(message(fetch("ssh://127.0.0.1:" + port + "/x", "a")), open);
  EXPECT_EQ(resolve_repo({.repo = "https://127.0.0.1:" + port + "/x", .skill = "a", .ref = {}},
                         options_, job_)
                .error()
                .message,
            open);
  EXPECT_THAT(open, AllOf(HasSubstr("D313"), HasSubstr("git_private_hosts"), Not(HasSubstr(port))));
  EXPECT_EQ(server.connections(), 0U);
  // The server does not speak TLS, so this ends when it has been connected to.
  options_.private_hosts = {"127.0.0.1"};
  job_.report = [&](const Progress&) {
    if (server.connections() > 0) job_.cancelled->store(true);
  };
  EXPECT_THAT(message(fetch("https://127.0.0.1:" + port + "/x", "a")), HasSubstr("D321"));
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(GitRoute, OnlyTheOperatorAllowsPrivateHosts) {
  options_.private_hosts = {"git.corp", "*.Lan"};
  for (const char* url : {"https://git.corp/x", "ssh://git.corp:7/x", "git@a.b.lan:x"}) {
    EXPECT_EQ(refusal(url), "allowed") << url;
    EXPECT_EQ(*route(url), Route{}) << url;
  }
  for (const char* url : {"https://xgit.corp/x", "https://lan/x", "https://127.0.0.1/x"}) {
    EXPECT_THAT(refusal(url), HasSubstr("D313")) << url;
  }
}

TEST_F(GitRoute, BehindAProxyTheNameIsJudgedAndTheDecisionIsHandedOn) {
  const Variable proxy("https_proxy", "http://proxy.corp:3128");
  const Variable none("no_proxy", "direct.example");
  EXPECT_EQ(route("https://git.example/x")->proxy, "http://proxy.corp:3128");
  EXPECT_THAT(refusal("https://10.0.0.1/x"), HasSubstr("D313"));
  EXPECT_THAT(refusal("https://localhost/x"), HasSubstr("D313"));
  // Not through the proxy, so the name has to be known here.
  EXPECT_THAT(refusal("https://direct.example/x"), HasSubstr("D313"));
  ASSERT_FALSE(fetch("https://git.example/x", "a", "v1"));
  EXPECT_THAT(text(log() + ".env"),
              AllOf(HasSubstr("HTTPS_PROXY=http://proxy.corp:3128\n"), Not(HasSubstr("no_proxy"))));
}

TEST_F(GitRoute, TheUsersSshConfigurationSaysWhatIsChecked) {
  const TempFolder home;
  write_file(home.path() / ".ssh/config",
             "Host work\n  HostName git.example\n  Port 443\n"
             "Host inside\n  HostName 10.0.0.5\n"
             "Host jump\n  HostName far.example\n  ProxyJump bastion\n"
             "Host alias\n  HostName git.example\n  HostKeyAlias known\n");
  const Variable there("HOME", home.path().native());
  resolve_to({"93.184.216.34"});
  EXPECT_THAT(route("git@work:x")->ssh_options,
              ElementsAre("HostName=93.184.216.34", "HostKeyAlias=[git.example]:443"));
  EXPECT_THAT(route("git@alias:x")->ssh_options, ElementsAre("HostName=93.184.216.34"));
  EXPECT_THAT(refusal("git@inside:x"), HasSubstr("D313"));
  EXPECT_THAT(route("git@jump:x")->ssh_options, IsEmpty());
  options_.private_hosts = {"10.0.0.5"};
  EXPECT_EQ(refusal("git@inside:x"), "allowed");
}

TEST_F(GitRoute, ASilentNameServerEndsWithTheJob) {
  write_program(options_.resolver, "sleep 1000");
  job_.allowed = std::chrono::milliseconds(70);
  job_.deadline = std::chrono::steady_clock::now() + job_.allowed;
  EXPECT_THAT(refusal("https://git.example/x"), HasSubstr("timed out after 70 ms"));
}

// `credential.helper` as the operator named it: asked for a password, told nothing.
TEST_F(GitRoute, ACredentialHelperIsUsedOnlyWhenTheOperatorNamesOne) {
  options_.private_hosts = {"*"};
  ASSERT_FALSE(fetch("https://git.example/x", "a", "v1"));
  EXPECT_THAT(text(log()),
              AllOf(HasSubstr("\ncredential.helper=\n"), Not(HasSubstr("iii_credential"))));
  options_.credential_helper = "store --file=/secret";
  ASSERT_FALSE(fetch("https://git.example/x", "a", "v1"));
  EXPECT_THAT(text(log()), HasSubstr("git credential-store --file=/secret \"$@\""));
  EXPECT_THAT(text(log() + ".env"), HasSubstr("GIT_TERMINAL_PROMPT=0\n"));
}

// Real git asks the helper; what it is told to store or erase does not reach it.
TEST_F(GitRoute, AHelperAnswersGetAndNothingElse) {
  const std::string seen = (folder_.path() / "seen").native();
  const TempFolder home;
  const Variable there("HOME", home.path().native());
  options_.program = "git";
  options_.credential_helper =
      "!f() { echo \"$1 $HOME\" >> " + seen + "; echo username=u; echo password=p; }; f";
  const auto scratch = Scratch::make(scratch_.path());
  ASSERT_TRUE(scratch);
  const RepoSource source{.repo = "https://git.example/x", .skill = "a", .ref = {}};
  const Git git(source, options_, job_, *scratch, Route{});
  const std::string about = "protocol=https\nhost=git.example\n\n";
  const auto filled = git.output({"credential", "fill"}, {.step = "asking", .input = about});
  ASSERT_TRUE(filled) << filled.error().message;
  EXPECT_THAT(*filled, AllOf(HasSubstr("username=u\n"), HasSubstr("password=p\n")));
  EXPECT_TRUE(git.output({"credential", "reject"}, {.step = "asking", .input = *filled + "\n"}));
  EXPECT_TRUE(git.output({"credential", "approve"}, {.step = "asking", .input = *filled + "\n"}));
  EXPECT_EQ(text(seen), "get " + home.path().native() + "\n");
}

}  // namespace
}  // namespace iii::sources
