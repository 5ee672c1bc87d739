// Text to words: the same for documents and queries, for both lanes of the search.
//
// A token is a run of ASCII letters and digits (`'` and letters at its end belong to it), of CJK
// characters, or of other letters. ASCII tokens are split at changes of case and between letters
// and digits; the words of a token are its parts and, when there are several, the whole:
// `listSavedQueries` gives `list saved queries listsavedqueries`. CJK runs give overlapping pairs.
// Text beyond ASCII is decomposed by compatibility and loses its marks: `Prüfung` is `prufung`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace iii::search {

// Of a longer run only the beginning counts: no word is that long.
inline constexpr size_t kMaxWordBytes = 64;

enum class TokenKind : uint8_t { kAscii, kCjk, kOther };

// The views are valid until the next call of the tokenizer.
struct Token {
  TokenKind kind = TokenKind::kAscii;
  std::span<const std::string_view> parts;  // lower case; empty when the token was not split
  std::string_view whole;                   // lower case, without apostrophes
  // Where it stands in the text: bytes.
  size_t begin = 0;
  size_t end = 0;

  // Parts, then the whole.
  template <typename F>
  void for_each_word(F&& use) const {
    for (const std::string_view part : parts) use(part);
    use(whole);
  }
};

// Gives the tokens of a text one by one. It can be used again and keeps its memory; no allocation
// per token. Any bytes will do: what is not UTF-8 separates words.
class Tokenizer {
 public:
  // `text` must live until the last token.
  void start(std::string_view text);
  // False at the end.
  bool next(Token& token);

 private:
  // A character after normalisation, and the bytes of the text that it came from.
  struct Char {
    char32_t value = 0;
    size_t begin = 0;
    size_t end = 0;
  };

  bool open_chunk();
  void normalise(size_t begin, size_t end);
  void append_char(char32_t value, size_t begin, size_t end);
  bool next_of_ascii(Token& token);
  bool next_of_chars(Token& token);
  size_t ascii_run(size_t from) const;
  void cjk_pair(size_t run_end, Token& token);
  void other_run(size_t end, Token& token);
  // Fills in parts and whole from raw_; false when nothing is left of it.
  bool split_raw(Token& token);

  std::string_view text_;
  size_t position_ =
      0;  // in text_: of the next token, or after the current chunk when it was normalised
  size_t ascii_end_ = 0;  // of the current chunk, which is pure ASCII and read in place

  std::vector<Char> chars_;  // of the current chunk when it is not
  size_t in_chars_ = 0;
  size_t cjk_end_ = 0;  // of the run that in_chars_ is in, after its first pair

  std::array<char, kMaxWordBytes> raw_{};
  size_t raw_size_ = 0;
  std::string lower_;
  std::vector<std::string_view> parts_;
};

bool is_stop_word(std::string_view word);
bool is_ascii(std::string_view text);

// Snowball English. Not for several threads at a time.
class Stemmer {
 public:
  Stemmer();
  ~Stemmer();
  Stemmer(const Stemmer&) = delete;
  Stemmer& operator=(const Stemmer&) = delete;

  // ASCII words are stemmed, others come back as they are. Valid until the next call.
  std::string_view stem(std::string_view word);

 private:
  sb_stemmer* stemmer_;
};

}  // namespace iii::search
