// What an index is made of, for those who search it.
#pragma once

#include <cstdint>
#include <vector>

#include "directory/search/index.h"

namespace iii::search {

using DocumentSet = std::vector<bool>;  // one bit per document of a segment

struct IndexPart {
  SegmentPointer segment;
  DocumentSet deleted;
  DocumentSet hidden;  // deleted, or a copy of another document
};

struct Index::State {
  const Profile* profile = nullptr;
  FieldLengths lengths;
  std::vector<IndexPart> parts;
  size_t visible = 0;
  // Statistics count deleted documents, too: their postings are still there.
  uint64_t counted = 0;
};

}  // namespace iii::search
