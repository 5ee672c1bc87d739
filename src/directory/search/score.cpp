#include "directory/search/score.h"

#include <algorithm>
#include <cmath>

#include "directory/search/bm25.h"
#include "directory/search/dot.h"
#include "directory/search/postings.h"

namespace iii::search {

namespace {

// What the lexical lane knows of a document.
struct Lexical {
  float score = 0;
  float coverage = 0;
  float best = 0;     // of the unit that it was found by last
  uint32_t unit = 0;  // that unit, counted from 1
};

// Better first.
bool before(const Scored& a, const Scored& b) { return a.f != b.f ? a.f > b.f : a.key < b.key; }

// Kept between queries: at 60 000 documents it is a megabyte.
struct Scratch {
  std::vector<Lexical> lexical;
  std::vector<int32_t> dots;
};

Scratch& scratch() {
  thread_local Scratch mine;
  return mine;
}

// A unit contributes the most that one of its variants does, never their sum.
void add_list(const PostingList& list, float factor, float coverage, uint32_t unit,
              std::span<Lexical> documents) {
  for_each_block(list, [&](std::span<const DocumentNumber> numbers,
                           std::span<const uint8_t> impacts, const uint8_t*) {
    for (size_t i = 0; i < numbers.size(); ++i) {
      Lexical& document = documents[numbers[i]];
      const float contribution = factor * static_cast<float>(impacts[i]);
      if (document.unit != unit) {
        document.unit = unit;
        document.best = contribution;
        document.score += contribution;
        document.coverage += coverage;  // variants come by falling weight
      } else if (contribution > document.best) {
        document.score += contribution - document.best;
        document.best = contribution;
      }
    }
  });
}

void score_lexical(const IndexPart& part, size_t number, const Query& query,
                   std::vector<Lexical>& documents) {
  documents.assign(part.segment->documents(), {});
  for (uint32_t u = 0; u < query.units.size(); ++u) {
    const Unit& unit = query.units[u];
    for (const Variant& variant : unit.variants) {
      if (!variant.terms[number]) continue;
      const PostingLists lists = part.segment->postings(*variant.terms[number]);
      const auto factor = static_cast<float>(variant.weight * variant.idf * kImpactStep);
      const auto coverage = static_cast<float>(variant.weight * unit.idf);
      add_list(lists.main, factor, coverage, u + 1, documents);
      add_list(lists.bulk, factor, coverage, u + 1, documents);
    }
  }
}

// The best so far, the worst of them in front.
class Best {
 public:
  explicit Best(size_t limit) : limit_(limit) {}

  bool could_take(float f) const {
    return f > 0 && (heap_.size() < limit_ || f >= heap_.front().f);
  }
  void take(const Scored& scored) {
    if (heap_.size() == limit_) {
      if (!before(scored, heap_.front())) return;
      std::ranges::pop_heap(heap_, before);
      heap_.pop_back();
    }
    heap_.push_back(scored);
    std::ranges::push_heap(heap_, before);
  }
  std::vector<Scored> finish() {
    std::ranges::sort_heap(heap_, before);
    return std::move(heap_);
  }

 private:
  size_t limit_;
  std::vector<Scored> heap_;
};

void collect(const IndexPart& part, size_t number, const Query& query, const Options& options,
             float least_coverage, const Scratch& found, Best& best) {
  const Segment& segment = *part.segment;
  const auto per_idf = query.idf > 0 ? static_cast<float>(1 / (kLargestImpact * query.idf)) : 0.0F;
  const auto per_coverage = query.idf > 0 ? static_cast<float>(1 / query.idf) : 0.0F;
  for (DocumentNumber d = 0; d < segment.documents(); ++d) {
    const Lexical& lexical = found.lexical[d];
    if (lexical.coverage < least_coverage) continue;
    Scored scored{.part = number, .document = d};
    if (lexical.score > 0) {
      scored.lexical = lexical.score * std::sqrt(lexical.coverage * per_coverage) * per_idf;
    }
    if (query.has_vector) {
      scored.cosine = static_cast<float>(found.dots[d]) * query.vector_scale * segment.scales[d];
    }
    const float cosine = std::max(scored.cosine, 0.0F);
    const float quality = segment.quality(d);
    scored.f = quality * (0.8F * scored.lexical + 0.2F * cosine);
    if (!best.could_take(scored.f) || part.hidden[d]) continue;
    scored.g = quality * (0.6F * scored.lexical + 0.4F * cosine);
    scored.key = segment.keys[d];
    if (options.accept && !options.accept(scored.key)) continue;
    best.take(scored);
  }
}

}  // namespace

std::vector<Scored> best_documents(const Index::State& state, const Query& query, size_t limit,
                                   const Options& options, Wanted wanted) {
  // What stands for a word weighs less than the word, so only the words themselves reach the sum;
  // a little less, because it is added up in another order.
  const float least_coverage =
      wanted == Wanted::kWithEveryWord ? static_cast<float>(0.999 * query.idf) : 0;
  Best best(limit);
  Scratch& found = scratch();
  for (size_t p = 0; p < state.parts.size(); ++p) {
    const IndexPart& part = state.parts[p];
    score_lexical(part, p, query, found.lexical);
    if (query.has_vector) {
      dots(part.segment->vectors, query.vector, found.dots);
    }
    collect(part, p, query, options, least_coverage, found, best);
  }
  return best.finish();
}

std::vector<Match> explain(const Index::State& state, const Query& query, const Scored& scored) {
  const Segment& segment = *state.parts[scored.part].segment;
  std::vector<Match> matches;
  for (const Unit& unit : query.units) {
    const Variant* best = nullptr;
    Posting best_posting;
    double most = 0;
    for (const Variant& variant : unit.variants) {
      const auto term = variant.terms[scored.part];
      if (!term) continue;
      const auto posting = find_posting(segment.postings(*term), scored.document);
      if (!posting) continue;
      const double contribution = variant.weight * variant.idf * posting->impact;
      if (contribution <= most) continue;
      most = contribution;
      best = &variant;
      best_posting = *posting;
    }
    if (best == nullptr) continue;
    matches.push_back({.word = unit.word,
                       .found = best->stem,
                       .kind = best->kind,
                       .fields = best_posting.fields});
  }
  return matches;
}

bool occurs_in(const Index::State& state, std::string_view stem, FieldMask fields) {
  for (const IndexPart& part : state.parts) {
    const auto term = part.segment->terms.find(stem);
    if (!term) continue;
    bool found = false;
    for_each_block(part.segment->postings(*term).main,
                   [&](std::span<const DocumentNumber> documents, std::span<const uint8_t>,
                       const uint8_t* masks) {
                     for (size_t i = 0; i < documents.size(); ++i) {
                       found = found || ((masks[i] & fields) != 0 && !part.hidden[documents[i]]);
                     }
                   });
    if (found) return true;
  }
  return false;
}

}  // namespace iii::search
