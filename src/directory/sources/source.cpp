#include "directory/sources/source.h"

#include <arpa/inet.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "directory/content/kinds.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/json/write.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxNameBytes = 128;
constexpr size_t kMaxUrlBytes = 2'048;
constexpr size_t kMaxRefBytes = 256;
constexpr size_t kMaxPathBytes = 1'024;
constexpr std::string_view kLocalScheme = "file:";

constexpr std::string_view kChoose =
    "give `worker`, or `repo` and `skill`; see directory::skills::download";
constexpr std::string_view kListWorkers =
    "call directory::registry::workers::list for the names there are";
constexpr std::string_view kGiveAs = "name the namespace with `as`";
constexpr std::string_view kCheckRepo = "check the repository's address and the skill's name";

std::unexpected<Error> refuse(std::string reason, std::string_view next) {
  return fail("D311",
              "D311 invalid_input: " + std::move(reason) + ". Next: " + std::string(next) + ".");
}

std::optional<std::string> given(const std::optional<std::string>& field) {
  if (!field) return std::nullopt;
  const std::string_view text = trim(*field);
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::string in_quotes(std::string_view text) { return '"' + echoed(text) + '"'; }

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

// Control characters and what is not UTF-8 cannot be part of a name that is shown.
bool is_plain_text(std::string_view text) {
  return is_utf8(text) && std::ranges::none_of(text, [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte < 0x20 || byte == 0x7f;
         });
}

// The name of a folder, or the `name` in a SKILL.md, which may be any text.
Result<void> check_skill_name(std::string_view name) {
  if (name.find('\\') != std::string_view::npos) {
    return refuse("a skill name may not contain '\\': " + in_quotes(name), kCheckRepo);
  }
  if (name.find("..") != std::string_view::npos) {
    return refuse("a skill name may not contain '..': " + in_quotes(name), kCheckRepo);
  }
  if (name.starts_with('.')) {
    return refuse("a skill name may not start with '.': " + in_quotes(name), kCheckRepo);
  }
  if (!is_plain_text(name)) {
    return refuse("a skill name may not contain control characters", kCheckRepo);
  }
  if (name.size() > kMaxNameBytes)
    return refuse("the skill name is longer than 128 bytes", kCheckRepo);
  return {};
}

// The folder of a skill, in one spelling: no `./`, no slash at the end, no SKILL.md; `.` for the
// repository itself.
Result<std::string> clean_folder(std::string_view text) {
  if (text.starts_with('/')) {
    return refuse("`path` starts at the top of the repository, without '/': " + in_quotes(text),
                  kCheckRepo);
  }
  if (text.find('\\') != std::string_view::npos || !is_plain_text(text) ||
      text.size() > kMaxPathBytes) {
    return refuse(
        "this cannot be a path in a repository: " + in_quotes(printable(text).substr(0, 80)),
        kCheckRepo);
  }
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, '/')) {
    if (part.empty() || part == ".") continue;
    if (part == "..") return refuse("`path` may not contain '..': " + in_quotes(text), kCheckRepo);
    parts.emplace_back(part);
  }
  if (!parts.empty() && content::is_skill_file(parts.back())) parts.pop_back();
  return parts.empty() ? std::string(".") : join(parts, "/");
}

// What a skill is called that was given by its folder.
std::string name_of_folder(std::string_view path, std::string_view repo) {
  std::string_view name = path == "." ? repository_name(repo) : path.substr(path.rfind('/') + 1);
  while (name.starts_with('.')) name.remove_prefix(1);  // a hidden folder cannot be a namespace
  return std::string(name);
}

// `user:secret@` between the scheme and the host. A bare user name is what ssh needs.
bool has_credentials(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string_view authority = url.substr(scheme + 3, url.find('/', scheme + 3) - scheme - 3);
  const size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return false;
  return url.starts_with("https://") || authority.substr(0, at).find(':') != std::string_view::npos;
}

// `host`, `host:port`, `[address]`, `[address]:port`.
std::optional<RepoHost> split_host(std::string_view text, bool ssh) {
  RepoHost out{.ssh = ssh, .host = {}, .port = {}};
  std::string_view port;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.host = ascii_lower(text.substr(1, end - 1));
    in6_addr ignored{};
    if (inet_pton(AF_INET6, out.host.c_str(), &ignored) != 1) return std::nullopt;
    port = text.substr(end + 1);
  } else {
    const size_t colon = std::min(text.find(':'), text.size());
    out.host = ascii_lower(text.substr(0, colon));
    const auto allowed = [](char c) { return is_lower_or_digit(c) || c == '-' || c == '.'; };
    if (out.host.empty() || !std::ranges::all_of(out.host, allowed)) return std::nullopt;
    if (out.host.starts_with('-') || out.host.ends_with('.')) return std::nullopt;
    port = text.substr(colon);
  }
  if (port.empty()) return out;
  out.port = port.substr(1);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool number = port.front() == ':' && !out.port.empty() && out.port.size() <= 5 &&
                      std::ranges::all_of(out.port, digit) && out.port.front() != '0' &&
                      std::stoul(out.port) <= 65'535;
  return number ? std::optional(out) : std::nullopt;
}

