// `directory.lock`: what is installed below a skills folder, from where, and what it looked like.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "directory/sources/bundle.h"
#include "foundation/base/result.h"
#include "foundation/base/sha256.h"

namespace iii::sources {

inline constexpr std::string_view kLockFileName = "directory.lock";
inline constexpr std::string_view kMarkerName = ".iii-skill-complete";
// Where the published worker's marker of a namespace is, below the skills folder.
inline std::string marker_of(const std::string& name_space) {
  return name_space + "/" + std::string(kMarkerName);
}

struct LockedFile {
  std::string sha256;  // what the source has: lower-case hex
  uint64_t size = 0;
  // Set when the file that lies here was kept and is older than `resolved`: the version that it
  // goes back to, empty when it was never the source's.
  std::optional<std::string> kept = {};
  // What `doctor --fix` made of the source's text; empty: nothing. As good as ours.
  std::string fixed = {};
  bool executable = false;  // the source has it so, and so it was written

  bool is_ours(std::string_view hash) const {
    return hash == sha256 || (!fixed.empty() && hash == fixed);
  }
  // The same of a state, as the journal writes it.
  bool is_ours_in(std::string_view state) const {
    constexpr std::string_view kHash = "sha256:";
    return state.starts_with(kHash) && is_ours(state.substr(kHash.size()));
  }
  bool same_content(const LockedFile& other) const {
    return sha256 == other.sha256 && size == other.size;
  }
  bool operator==(const LockedFile&) const = default;
};

struct LockedNamespace {
  Source source;           // what was asked
  std::string resolved;    // version or commit
  std::string branch;      // repo only
  std::string folder;      // repo only
  bool automatic = false;  // by auto-download, which may update it; else a person's choice
  // repo only: id of the folder's tree; equal means equal content. Empty: not known.
  std::string tree = {};
  std::map<std::string, LockedFile, std::less<>> files;
  // Findings that a person accepted: SHA-256 of a file → codes (docs/risks.md).
  std::map<std::string, std::set<std::string>> accepted = {};

  const LockedFile* find(std::string_view path) const {  // null: the lock does not name it
    const auto file = files.find(path);
    return file == files.end() ? nullptr : &file->second;
  }
  // One digest for all files: equal means equal content.
  std::string digest() const;
  // A person asked for exactly this version or commit.
  bool pinned() const;
  bool operator==(const LockedNamespace&) const = default;
};

struct Lock {
  std::map<std::string, LockedNamespace, std::less<>> namespaces;

  const LockedNamespace* find(std::string_view name) const {  // null: it has none of that name
    const auto entry = namespaces.find(name);
    return entry == namespaces.end() ? nullptr : &entry->second;
  }
  bool operator==(const Lock&) const = default;
};

using LockPtr = std::shared_ptr<const Lock>;

// D310, with the name that was probably meant.
Error no_such_namespace(const Lock& lock, std::string_view name);

// YAML, sorted, without times: equal content gives equal bytes.
std::string render_lock(const Lock& lock);
// Code D333 for a file that is not a lock, with the line where that is known. Unknown keys are left
// out; a newer format is refused rather than misread. Sources pass the same checks as requests: a
// lock is committed and comes from others.
Result<Lock> parse_lock(std::string_view text);

// A lock of this size still names a hundred thousand files; nothing larger is read or written.
inline constexpr size_t kMaxLockBytes = 16 * 1024 * 1024;

}  // namespace iii::sources
