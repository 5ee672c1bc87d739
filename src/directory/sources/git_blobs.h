// The content of files, out of a remote repository into memory, through a store that has none yet.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/bundle.h"
#include "directory/sources/git_command.h"
#include "directory/sources/git_tree.h"
#include "foundation/base/result.h"

namespace iii::sources {

// An empty object store for objects named like `id`; git works there from now on.
Result<void> make_store(Git& git, std::string_view name, std::string_view id);

struct BlobSource {
  std::string tree;    // that holds all the files wanted; empty: all are here already
  std::string wanted;  // what was fetched, to fetch it again and whole
};

// Fetches all that are missing in one go; from servers that give out no single objects, everything.
Result<void> fetch_blobs(Git& git, const BlobSource& source, const std::vector<WantedFile>& files);

// Sizes are checked before anything is read.
Result<Blobs> read_blobs(Git& git, const BlobSource& source, const std::vector<WantedFile>& files,
                         const BundleLimits& limits, TooLarge too_large = TooLarge::kRefuse);

}  // namespace iii::sources
