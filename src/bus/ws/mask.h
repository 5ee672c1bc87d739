// XOR masking of RFC 6455 §5.3, eight bytes at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace iii::ws {

// `key` holds the four mask bytes in memory order, as memcpy reads them from the frame.
// `to` and `from` may be the same; otherwise they must not overlap.
inline void apply_mask(char* to, const char* from, size_t count, uint32_t key) {
  const uint64_t wide = (uint64_t{key} << 32) | key;
  size_t i = 0;
  for (; i + sizeof wide <= count; i += sizeof wide) {
    uint64_t word;
    std::memcpy(&word, from + i, sizeof word);
    word ^= wide;
    std::memcpy(to + i, &word, sizeof word);
  }
  if (i == count) return;
  char mask[sizeof wide];
  std::memcpy(mask, &wide, sizeof wide);
  for (size_t j = 0; i < count; ++i, ++j) to[i] = static_cast<char>(from[i] ^ mask[j]);
}

// The key for the bytes behind the first `count`.
inline uint32_t advance_mask(uint32_t key, size_t count) {
  char bytes[2 * sizeof key];
  std::memcpy(bytes, &key, sizeof key);
  std::memcpy(bytes + sizeof key, &key, sizeof key);
  std::memcpy(&key, bytes + count % sizeof key, sizeof key);
  return key;
}

}  // namespace iii::ws
