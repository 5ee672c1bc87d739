#include "directory/sources/lock_file.h"

#include <algorithm>
#include <array>

#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/json/yaml.h"

namespace iii::sources {

namespace {

constexpr int64_t kLockFormat = 1;
constexpr std::string_view kHead =
    "# What is installed here, and from where. Written by iii-directory; worth committing.\n";
constexpr std::string_view kDigestPrefix = "sha256:";
constexpr std::string_view kLocalKind = "folder";  // a folder of this machine
constexpr std::string_view kExecutable = "x";
// Members of an entry that are written as they are, and left out when they are empty.
constexpr auto kTexts = std::to_array<std::pair<const char*, std::string LockedNamespace::*>>(
    {{"resolved", &LockedNamespace::resolved},
     {"branch", &LockedNamespace::branch},
     {"folder", &LockedNamespace::folder},
     {"tree", &LockedNamespace::tree}});

std::unexpected<Error> damaged(const std::string& reason) {
  return fail("D333",
              "D333 lock_unreadable: `directory.lock` cannot be used: " + reason +
                  ". Nothing was changed. Next: bring it back from version control, or move "
                  "it aside and download again.");
}

std::string in(std::string_view name) { return "`" + printable(name) + "`: "; }

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// Whether a repository's `resolved` can be handed to git; empty: nothing is known.
bool is_commit(std::string_view text) {
  return text.empty() || ((text.size() == 40 || text.size() == 64) && is_hex(text));
}

// The emitter takes UTF-8 only, and not all of this was checked before.
json::Value text(std::string_view value) {
  return is_utf8(value) ? std::string(value) : printable(value);
}

void put_asked(json::Object& entry, const Source& source) {
  json::Object asked;
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    entry["worker"] = text(registry->worker);
    if (registry->version) asked["version"] = text(*registry->version);
    if (registry->tag) asked["tag"] = text(*registry->tag);
  } else {
    const auto& repo = std::get<RepoSource>(source);
    entry["repo"] = text(repo.repo);
    entry["skill"] = text(repo.skill);
    if (repo.path) entry["path"] = text(*repo.path);
    if (!repo.as.empty()) entry["as"] = text(repo.as);
    if (repo.ref) asked["ref"] = text(*repo.ref);
  }
  if (!asked.empty()) entry["asked"] = std::move(asked);
}

json::Value entry_of(const LockedNamespace& locked) {
  json::Object entry;
  entry["source"] = is_local(locked.source) ? kLocalKind : kind_of(locked.source);
  put_asked(entry, locked.source);
  for (const auto& [key, member] : kTexts) {
    if (!(locked.*member).empty()) entry[key] = text(locked.*member);
  }
  if (locked.automatic) entry["automatic"] = true;
  entry["digest"] = locked.digest();
  json::Object files;
  for (const auto& [path, file] : locked.files) {
    json::Object row{{"sha256", file.sha256}, {"size", file.size}};
    if (file.kept) row["kept"] = text(*file.kept);
    if (!file.fixed.empty()) row["fixed"] = file.fixed;
    if (file.executable) row["mode"] = kExecutable;
    files[path] = std::move(row);
  }
  entry["files"] = std::move(files);
  json::Object accepted;
  for (const auto& [sha256, codes] : locked.accepted) {
    accepted[sha256] = json::Array(codes.begin(), codes.end());
  }
  if (!accepted.empty()) entry["accepted_risks"] = std::move(accepted);
  return entry;
}

// Takes an entry apart and keeps the first complaint.
class EntryReader {
 public:
  EntryReader(std::string_view name, const json::Value& entry) : name_(name), entry_(entry) {}

  Result<LockedNamespace> read() {
    if (entry_.as_object() == nullptr) return damaged(in(name_) + "is not a mapping");
    LockedNamespace locked;
    locked.source = source();
    check(locked.source);
    for (const auto& [key, member] : kTexts) {
      locked.*member = optional(entry_, key).value_or("");
    }
    if (std::holds_alternative<RepoSource>(locked.source) && !is_commit(locked.resolved)) {
      complain("`resolved` is not a commit");
    }
    if (!is_commit(locked.tree)) complain("`tree` is not the id of a tree");
    if (const json::Value* automatic = entry_.find("automatic")) {
      const bool* value = automatic->as_bool();
      if (value == nullptr) complain("`automatic` must be true or false");
      locked.automatic = value != nullptr && *value;
    }
    read_files(locked);
    read_accepted(locked);
    const std::string digest = required("digest");
    if (complaint_.empty() && digest != locked.digest()) {
      complain("`digest` does not fit its files");
    }
    if (complaint_.empty() && namespace_of(locked.source) != name_) {
      complain("its source fills another namespace");
    }
    if (!complaint_.empty()) return damaged(in(name_) + complaint_);
    return locked;
  }

