#include "directory/search/index.h"

#include <algorithm>
#include <map>
#include <set>

#include "directory/search/index_state.h"

namespace iii::search {

namespace {

// More parts than this slow searches down: every part has a dictionary of its own.
constexpr size_t kMostParts = 64;
constexpr size_t kSmall = 64;

size_t deleted_in(const IndexPart& part) {
  return static_cast<size_t>(std::ranges::count(part.deleted, true));
}

// A state in the making.
class Draft {
 public:
  explicit Draft(const Index::State& from) : state_(std::make_shared<Index::State>(from)) {}

  void remove(std::string_view key) {
    for (IndexPart& part : state_->parts) {
      const auto document = part.segment->find_key(key);
      if (!document || part.deleted[*document]) continue;
      touch(part.segment->copy_of[*document]);
      part.deleted[*document] = part.hidden[*document] = true;
      return;
    }
  }

  void add(SegmentPointer segment) {
    touch_copies(*segment);
    const DocumentSet none(segment->documents(), false);
    state_->parts.push_back({.segment = std::move(segment), .deleted = none, .hidden = none});
  }

  // Of the documents that are copies of each other, the one with the first key is shown.
  void settle_copies() {
    for (const uint64_t copy_of : touched_) {
      std::map<std::string_view, std::pair<IndexPart*, DocumentNumber>> copies;
      for (IndexPart& part : state_->parts) {
        for (const DocumentNumber d : part.segment->copies(copy_of)) {
          if (!part.deleted[d]) copies.emplace(part.segment->keys[d], std::pair(&part, d));
        }
      }
      bool first = true;
      for (const auto& [key, place] : copies) {
        place.first->hidden[place.second] = !first;
        first = false;
      }
    }
  }

  std::shared_ptr<const Index::State> finish() {
    std::erase_if(state_->parts, [](const IndexPart& part) {
      return deleted_in(part) == part.segment->documents();
    });
    state_->visible = 0;
    state_->counted = 0;
    for (const IndexPart& part : state_->parts) {
      state_->counted += part.segment->documents();
      state_->visible += static_cast<size_t>(std::ranges::count(part.hidden, false));
    }
    return state_;
  }

 private:
  void touch(uint64_t copy_of) {
    if (copy_of != 0) touched_.insert(copy_of);
  }

  // Those that occur twice in the new segment, or also in another one.
  void touch_copies(const Segment& segment) {
    uint64_t last = 0;
    for (const DocumentNumber d : segment.by_copy) {
      const uint64_t copy_of = segment.copy_of[d];
      const bool elsewhere =
          copy_of != last && std::ranges::any_of(state_->parts, [&](const IndexPart& part) {
            return !part.segment->copies(copy_of).empty();
          });
      if (copy_of == last || elsewhere) touch(copy_of);
      last = copy_of;
    }
  }

  std::shared_ptr<Index::State> state_;
  std::set<uint64_t> touched_;
};

}  // namespace

Index::Index(const Profile& profile)
    : state_(std::make_shared<State>(State{.profile = &profile})) {}

Index::Index(const Profile& profile, const FieldLengths& lengths,
             std::span<const SegmentPointer> segments)
    : Index(profile) {
  Draft draft({.profile = &profile, .lengths = lengths});
  for (const SegmentPointer& segment : segments) draft.add(segment);
  draft.settle_copies();
  state_ = draft.finish();
}

const Profile& Index::profile() const { return *state_->profile; }

size_t Index::documents() const { return state_->visible; }

size_t Index::bytes() const {
  size_t sum = 0;
  for (const IndexPart& part : state_->parts) sum += part.segment->bytes();
  return sum;
}

bool Index::contains(std::string_view key) const {
  return std::ranges::any_of(state_->parts, [&](const IndexPart& part) {
    const auto document = part.segment->find_key(key);
    return document && !part.deleted[*document];
  });
}

Index Index::apply(const Changes& changes) const {
  // The last version of each document counts.
  std::map<std::string_view, const Document*> put;
  for (const Document& document : changes.put) put[document.key] = &document;
  SegmentBuilder builder(profile());
  for (const auto& [key, document] : put) builder.add(*document);

  State from = *state_;
  if (from.parts.empty()) from.lengths = builder.lengths();
  Draft draft(from);
  for (const std::string& key : changes.removed) draft.remove(key);
  for (const auto& [key, document] : put) draft.remove(key);
  if (!put.empty()) draft.add(builder.finish(from.lengths));
  draft.settle_copies();
  return Index(draft.finish());
}

bool Index::outgrown() const {
  size_t deleted = 0;
  for (const IndexPart& part : state_->parts) deleted += deleted_in(part);
  return state_->visible > 2 * size_t{state_->lengths.documents} + kSmall ||
         deleted > state_->counted / 3 + kSmall || state_->parts.size() > kMostParts;
}

}  // namespace iii::search
