#include "directory/search/sentences.h"

#include "foundation/base/text.h"

namespace iii::search {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

bool begins_sentence(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || std::string_view("\"'`([").contains(c);
}

// A line break at `at` with nothing but white space before the next one.
bool is_empty_line(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size() && is_space(text[i]); ++i) {
    if (text[i] == '\n') return true;
  }
  return false;
}

bool ends_sentence(std::string_view text, size_t at) {
  size_t next = at + 1;
  if (next == text.size()) return true;
  if (!is_space(text[next])) return false;
  while (next < text.size() && is_space(text[next])) ++next;
  return next == text.size() || begins_sentence(text[next]);
}

size_t end_of_first(std::string_view text) {
  // Further than this it is cut anyway.
  const size_t most = std::min(text.size(), 4 * kSentenceCharacters + 4);
  for (size_t i = 0; i < most; ++i) {
    const char c = text[i];
    if ((c == '.' || c == '?' || c == '!') && ends_sentence(text, i)) return i + 1;
    if (c == '\n' && is_empty_line(text, i)) return i;
    for (const std::string_view mark : {"。", "！", "？"}) {
      if (text.substr(i).starts_with(mark)) return i + mark.size();
    }
  }
  return text.size();
}

}  // namespace

Sentences split_sentences(std::string_view text) {
  text = trim(text);
  std::string_view first = text.substr(0, end_of_first(text));
  const std::string_view most = utf8_prefix(first, kSentenceCharacters);
  if (most.size() < first.size()) {
    // A word that ends just here stays.
    const size_t space = first.substr(0, most.size() + 1).find_last_of(" \t\n\r");
    first = space == std::string_view::npos || space == 0 ? most : most.substr(0, space);
  }
  return {.first = trim(first), .rest = trim(text.substr(first.size()))};
}

}  // namespace iii::search
