#include <algorithm>
#include <array>
#include <string_view>

#include "directory/search/words.h"

namespace iii::search {

namespace {

// Sorted.
constexpr auto kStopWords = std::to_array<std::string_view>({
    "a",          "able",    "about",   "above",    "after",    "again",   "all",     "also",
    "am",         "an",      "and",     "any",      "anything", "are",     "arent",   "as",
    "at",         "be",      "been",    "before",   "being",    "below",   "between", "both",
    "by",         "can",     "cant",    "could",    "couldnt",  "did",     "didnt",   "do",
    "does",       "doesnt",  "done",    "dont",     "down",     "during",  "each",    "etc",
    "everything", "few",     "for",     "from",     "give",     "had",     "has",     "have",
    "having",     "he",      "her",     "here",     "his",      "how",     "i",       "if",
    "im",         "in",      "instead", "into",     "is",       "isnt",    "it",      "its",
    "ive",        "just",    "let",     "lets",     "like",     "may",     "me",      "might",
    "mine",       "more",    "most",    "must",     "my",       "need",    "no",      "not",
    "of",         "off",     "on",      "one",      "only",     "onto",    "or",      "other",
    "our",        "out",     "over",    "own",      "per",      "please",  "really",  "same",
    "shall",      "she",     "should",  "shouldnt", "so",       "some",    "someone", "something",
    "still",      "such",    "than",    "that",     "thats",    "the",     "their",   "them",
    "then",       "there",   "theres",  "these",    "they",     "thing",   "things",  "this",
    "those",      "through", "to",      "too",      "under",    "up",      "us",      "use",
    "used",       "uses",    "using",   "very",     "via",      "want",    "was",     "we",
    "were",       "what",    "whats",   "when",     "where",    "whether", "which",   "while",
    "who",        "whom",    "whose",   "why",      "will",     "with",    "wont",    "would",
    "wouldnt",    "you",     "your",    "youre",
});
static_assert(std::ranges::is_sorted(kStopWords));

}  // namespace

bool is_stop_word(std::string_view word) { return std::ranges::binary_search(kStopWords, word); }

}  // namespace iii::search
