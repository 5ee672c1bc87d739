#include "base/uuid.h"

#include <sys/random.h>

#include "base/check.h"

namespace iii {

namespace {

constexpr std::array<int8_t, 256> make_digit_table() {
  std::array<int8_t, 256> table{};
  table.fill(-1);
  for (int i = 0; i < 10; ++i) table[static_cast<size_t>('0' + i)] = static_cast<int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    table[static_cast<size_t>('a' + i)] = static_cast<int8_t>(10 + i);
    table[static_cast<size_t>('A' + i)] = static_cast<int8_t>(10 + i);
  }
  return table;
}

constexpr auto kDigit = make_digit_table();

// Where the 32 digits stand in the hyphenated form.
constexpr std::array<uint8_t, 32> kHyphenated{0,  1,  2,  3,  4,  5,  6,  7,  9,  10, 11,
                                              12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25,
                                              26, 27, 28, 29, 30, 31, 32, 33, 34, 35};

std::optional<Uuid> parse_hyphenated(std::string_view text) {
  if (text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-') return std::nullopt;
  Uuid id;
  int bad = 0;
  for (size_t i = 0; i < 16; ++i) {
    const int digit = kDigit[static_cast<uint8_t>(text[kHyphenated[i]])];
    bad |= digit;
    id.high = (id.high << 4) | static_cast<uint64_t>(digit & 15);
  }
  for (size_t i = 16; i < 32; ++i) {
    const int digit = kDigit[static_cast<uint8_t>(text[kHyphenated[i]])];
    bad |= digit;
    id.low = (id.low << 4) | static_cast<uint64_t>(digit & 15);
  }
  if (bad < 0) return std::nullopt;
  return id;
}

std::optional<Uuid> parse_simple(std::string_view text) {
  Uuid id;
  for (size_t i = 0; i < 32; ++i) {
    const int digit = kDigit[static_cast<uint8_t>(text[i])];
    if (digit < 0) return std::nullopt;
    uint64_t& half = i < 16 ? id.high : id.low;
    half = (half << 4) | static_cast<uint64_t>(digit);
  }
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

void Uuid::append_to(std::string& out) const {
  static constexpr char kDigits[] = "0123456789abcdef";
  char text[36];
  text[8] = text[13] = text[18] = text[23] = '-';
  for (size_t i = 0; i < 16; ++i) {
    text[kHyphenated[i]] = kDigits[(high >> (60 - 4 * i)) & 15];
    text[kHyphenated[i + 16]] = kDigits[(low >> (60 - 4 * i)) & 15];
  }
  out.append(text, sizeof text);
}

std::string Uuid::to_string() const {
  std::string out;
  append_to(out);
  return out;
}

Uuid RandomIds::next() {
  if (used_ + 2 > block_.size()) {
    auto* bytes = reinterpret_cast<char*>(block_.data());
    size_t filled = 0;
    while (filled < sizeof block_) {
      const ssize_t n = ::getrandom(bytes + filled, sizeof block_ - filled, 0);
      III_CHECK(n > 0 || errno == EINTR);
      if (n > 0) filled += static_cast<size_t>(n);
    }
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
