#include "directory/search/quality.h"

#include <algorithm>
#include <string>
#include <vector>

#include "directory/search/word_vectors.h"
#include "directory/search/words.h"

namespace iii::search {

namespace {

// English sentences have a stop word or a comma after every few words; the longest runs without one
// that the judged set and real collections have are eight words long.
constexpr size_t kLongestRun = 11;
// More different words do not fit in a first sentence that is one.
constexpr size_t kMostKeywords = 19;
constexpr size_t kSentenceWordsPerStopWord = 10;

// Claims are searched for in the beginning only: work is bounded, and a description is short.
constexpr size_t kMostClaimBytes = 4'096;

bool any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Whether `between` opens or closes a quotation.
bool toggles_quotation(std::string_view between) {
  size_t marks = static_cast<size_t>(
      std::ranges::count_if(between, [](char c) { return c == '"' || c == '`'; }));
  for (const std::string_view mark : {"“", "”"}) {
    if (between.contains(mark)) ++marks;
  }
  return marks % 2 == 1;
}

bool is_pause(std::string_view between) {
  return between.find_first_not_of(" \t\n\r-'_/&") != std::string_view::npos;
}

// One of `words` among the `reach` words from `from` on; the place behind it, or 0.
size_t after(const std::vector<std::string>& text, size_t from, size_t reach,
             std::initializer_list<std::string_view> words) {
  for (size_t i = from; i < text.size() && i < from + reach; ++i) {
    if (any_of(text[i], words)) return i + 1;
  }
  return 0;
}

// Texts that do not occur in descriptions of what a thing does. `Call this first` is not among
// them: honest descriptions use it for the order in which functions are called.
bool claims_at(const std::vector<std::string>& text, size_t i) {
  if (any_of(text[i], {"ignore", "disregard", "forget"})) {
    const size_t next = after(text, i + 1, 3, {"previous", "prior", "above", "earlier"});
    return next != 0 &&
           after(text, next, 2, {"instruction", "instructions", "rules", "prompt", "prompts"}) != 0;
  }
  if (any_of(text[i], {"rank", "rate", "score"})) {
    const size_t next = after(text, i + 1, 1, {"it", "this", "me"});
    const size_t thing = next == 0 ? 0 : after(text, next, 1, {"function", "tool", "skill"});
    return next != 0 && after(text, thing != 0 ? thing : next, 1, {"highest", "first", "top"}) != 0;
  }
  if (any_of(text[i], {"best", "relevant"})) {
    const size_t next = after(text, i + 1, 1, {"function", "tool", "skill", "answer", "choice"});
    const size_t all = next == 0 ? 0 : after(text, next, 2, {"any", "every", "all"});
    return all != 0 && after(text, all, 1,
                             {"request", "requests", "task", "tasks", "query", "queries",
                              "question", "questions"}) != 0;
  }
  return false;
}

}  // namespace

uint8_t quality_of_counts(const FieldCounts& counts) {
  // Ordinary text repeats more words the longer it is; descriptions of parameters repeat most
  // (`Optional id of the user. Optional id of the group.`), and still have more different words
  // than this.
  if (counts.words < 8) return kTrusted;
  const uint32_t least = counts.words < 40 ? counts.words / 4 : counts.words / 8;
  return counts.distinct < least ? kStuffed : kTrusted;
}

uint8_t quality_of_sentence(std::string_view text) {
  const WordVectors& english = WordVectors::standard();
  Tokenizer tokenizer;
  tokenizer.start(text);
  size_t run = 0;
  size_t longest = 0;
  size_t keywords = 0;
  size_t stop_words = 0;
  size_t end = 0;
  for (Token token; tokenizer.next(token); end = token.end) {
    if (token.begin > end && is_pause(text.substr(end, token.begin - end))) run = 0;
    if (is_stop_word(token.whole)) {
      ++stop_words;
      run = 0;
    } else if (english.find_form(token.whole)) {
      ++keywords;
      longest = std::max(longest, ++run);
    } else {
      run = 0;  // another language, or a name: nothing is known about it
    }
  }
  if (longest > kLongestRun) return kStuffed;
  const bool list = keywords > kMostKeywords && stop_words * kSentenceWordsPerStopWord < keywords;
  return list ? kDoubtful : kTrusted;
}

uint8_t quality_of_claims(std::string_view text) {
  std::vector<std::string> words;
  Tokenizer tokenizer;
  text = text.substr(0, kMostClaimBytes);
  tokenizer.start(text);
  bool quoted = false;
  size_t end = 0;
  for (Token token; tokenizer.next(token); end = token.end) {
    if (token.begin > end && toggles_quotation(text.substr(end, token.begin - end))) {
      quoted = !quoted;
    }
    if (!quoted) words.emplace_back(token.whole);
  }
  for (size_t i = 0; i < words.size(); ++i) {
    if (claims_at(words, i)) return kStuffed;
  }
  return kTrusted;
}

}  // namespace iii::search
