// Text to words: the same for documents and queries, for both lanes of the search.
//
// A token is a run of ASCII letters and digits (`'` and letters at its end belong to it), of CJK
// characters, or of other letters. ASCII tokens are split at changes of case and between letters
// and digits; the words of a token are its parts and, when there are several, the whole:
// `listSavedQueries` gives `list saved queries listsavedqueries`. CJK runs give overlapping pairs.
// Text beyond ASCII is decomposed by compatibility and loses its marks: `Prüfung` is `prufung`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sb_stemmer;

namespace iii::search {

// More characters of one run are cut off: no word is that long.
inline constexpr size_t kMaxWordBytes = 64;

enum class TokenKind : uint8_t { kAscii, kCjk, kOther };

// The views are valid until the tokenizer goes on.
struct Token {
  TokenKind kind = TokenKind::kAscii;
  std::span<const std::string_view> parts;  // lower case; empty when the token was not split
  std::string_view whole;                   // lower case, without apostrophes
  // Where it stands in the text. Inside text that is not ASCII, where its characters came from.
  size_t begin = 0;
  size_t end = 0;
};

// Gives the tokens of a text one by one. It can be used again and keeps its memory; no allocation
// per token. Any bytes will do: what is not UTF-8 separates words.
class Tokenizer {
 public:
  void start(std::string_view text);
  // False at the end.
  bool next(Token& token);

 private:
  bool next_ascii(std::string_view chunk, size_t chunk_begin, bool mapped, Token& token);
  bool next_in_chunk(Token& token);
  void normalise(std::string_view chunk);
  void split_ascii(std::string_view run, Token& token);

  std::string_view text_;
  size_t position_ = 0;  // in text_, after the current chunk

  // The current chunk: text between ASCII separators, as it is or normalised.
  std::string_view chunk_;
  size_t chunk_begin_ = 0;
  size_t in_chunk_ = 0;
  bool chunk_normalised_ = false;
  std::string normal_;
  std::vector<uint32_t> origin_;  // of each byte of normal_: offset in the chunk
  std::vector<uint32_t> origin_end_;
  size_t cjk_end_ = 0;  // inside a CJK run: where it ends
  char lower_[2 * kMaxWordBytes];
  std::vector<std::string_view> parts_;
};

bool is_stop_word(std::string_view word);

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

// All words of a text without stop words, and their stems: for tests and small texts.
std::vector<std::string> words(std::string_view text);
std::vector<std::string> stems(std::string_view text);

}  // namespace iii::search