bool has_space_or_control(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f;
  });
}

// The order is that of the published worker, so that the same input names the same reason.
Result<void> check_repo_url(std::string_view url) {
  if (url.starts_with('-')) {
    return refuse("the repo URL may not start with '-': " + in_quotes(redacted(url)), kCheckRepo);
  }
  if (url.find("::") != std::string_view::npos) {
    return refuse("the repo URL may not contain '::', which names a transport program: " +
                      in_quotes(redacted(url)),
                  kCheckRepo);
  }
  if (url.starts_with("file:")) {
    return refuse("the repo URL may not use 'file:': " + in_quotes(redacted(url)), kCheckRepo);
  }
  if (!url.starts_with("https://") && !url.starts_with("ssh://") && !url.starts_with("git@")) {
    return refuse(
        "the repo URL must start with https://, ssh:// or git@, not " + in_quotes(redacted(url)),
        kCheckRepo);
  }
  if (has_credentials(url)) {
    return refuse("the repo URL holds credentials, which would end up in logs and lock files",
                  "leave them out; for private repositories use an ssh key, or let the operator "
                  "set `git_credential_helper`");
  }
  if (has_space_or_control(url) || !is_utf8(url)) {
    return refuse("the repo URL holds blanks or control characters", kCheckRepo);
  }
  // git would take `ssh://-oProxyCommand=…` for an option of ssh.
  const size_t host = url.find(url.starts_with("git@") ? "@" : "//");
  const size_t length = url.starts_with("git@") ? 1 : 2;
  if (url.size() > host + length && url[host + length] == '-') {
    return refuse("the host of the repo URL may not start with '-'", kCheckRepo);
  }
  if (url.size() > kMaxUrlBytes)
    return refuse("the repo URL is longer than 2048 bytes", kCheckRepo);
  if (!repo_host(url)) {
    return refuse(
        "the host of the repo URL must be made of letters, digits, '-' and '.', or be an IPv6 "
        "address in brackets, with a port from 1 to 65535 or none",
        kCheckRepo);
  }
  return {};
}

// What git itself refuses in names of branches and tags, and whatever could be taken for an option.
Result<void> check_ref(std::string_view ref) {
  const bool odd =
      ref.starts_with('-') || ref.starts_with('/') || ref.ends_with('/') || ref.ends_with('.') ||
      ref.ends_with(".lock") || ref.find("..") != std::string_view::npos ||
      ref.find("//") != std::string_view::npos || ref.find("@{") != std::string_view::npos ||
      ref.find_first_of("~^:?*[\\") != std::string_view::npos || has_space_or_control(ref) ||
      !is_utf8(ref) || ref.size() > kMaxRefBytes;
  if (odd) {
    return refuse(
        "this cannot be the name of a branch, tag or commit: " + in_quotes(ref.substr(0, 80)),
        kCheckRepo);
  }
  return {};
}

// What the address already says must not be said differently by a field.
Result<void> join_field(std::optional<std::string>& field, const std::optional<std::string>& said,
                        std::string_view name) {
  if (!said) return {};
  if (field && *field != *said) {
    return refuse("`" + std::string(name) + "` is given twice: in `repo` as " + in_quotes(*said) +
                      ", and as " + in_quotes(*field),
                  kCheckRepo);
  }
  field = said;
  return {};
}

