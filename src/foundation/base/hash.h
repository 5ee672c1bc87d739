// Hashes for tables whose keys a peer chooses, and a checksum for files of our own.
//
// With a fixed hash function a peer can compute keys that all fall into one bucket, and every
// lookup becomes a walk over all of them. These are keyed with random bits drawn once per process,
// so nobody outside knows which keys collide. SipHash-1-3, as in the hash tables of Rust and
// Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iii {

struct HashKey {
  uint64_t first = 0;
  uint64_t second = 0;
};

// Drawn from the kernel at the first use, the same until the process ends.
const HashKey& process_hash_key();

uint64_t keyed_hash(const HashKey& key, std::string_view text);
// The same as of the 16 bytes of both words, lowest byte first.
uint64_t keyed_hash(const HashKey& key, uint64_t first, uint64_t second);

// For texts, in any container: `std::unordered_map<std::string, T, TextHash, std::equal_to<>>`.
struct TextHash {
  using is_transparent = void;
  using is_avalanching = void;
  size_t operator()(std::string_view text) const noexcept {
    return static_cast<size_t>(keyed_hash(process_hash_key(), text));
  }
};

// Finds damage, not malice: eight bytes at a step, every step mixed into all bits.
uint64_t checksum(std::string_view bytes);

}  // namespace iii