 private:
  void complain(std::string what) {
    if (complaint_.empty()) complaint_ = std::move(what);
  }

  std::optional<std::string> optional(const json::Value& from, std::string_view key) {
    const json::Value* const member = from.find(key);
    if (member == nullptr) return std::nullopt;
    if (const std::string* const value = member->as_string()) return *value;
    complain("`" + std::string(key) + "` must be text (put it in quotes)");
    return std::nullopt;
  }
  std::string required(std::string_view key) {
    std::optional<std::string> value = optional(entry_, key);
    if (!value) complain("`" + std::string(key) + "` is missing");
    return value.value_or("");
  }

  Source source() {
    const std::string kind = required("source");
    static const json::Value kNothing = json::Object{};
    const json::Value* const given = entry_.find("asked");
    const json::Value& asked = given != nullptr ? *given : kNothing;
    if (asked.as_object() == nullptr) complain("`asked` is not a mapping");
    if (kind == "registry") {
      RegistrySource registry{.worker = required("worker"),
                              .version = optional(asked, "version"),
                              .tag = optional(asked, "tag")};
      if (registry.version.has_value() == registry.tag.has_value()) {
        complain("`asked` must have either `version` or `tag`");
      }
      return registry;
    }
    if (kind != "repo" && kind != kLocalKind) {
      complain("`source` must be `registry` or `repo`");
    }
    RepoSource repo{.repo = required("repo"),
                    .skill = required("skill"),
                    .ref = optional(asked, "ref"),
                    .path = optional(entry_, "path"),
                    .as = optional(entry_, "as").value_or("")};
    // A folder has to be called one: a repository that turns out to be a folder is a trap.
    if (is_local(repo) != (kind == kLocalKind)) {
      complain(is_local(repo) ? "a repo URL may not use 'file:'" : "`repo` must be file:///…");
    }
    return repo;
  }

  // Whatever was written into the file by hand: nothing that a request may not ask for is used.
  void check(const Source& source) {
    if (!complaint_.empty()) return;
    const Result<void> fits = check_source(source);
    if (fits) return;
    std::string_view reason = fits.error().message;
    if (const size_t colon = reason.find(": "); colon != std::string_view::npos) {
      reason.remove_prefix(colon + 2);
    }
    complain(std::string(reason.substr(0, reason.find(". Next:"))));
  }

  void read_accepted(LockedNamespace& locked) {
    const json::Value* const accepted = entry_.find("accepted_risks");
    if (accepted == nullptr) return;
    constexpr std::string_view kForm =
        "`accepted_risks` must be a mapping of SHA-256 (64 hex digits) to lists of codes";
    if (accepted->as_object() == nullptr) return complain(std::string(kForm));
    for (const auto& [sha256, codes] : *accepted->as_object()) {
      if (!is_sha256_hex(sha256) || codes.as_array() == nullptr)
        return complain(std::string(kForm));
      for (const json::Value& code : *codes.as_array()) {
        if (code.as_string() == nullptr) return complain(std::string(kForm));
        locked.accepted[sha256].insert(*code.as_string());
      }
    }
  }

