// A line as words and operators: the input of the matchers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace iii::risks {

enum class TokenKind : uint8_t {
  kWord,
  kPipe,       // |
  kSeparator,  // ; && || & and the end of a code span or table cell
  kOpen,       // $( <( or a backtick in a shell: what is inside is run first
  kParen,      // ( of a call
  kClose,      // )
  kRedirect,   // > or >>
};

struct Token {
  TokenKind kind = TokenKind::kWord;
  bool quoted = false;    // inside quotes or a code span
  bool appends = false;   // kRedirect: >>
  uint32_t at = 0;        // offset in the line
  std::string_view text;  // of a word: in lower case, without punctuation around it
};

template <typename T>
bool is_one_of(std::string_view word, const T& words) {
  return std::ranges::find(words, word) != words.end();
}
inline bool is_any(std::string_view word, std::initializer_list<std::string_view> words) {
  return is_one_of(word, words);
}

// How pipes and backticks are read.
enum class Syntax : uint8_t { kShell, kProse, kTable };

// A line, kept together with its lower-case copy, which the tokens point into.
class Tokens {
 public:
  // Replaces what was there. Linear in the line.
  void read(std::string_view line, Syntax syntax);

  const std::vector<Token>& all() const { return tokens_; }
  std::string_view line() const { return line_; }    // as it was written
  std::string_view lower() const { return lower_; }  // ASCII letters in lower case
  // A word as it was written.
  std::string_view original(const Token& word) const {
    return line_.substr(word.at, word.text.size());
  }

 private:
  class Reader;

  std::string_view line_;
  std::string lower_;
  std::vector<Token> tokens_;
};

}  // namespace iii::risks
