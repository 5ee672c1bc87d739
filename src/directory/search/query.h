// A query as the search sees it: units, each a word with everything that may stand for it, and the
// vector of the text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/search/find.h"
#include "directory/search/index_state.h"
#include "directory/search/word_vectors.h"

namespace iii::search {

struct Variant {
  std::string stem;
  float weight = 1;
  Match::Kind kind = Match::Kind::kSame;
  double idf = 0;
  std::vector<std::optional<TermNumber>> terms;  // in each part of the index
};

struct Unit {
  std::string word;
  std::string stem;
  std::vector<Variant> variants;  // those that the index has, by falling weight
  double idf = 0;
};

struct Query {
  std::vector<Unit> units;  // in the order of the text
  double idf = 0;           // of all units
  bool has_vector = false;
  std::array<int16_t, kDims> vector{};
  float vector_scale = 0;
};

Query make_query(const Index::State& state, std::string_view text);

}  // namespace iii::search
