// The folder of a skill inside a commit, and which of its files to take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sources/bundle.h"

namespace iii::sources {

enum class TreeKind { kFile, kFolder, kLink, kSubmodule, kOther };

struct TreeEntry {
  TreeKind kind = TreeKind::kOther;
  std::string id;
  std::string path;  // raw bytes
};

// The answer of `ls-tree -z`, with or without `-r`.
std::vector<TreeEntry> parse_tree(std::string_view listing);

// What lies at one place, or null.
const TreeEntry* find_entry(const std::vector<TreeEntry>& entries, std::string_view path);

struct WantedFile {
  std::string path;  // clean, below the skill's folder
  std::string id;
};

struct Selection {
  std::vector<WantedFile> files;  // sorted by path
  std::vector<SkippedFile> skipped;
};

// Regular files only. Links, submodules, hidden names and names that are not UTF-8 are skipped with
// a reason; paths that no honest repository has (`..`, control bytes) refuse the whole.
Result<Selection> select_files(const std::vector<TreeEntry>& entries, const BundleLimits& limits);

// D312 with a sentence when the place of a skill is a link or a submodule (DW1), D310 when it is a
// file; nothing when it is a folder.
std::optional<Error> refuse_place(const TreeEntry& entry, std::string_view place);

}  // namespace iii::sources
