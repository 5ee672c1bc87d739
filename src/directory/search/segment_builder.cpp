#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "directory/search/bm25.h"
#include "directory/search/postings.h"
#include "directory/search/quality.h"
#include "directory/search/segment.h"
#include "directory/search/text_vector.h"
#include "directory/search/words.h"
#include "foundation/base/hash.h"

namespace iii::search {

namespace {

constexpr TermNumber kNoTerm = std::numeric_limits<TermNumber>::max();

// What a word is, found out once for each distinct word.
struct WordInfo {
  TermNumber term = kNoTerm;             // none: a stop word
  std::optional<WordVectors::Row> row;   // of the word as it is
  std::optional<WordVectors::Row> form;  // or of a simpler form
  bool surface = false;
};

// Texts that live as long as the builder, without an allocation for each.
class Arena {
 public:
  std::string_view keep(std::string_view text) {
    if (blocks_.empty() || blocks_.back().size() + text.size() > blocks_.back().capacity()) {
      blocks_.emplace_back().reserve(std::max(kBlockBytes, text.size()));
    }
    std::string& block = blocks_.back();
    const size_t at = block.size();
    block += text;
    return std::string_view(block).substr(at);
  }

 private:
  static constexpr size_t kBlockBytes = 64 * 1024;
  std::deque<std::string> blocks_;
};

// A term of a document in one field.
struct Occurrence {
  uint32_t term_or_document =
      0;  // the term while documents are added; sorted by term, the document
  uint16_t count = 0;
  uint8_t field = 0;
};

}  // namespace

struct SegmentBuilder::Work {
  explicit Work(const Profile& p) : profile(p), row_seen(vectors.rows(), 0) {}

  WordInfo& look_up(std::string_view word);
  TermNumber term_of(std::string_view stem);
  FieldCounts add_field(std::string_view text, uint8_t field);
  uint8_t quality_of(std::string_view text, uint8_t field, const FieldCounts& counts) const;
  void count(TermNumber term, uint8_t field);
  void sort_occurrences(std::vector<Occurrence>& sorted, std::vector<size_t>& ends);
  void add_terms(const FieldLengths& of_index);
  void add_surface(const std::vector<TermNumber>& numbers);
  void add_trigrams();
  void add_orders();

  const Profile& profile;
  const WordVectors& vectors = WordVectors::standard();
  Tokenizer tokenizer;
  Stemmer stemmer;
  Arena arena;
  boost::unordered_flat_map<std::string_view, WordInfo, TextHash> words;
  boost::unordered_flat_map<std::string_view, TermNumber, TextHash> term_numbers;
  std::vector<std::string_view> terms;

  std::vector<Occurrence> occurrences;
  std::vector<size_t> document_ends;  // in occurrences
  std::vector<uint32_t> lengths;      // of each document and field
  FieldLengths sums;
  std::shared_ptr<Segment> made = std::make_shared<Segment>();

