#include "directory/search/index.h"

#include <algorithm>
#include <map>
#include <set>

#include "directory/search/index_state.h"

namespace iii::search {

namespace {

// More parts than this slow searches down: every part has a dictionary of its own.
constexpr size_t kMostParts = 8;
// Parts with fewer documents are always worth merging.
constexpr size_t kSmall = 64;

// A set that is copied when it is first changed.
class ChangingSet {
 public:
  explicit ChangingSet(std::shared_ptr<const DocumentSet>& set) : set_(set) {}

  void set(DocumentNumber document, bool value) {
    if ((*set_)[document] == value) return;
    if (!changed_) set_ = changed_ = std::make_shared<DocumentSet>(*set_);
    (*changed_)[document] = value;
  }

 private:
  std::shared_ptr<const DocumentSet>& set_;
  std::shared_ptr<DocumentSet> changed_;
};

// A state in the making.
class Draft {
 public:
  explicit Draft(const Index::State& from) : state_(std::make_shared<Index::State>(from)) {
    for (IndexPart& part : state_->parts) open(part);
  }

  const Index::State& state() const { return *state_; }

  void remove(std::string_view key) {
    for (size_t p = 0; p < state_->parts.size(); ++p) {
      const IndexPart& part = state_->parts[p];
      const auto document = part.segment->find_key(key);
      if (!document || (*part.deleted)[*document]) continue;
      touch(part.segment->copy_of(*document));
      deleted_[p].set(*document, true);
      hidden_[p].set(*document, true);
      return;
    }
  }

  void add(SegmentPointer segment) {
    const auto none = std::make_shared<const DocumentSet>(segment->documents(), false);
    touch_copies(*segment);
    state_->parts.push_back({.segment = std::move(segment), .deleted = none, .hidden = none});
    // Their references are into the vector, which may have moved.
    deleted_.clear();
    hidden_.clear();
    for (IndexPart& part : state_->parts) open(part);
  }

  // Of the documents that are copies of each other, the one with the first key is shown.
  void settle_copies() {
    for (const uint64_t copy_of : touched_) {
      std::map<std::string_view, std::pair<size_t, DocumentNumber>> copies;
      for (size_t p = 0; p < state_->parts.size(); ++p) {
        const IndexPart& part = state_->parts[p];
        for (const DocumentNumber d : part.segment->copies(copy_of)) {
          if (!(*part.deleted)[d]) copies.emplace(part.segment->key(d), std::pair(p, d));
        }
      }
      bool first = true;
      for (const auto& [key, place] : copies) {
        hidden_[place.first].set(place.second, !first);
        first = false;
      }
    }
  }

  void hide(size_t part, DocumentNumber document) { hidden_[part].set(document, true); }

  std::shared_ptr<const Index::State> finish() {
    state_->visible = 0;
    state_->counted = 0;
    for (const IndexPart& part : state_->parts) {
      state_->counted += part.segment->documents();
      state_->visible += static_cast<size_t>(std::ranges::count(*part.hidden, false));
    }
    return state_;
  }

 private:
  void open(IndexPart& part) {
    deleted_.emplace_back(part.deleted);
    hidden_.emplace_back(part.hidden);
  }

  void touch(uint64_t copy_of) {
    if (copy_of != 0) touched_.insert(copy_of);
  }

  // Those that occur twice in the new segment, or also in another one.
  void touch_copies(const Segment& segment) {
    uint64_t last = 0;
    for (const DocumentNumber d : segment.by_copy()) {
      const uint64_t copy_of = segment.copy_of(d);
      const bool elsewhere =
          copy_of != last && std::ranges::any_of(state_->parts, [&](const IndexPart& part) {
            return !part.segment->copies(copy_of).empty();
          });
      if (copy_of == last || elsewhere) touch(copy_of);
      last = copy_of;
    }
  }