Result<Source> classify_repo(const SourceFields& fields) {
  auto repo = given(fields.repo);
  auto skill = given(fields.skill);
  auto path = given(fields.path);
  const auto branch = given(fields.branch);
  auto ref = given(fields.ref);
  if (!repo) return refuse("repo is required when skill, branch or ref is given", kChoose);
  if (branch && ref) return refuse("specify either branch OR ref, not both", kChoose);
  if (branch) ref = branch;
  RepoAddress address = parse_repo(*repo);
  Result<void> joined = join_field(skill, address.skill, "skill");
  if (joined) joined = join_field(path, address.path, "path");
  if (joined) joined = join_field(ref, address.ref, "ref");
  if (!joined) return std::unexpected(joined.error());
  if (skill && !path && skill->find('/') != std::string::npos) path = std::exchange(skill, {});
  if (!skill && !path) return refuse("skill is required when repo is given", kChoose);
  if (path) {
    auto clean = clean_folder(*path);
    if (!clean) return std::unexpected(clean.error());
    path = std::move(*clean);
    if (!skill) skill = name_of_folder(*path, address.repo);
  }
  if (auto ok = check_skill_name(*skill); !ok) return std::unexpected(ok.error());
  const bool local = fields.local && address.repo.starts_with(kLocalScheme);
  if (auto ok = local ? Result<void>{} : check_repo_url(address.repo); !ok) {
    return std::unexpected(ok.error());
  }
  if (ref) {
    if (auto ok = check_ref(*ref); !ok) return std::unexpected(ok.error());
  }
  const std::string as = given(fields.as).value_or("");
  if (auto ok = check_namespace_name(as.empty() ? *skill : as); !ok) {
    return std::unexpected(ok.error());
  }
  return RepoSource{.repo = std::move(address.repo),
                    .skill = *skill,
                    .ref = std::move(ref),
                    .path = std::move(path),
                    .as = as == *skill ? std::string() : as};
}

Result<Source> classify_registry(const SourceFields& fields) {
  const auto worker = given(fields.worker);
  const auto version = given(fields.version);
  auto tag = given(fields.tag);
  if (!worker) return refuse("worker is required when version or tag is given", kListWorkers);
  if (version && tag) return refuse("specify either version OR tag, not both", kListWorkers);
  if (auto ok = check_worker_name(*worker); !ok) return std::unexpected(ok.error());
  if (version && version->size() > kMaxRefBytes)
    return refuse("the version is too long", kListWorkers);
  if (tag && tag->size() > kMaxRefBytes) return refuse("the tag is too long", kListWorkers);
  if (!version && !tag) tag = "latest";
  return RegistrySource{.worker = *worker, .version = version, .tag = std::move(tag)};
}

}  // namespace

Result<Source> classify(const SourceFields& fields) {
  const bool repo = given(fields.repo) || given(fields.skill) || given(fields.branch) ||
                    given(fields.ref) || given(fields.path) || given(fields.as);
  const bool registry = given(fields.worker) || given(fields.version) || given(fields.tag);
  const std::string choice = "specify either {repo, skill, branch?} OR {worker, version?|tag?}";
  if (repo && registry) return refuse(choice + ", not both", kChoose);
  if (!repo && !registry) return refuse(choice, kChoose);
  return repo ? classify_repo(fields) : classify_registry(fields);
}

Result<RepoSource> classify_repository(const std::string& repo,
                                       const std::optional<std::string>& ref, bool local) {
  const RepoAddress address = parse_repo(trim(repo));
  SourceFields fields;
  fields.repo = address.repo;
  fields.path = address.path.value_or(".");
  fields.ref = ref;
  fields.as = "all";  // no namespace is made of it
  fields.local = local;
  if (auto joined = join_field(fields.ref, address.ref, "ref"); !joined) {
    return std::unexpected(joined.error());
  }
  Result<Source> source = classify_repo(fields);
  if (!source) return std::unexpected(source.error());
  auto out = std::get<RepoSource>(std::move(*source));
  out.as.clear();
  return out;
}

Result<void> check_source(const Source& source) {
  SourceFields fields;
  if (const auto* repo = std::get_if<RepoSource>(&source)) {
    fields.repo = repo->repo;
    fields.skill = repo->skill;
    fields.ref = repo->ref;
    fields.path = repo->path;
    if (!repo->as.empty()) fields.as = repo->as;
    fields.local = is_local(source);
  } else {
    const auto& registry = std::get<RegistrySource>(source);
    fields.worker = registry.worker;
    fields.version = registry.version;
    fields.tag = registry.tag;
  }
  const Result<Source> checked = classify(fields);
  if (!checked) return std::unexpected(checked.error());
  if (*checked != source) return refuse("blanks around a name or an address", kChoose);
  return {};
}

std::optional<RepoHost> repo_host(std::string_view url) {
  if (url.starts_with("git@")) {
    url.remove_prefix(4);
    // The first colon outside brackets ends the host; a slash before it would make this a path.
    const size_t from = url.starts_with('[') ? std::min(url.find(']'), url.size()) : 0;
    const size_t colon = url.find(':', from);
    if (colon == std::string_view::npos) return std::nullopt;
    const auto host = split_host(url.substr(0, colon), true);
    return host && host->port.empty() ? host : std::nullopt;
  }
  const bool ssh = url.starts_with("ssh://");
  if (!ssh && !url.starts_with("https://")) return std::nullopt;
  url.remove_prefix(ssh ? 6 : 8);
  std::string_view authority = url.substr(0, url.find_first_of("/?#\\"));
  if (ssh) {
    const size_t at = authority.find('@');
    const auto allowed = [](char c) {
      return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
    };
    if (at != std::string_view::npos) {
      const std::string_view user = authority.substr(0, at);
      const bool plain = !user.empty() && user.front() != '-' && std::ranges::all_of(user, allowed);
      if (!plain) return std::nullopt;
      authority.remove_prefix(at + 1);
    }
  }
  return split_host(authority, ssh);
}

