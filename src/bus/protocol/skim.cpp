#include "bus/protocol/skim.h"

#include <cstring>

namespace iii::protocol {

namespace {

// Deeper texts go the other way, which knows the exact limit.
constexpr unsigned kDepth = 32;
// Numbers of at most this many digits fit everywhere.
constexpr size_t kDigits = 18;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }

size_t digits_at(std::string_view text) {
  size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

// An integer or a decimal without exponent.
bool is_short_number(std::string_view text) {
  if (text.size() > kDigits) return false;
  if (text.starts_with('-')) text.remove_prefix(1);
  const size_t whole = digits_at(text);
  if (whole == 0 || (whole > 1 && text[0] == '0')) return false;
  text.remove_prefix(whole);
  if (text.empty()) return true;
  if (text[0] != '.' || text.size() == 1) return false;
  return digits_at(text.substr(1)) == text.size() - 1;
}

// Every escape is one of the short ones, or stands for a character that needs no partner.
bool has_simple_escapes(std::string_view text) {
  size_t at = 0;
  while ((at = text.find('\\', at)) != std::string_view::npos) {
    if (at + 1 >= text.size()) return false;
    const char kind = text[at + 1];
    at += 2;
    if (kind != 'u') {
      if (std::string_view("\"\\/bfnrt").find(kind) == std::string_view::npos) return false;
      continue;
    }
    if (at + 4 > text.size()) return false;
    for (size_t i = 0; i < 4; ++i) {
      if (!is_hex(text[at + i])) return false;
    }
    if ((text[at] | 0x20) == 'd' && text[at + 1] >= '8') return false;  // half of a pair
    at += 4;
  }
  return true;
}

class Skimmer {
 public:
  Skimmer(std::string_view text, std::span<const uint32_t> index, Members& members)
      : text_(text),
        index_(index.data()),
        last_(index.size() - 1),
        plain_(text.find('\\') == std::string_view::npos),
        members_(members) {}

  bool frame() {
    if (last_ < 2 || mark() != '{') return false;
    members_.set_plain(plain_);
    ++at_;
    if (mark() == '}') return at_ + 1 == last_;
    while (true) {
      json::Slice key;
      if (!key_and_colon(key)) return false;
      const size_t start = index_[at_];
      if (!top_value(key)) return false;
      members_.add(key, text_.substr(start, end_ - start));
      if (mark() == '}') return at_ + 1 == last_;
      if (!take(',')) return false;
    }
  }

 private:
  // The structural character at hand; behind the last one, a character that fits nowhere.
  char mark() const { return at_ < last_ ? text_[index_[at_]] : '\0'; }
  bool take(char wanted) {
    if (mark() != wanted) return false;
    ++at_;
    return true;
  }

  // The scalar at hand, up to the next structural character without the space between.
  std::string_view scalar() {
    const size_t start = index_[at_];
    end_ = index_[++at_];
    while (is_space(text_[end_ - 1])) --end_;
    return text_.substr(start, end_ - start);
  }

  bool string(json::Slice& quoted) {
    const size_t start = index_[at_];
    end_ = index_[++at_];
    if (text_[end_ - 1] != '"') {
      while (is_space(text_[end_ - 1])) --end_;
    }
    quoted = text_.substr(start, end_ - start);
    if (quoted.size() < 2 || quoted.back() != '"') return false;
    return plain_ || has_simple_escapes(quoted.substr(1, quoted.size() - 2));
  }

  bool key_and_colon(json::Slice& key) { return mark() == '"' && string(key) && take(':'); }

  // The caller's payload: does it name a caller of its own? Only a plain text can be asked that
  // easily.
  bool top_value(json::Slice key) {
    if (!plain_ || key != "\"data\"") return value(1);
    bool claims = false;
    const bool good = mark() == '{' ? object(2, &claims) : value(1);
    members_.set_data_claims_caller(claims);
    return good;
  }

  // Each sets end_ behind the value.
  bool value(unsigned depth) {
    json::Slice ignored;
    switch (mark()) {
      case '"':
        return string(ignored);
      case '{':
        return object(depth + 1, nullptr);
      case '[':
        return array(depth + 1);
      case 't':
        return scalar() == "true";
      case 'f':
        return scalar() == "false";
      case 'n':
        return scalar() == "null";
      default:
        return at_ < last_ && is_short_number(scalar());
    }
  }

  bool object(unsigned depth, bool* claims_caller) {
    if (depth > kDepth) return false;
    ++at_;
    while (mark() != '}') {
      json::Slice key;
      if (!key_and_colon(key)) return false;
      if (claims_caller != nullptr && key.size() == kCallerKey.size() + 2 &&
          key.substr(1, kCallerKey.size()) == kCallerKey) {
        *claims_caller = true;
      }
      if (!value(depth)) return false;
      if (mark() == '}') break;
      if (!take(',') || mark() == '}') return false;
    }
    return close();
  }

  bool array(unsigned depth) {
    if (depth > kDepth) return false;
    ++at_;
    while (mark() != ']') {
      if (!value(depth)) return false;
      if (mark() == ']') break;
      if (!take(',') || mark() == ']') return false;
    }
    return close();
  }

  bool close() {
    end_ = index_[at_++] + size_t{1};
    return true;
  }

  const std::string_view text_;
  const uint32_t* const index_;
  const size_t last_;  // the entry behind the last structural character
  const bool plain_;   // no escapes anywhere
  Members& members_;
  size_t at_ = 0;
  size_t end_ = 0;
};

}  // namespace

bool skim(std::string_view text, std::span<const uint32_t> index, Members& members) {
  if (index.size() < 2) return false;
  return Skimmer(text, index, members).frame();
}

}  // namespace iii::protocol
