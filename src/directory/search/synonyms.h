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

#include "foundation/base/hash.h"

namespace iii::search {

struct Synonym {
  std::string stem;
  float weight = 0;
};

class Synonyms {
 public:
  // The table of this program; read at the first use.
  static const Synonyms& standard();

  // Of a stem, by falling weight.
  std::span<const Synonym> of(std::string_view stem) const;
  // Of two or three words joined by `_`, unstemmed.
  std::span<const Synonym> of_phrase(std::string_view phrase) const;

 private:
  using Map =
      boost::unordered_flat_map<std::string, std::vector<Synonym>, TextHash, std::equal_to<>>;

  explicit Synonyms(std::string_view tsv);

  Map words_;
  Map phrases_;
};

}  // namespace iii::search
