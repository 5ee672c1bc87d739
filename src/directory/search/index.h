// An index: segments, what is deleted in them, and statistics over all. An immutable value; a
// change gives a new index that shares the segments. Readers keep the one they have.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/profile.h"
#include "directory/search/segment.h"

namespace iii::search {

struct Changes {
  std::vector<Document> put;  // new documents, and new versions of known ones
  std::vector<std::string> removed;
};

class Index {
 public:
  // Empty.
  explicit Index(const Profile& profile);
  // Of segments that were made with the sum of their lengths; no key is in two of them.
  Index(const Profile& profile, const FieldLengths& lengths,
        std::span<const SegmentPointer> segments);

  const Profile& profile() const;
  size_t documents() const;  // those that can be found; copies are not counted
  size_t bytes() const;      // of all segments
  bool contains(std::string_view key) const;

  Index apply(const Changes& changes) const;

  // So much has changed that the index should be built again from its documents.
  bool outgrown() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Index(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace iii::search
