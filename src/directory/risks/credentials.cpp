// Places of credentials, environment dumps, and both on their way to the network.
#include <algorithm>
#include <array>

#include "directory/risks/matcher.h"
#include "directory/risks/pipeline.h"

namespace iii::risks {

namespace {

// Parts of paths, in lower case.
constexpr auto kPlaces = std::to_array<std::string_view>({
    ".ssh/id_",
    ".ssh/*",
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".docker/config.json",
    ".kube/config",
    ".pypirc",
    ".gnupg/",
    ".claude/.credentials",
    ".codex/auth.json",
    ".config/gh/hosts.yml",
    "gcloud/application_default_credentials",
    "gcloud/credentials.db",
    ".azure/accesstokens",
    "/etc/shadow",
    "library/keychains",
    "login.keychain",
    ".local/share/keyrings",
    "google/chrome/user",
    "google/chrome/default",
    "google-chrome/default",
    ".mozilla/firefox",
    "firefox/profiles",
    "cookies.sqlite",
    "logins.json",
    "key4.db",
    "wallet.dat",
    "169.254.169.254/latest/meta-data/iam",
    "metadata.google.internal/computemetadata/v1/instance/service-accounts",
});

constexpr auto kReaders = std::to_array<std::string_view>(
    {"cat",         "head",    "tail", "less",     "more",         "cp",          "scp",
     "rsync",       "tar",     "zip",  "base64",   "xxd",          "strings",     "type",
     "get-content", "gc",      "open", "readfile", "readfilesync", "fs.readfile", "fs.readfilesync",
     "read_text",   "sqlite3", "curl"});

constexpr auto kFilters = std::to_array<std::string_view>(
    {"grep", "egrep", "rg", "awk", "sed", "cut", "wc", "findstr", "select-string", "sls", "fzf"});

constexpr auto kDumpers = std::to_array<std::string_view>(
    {"json.stringify", "console.log", "json.dumps", "print", "pprint", "pprint.pprint", "str",
     "util.inspect", "writefilesync", "fs.writefilesync", "write_text"});

bool is_secret_place(std::string_view word) {
  if (word.find_first_of("/.\\") == std::string_view::npos || word.ends_with(".pub")) return false;
  return std::ranges::any_of(kPlaces, [&](std::string_view part) { return word.contains(part); });
}

// Settings of a project: read all the time, and worth a finding only when they are sent.
bool is_settings(std::string_view word) {
  return word == ".env" || word.ends_with("/.env") || word.ends_with("@.env");
}

// The environment as a whole: `os.environ` and not `os.environ["x"]` or `os.environ.get`.
bool is_environment(std::string_view word) {
  return word == "process.env" || word == "os.environ" || word == "...process.env" ||
         word == "**os.environ";
}

class CredentialMatcher : LineMatcher {
 public:
  CredentialMatcher(const Line& line, Sink& sink) : LineMatcher(line, sink) {}

  void run() {
    for (const Segment& segment : line_.segments) {
      if (segment.starts) end_statement();
      look_at(segment);
    }
    end_statement();
  }

 private:
  void look_at(const Segment& segment) {
    sink_.count(segment.end - segment.begin);
    sends_ = sends_ || sends(tokens_, segment);
    if (environment_ != kNoToken && segment.piped) piped_environment(segment);
    if (const size_t bare = bare_environment(segment); bare != kNoToken) {
      environment_ = bare;
      alone_ = line_.place.where == Where::kCode;
    }
    bool dumps = false;
    for (size_t at = segment.begin; at < segment.end; ++at) {
      if (tokens_[at].kind == TokenKind::kRedirect && environment_ != kNoToken) stored_ = true;
      const std::string_view text = word(at);
      if (text.empty()) continue;
      const bool call = is_called(at);
      dumps = dumps || (call && is_one_of(text, kDumpers));
      reads_ = reads_ || (is_one_of(program(text), kReaders) && (call || at == segment.command));
      if (is_secret_place(text) && secret_ == kNoToken) secret_ = at;
      if (is_settings(text) && settings_ == kNoToken) settings_ = at;
      if (is_environment(text) && (dumps || sends_)) {
        environment_ = at;
        stored_ = true;
      }
    }
    keychain(segment);
  }

  // `env` or `printenv` without anything: it prints all variables. In YAML and JSON `env` is a key,
  // in sentences a name.
  size_t bare_environment(const Segment& segment) const {
    size_t only = kNoToken;
    for (size_t at = segment.begin; at < segment.end; ++at) {
      if (tokens_[at].kind == TokenKind::kRedirect) break;
      if (word(at).empty() || word(at) == "$") continue;
      if (only != kNoToken) return kNoToken;
      only = at;
    }
    if (only == kNoToken) return kNoToken;
    const Token& token = tokens_[only];
    const std::string_view name = program(token.text);
    if (name != "env" && name != "printenv") return kNoToken;
    const bool command =
        line_.place.where == Where::kCode ? line_.place.shell && !token.quoted : token.quoted;
    const bool key = line_.tokens.lower().substr(token.at + token.text.size()).starts_with(':');
    return command && !key ? only : kNoToken;
  }

  void piped_environment(const Segment& segment) {
    const std::string_view name = command(segment);
    if (is_one_of(name, kFilters)) {
      environment_ = kNoToken;  // a part of it
    } else if (name == "base64" || name == "xxd" || name == "gzip" || name == "tee" ||
               name == "openssl") {
      stored_ = true;
    }
  }

  // security find-generic-password, dump-keychain: the keychain of macOS.
  void keychain(const Segment& segment) {
    if (word(segment.command) != "security") return;
    const std::string_view what = word(segment.argument);
    if (what != "dump-keychain" && !what.starts_with("find-generic-pass") &&
        !what.starts_with("find-internet-pass")) {
      return;
    }
    secret_ = segment.argument;
    reads_ = true;
  }

  void end_statement() {
    if (secret_ == kNoToken && sends_) secret_ = settings_;
    if (secret_ != kNoToken) secret();
    if (environment_ != kNoToken) environment();
    secret_ = settings_ = environment_ = kNoToken;
    sends_ = reads_ = stored_ = alone_ = false;
  }

  void secret() {
    const size_t at = tokens_[secret_].at;
    const std::string place(tokens_[secret_].text.substr(0, 60));
    if (sends_ && line_.place.where != Where::kProse) {
      return found(code::kCredentialUpload, Severity::kHigh, at,
                   "credentials (" + place + ") are sent to the network");
    }
    const bool command = reads_ && line_.place.where == Where::kCode;
    found(code::kCredentialPath, command ? Severity::kMedium : Severity::kLow, at,
          command ? "credentials are read: " + place : "credentials are named: " + place);
  }

  void environment() {
    const size_t at = tokens_[environment_].at;
    if (sends_) {
      return found(code::kEnvironmentUpload, Severity::kHigh, at,
                   "all environment variables are sent to the network");
    }
    if (!stored_ && !alone_) return;
    found(code::kEnvironmentDump, stored_ ? Severity::kMedium : Severity::kLow, at,
          stored_ ? "all environment variables are stored or encoded"
                  : "all environment variables are printed");
  }

  // Of the statement.
  size_t secret_ = kNoToken;
  size_t settings_ = kNoToken;
  size_t environment_ = kNoToken;
  bool sends_ = false;
  bool reads_ = false;
  bool stored_ = false;
  bool alone_ = false;
};

}  // namespace

void match_credentials(const Line& line, Sink& sink) { CredentialMatcher(line, sink).run(); }

}  // namespace iii::risks
