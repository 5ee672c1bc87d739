#include "directory/search/token_budget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "directory/search/word_vectors.h"
#include "directory/search/words.h"
#include "foundation/base/utf8_character.h"

namespace iii::search {

namespace {

// Longer words are not in the table.
constexpr size_t kLongestWord = 32;

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_token_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// `word` is written in one case.
bool is_known(std::string_view word) {
  if (word.size() > kLongestWord) return false;
  std::string lower(word);
  for (char& c : lower) c = static_cast<char>(is_upper(c) ? c - 'A' + 'a' : c);
  return is_stop_word(lower) || WordVectors::standard().find_form(lower).has_value();
}

double beyond(size_t letters, size_t from) {
  return letters > from ? static_cast<double>(letters - from) : 0;
}

double word_cost(std::string_view word, bool after_space) {
  const auto letters = static_cast<double>(word.size());
  const double capital = is_upper(word.front()) ? 0.2 : 0;
  if (is_known(word)) {
    const double known = word.size() <= 4 ? 1.05 : 1.15 + beyond(word.size(), 8) * 0.08;
    return known + capital + (after_space ? 0 : 0.15);
  }
  if (word.size() <= 2) return 1 + capital;
  return 0.55 + letters * 0.45 + beyond(word.size(), 10) * 0.12 + capital;
}

double capitals_cost(std::string_view run) {
  const auto letters = static_cast<double>(run.size());
  if (run.size() <= 2) return 1;
  return is_known(run) ? 0.5 + letters * 0.28 : 0.5 + letters * 0.47 + beyond(run.size(), 8) * 0.12;
}

double digits_cost(size_t digits) { return digits == 1 ? 1 : static_cast<double>(digits) * 0.62; }

// `changes`: how often another kind of white space begins.
double space_cost(std::string_view run, size_t changes) {
  if (run == " ") return 0;  // part of the word after it
  const auto kinds = static_cast<double>(changes);
  return 0.5 + 0.5 * kinds + static_cast<double>(run.size() - changes) * 0.13;
}

double punctuation_cost(size_t equal) {
  return equal == 1 ? 0.95 : 1 + static_cast<double>(equal) * 0.15;
}

struct Script {
  uint32_t end;  // the first character after it
  double cost;   // of one character
};
// Ascending. What a tokenizer has not seen often costs a token per byte or nearly so.
constexpr std::array<Script, 24> kScripts{{{0x250, 1},      // Latin with marks
                                           {0x300, 2},      // phonetic letters
                                           {0x370, 2.2},    // combining marks
                                           {0x400, 1.35},   // Greek
                                           {0x530, 0.85},   // Cyrillic
                                           {0x590, 2},      // Armenian
                                           {0x600, 1.25},   // Hebrew
                                           {0x700, 1.2},    // Arabic
                                           {0x900, 2},      // Syriac and others
                                           {0x980, 1.9},    // Devanagari
                                           {0xE00, 3},      // scripts of India and Ceylon
                                           {0xE80, 2},      // Thai
                                           {0x1200, 3},     // Lao … Georgian, Hangul letters
                                           {0x1400, 3.3},   // Ethiopic
                                           {0x1E00, 3},     // others
                                           {0x1F00, 2},     // Vietnamese
                                           {0x2000, 2.5},   // Greek of antiquity
                                           {0x2050, 1.2},   // quotes, dashes
                                           {0x3000, 2.2},   // symbols, arrows, boxes
                                           {0x3100, 1.15},  // CJK punctuation, kana
                                           {0xA000, 1.9},   // CJK
                                           {0xAC00, 3},     // Yi and others
                                           {0xD7A4, 2.2},   // Hangul
                                           {0x10000, 3}}};
constexpr double kBeyondScripts = 3.6;  // emoji, rare signs

double character_cost(uint32_t character) {
  const auto found = std::ranges::upper_bound(kScripts, character, {}, &Script::end);
  return found == kScripts.end() ? kBeyondScripts : found->cost;
}

class Estimate {
 public:
  explicit Estimate(std::string_view text) : text_(text) {}

  size_t tokens() {
    while (at_ < text_.size()) next();
    return static_cast<size_t>(std::ceil(sum_));
  }

 private:
  template <typename Is>
  std::string_view run(Is is) {
    const size_t begin = at_;
    while (at_ < text_.size() && is(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void next() {
    const char first = text_[at_];
    if (is_upper(first) || is_lower(first)) return letters();
    if (is_digit(first)) {
      sum_ += digits_cost(run(is_digit).size());
    } else if (is_token_space(first)) {
      white_space();
    } else if (static_cast<unsigned char>(first) < 0x80) {
      sum_ += punctuation_cost(run([first](char c) { return c == first; }).size());
    } else {
      other();
    }
  }

  // Capitals, then small letters. The last of several capitals begins a word: `HTTPServer`.
  void letters() {
    const bool after_space = at_ == 0 || text_[at_ - 1] == ' ';
    std::string_view capitals = run(is_upper);
    const size_t small = run(is_lower).size();
    const size_t of_word = small > 0 && !capitals.empty() ? 1 : 0;
    capitals.remove_suffix(of_word);
    const size_t word = small + of_word;
    if (!capitals.empty()) sum_ += capitals_cost(capitals);
    if (word > 0) {
      sum_ += word_cost(text_.substr(at_ - word, word), after_space && capitals.empty());
    }
  }

  void white_space() {
    size_t changes = 0;
    char last = '\0';
    const std::string_view all = run([&](char c) {
      if (!is_token_space(c)) return false;
      if (c != last) ++changes;
      last = c;
      return true;
    });
    sum_ += space_cost(all, changes);
  }

  void other() {
    const auto [point, length] = first_character(text_.substr(at_));
    sum_ += character_cost(length == 0 ? 0xFFFF : point);
    at_ += std::max<size_t>(length, 1);
  }

  const std::string_view text_;
  size_t at_ = 0;
  double sum_ = 0;
};

}  // namespace

size_t estimate_tokens(std::string_view text) { return Estimate(text).tokens(); }

}  // namespace iii::search
