#include "directory/search/query.h"

#include <algorithm>

#include "directory/search/bm25.h"
#include "directory/search/corrections.h"
#include "directory/search/postings.h"
#include "directory/search/synonyms.h"
#include "directory/search/text_vector.h"
#include "directory/search/words.h"

namespace iii::search {

namespace {

class QueryMaker {
 public:
  explicit QueryMaker(const Index::State& state) : state_(state) {}

  Query make(std::string_view text) {
    read_units(text);
    for (Unit& unit : query_.units) add_synonyms(unit, Synonyms::standard().of(unit.stem));
    add_phrases();
    for (Unit& unit : query_.units) finish(unit);
    query_.has_vector = text_vector(text).quantise(query_.vector, query_.vector_scale);
    return std::move(query_);
  }

 private:
  void read_units(std::string_view text) {
    Tokenizer tokenizer;
    tokenizer.start(text);
    for (Token token; tokenizer.next(token);) {
      token.for_each_word([&](std::string_view word) {
        words_.emplace_back(word);
        if (is_stop_word(word) || query_.units.size() == kMaxQueryUnits) return;
        const std::string_view stem = stemmer_.stem(word);
        if (find_unit(stem) != nullptr) return;
        Unit& unit =
            query_.units.emplace_back(Unit{.word = std::string(word), .stem = std::string(stem)});
        unit.variants.push_back({.stem = unit.stem});
      });
    }
  }

  Unit* find_unit(std::string_view stem) {
    const auto found = std::ranges::find(query_.units, stem, &Unit::stem);
    return found == query_.units.end() ? nullptr : &*found;
  }

  static void add_synonyms(Unit& unit, std::span<const Synonym> synonyms) {
    for (const Synonym& synonym : synonyms) {
      const auto known = std::ranges::find(unit.variants, synonym.stem, &Variant::stem);
      if (known != unit.variants.end()) {
        known->weight = std::max(known->weight, synonym.weight);
        continue;
      }
      unit.variants.push_back(
          {.stem = synonym.stem, .weight = synonym.weight, .kind = Match::Kind::kSynonym});
    }
  }

  // Phrases of two or three words belong to the unit of their first word that is not a stop word.
  void add_phrases() {
    std::string phrase;
    for (size_t i = 0; i + 1 < words_.size(); ++i) {
      phrase = words_[i];
      for (size_t n = 1; n <= 2 && i + n < words_.size(); ++n) {
        phrase += '_';
        phrase += words_[i + n];
        const auto synonyms = Synonyms::standard().of_phrase(phrase);
        if (synonyms.empty()) continue;
        const std::span of(words_.begin() + static_cast<std::ptrdiff_t>(i), n + 1);
        const auto word = std::ranges::find_if_not(of, is_stop_word);
        if (word == of.end()) continue;
        if (Unit* unit = find_unit(stemmer_.stem(*word))) add_synonyms(*unit, synonyms);
      }
    }
  }

  // True when the index has it.
  bool look_up(Variant& variant) {
    uint64_t with_term = 0;
    for (const IndexPart& part : state_.parts) {
      const auto term = part.segment->terms.find(variant.stem);
      variant.terms.push_back(term);
      if (term) with_term += part.segment->postings(*term).count();
    }
    variant.idf = idf(state_.counted, with_term);
    return with_term > 0;
  }

  void finish(Unit& unit) {
    std::vector<Variant> present;
    for (Variant& variant : unit.variants) {
      const bool found = look_up(variant);
      if (variant.kind == Match::Kind::kSame) unit.idf = variant.idf;
      if (found) present.push_back(std::move(variant));
    }
    if (present.empty()) {
      for (Correction& correction : corrections(state_, unit.word)) {
        Variant variant{.stem = std::move(correction.stem),
                        .weight = correction.weight,
                        .kind = correction.prefix ? Match::Kind::kPrefix : Match::Kind::kSimilar};
        const bool known =
            std::ranges::find(present, variant.stem, &Variant::stem) != present.end();
        if (!known && look_up(variant)) present.push_back(std::move(variant));
      }
    }
    // By falling weight: the first one that a document has counts for its coverage.
    std::ranges::sort(present, [](const Variant& a, const Variant& b) {
      return a.weight != b.weight ? a.weight > b.weight : a.stem < b.stem;
    });
    unit.variants = std::move(present);
    query_.idf += unit.idf;
  }

  const Index::State& state_;
  Stemmer stemmer_;
  Query query_;
  std::vector<std::string> words_;  // with stop words
};

}  // namespace

Query make_query(const Index::State& state, std::string_view text) {
  return QueryMaker(state).make(text);
}

}  // namespace iii::search
