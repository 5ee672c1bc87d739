// An index: segments, what is deleted in them, and statistics over all. An immutable value; a
// change gives a new index that shares the segments. Readers keep the one they have.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
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

// Segments to be joined to one, as they were when it was planned. `merge` needs no index and runs
// on any thread.
struct MergePlan {
  struct Part {
    SegmentPointer segment;
    std::shared_ptr<const std::vector<bool>> deleted;
  };
  std::vector<Part> parts;
};
SegmentPointer merge(const MergePlan& plan);

class Index {
 public:
  // Empty.
  explicit Index(const Profile& profile);
  Index(const Profile& profile, SegmentPointer segment);

  const Profile& profile() const;
  size_t documents() const;  // those that can be found; copies are not counted
  size_t bytes() const;      // of all segments
  bool contains(std::string_view key) const;

  Index apply(const Changes& changes) const;

  // What should be merged now, if anything: many small segments, or many deleted documents.
  std::optional<MergePlan> plan_merge() const;
  // This index with `merged` in place of the parts of the plan. What was deleted meanwhile stays
  // deleted. Unchanged when the parts are no longer those of the plan.
  Index replace(const MergePlan& plan, SegmentPointer merged) const;
  // Documents have changed so much since the mean lengths were taken that the index should be built
  // again from its documents.
  bool outgrown() const;

  struct State;
  const State& state() const { return *state_; }

 private:
  explicit Index(std::shared_ptr<const State> state) : state_(std::move(state)) {}

  std::shared_ptr<const State> state_;
};

}  // namespace iii::search
