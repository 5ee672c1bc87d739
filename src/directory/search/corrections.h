// Words of the index that may be meant by a word that the index does not have.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/search/index_state.h"

namespace iii::search {

struct Correction {
  std::string stem;
  float weight = 0;
  bool prefix = false;  // the word is the beginning of it
};

// The two surface words with the most trigrams in common (Jaccard from 0.45 on); if there are none,
// up to three that begin with the word, the shortest first. ASCII words of four letters or more
// only.
std::vector<Correction> corrections(const Index::State& state, std::string_view word);

}  // namespace iii::search
