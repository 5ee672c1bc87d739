#include "directory/search/dot.h"

// The compiler makes vector instructions of the loop, and the best version for this CPU is chosen
// at the start.
#if defined(__x86_64__)
#define III_FOR_EACH_CPU __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define III_FOR_EACH_CPU
#endif

namespace iii::search {

namespace {

III_FOR_EACH_CPU void dots_of(const DocumentVector* rows, size_t count, const int16_t* query,
                              int32_t* out) {
  for (size_t r = 0; r < count; ++r) {
    int32_t sum = 0;
    for (size_t i = 0; i < kDims; ++i) sum += int32_t{rows[r].values[i]} * query[i];
    out[r] = sum;
  }
}

}  // namespace

void dots(std::span<const DocumentVector> rows, QueryVector query, std::vector<int32_t>& out) {
  out.resize(rows.size());
  dots_of(rows.data(), rows.size(), query.data(), out.data());
}

}  // namespace iii::search
