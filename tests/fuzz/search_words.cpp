// Fuzz target: any bytes give words that are valid UTF-8, short, and stand where they say; stems,
// sentences, documents and snippets of the same bytes are well-formed. Work is linear in the bytes.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "directory/search/quality.h"
#include "directory/search/sentences.h"
#include "directory/search/skill_document.h"
#include "directory/search/snippet.h"
#include "directory/search/words.h"
#include "foundation/base/check.h"
#include "foundation/base/utf8.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace iii::search;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Tokenizer tokenizer;
  Stemmer stemmer;
  tokenizer.start(text);
  size_t tokens = 0;
  size_t begin = 0;
  std::string found;
  for (Token token; tokenizer.next(token); ++tokens) {
    III_CHECK(token.begin >= begin && token.begin < token.end && token.end <= text.size());
    begin = token.begin;
    III_CHECK(!token.whole.empty() && token.whole.size() <= kMaxWordBytes);
    token.for_each_word([&](std::string_view word) {
      III_CHECK(!word.empty() && iii::is_utf8(word));
      III_CHECK(iii::is_utf8(stemmer.stem(word)));
    });
    if (tokens % 7 == 0) found = stemmer.stem(token.whole);
  }
  III_CHECK(tokens <= 18 * size);

  const Sentences sentences = split_sentences(text);
  III_CHECK(sentences.first.size() + sentences.rest.size() <= size);
  quality_of_sentence(sentences.first);
  quality_of_claims(text);
  if (!iii::is_utf8(text)) return 0;  // documents are

  const Document document = skill_document(
      {.id = text.substr(0, size / 4), .title = text, .description = text, .body = text});
  for (const std::string& field : document.fields) III_CHECK(field.size() <= 4 * size + 4);
  const Snippet shown = snippet(text, std::vector<Match>{{.found = found}}, 60);
  III_CHECK(iii::is_utf8(shown.text));
  size_t end = 0;
  for (const Snippet::Range& range : shown.highlights) {
    III_CHECK(range.begin >= end && range.begin < range.end && range.end <= shown.text.size());
    end = range.end;
  }
  return 0;
}
