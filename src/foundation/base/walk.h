// The one walk over a folder and everything below it. Links are reported and never entered.
//
// Not for content/scan.cpp, which does not list a folder but updates a tree that it knows: it sets
// a watch before it lists, skips what has an equal stamp, and shares folders out among threads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/files.h"

namespace iii {

class FolderWriter;

struct WalkOptions {
  size_t max_entries = 1'000'000;  // of all folders together; beyond: error `too_many`
  size_t max_depth = 64;           // folders below the first; deeper ones: error `too_deep`
  bool skip_unreadable = false;    // folders that cannot be listed, the first one too
  bool resolve_links = false;      // only with RootFolder: a link has the kind of its target
};

// Called for each folder, before those in it: its path below the folder where the walk began, empty
// for that one, and its entries by name. The folders that are left in `entries` are entered next.
// An error ends the walk and is its result.
using VisitFolder =
    std::function<Result<void>(const std::string& path, std::vector<DirectoryEntry>& entries)>;

// Folders in order of their names. When a limit is exceeded, everything within it was visited.
Result<void> walk(const RootFolder& root, std::string_view folder, const WalkOptions& options,
                  const VisitFolder& visit);
// The same where no link is followed, not even on the way to `folder`.
Result<void> walk(const FolderWriter& root, std::string_view folder, const WalkOptions& options,
                  const VisitFolder& visit);

}  // namespace iii
