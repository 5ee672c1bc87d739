// What a download was asked for: a worker of the registry, or a skill folder of a git repository.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::sources {

struct RegistrySource {
  std::string worker;
  // Exactly one of the two; `latest` when nothing was asked for.
  std::optional<std::string> version;
  std::optional<std::string> tag;

  // What the registry is asked for: it takes versions and tags under one key.
  const std::string& selector() const { return version ? *version : *tag; }
  bool operator==(const RegistrySource&) const = default;
};

struct RepoSource {
  // URL. `file:///…`: a local folder, which only the command line may name; `file:../…` is one
  // relative to the skills folder, as `directory.lock` records it.
  std::string repo;
  std::string skill;  // name of a folder, or the `name` in a SKILL.md
  // A branch, a tag or a commit. Nothing: `main`, and the remote's default branch where there is no
  // `main`.
  std::optional<std::string> ref;
  // The folder in the repository, where it was given; `.`: the repository itself. Then `skill` is
  // not looked for.
  std::optional<std::string> path = {};
  std::string as = {};  // the namespace; empty: called like the skill

  bool operator==(const RepoSource&) const = default;
};

using Source = std::variant<RegistrySource, RepoSource>;

// Fields as callers give them; blank counts as absent (directory-write §2).
struct SourceFields {
  std::optional<std::string> repo;
  std::optional<std::string> skill;
  std::optional<std::string> branch;
  std::optional<std::string> ref;  // ours; like `branch`, and takes commits by name
  std::optional<std::string> worker;
  std::optional<std::string> version;
  std::optional<std::string> tag;
  std::optional<std::string> path = {};  // ours: folder in the repository
  std::optional<std::string> as = {};    // ours: namespace to write to
  bool local = false;                    // `repo` may be `file:///…`
};

// The host that `owner/repo` means.
inline constexpr std::string_view kDefaultGitHost = "github.com";

// Where a repository and a skill in it are, as people write it.
struct RepoAddress {
  std::string repo;  // a URL, or the text as it was when it has none of the forms
  std::optional<std::string> skill;
  std::optional<std::string> path;
  std::optional<std::string> ref;

  bool operator==(const RepoAddress&) const = default;
};
// Pure: `owner/repo`, `owner/repo@skill`, `owner/repo/path/to/skill`, each with `#ref`; the URL of
// a page that shows a folder (`https://HOST/owner/repo/tree/REF/path`); any URL of git, with
// `#ref`. A page's URL does not say where REF ends: its first segment is taken for it, the rest for
// the path.
RepoAddress parse_repo(std::string_view text);
// Whether a word of a command line is a local folder: `./x`, `../x`, `/x`, `~/x`, `file://…`.
bool is_local_word(std::string_view text);

// Pure. Errors have code D311 and name the fields. Names, URL and ref are checked here too, so that
// nothing was created or asked when one is refused.
Result<Source> classify(const SourceFields& fields);

// A repository alone, to see what it has: `path` is where to look, `.` for all of it.
Result<RepoSource> classify_repository(const std::string& repo,
                                       const std::optional<std::string>& ref, bool local);

// The same checks for a source that comes from elsewhere, such as a committed `directory.lock`.
Result<void> check_source(const Source& source);

// Whether it is a folder of this machine.
bool is_local(const Source& source);
// `https://host/group/name.git/` → `name`.
std::string_view repository_name(std::string_view url);
// One for all spellings of an address: `git@Host:a/b.git` and `https://host/a/b` → `host/a/b`.
std::string repository_key(std::string_view url);
// Equal for sources that the same tree answers.
std::string repository_and_ref(const RepoSource& source);
// In words, for messages: `worker resend of the registry`, `https://host/a/b (skills/x)`.
std::string shown_source(const Source& source);

// Where a repository lies, once its URL has passed the checks.
struct RepoHost {
  bool ssh = false;
  std::string host;  // a name or an address, in lower case and without brackets
  std::string port;  // empty: the scheme's own
};
// Nothing when the URL does not have the strict form that every program reads in the same way:
// `https://HOST[:PORT]/…`, `ssh://[USER@]HOST[:PORT]/…` or `git@HOST:…`, HOST made of letters,
// digits, '-' and '.', or an IPv6 address in brackets.
std::optional<RepoHost> repo_host(std::string_view url);

// The folder below the skills folder that a source fills: the worker's or the skill's name.
const std::string& namespace_of(const Source& source);
// `registry` or `repo`.
std::string_view kind_of(const Source& source);

// The rule for namespaces that come from names of skills: one visible folder name, at most 128
// bytes.
Result<void> check_namespace_name(std::string_view name);
// The rule for names of registry workers: `[a-z0-9][a-z0-9_-]*`, at most 128 bytes.
Result<void> check_worker_name(std::string_view name);
// `{"kind":"registry","worker":…,"tag":…}`, as the published worker echoes it.
json::Raw source_json(const Source& source, const std::string& branch);
// A URL without anything secret in it, for logs and messages.
std::string redacted(std::string_view url);

}  // namespace iii::sources
