// Words that mean nearly the same, from a table written by hand (data/synonyms.tsv) that is
// compiled in. A row is a class, a weight and terms; each term stands for every other one. A term
// with underscores is a phrase, which is only looked for in queries: `get_rid_of`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "foundation/base/result.h"

namespace iii::search {

struct Synonym {
  std::string stem;
  float weight = 0;
};

class Synonyms {
 public:
  // The table of this program; read at the first use.
  static const Synonyms& standard();
  static Result<Synonyms> parse(std::string_view tsv);

  // Of a stem, by falling weight.
  std::span<const Synonym> of(std::string_view stem) const;
  // Of two or three words joined by `_`, unstemmed.
  std::span<const Synonym> of_phrase(std::string_view phrase) const;
  size_t stems() const { return words_.size(); }
  size_t phrases() const { return phrases_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Map = boost::unordered_flat_map<std::string, std::vector<Synonym>, Hash, std::equal_to<>>;

  Map words_;
  Map phrases_;
};

}  // namespace iii::search
