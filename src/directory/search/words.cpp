#include "directory/search/words.h"

#include <libstemmer.h>
#include <utf8proc.h>

#include <algorithm>

#include "foundation/base/check.h"
#include "foundation/base/utf8_character.h"

namespace iii::search {

namespace {

enum : uint8_t { kSeparator = 0, kLower = 1, kUpper = 2, kDigit = 4, kApostrophe = 8, kHigh = 16 };

constexpr std::array<uint8_t, 256> byte_classes() {
  std::array<uint8_t, 256> classes{};
  for (size_t c = 'a'; c <= 'z'; ++c) classes.at(c) = kLower;
  for (size_t c = 'A'; c <= 'Z'; ++c) classes.at(c) = kUpper;
  for (size_t c = '0'; c <= '9'; ++c) classes.at(c) = kDigit;
  for (size_t c = 0x80; c < 0x100; ++c) classes.at(c) = kHigh;
  classes.at('\'') = kApostrophe;
  return classes;
}
constexpr std::array<uint8_t, 256> kClasses = byte_classes();
constexpr uint8_t kLetter = kLower | kUpper;
constexpr uint8_t kAlnum = kLetter | kDigit;

uint8_t class_of(char c) { return kClasses[static_cast<unsigned char>(c)]; }
uint8_t class_of(char32_t c) { return c < 0x80 ? kClasses[c] : kHigh; }

bool is_cjk(char32_t c) {
  return (c >= 0x3040 && c <= 0x30FF) || (c >= 0x3400 && c <= 0x9FFF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0x20000 && c <= 0x2FFFF);
}

bool is_letter(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return true;
    default:
      return false;
  }
}

bool is_other_letter(char32_t c) { return c >= 0x80 && !is_cjk(c) && is_letter(c); }

// Letters that Unicode does not decompose, though people write them both ways (`Straße`,
// `Strasse`).
constexpr auto kPlainLetters =
    std::to_array<std::pair<char32_t, std::string_view>>({{0xDF, "ss"},
                                                          {0xE6, "ae"},
                                                          {0xC6, "Ae"},
                                                          {0x153, "oe"},
                                                          {0x152, "Oe"},
                                                          {0xF8, "o"},
                                                          {0xD8, "O"},
                                                          {0x142, "l"},
                                                          {0x141, "L"},
                                                          {0x111, "d"},
                                                          {0x110, "D"},
                                                          {0x131, "i"},
                                                          {0x2019, "'"}});

std::string_view plain_letters(char32_t c) {
  const auto found = std::ranges::find(kPlainLetters, c, [](const auto& row) { return row.first; });
  return found == kPlainLetters.end() ? std::string_view() : found->second;
}

// Chunks are normalised as a whole; a longer one (CJK text has no ASCII separators) is cut.
constexpr size_t kMaxChunkBytes = 4'096;

constexpr char32_t kNoCharacter = 0xFFFD;  // of malformed text

constexpr auto kDecompose = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                           UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK);

}  // namespace

void Tokenizer::start(std::string_view text) {
  text_ = text;
  position_ = ascii_end_ = 0;
  chars_.clear();
  in_chars_ = cjk_end_ = 0;
}

bool Tokenizer::next(Token& token) {
  for (;;) {
    if (position_ < ascii_end_) {
      if (next_of_ascii(token)) return true;
    } else if (in_chars_ < chars_.size()) {
      if (next_of_chars(token)) return true;
    } else if (!open_chunk()) {
      return false;
    }
  }
}

// A chunk is what stands between ASCII separators. Most are pure ASCII and need no normalisation.
bool Tokenizer::open_chunk() {
  while (position_ < text_.size() && (class_of(text_[position_]) & (kAlnum | kHigh)) == 0) {
    ++position_;
  }
  if (position_ == text_.size()) return false;
  size_t end = position_;
  uint8_t seen = 0;
  const size_t most = std::min(text_.size(), position_ + kMaxChunkBytes);
  for (; end < most; ++end) {
    const uint8_t kind = class_of(text_[end]);
    if (kind == kSeparator) break;
    seen |= kind;
  }
  if ((seen & kHigh) == 0) {
    ascii_end_ = end;
    return true;
  }
  if (end == most && end < text_.size()) {
    // Not in the middle of a character.
    while (end > position_ + 4 && is_continuation(text_[end])) --end;
  }
  normalise(position_, end);
  position_ = ascii_end_ = end;
  return true;
}

