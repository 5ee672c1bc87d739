// What a download was asked for: a worker of the registry, or a skill folder of a git repository.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

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
  std::string repo;
  std::string skill;
  // A branch, a tag or a commit. Nothing: `main`, and the remote's default branch where there is no
  // `main`.
  std::optional<std::string> ref;

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
};

// Pure. Errors have code D311 and name the fields. Names, URL and ref are checked here too, so that
// nothing was created or asked when one is refused.
Result<Source> classify(const SourceFields& fields);

// The same checks for a source that comes from elsewhere, such as a committed `directory.lock`.
Result<void> check_source(const Source& source);

// Where a repository lies, once its URL has passed the checks.
struct RepoHost {
  bool ssh = false;
  std::string host;  // a name or an address, in lower case and without brackets
  std::string port;  // empty: the scheme's own

  bool is_ipv6() const { return host.find(':') != std::string::npos; }
};
// Nothing when the URL does not have the strict form that every program reads in the same way:
// `https://HOST[:PORT]/…`, `ssh://[USER@]HOST[:PORT]/…` or `git@HOST:…`, HOST made of letters,
// digits, '-' and '.', or an IPv6 address in brackets.
std::optional<RepoHost> repo_host(std::string_view url);

// The folder below the skills folder that a source fills: the worker's or the skill's name.
const std::string& namespace_of(const Source& source);
// `registry` or `repo`.
std::string_view kind_of(const Source& source);

// The rule for names of registry workers: `[a-z0-9][a-z0-9_-]*`, at most 128 bytes.
Result<void> check_worker_name(std::string_view name);
// A URL without anything secret in it, for logs and messages.
std::string redacted(std::string_view url);

}  // namespace iii::sources