  // Of the field that is being added.
  uint32_t turn = 0;
  std::vector<uint32_t> term_seen;  // per term: the turn it was seen in
  std::vector<size_t> term_at;      // and its place in occurrences
  std::vector<uint32_t> row_seen;
  uint32_t length = 0;
  TextVector sum;
};

WordInfo& SegmentBuilder::Work::look_up(std::string_view word) {
  if (const auto known = words.find(word); known != words.end()) return known->second;
  WordInfo info;
  if (!is_stop_word(word)) {
    info.term = term_of(stemmer.stem(word));
    info.row = vectors.find(word);
    info.form = info.row ? info.row : vectors.find_form(word);
  }
  return words.emplace(arena.keep(word), info).first->second;
}

TermNumber SegmentBuilder::Work::term_of(std::string_view stem) {
  if (const auto known = term_numbers.find(stem); known != term_numbers.end()) return known->second;
  const auto number = static_cast<TermNumber>(terms.size());
  terms.push_back(arena.keep(stem));
  term_numbers.emplace(terms.back(), number);
  term_seen.push_back(0);
  term_at.push_back(0);
  return number;
}

void SegmentBuilder::Work::count(TermNumber term, uint8_t field) {
  ++length;
  if (term_seen[term] == turn) {
    uint16_t& known = occurrences[term_at[term]].count;
    if (known < std::numeric_limits<uint16_t>::max()) ++known;
    return;
  }
  term_seen[term] = turn;
  term_at[term] = occurrences.size();
  occurrences.push_back({.term_or_document = term, .count = 1, .field = field});
}

FieldCounts SegmentBuilder::Work::add_field(std::string_view text, uint8_t field) {
  const Field& spec = profile.fields[field];
  const size_t before = occurrences.size();
  ++turn;
  length = 0;
  tokenizer.start(text);
  for (Token token; tokenizer.next(token);) {
    token.for_each_word([&](std::string_view word) {
      WordInfo& info = look_up(word);
      if (info.term == kNoTerm) return;
      if (spec.surface && token.kind == TokenKind::kAscii) info.surface = true;
      count(info.term, field);
    });
    if (spec.vector == 0) continue;
    for_each_row(
        token, [&](std::string_view word) { return look_up(word).row; },
        [&](std::string_view word) { return look_up(word).form; },
        [&](WordVectors::Row row) {
          if (row_seen[row] == turn) return;
          row_seen[row] = turn;
          sum.add(vectors, row, spec.vector);
        });
  }
  lengths.push_back(length);
  sums.words.at(field) += length;
  return {.words = length, .distinct = static_cast<uint32_t>(occurrences.size() - before)};
}

uint8_t SegmentBuilder::Work::quality_of(std::string_view text, uint8_t field,
                                         const FieldCounts& counts) const {
  uint8_t quality = quality_of_counts(counts);
  if ((profile.description >> field & 1U) == 0) return quality;
  quality = std::min(quality, quality_of_claims(text));
  // The first sentence is the first field of the description.
  const bool first = (profile.description & ((1U << field) - 1)) == 0;
  return first ? std::min(quality, quality_of_sentence(text)) : quality;
}

// Counting sort by term; the order of documents stays.
void SegmentBuilder::Work::sort_occurrences(std::vector<Occurrence>& sorted,
                                            std::vector<size_t>& ends) {
  ends.assign(terms.size() + 1, 0);
  for (const Occurrence& o : occurrences) ++ends[o.term_or_document + 1];
  for (size_t t = 0; t < terms.size(); ++t) ends[t + 1] += ends[t];
  sorted.resize(occurrences.size());
  size_t i = 0;
  for (uint32_t d = 0; d < document_ends.size(); ++d) {
    for (; i < document_ends[d]; ++i) {
      Occurrence o = occurrences[i];
      size_t& place = ends[o.term_or_document];
      o.term_or_document = d;
      sorted[place++] = o;
    }
  }
  std::vector<Occurrence>().swap(occurrences);  // not needed any more, and large
}

void SegmentBuilder::Work::add_terms(const FieldLengths& of_index) {
  std::vector<Occurrence> sorted;
  std::vector<size_t> ends;  // per term
  sort_occurrences(sorted, ends);

  const size_t fields = profile.fields.size();
  std::vector<float> factors(lengths.size());
  for (size_t i = 0; i < lengths.size(); ++i) {
    const size_t f = i % fields;
    factors[i] = profile.fields[f].lexical * length_factor(lengths[i], of_index.mean(f));
  }
  std::vector<TermNumber> order(terms.size());
  for (TermNumber t = 0; t < order.size(); ++t) order[t] = t;
  std::ranges::sort(order, {}, [&](TermNumber t) { return terms[t]; });

  std::vector<TermNumber> numbers(terms.size());
  std::vector<Posting> postings;
  std::string bytes;
  for (const TermNumber term : order) {
    postings.clear();
    for (size_t i = term == 0 ? 0 : ends[term - 1]; i < ends[term];) {
      Posting posting{.document = sorted[i].term_or_document};
      float frequency = 0;
      for (; i < ends[term] && sorted[i].term_or_document == posting.document; ++i) {
        const Occurrence& o = sorted[i];
        frequency += static_cast<float>(o.count) * factors[posting.document * fields + o.field];
        posting.fields = static_cast<FieldMask>(posting.fields | 1U << o.field);
      }
      posting.impact = quantise_impact(impact(frequency));
      postings.push_back(posting);
    }
    numbers[term] = made->terms.size();
    made->terms.add(terms[term]);
    bytes.clear();
    append_lists(bytes, postings, profile.bulk);
    made->lists.add(bytes);
  }
  add_surface(numbers);
}

void SegmentBuilder::Work::add_surface(const std::vector<TermNumber>& numbers) {
  constexpr size_t kLeastSurfaceLetters = 3;
  std::vector<std::pair<std::string_view, TermNumber>> surface;
  for (const auto& [word, info] : words) {
    if (info.surface && word.size() >= kLeastSurfaceLetters) {
      surface.emplace_back(word, numbers[info.term]);
    }
  }
  std::ranges::sort(surface);
  for (const auto& [word, term] : surface) {
    made->surface.add(word);
    made->surface_terms.push_back(term);
  }
}

void SegmentBuilder::Work::add_trigrams() {
  std::vector<uint64_t> pairs;  // trigram, surface word
  std::vector<uint32_t> of_word;
  for (uint32_t i = 0; i < made->surface.size(); ++i) {
    trigrams_of(made->surface[i], of_word);
    for (const uint32_t trigram : of_word) pairs.push_back(uint64_t{trigram} << 32 | i);
  }
  std::ranges::sort(pairs);
  std::string bytes;
  for (size_t i = 0; i < pairs.size();) {
    const auto trigram = static_cast<uint32_t>(pairs[i] >> 32);
    uint32_t next = 0;
    bytes.clear();
    for (; i < pairs.size() && pairs[i] >> 32 == trigram; ++i) {
      const auto word = static_cast<uint32_t>(pairs[i]);
      append_varint(bytes, word - next);
      next = word + 1;
    }
    made->trigrams.push_back(trigram);
    made->trigram_words.add(bytes);
  }
}

void SegmentBuilder::Work::add_orders() {
  const Texts& keys = made->keys;
  made->by_key.resize(keys.size());
  std::iota(made->by_key.begin(), made->by_key.end(), 0U);
  std::ranges::sort(made->by_key, {}, [&](DocumentNumber d) { return keys[d]; });
  made->by_copy = made->by_key;
  std::ranges::sort(made->by_copy, {},
                    [&](DocumentNumber d) { return std::pair(made->copy_of[d], keys[d]); });
}

SegmentBuilder::SegmentBuilder(const Profile& profile) : work_(std::make_unique<Work>(profile)) {
  work_->made->bulk = profile.bulk;
}

SegmentBuilder::~SegmentBuilder() = default;

const FieldLengths& SegmentBuilder::lengths() const { return work_->sums; }

void SegmentBuilder::add(const Document& document) {
  Work& work = *work_;
  work.sum.clear();
  uint8_t quality = kTrusted;
  const auto fields = static_cast<uint8_t>(work.profile.fields.size());
  for (uint8_t f = 0; f < fields; ++f) {
    const FieldCounts counts = work.add_field(document.fields[f], f);
    quality = std::min(quality, work.quality_of(document.fields[f], f, counts));
  }
  Segment& made = *work.made;
  made.keys.add(document.key);
  made.copy_of.push_back(document.copy_of);
  made.qualities.push_back(quality);
  made.scales.push_back(0);
  work.sum.quantise(made.vectors.emplace_back().values, made.scales.back());
  work.document_ends.push_back(work.occurrences.size());
  ++work.sums.documents;
}

SegmentPointer SegmentBuilder::finish(const FieldLengths& of_index) {
  work_->add_terms(of_index);
  work_->add_trigrams();
  work_->add_orders();
  return std::move(work_->made);
}

}  // namespace iii::search
