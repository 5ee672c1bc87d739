// Numbers of 64 bits, as callers and files give them, where a size is wanted; on some machines that
// has 32 bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace iii {

// A limit that no size reaches is no limit.
constexpr size_t saturated_size(uint64_t number) {
  return static_cast<size_t>(std::min<uint64_t>(number, std::numeric_limits<size_t>::max()));
}

}  // namespace iii
