#include "foundation/base/hash.h"

#include <bit>
#include <cstring>

#include "foundation/base/random.h"

namespace iii {

namespace {

uint64_t load(const char* at, size_t bytes = 8) {
  uint64_t word = 0;
  if (bytes > 0) std::memcpy(&word, at, bytes);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

// The state of SipHash: one round for each word of input, three at the end.
class Sip {
 public:
  explicit Sip(const HashKey& key)
      : a_(key.first ^ 0x736f6d6570736575ULL),
        b_(key.second ^ 0x646f72616e646f6dULL),
        c_(key.first ^ 0x6c7967656e657261ULL),
        d_(key.second ^ 0x7465646279746573ULL) {}

  void add(uint64_t word) {
    d_ ^= word;
    round();
    a_ ^= word;
  }

  // `rest` holds the bytes that did not fill a word.
  uint64_t finish(uint64_t rest, size_t total_bytes) {
    add(rest | (static_cast<uint64_t>(total_bytes) << 56));
    c_ ^= 0xff;
    for (int i = 0; i < 3; ++i) round();
    return a_ ^ b_ ^ c_ ^ d_;
  }

 private:
  void round() {
    a_ += b_;
    b_ = std::rotl(b_, 13) ^ a_;
    a_ = std::rotl(a_, 32);
    c_ += d_;
    d_ = std::rotl(d_, 16) ^ c_;
    a_ += d_;
    d_ = std::rotl(d_, 21) ^ a_;
    c_ += b_;
    b_ = std::rotl(b_, 17) ^ c_;
    c_ = std::rotl(c_, 32);
  }

  uint64_t a_;
  uint64_t b_;
  uint64_t c_;
  uint64_t d_;
};

}  // namespace

const HashKey& process_hash_key() {
  static const HashKey key = [] {
    HashKey drawn;
    fill_random(&drawn, sizeof drawn);
    return drawn;
  }();
  return key;
}

uint64_t keyed_hash(const HashKey& key, std::string_view text) {
  Sip sip(key);
  const size_t total = text.size();
  for (; text.size() >= 8; text.remove_prefix(8)) sip.add(load(text.data()));
  return sip.finish(load(text.data(), text.size()), total);
}

uint64_t keyed_hash(const HashKey& key, uint64_t first, uint64_t second) {
  Sip sip(key);
  sip.add(first);
  sip.add(second);
  return sip.finish(0, 16);
}

uint64_t checksum(std::string_view bytes) {
  uint64_t sum = 0x9e3779b97f4a7c15 ^ bytes.size();
  const auto mix = [&sum](uint64_t word) {
    sum = (sum ^ word) * 0xff51afd7ed558ccd;
    sum ^= sum >> 32U;
  };
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    mix(word);
  }
  uint64_t rest = 0;
  std::memcpy(&rest, bytes.data(), bytes.size());
  mix(rest);
  return sum;
}

}  // namespace iii