  void read_files(LockedNamespace& locked) {
    const json::Value* const files = entry_.find("files");
    if (files == nullptr || files->as_object() == nullptr) {
      return complain("`files` is missing or not a mapping");
    }
    for (const auto& [path, row] : *files->as_object()) {
      const json::Value* const sha256 = row.find("sha256");
      const json::Value* const size = row.find("size");
      const bool fits = sha256 != nullptr && sha256->as_string() != nullptr &&
                        is_sha256_hex(*sha256->as_string()) && size != nullptr &&
                        size->as_int() != nullptr && *size->as_int() >= 0;
      if (!fits) return complain(in(path) + "needs `sha256` (64 hex digits) and `size`");
      const BundleLimits any{.max_depth = 64, .max_path_bytes = 4'096};
      const Result<std::string> clean = clean_path(path, any);
      if (!clean || *clean != path) return complain(in(path) + "is not a path of a bundle");
      LockedFile file{.sha256 = *sha256->as_string(),
                      .size = static_cast<uint64_t>(*size->as_int()),
                      .kept = optional(row, "kept"),
                      .fixed = optional(row, "fixed").value_or("")};
      file.executable = optional(row, "mode") == kExecutable;
      if (!file.fixed.empty() && !is_sha256_hex(file.fixed)) {
        return complain(in(path) + "`fixed` must be 64 hex digits");
      }
      locked.files[path] = std::move(file);
    }
  }

  const std::string_view name_;
  const json::Value& entry_;
  std::string complaint_;
};

// What an unfinished merge leaves behind; the most likely damage of a file that is
// committed. 0: none.
size_t line_of_conflict(std::string_view lock) {
  size_t number = 0;
  for (const std::string_view line : split(lock, '\n')) {
    ++number;
    for (const std::string_view mark : {"<<<<<<< ", ">>>>>>> ", "======="}) {
      if (line.starts_with(mark)) return number;
    }
  }
  return 0;
}

}  // namespace

Error no_such_namespace(const Lock& lock, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& [known, entry] : lock.namespaces) names.push_back(known);
  const std::string_view meant = nearest(name, names);
  return {"D310", "D310 not_found: directory.lock has no namespace \"" + printable(name) + "\"." +
                      (meant.empty() ? "" : " Did you mean: " + std::string(meant) + ".") +
                      " Next: call directory::lock::verify without a namespace to see all."};
}

std::string LockedNamespace::digest() const {
  Sha256 hash;
  for (const auto& [path, file] : files) {
    hash.add(path);
    hash.add(std::string_view("\0", 1));
    hash.add(file.sha256);
    hash.add("\n");
  }
  return std::string(kDigestPrefix) + hash.hex();
}

bool LockedNamespace::pinned() const {
  if (automatic) return false;
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return registry->version && (resolved.empty() || resolved == *registry->version);
  }
  const std::optional<std::string>& ref = std::get<RepoSource>(source).ref;
  // A branch or tag may move, and may look like the beginning of a commit.
  return ref && ref->size() >= 7 && is_hex(*ref) && resolved.starts_with(ascii_lower(*ref));
}

std::string render_lock(const Lock& lock) {
  json::Object namespaces;
  for (const auto& [name, locked] : lock.namespaces) namespaces[name] = entry_of(locked);
  const std::array<std::pair<std::string, json::Value>, 2> members{
      {{"version", kLockFormat}, {"namespaces", std::move(namespaces)}}};
  return std::string(kHead) + json::write_yaml(members);
}

Result<Lock> parse_lock(std::string_view text) {
  if (text.size() > kMaxLockBytes) {
    return damaged("it is larger than " + std::to_string(kMaxLockBytes) + " bytes");
  }
  if (const size_t line = line_of_conflict(text); line != 0) {
    return damaged("line " + std::to_string(line) + " is the mark of an unfinished merge");
  }
  if (!is_utf8(text)) return damaged("it is not UTF-8 text");
  const std::optional<json::Value> document =
      json::parse_yaml(text, {.max_bytes = kMaxLockBytes, .max_depth = 8});
  if (!document || document->as_object() == nullptr) {
    return damaged("it is not the YAML mapping that was written");
  }
  const json::Value* const version = document->find("version");
  if (version == nullptr || version->as_int() == nullptr || *version->as_int() < 1) {
    return damaged("`version` is missing");
  }
  if (*version->as_int() > kLockFormat) {
    return fail("D333", "D333 lock_unreadable: `directory.lock` has format " +
                            std::to_string(*version->as_int()) + ", and this program knows " +
                            std::to_string(kLockFormat) +
                            " only. Nothing was changed. Next: use a newer iii-directory.");
  }
  const json::Value* const namespaces = document->find("namespaces");
  if (namespaces == nullptr || namespaces->as_object() == nullptr) {
    return damaged("`namespaces` is missing");
  }
  Lock lock;
  for (const auto& [name, entry] : *namespaces->as_object()) {
    Result<LockedNamespace> locked = EntryReader(name, entry).read();
    if (!locked) return std::unexpected(locked.error());
    lock.namespaces.emplace(name, std::move(*locked));
  }
  return lock;
}

}  // namespace iii::sources
