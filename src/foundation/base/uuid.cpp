#include "foundation/base/uuid.h"

#include <bit>
#include <cstring>

#include "foundation/base/random.h"

namespace iii {

namespace {

constexpr uint64_t kEach = 0x0101010101010101ULL;

// Eight digits at a time, one per byte of a word; `at` may have any alignment.
uint64_t load_word(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  return word;
}

void store(char* at, uint64_t word) {
  if constexpr (std::endian::native == std::endian::big) word = std::byteswap(word);
  std::memcpy(at, &word, sizeof word);
}

// The number that eight digits spell; `good` loses its marks (bit 7 of each byte) where there is no
// digit.
uint64_t from_digits(uint64_t text, uint64_t& good) {
  const uint64_t low = text & (0x7f * kEach);  // so that no sum runs into the next byte
  const uint64_t folded = low | (0x20 * kEach);
  const uint64_t digit = (low + 0x50 * kEach) & ~(low + 0x46 * kEach);         // '0' to '9'
  const uint64_t letter = (folded + 0x1f * kEach) & ~(folded + 0x19 * kEach);  // 'a' to 'f'
  good &= (digit | letter) & ~text;
  const uint64_t nibbles = (low & (0x0f * kEach)) + 9 * ((letter >> 7) & kEach);
  // The first digit weighs most: pairs into bytes, bytes into a number.
  uint64_t bytes = ((nibbles << 4) | (nibbles >> 8)) & 0x00ff00ff00ff00ffULL;
  bytes = (bytes | (bytes >> 8)) & 0x0000ffff0000ffffULL;
  bytes = (bytes | (bytes >> 16)) & 0xffffffffULL;
  return std::byteswap(static_cast<uint32_t>(bytes));
}

uint64_t to_digits(uint64_t number) {
  uint64_t word = std::byteswap(static_cast<uint32_t>(number));
  word = (word | (word << 16)) & 0x0000ffff0000ffffULL;
  word = (word | (word << 8)) & 0x00ff00ff00ff00ffULL;
  word = ((word >> 4) | (word << 8)) & (0x0f * kEach);
  const uint64_t letter = ((word + 6 * kEach) >> 4) & kEach;
  return word + '0' * kEach + letter * ('a' - '0' - 10);
}

// 8-4-4-4-12 digits: the middle ones are brought together before they are read.
std::optional<Uuid> parse_hyphenated(std::string_view text) {
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return std::nullopt;
  char middle[16];
  std::memcpy(middle, text.data() + 9, 4);
  std::memcpy(middle + 4, text.data() + 14, 4);
  std::memcpy(middle + 8, text.data() + 19, 4);
  std::memcpy(middle + 12, text.data() + 24, 4);
  uint64_t good = 0x80 * kEach;
  const Uuid id{.high = (from_digits(load_word(text.data()), good) << 32) |
                        from_digits(load_word(middle), good),
                .low = (from_digits(load_word(middle + 8), good) << 32) |
                       from_digits(load_word(text.data() + 28), good)};
  if (good != 0x80 * kEach) return std::nullopt;
  return id;
}

std::optional<Uuid> parse_simple(std::string_view text) {
  const char* at = text.data();
  uint64_t good = 0x80 * kEach;
  const Uuid id{
      .high = (from_digits(load_word(at), good) << 32) | from_digits(load_word(at + 8), good),
      .low = (from_digits(load_word(at + 16), good) << 32) | from_digits(load_word(at + 24), good)};
  if (good != 0x80 * kEach) return std::nullopt;
  return id;
}

}  // namespace

std::optional<Uuid> Uuid::parse(std::string_view text) {
  if (text.size() == 36) return parse_hyphenated(text);
  if (text.size() == 32) return parse_simple(text);
  if (text.size() == 38 && text.front() == '{' && text.back() == '}') {
    return parse_hyphenated(text.substr(1, 36));
  }
  if (text.size() == 45 && text.starts_with("urn:uuid:")) return parse_hyphenated(text.substr(9));
  return std::nullopt;
}

void Uuid::write_to(char* text) const {
  store(text, to_digits(high >> 32));
  char middle[16];
  store(middle, to_digits(high));
  store(middle + 8, to_digits(low >> 32));
  text[8] = text[13] = text[18] = text[23] = '-';
  std::memcpy(text + 9, middle, 4);
  std::memcpy(text + 14, middle + 4, 4);
  std::memcpy(text + 19, middle + 8, 4);
  std::memcpy(text + 24, middle + 12, 4);
  store(text + 28, to_digits(low));
}

void Uuid::append_to(std::string& out) const {
  char text[kTextSize];
  write_to(text);
  out.append(text, sizeof text);
}

std::string Uuid::to_string() const {
  std::string out;
  append_to(out);
  return out;
}

Uuid RandomIds::next() {
  if (used_ + 2 > block_.size()) {
    fill_random(block_.data(), sizeof block_);
    used_ = 0;
  }
  Uuid id{block_[used_], block_[used_ + 1]};
  // A token handed out must not stay readable in memory next to the ones still to come.
  block_[used_] = block_[used_ + 1] = 0;
  used_ += 2;
  id.high = (id.high & 0xffffffffffff0fffULL) | 0x4000ULL;
  id.low = (id.low & 0x3fffffffffffffffULL) | 0x8000000000000000ULL;
  return id;
}

}  // namespace iii
