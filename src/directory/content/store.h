// The persisted index: all trees in one file, so that a restart parses only what has changed.
//
// Nothing in it is believed that the disk does not confirm: a document is used again only if its
// stamp is equal and was settled when it was read. A file that is damaged, of another version, of
// another program or of other roots is as good as none.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/scan.h"
#include "directory/content/tree.h"

namespace iii::content {

// `fingerprint` names everything the content of the index depends on besides the files. A null tree
// stands for a missing root.
std::string write_index(std::string_view fingerprint, const std::vector<const Folder*>& trees);

struct StoredTree {
  std::unique_ptr<Folder> top;  // null: nothing known
  Changes changes;              // its nodes, as if just found
  size_t nodes = 0;
};

// One per root, or nothing.
std::vector<StoredTree> read_index(std::string_view bytes, std::string_view fingerprint,
                                   size_t roots);

// The program that runs, for the fingerprint: an index made by another build is not used.
std::string program_identity();

}  // namespace iii::content