void Tokenizer::normalise(size_t begin, size_t end) {
  chars_.clear();
  in_chars_ = cjk_end_ = 0;
  std::array<utf8proc_int32_t, 32> decomposed;
  for (size_t at = begin; at < end;) {
    const size_t from = at;
    const auto [point, length] = first_character(text_.substr(at, end - at));
    const char32_t c = length == 0 ? kNoCharacter : point;
    at += std::max<size_t>(length, 1);
    if (const std::string_view plain = plain_letters(c); !plain.empty()) {
      for (const char letter : plain) append_char(static_cast<unsigned char>(letter), from, at);
      continue;
    }
    if (c < 0x80 || (c >= 0xAC00 && c <= 0xD7A3)) {  // syllables would be composed again
      append_char(c, from, at);
      continue;
    }
    int boundary = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), decomposed.data(),
                                decomposed.size(), kDecompose, &boundary);
    for (utf8proc_ssize_t i = 0; i < count && i < std::ssize(decomposed); ++i) {
      append_char(static_cast<char32_t>(decomposed[static_cast<size_t>(i)]), from, at);
    }
  }
}

// Marks are gone, so the only composition that is left is that of Hangul.
void Tokenizer::append_char(char32_t value, size_t begin, size_t end) {
  if (!chars_.empty() && value >= 0x1161 && value <= 0x11C2) {
    Char& last = chars_.back();
    if (value <= 0x1175 && last.value >= 0x1100 && last.value <= 0x1112) {
      last.value = 0xAC00 + ((last.value - 0x1100) * 21 + (value - 0x1161)) * 28;
      last.end = end;
      return;
    }
    if (value >= 0x11A8 && last.value >= 0xAC00 && last.value <= 0xD7A3 &&
        (last.value - 0xAC00) % 28 == 0) {
      last.value += value - 0x11A7;
      last.end = end;
      return;
    }
  }
  chars_.push_back({.value = value, .begin = begin, .end = end});
}

bool Tokenizer::next_of_ascii(Token& token) {
  while (position_ < ascii_end_ && (class_of(text_[position_]) & kAlnum) == 0) ++position_;
  const size_t begin = position_;
  size_t end = begin;
  while (end < ascii_end_ && (class_of(text_[end]) & kAlnum) != 0) ++end;
  if (end + 1 < ascii_end_ && text_[end] == '\'' && (class_of(text_[end + 1]) & kLetter) != 0 &&
      end > begin) {
    ++end;
    while (end < ascii_end_ && (class_of(text_[end]) & kLetter) != 0) ++end;
  }
  position_ = end;
  if (end == begin) return false;
  token.kind = TokenKind::kAscii;
  token.begin = begin;
  token.end = end;
  raw_size_ = std::min(end - begin, raw_.size());
  std::copy_n(text_.data() + begin, raw_size_, raw_.data());
  return split_raw(token);
}

// The end of the ASCII token that begins at `from`.
size_t Tokenizer::ascii_run(size_t from) const {
  const auto is = [&](size_t at, uint8_t kinds) {
    return at < chars_.size() && (class_of(chars_[at].value) & kinds & kAlnum) != 0;
  };
  size_t end = from;
  while (is(end, kAlnum)) ++end;
  if (end < chars_.size() && chars_[end].value == '\'' && is(end + 1, kLetter)) {
    ++end;
    while (is(end, kLetter)) ++end;
  }
  return end;
}

