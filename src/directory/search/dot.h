// Dot products of one query with many vectors of documents. The query has 16 bits per number: it
// costs the same, and only the vectors of documents are rounded.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "directory/search/segment.h"

namespace iii::search {

using QueryVector = std::span<const int16_t, kDims>;

// out[i] = query · rows[i]; no sum can overflow.
void dots(std::span<const DocumentVector> rows, QueryVector query, std::vector<int32_t>& out);

}  // namespace iii::search
