#include "foundation/json/slice.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "foundation/json/value.h"

namespace iii::json {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// The n-th bit stands for the n-th of 64 bytes.
struct Marks {
  uint64_t quote = 0;
  uint64_t backslash = 0;
  uint64_t open = 0;   // { and [
  uint64_t close = 0;  // } and ]
};

// In ASCII each square bracket becomes the brace of its side when the sixth bit is set.
constexpr char kBraceBit = 0x20;

#ifdef __SSE2__
Marks marks_of(const char* bytes) {
  Marks marks;
  for (int part = 0; part < 4; ++part) {
    const __m128i plain = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes) + part);
    const __m128i braced = _mm_or_si128(plain, _mm_set1_epi8(kBraceBit));
    const auto equal = [part](__m128i values, char c) {
      const int bits = _mm_movemask_epi8(_mm_cmpeq_epi8(values, _mm_set1_epi8(c)));
      return static_cast<uint64_t>(bits) << (16 * part);
    };
    marks.quote |= equal(plain, '"');
    marks.backslash |= equal(plain, '\\');
    marks.open |= equal(braced, '{');
    marks.close |= equal(braced, '}');
  }
  return marks;
}
#else
Marks marks_of(const char* bytes) {
  Marks marks;
  for (int i = 0; i < 64; ++i) {
    const char braced = static_cast<char>(bytes[i] | kBraceBit);
    marks.quote |= uint64_t{bytes[i] == '"'} << i;
    marks.backslash |= uint64_t{bytes[i] == '\\'} << i;
    marks.open |= uint64_t{braced == '{'} << i;
    marks.close |= uint64_t{braced == '}'} << i;
  }
  return marks;
}
#endif

// Goes through text in blocks of 64 bytes.
class Blocks {
 public:
  Blocks(std::string_view text, size_t at) : text_(text), at_(at) {}

  bool done() const { return at_ >= text_.size(); }
  size_t at() const { return at_; }
  void advance() { at_ += 64; }

  // Of the block at at(), without quotes that a backslash escapes. To be called once per block.
  Marks marks() {
    std::array<char, 64> tail;
    const char* block = text_.data() + at_;
    if (const size_t left = text_.size() - at_; left < tail.size()) {
      tail.fill(' ');
      std::memcpy(tail.data(), block, left);
      block = tail.data();
    }
    Marks marks = marks_of(block);
    marks.quote &= ~escaped(marks.backslash);
    return marks;
  }

 private:
  // The bytes behind an odd number of backslashes, found by adding: from the first backslash of a
  // run a carry moves to the byte behind it, and lands on an even or an odd place.
  uint64_t escaped(uint64_t backslashes) {
    constexpr uint64_t kEven = 0x5555555555555555;
    backslashes &= ~escape_first_;
    const uint64_t behind = (backslashes << 1) | escape_first_;
    const uint64_t odd_starts = backslashes & ~kEven & ~behind;
    const uint64_t carried = odd_starts + backslashes;
    escape_first_ = carried < backslashes ? 1 : 0;
    return (kEven ^ (carried << 1)) & behind;
  }

  std::string_view text_;
  size_t at_;
  uint64_t escape_first_ =
      0;  // 1: a backslash at the end of the block before escapes the first byte
};

// Behind the closing quote of the string that starts at `at`.
size_t skip_string(std::string_view text, size_t at) {
  // Most strings hold no escaped quote.
  const size_t quote = text.find('"', at + 1);
  if (quote == std::string_view::npos) return text.size();
  if (text[quote - 1] != '\\') return quote + 1;
  for (Blocks blocks(text, at + 1); !blocks.done(); blocks.advance()) {
    if (const uint64_t quotes = blocks.marks().quote; quotes != 0) {
      return blocks.at() + static_cast<size_t>(std::countr_zero(quotes)) + 1;
    }
  }
  return text.size();
}

// Each bit becomes the parity of the quotes up to it: set from an opening quote to the byte before
// its closing quote.
uint64_t inside_strings(uint64_t quotes) {
  for (int shift = 1; shift < 64; shift *= 2) quotes ^= quotes << shift;
  return quotes;
}

// Behind the bracket that closes the one at `at`.
size_t skip_container(std::string_view text, size_t at) {
  uint64_t depth = 0;
  uint64_t starts_inside = 0;  // all bits: the block starts inside a string
  for (Blocks blocks(text, at); !blocks.done(); blocks.advance()) {
    const Marks marks = blocks.marks();
    const uint64_t inside = inside_strings(marks.quote) ^ starts_inside;
    starts_inside = (inside >> 63) != 0 ? ~uint64_t{0} : 0;
    const uint64_t open = marks.open & ~inside;
    const uint64_t close = marks.close & ~inside;
    if (static_cast<uint64_t>(std::popcount(close)) < depth) {
      // Too few to close everything: only their number matters.
      depth += static_cast<uint64_t>(std::popcount(open));
      depth -= static_cast<uint64_t>(std::popcount(close));
      continue;
    }
    for (uint64_t left = open | close; left != 0; left &= left - 1) {
      if ((open & left & (~left + 1)) != 0) {
        ++depth;
      } else if (--depth == 0) {
        return blocks.at() + static_cast<size_t>(std::countr_zero(left)) + 1;
      }
    }
  }
  return text.size();
}

size_t skip_value(std::string_view text, size_t at) {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] == '{' || text[at] == '[') return skip_container(text, at);
  while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
         !is_space(text[at])) {
    ++at;
  }
  return at;
}

}  // namespace

Slice trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Kind kind_of(Slice value) {
  switch (value.empty() ? 'n' : value.front()) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      // `-0` is a double in the public engine, and so are integers beyond 64 bits.
      if (value == "-0" || value.find_first_of(".eE") != Slice::npos) return Kind::kFloat;
      return Kind::kInteger;
  }
}

std::optional<std::string_view> plain_string(Slice value) {
  if (value.size() < 2 || value.front() != '"') return std::nullopt;
  const std::string_view inner = value.substr(1, value.size() - 2);
  if (inner.find('\\') != std::string_view::npos) return std::nullopt;
  return inner;
}

std::string string_of(Slice value) {
  if (const auto plain = plain_string(value)) return std::string(*plain);
  auto parsed = parse(value);
  if (!parsed || parsed->as_string() == nullptr) return {};
  return std::move(*parsed->as_string());
}

Walker::Walker(Slice container)
    : text_(container), object_(!container.empty() && container.front() == '{') {}

bool Walker::next(Slice& key, Slice& value) {
  at_ = skip_space(text_, at_);
  if (at_ < text_.size() && text_[at_] == ',') at_ = skip_space(text_, at_ + 1);
  if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']') return false;
  if (object_) {
    const size_t end = skip_string(text_, at_);
    key = text_.substr(at_, end - at_);
    at_ = skip_space(text_, end);
    at_ = skip_space(text_, at_ + 1);  // the colon
  }
  const size_t end = skip_value(text_, at_);
  if (end <= at_) return false;
  value = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

std::optional<Slice> member(Slice object, std::string_view key) {
  std::optional<Slice> found;
  Walker walker(object);
  Slice name;
  Slice value;
  while (walker.next(name, value)) {
    const auto plain = plain_string(name);
    if (plain ? *plain == key : string_of(name) == key) found = value;
  }
  return found;
}

}  // namespace iii::json