bool Tokenizer::next_of_chars(Token& token) {
  if (in_chars_ < cjk_end_) {
    cjk_pair(cjk_end_, token);
    return true;
  }
  const char32_t first = chars_[in_chars_].value;
  const auto run_of = [&](auto&& belongs) {
    size_t end = in_chars_;
    while (end < chars_.size() && belongs(chars_[end].value)) ++end;
    return end;
  };
  token.begin = chars_[in_chars_].begin;
  if ((class_of(first) & kAlnum) != 0) {
    const size_t end = ascii_run(in_chars_);
    raw_size_ = std::min(end - in_chars_, raw_.size());
    for (size_t i = 0; i < raw_size_; ++i) {
      raw_.at(i) = static_cast<char>(chars_[in_chars_ + i].value);
    }
    token.kind = TokenKind::kAscii;
    token.end = chars_[end - 1].end;
    in_chars_ = end;
    return split_raw(token);
  }
  if (is_cjk(first)) {
    cjk_pair(run_of(is_cjk), token);
    return true;
  }
  if (is_other_letter(first)) {
    other_run(run_of(is_other_letter), token);
    return true;
  }
  ++in_chars_;
  return false;
}

// The pair that begins here; a single character stands for itself.
void Tokenizer::cjk_pair(size_t run_end, Token& token) {
  const bool pair = in_chars_ + 1 < run_end;
  lower_.clear();
  append_utf8(lower_, chars_[in_chars_].value);
  if (pair) append_utf8(lower_, chars_[in_chars_ + 1].value);
  token.kind = TokenKind::kCjk;
  token.parts = {};
  token.whole = lower_;
  token.begin = chars_[in_chars_].begin;
  token.end = chars_[in_chars_ + (pair ? 1 : 0)].end;
  ++in_chars_;
  cjk_end_ = run_end;
  if (in_chars_ + 1 == run_end) in_chars_ = run_end;  // the last one was in this pair
}

void Tokenizer::other_run(size_t end, Token& token) {
  lower_.clear();
  for (size_t i = in_chars_; i < end && lower_.size() + 4 <= kMaxWordBytes; ++i) {
    const utf8proc_int32_t lower = utf8proc_tolower(static_cast<utf8proc_int32_t>(chars_[i].value));
    append_utf8(lower_, static_cast<char32_t>(lower));
  }
  token.kind = TokenKind::kOther;
  token.parts = {};
  token.whole = lower_;
  token.end = chars_[end - 1].end;
  in_chars_ = end;
}

bool Tokenizer::split_raw(Token& token) {
  size_t size = raw_size_;
  if (size >= 2 && raw_[size - 2] == '\'' && (raw_[size - 1] == 's' || raw_[size - 1] == 'S')) {
    size -= 2;
  }
  size = static_cast<size_t>(std::remove(raw_.data(), raw_.data() + size, '\'') - raw_.data());
  if (size == 0) return false;
  lower_.resize(size);
  for (size_t i = 0; i < size; ++i) {
    const char c = raw_[i];
    lower_[i] = class_of(c) == kUpper ? static_cast<char>(c + ('a' - 'A')) : c;
  }
  token.whole = lower_;
  parts_.clear();
  size_t from = 0;
  for (size_t i = 1; i < size; ++i) {
    const uint8_t a = class_of(raw_[i - 1]);
    const uint8_t b = class_of(raw_[i]);
    const bool boundary =
        (a == kLower && b == kUpper) || ((a == kDigit) != (b == kDigit)) ||
        (a == kUpper && b == kUpper && i + 1 < size && class_of(raw_[i + 1]) == kLower);
    if (!boundary) continue;
    if (i - from > 1) parts_.push_back(token.whole.substr(from, i - from));
    from = i;
  }
  if (from > 0 && size - from > 1) parts_.push_back(token.whole.substr(from));
  token.parts = parts_;
  return true;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

Stemmer::Stemmer() : stemmer_(sb_stemmer_new("english", "UTF_8")) {
  III_CHECK(stemmer_ != nullptr);
}

Stemmer::~Stemmer() { sb_stemmer_delete(stemmer_); }

std::string_view Stemmer::stem(std::string_view word) {
  if (!is_ascii(word)) return word;
  const sb_symbol* stemmed = sb_stemmer_stem(
      stemmer_, reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
  III_CHECK(stemmed != nullptr);  // out of memory
  return {reinterpret_cast<const char*>(stemmed), static_cast<size_t>(sb_stemmer_length(stemmer_))};
}

}  // namespace iii::search
