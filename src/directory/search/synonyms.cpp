#include "directory/search/synonyms.h"

#include <algorithm>
#include <charconv>

#include "directory/search/embedded.h"
#include "directory/search/words.h"
#include "foundation/base/check.h"
#include "foundation/base/text.h"

namespace iii::search {

namespace {

// What a synonym counts, beside the word itself, in a row of weight 1.
constexpr float kSynonymWeight = 0.7F;

// The largest weight wins when several rows give the same pair.
void add(std::vector<Synonym>& to, const Synonym& synonym) {
  const auto known = std::ranges::find(to, synonym.stem, &Synonym::stem);
  if (known == to.end()) {
    to.push_back(synonym);
  } else {
    known->weight = std::max(known->weight, synonym.weight);
  }
}

struct Term {
  std::string_view text;
  std::string stem;
  bool phrase;
};

}  // namespace

const Synonyms& Synonyms::standard() {
  static const Synonyms table(embedded_synonyms());
  return table;
}

Synonyms::Synonyms(std::string_view tsv) {
  Stemmer stemmer;
  for (const std::string_view line : split(tsv, '\n')) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    III_CHECK(columns.size() == 3);
    float weight = 0;
    std::from_chars(columns[1].data(), columns[1].data() + columns[1].size(), weight);
    III_CHECK(weight > 0 && weight <= 1);
    std::vector<Term> terms;
    for (const std::string_view text : split(columns[2], ' ')) {
      if (text.empty()) continue;
      terms.push_back(
          {.text = text, .stem = std::string(stemmer.stem(text)), .phrase = text.contains('_')});
    }
    for (const Term& term : terms) {
      std::vector<Synonym>& to = term.phrase ? phrases_[std::string(term.text)] : words_[term.stem];
      for (const Term& other : terms) {
        if (other.phrase || (!term.phrase && other.stem == term.stem)) continue;
        add(to, {.stem = other.stem, .weight = weight * kSynonymWeight});
      }
    }
  }
  for (Map* map : {&words_, &phrases_}) {
    for (auto& [term, synonyms] : *map) {
      std::ranges::sort(synonyms, {},
                        [](const Synonym& s) { return std::pair(-s.weight, s.stem); });
    }
  }
}

std::span<const Synonym> Synonyms::of(std::string_view stem) const {
  const auto found = words_.find(stem);
  return found == words_.end() ? std::span<const Synonym>{} : found->second;
}

std::span<const Synonym> Synonyms::of_phrase(std::string_view phrase) const {
  const auto found = phrases_.find(phrase);
  return found == phrases_.end() ? std::span<const Synonym>{} : found->second;
}

}  // namespace iii::search