  std::shared_ptr<Index::State> state_;
  std::vector<ChangingSet> deleted_;
  std::vector<ChangingSet> hidden_;
  std::set<uint64_t> touched_;
};

// The last version of each document counts.
SegmentPointer build(const Index::State& state, const std::vector<Document>& put) {
  std::map<std::string_view, const Document*> documents;
  for (const Document& document : put) documents[document.key] = &document;
  const auto add_all = [&](SegmentBuilder& builder) {
    for (const auto& [key, document] : documents) builder.add(*document);
    return builder.finish();
  };
  if (state.parts.empty()) {
    SegmentBuilder builder(*state.profile);
    return add_all(builder);
  }
  SegmentBuilder builder(*state.profile, *state.parts.front().segment);
  return add_all(builder);
}

size_t deleted_in(const IndexPart& part) {
  return static_cast<size_t>(std::ranges::count(*part.deleted, true));
}

}  // namespace

Index::Index(const Profile& profile)
    : state_(std::make_shared<State>(State{.profile = &profile})) {}

Index::Index(const Profile& profile, SegmentPointer segment) : Index(profile) {
  Draft draft(*state_);
  draft.add(std::move(segment));
  draft.settle_copies();
  state_ = draft.finish();
}

const Profile& Index::profile() const { return *state_->profile; }

size_t Index::documents() const { return state_->visible; }

size_t Index::bytes() const {
  size_t sum = 0;
  for (const IndexPart& part : state_->parts) sum += part.segment->bytes().size();
  return sum;
}

bool Index::contains(std::string_view key) const {
  return std::ranges::any_of(state_->parts, [&](const IndexPart& part) {
    const auto document = part.segment->find_key(key);
    return document && !(*part.deleted)[*document];
  });
}

Index Index::apply(const Changes& changes) const {
  Draft draft(*state_);
  for (const std::string& key : changes.removed) draft.remove(key);
  for (const Document& document : changes.put) draft.remove(document.key);
  if (!changes.put.empty()) draft.add(build(*state_, changes.put));
  draft.settle_copies();
  return Index(draft.finish());
}

std::optional<MergePlan> Index::plan_merge() const {
  const auto& parts = state_->parts;
  const auto plan_of = [&](auto&& belongs) {
    MergePlan plan;
    for (const IndexPart& part : parts) {
      if (belongs(part)) plan.parts.push_back({.segment = part.segment, .deleted = part.deleted});
    }
    return plan;
  };
  // A part that is mostly deleted: it costs time in every search.
  for (const IndexPart& one : parts) {
    if (3 * deleted_in(one) > one.segment->documents()) {
      return plan_of([&](const IndexPart& part) { return part.segment == one.segment; });
    }
  }
  if (parts.size() <= kMostParts) return std::nullopt;
  // From the smallest up, as long as the next one is not much larger than all before: so each
  // document is copied a number of times that grows with the logarithm of their number.
  std::vector<size_t> sizes;
  for (const IndexPart& part : parts) sizes.push_back(part.segment->documents());
  std::ranges::sort(sizes);
  size_t sum = sizes[0] + sizes[1];
  size_t largest = sizes[1];
  for (size_t i = 2; i < sizes.size() && sizes[i] <= std::max(kSmall, 2 * sum); ++i) {
    sum += sizes[i];
    largest = sizes[i];
  }
  return plan_of([&](const IndexPart& part) { return part.segment->documents() <= largest; });
}

Index Index::replace(const MergePlan& plan, SegmentPointer merged) const {
  State rest{.profile = state_->profile};
  std::vector<std::string_view> deleted_since;
  std::vector<std::string_view> hidden;
  size_t found = 0;
  for (const IndexPart& part : state_->parts) {
    const auto planned = std::ranges::find(plan.parts, part.segment, &MergePlan::Part::segment);
    if (planned == plan.parts.end()) {
      rest.parts.push_back(part);
      continue;
    }
    ++found;
    for (DocumentNumber d = 0; d < part.segment->documents(); ++d) {
      const bool deleted = (*part.deleted)[d];
      if (deleted && !(*planned->deleted)[d]) deleted_since.push_back(part.segment->key(d));
      if (!deleted && (*part.hidden)[d]) hidden.push_back(part.segment->key(d));
    }
  }
  if (found != plan.parts.size()) return *this;
  // The one that the means come from stays in front.
  const bool front = std::ranges::find(plan.parts, state_->parts.front().segment,
                                       &MergePlan::Part::segment) != plan.parts.end();
  auto none = std::make_shared<DocumentSet>(merged->documents(), false);
  auto gone = std::make_shared<DocumentSet>(*none);
  for (const std::string_view key : hidden) (*none)[*merged->find_key(key)] = true;
  for (const std::string_view key : deleted_since) {
    const DocumentNumber d = *merged->find_key(key);
    (*none)[d] = (*gone)[d] = true;
  }
  IndexPart part{.segment = std::move(merged), .deleted = gone, .hidden = none};
  rest.parts.insert(front ? rest.parts.begin() : rest.parts.end(), std::move(part));
  return Index(Draft(rest).finish());
}

bool Index::outgrown() const {
  if (state_->parts.empty()) return false;
  return state_->visible > 2 * size_t{state_->parts.front().segment->measured()} + kSmall;
}

}  // namespace iii::search
