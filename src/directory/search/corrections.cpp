#include "directory/search/corrections.h"

#include <algorithm>

#include "directory/search/postings.h"
#include "directory/search/words.h"

namespace iii::search {

namespace {

constexpr size_t kLeastLetters = 4;
constexpr double kLeastJaccard = 0.45;
constexpr size_t kMostSimilar = 2;
constexpr size_t kMostWithPrefix = 3;
constexpr float kPrefixWeight = 0.7F;
// Words with the same beginning that are compared.
constexpr uint32_t kMostScanned = 4'096;

struct Candidate {
  std::string_view word;
  std::string_view stem;
  double rank;  // less is better

  bool operator<(const Candidate& other) const {
    return rank != other.rank ? rank < other.rank : word < other.word;
  }
};

// Keeps the best few, each word once.
void offer(std::vector<Candidate>& best, size_t most, const Candidate& candidate) {
  if (std::ranges::find(best, candidate.word, &Candidate::word) != best.end()) return;
  best.insert(std::upper_bound(best.begin(), best.end(), candidate), candidate);
  if (best.size() > most) best.pop_back();
}

void find_similar(const Segment& segment, const std::vector<uint32_t>& trigrams,
                  std::vector<Candidate>& best) {
  thread_local std::vector<uint8_t> shared;  // per surface word; all 0 between calls
  thread_local std::vector<uint32_t> touched;
  thread_local std::vector<uint32_t> of_word;
  if (shared.size() < segment.surface.size()) shared.resize(segment.surface.size(), 0);
  touched.clear();
  for (const uint32_t trigram : trigrams) {
    const std::string_view list = segment.words_with_trigram(trigram);
    const auto* at = reinterpret_cast<const uint8_t*>(list.data());
    const uint8_t* const end = at + list.size();
    for (uint32_t word = 0; at < end; ++word) {
      word += read_varint(at);
      if (shared[word]++ == 0) touched.push_back(word);
    }
  }
  const auto own = static_cast<double>(trigrams.size());
  for (const uint32_t word : touched) {
    const double common = shared[word];
    shared[word] = 0;
    if (common < kLeastJaccard * own) continue;  // not enough for any other word
    trigrams_of(segment.surface[word], of_word);
    const double jaccard = common / (own + static_cast<double>(of_word.size()) - common);
    if (jaccard < kLeastJaccard) continue;
    offer(best, kMostSimilar,
          {.word = segment.surface[word],
           .stem = segment.terms[segment.surface_terms[word]],
           .rank = -jaccard});
  }
}

void find_longer(const Segment& segment, std::string_view prefix, std::vector<Candidate>& best) {
  const uint32_t first = segment.surface.lower_bound(prefix);
  const uint32_t last = std::min(segment.surface.size(), first + kMostScanned);
  for (uint32_t i = first; i < last; ++i) {
    const std::string_view word = segment.surface[i];
    if (!word.starts_with(prefix)) return;
    offer(best, kMostWithPrefix,
          {.word = word,
           .stem = segment.terms[segment.surface_terms[i]],
           .rank = static_cast<double>(word.size())});
  }
}

}  // namespace

std::vector<Correction> corrections(const Index::State& state, std::string_view word) {
  std::vector<Correction> out;
  if (word.size() < kLeastLetters || !is_ascii(word)) return out;
  std::vector<uint32_t> trigrams;
  trigrams_of(word, trigrams);
  std::vector<Candidate> best;
  for (const IndexPart& part : state.parts) find_similar(*part.segment, trigrams, best);
  for (const Candidate& candidate : best) {
    const auto jaccard = static_cast<float>(-candidate.rank);
    out.push_back({.stem = std::string(candidate.stem),
                   .weight = 0.8F * std::min(1.0F, jaccard + 0.3F),
                   .prefix = false});
  }
  if (!out.empty()) return out;
  for (const IndexPart& part : state.parts) find_longer(*part.segment, word, best);
  for (const Candidate& candidate : best) {
    out.push_back({.stem = std::string(candidate.stem), .weight = kPrefixWeight, .prefix = true});
  }
  return out;
}

}  // namespace iii::search
