// Dot products of one query with many rows of int8. The query has 16 bits per number: it costs the
// same, and only the rows are rounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "directory/search/word_vectors.h"

namespace iii::search {

using QueryVector = std::span<const int16_t, kDims>;

// out[i] = query · row i; no sum can overflow. By the best instructions this CPU has.
void dots(const int8_t* rows, size_t count, QueryVector query, int32_t* out);

// The same by one set of instructions, for tests and measurements.
struct DotMethod {
  std::string_view name;
  void (*dots)(const int8_t* rows, size_t count, const int16_t* query, int32_t* out);
};
// Those that this CPU can run, the best last. The first is plain C++.
std::span<const DotMethod> dot_methods();

}  // namespace iii::search
