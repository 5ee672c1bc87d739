// The scores of all documents for a query, and the best of them.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "directory/search/find.h"
#include "directory/search/query.h"

namespace iii::search {

struct Scored {
  float f = 0;
  float g = 0;
  float lexical = 0;
  float cosine = 0;
  size_t part = 0;
  DocumentNumber document = 0;
  std::string_view key;  // in its segment
};

enum class Wanted : uint8_t {
  kAll,
  kWithEveryWord,  // those that have each word of the query itself, not only what may stand for it
};

// The best `limit` documents with f > 0, best first, equal ones by key.
std::vector<Scored> best_documents(const Index::State& state, const Query& query, size_t limit,
                                   const Options& options, Wanted wanted = Wanted::kAll);

// Why a document was found.
std::vector<Match> explain(const Index::State& state, const Query& query, const Scored& scored);

// Some document has the stem in one of the fields.
bool occurs_in(const Index::State& state, std::string_view stem, FieldMask fields);

}  // namespace iii::search