const std::string& namespace_of(const Source& source) {
  if (const auto* repo = std::get_if<RepoSource>(&source)) {
    return repo->as.empty() ? repo->skill : repo->as;
  }
  return std::get<RegistrySource>(source).worker;
}

bool is_local(const Source& source) {
  const auto* repo = std::get_if<RepoSource>(&source);
  return repo != nullptr && repo->repo.starts_with(kLocalScheme);
}

std::string_view repository_name(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.ends_with(".git")) url.remove_suffix(4);
  const size_t slash = url.find_last_of("/:");
  return slash == std::string_view::npos ? url : url.substr(slash + 1);
}

std::string repository_key(std::string_view url) {
  std::string_view path = url;
  std::string host;
  if (const auto at = repo_host(url)) {
    host = at->host + (at->port.empty() ? "" : ":" + at->port);
    if (url.starts_with("git@")) {
      path = url.substr(url.find(':', url.find(']') == std::string_view::npos ? 0 : url.find(']')));
    } else {
      path.remove_prefix(path.find("://") + 3);
      path.remove_prefix(std::min(path.find('/'), path.size()));
    }
    while (path.starts_with('/') || path.starts_with(':')) path.remove_prefix(1);
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path.ends_with(".git")) path.remove_suffix(4);
  return host + "/" + std::string(path);
}

std::string repository_and_ref(const RepoSource& source) {
  std::string key = source.repo;
  key += '\0';
  if (source.ref) key += *source.ref;
  return key;
}

std::string shown_source(const Source& source) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return "worker " + registry->worker + " of the registry";
  }
  const auto& repo = std::get<RepoSource>(source);
  const std::string place = is_local(source) ? "a local folder" : redacted(repo.repo);
  return place + " (" + repo.path.value_or(repo.skill) + ")";
}

Result<void> check_namespace_name(std::string_view name) {
  if (name.find('/') != std::string_view::npos) {
    return refuse("the name of a namespace may not contain '/': " + in_quotes(name), kGiveAs);
  }
  if (name.empty() || name.size() > kMaxNameBytes) {
    return refuse("the name of a namespace has 1 to 128 bytes: " + in_quotes(name.substr(0, 80)),
                  kGiveAs);
  }
  return check_skill_name(name);
}

std::string_view kind_of(const Source& source) {
  return std::holds_alternative<RepoSource>(source) ? "repo" : "registry";
}

Result<void> check_worker_name(std::string_view name) {
  if (name.empty() || !is_lower_or_digit(name.front())) {
    return refuse("a worker name starts with a lower-case letter or a digit: " + in_quotes(name),
                  kListWorkers);
  }
  const auto allowed = [](char c) { return is_lower_or_digit(c) || c == '-' || c == '_'; };
  if (!std::ranges::all_of(name, allowed)) {
    return refuse(
        "a worker name is made of lower-case letters, digits, '-' and '_': " + in_quotes(name),
        kListWorkers);
  }
  if (name.size() > kMaxNameBytes)
    return refuse("the worker name is longer than 128 bytes", kListWorkers);
  return {};
}

std::string redacted(std::string_view url) {
  const size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const size_t end = std::min(url.find('/', scheme + 3), url.size());
  const size_t at = url.substr(0, end).rfind('@');
  if (at == std::string_view::npos || at < scheme) return std::string(url);
  return std::string(url.substr(0, scheme + 3)) + "***" + std::string(url.substr(at));
}

json::Raw source_json(const Source& source, const std::string& branch) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    json::Object out{{"kind", "registry"}, {"worker", registry->worker}};
    if (registry->version) out.emplace("version", *registry->version);
    if (registry->tag) out.emplace("tag", *registry->tag);
    return json::Raw{json::to_text(out)};
  }
  const auto& repo = std::get<RepoSource>(source);
  // Where on this machine is nobody's business on the bus.
  if (is_local(source)) {
    return json::Raw{json::to_text(json::Object{{"kind", "folder"}, {"skill", repo.skill}})};
  }
  const std::string used = !branch.empty() ? branch : repo.ref.value_or("main");
  json::Object out{{"kind", "repo"}, {"repo", repo.repo}, {"skill", repo.skill}, {"branch", used}};
  if (repo.path) out.emplace("path", *repo.path);
  return json::Raw{json::to_text(out)};
}

}  // namespace iii::sources
