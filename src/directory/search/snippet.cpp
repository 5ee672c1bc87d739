#include "directory/search/snippet.h"

#include <algorithm>

#include "directory/search/words.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8_character.h"

namespace iii::search {

namespace {

constexpr size_t kMostBytes = 64 * 1024;
constexpr std::string_view kLeftOut = "…";

bool is_space_or_control(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7F'; }

// White space and control characters become single spaces; a character that was cut off goes.
std::string one_line(std::string_view text) {
  if (text.size() > kMostBytes) {
    size_t end = kMostBytes;
    while (end > 0 && is_continuation(text[end])) --end;
    text = text.substr(0, end);
  }
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    if (!is_space_or_control(c)) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

// A word of the text that the query asks for.
struct Place {
  size_t begin;  // bytes
  size_t end;
  size_t from;  // characters
  size_t to;
  size_t stem;  // which one
};

std::vector<Place> places_of(std::string_view line, std::span<const Match> matches) {
  std::vector<Place> places;
  Tokenizer tokenizer;
  Stemmer stemmer;
  tokenizer.start(line);
  size_t counted = 0;  // bytes whose characters are in `characters`
  size_t characters = 0;
  for (Token token; tokenizer.next(token);) {
    size_t which = matches.size();
    token.for_each_word([&](std::string_view word) {
      if (which < matches.size() || is_stop_word(word)) return;
      const auto match = std::ranges::find(matches, stemmer.stem(word), &Match::found);
      which = static_cast<size_t>(match - matches.begin());
    });
    if (which == matches.size()) continue;
    // The pairs of CJK text overlap.
    if (token.begin < counted) {
      counted = characters = 0;
    }
    characters += utf8_length(line.substr(counted, token.begin - counted));
    counted = token.begin;
    places.push_back(
        {.begin = token.begin,
         .end = token.end,
         .from = characters,
         .to = characters + utf8_length(line.substr(token.begin, token.end - token.begin)),
         .stem = which});
  }
  return places;
}

// The run of places that fits in `characters` and has the most different stems, then the most
// places.
std::span<const Place> best_run(std::span<const Place> places, size_t stems, size_t characters) {
  std::vector<size_t> count(stems, 0);
  size_t different = 0;
  size_t first = 0;
  std::span<const Place> best;
  size_t best_different = 0;
  for (size_t last = 0; last < places.size(); ++last) {
    if (count[places[last].stem]++ == 0) ++different;
    while (first < last && places[last].to - places[first].from > characters) {
      if (--count[places[first].stem] == 0) --different;
      ++first;
    }
    const std::span run = places.subspan(first, last - first + 1);
    if (different > best_different || (different == best_different && run.size() > best.size())) {
      best = run;
      best_different = different;
    }
  }
  return best;
}

struct Window {
  size_t begin = 0;
  size_t end = 0;
};

size_t back(std::string_view line, size_t at, size_t characters) {
  for (; characters > 0 && at > 0; --characters) {
    --at;
    while (at > 0 && is_continuation(line[at])) --at;
  }
  return at;
}

// Around the run, with about a quarter of the rest before it; not in the middle of a word if that
// can be helped.
Window window_around(std::string_view line, std::span<const Place> run, size_t characters) {
  Window window;
  if (!run.empty()) {
    const size_t span = std::min(characters, run.back().to - run.front().from);
    window.begin = back(line, run.front().begin, (characters - span) / 4);
    if (window.begin > 0) {
      const size_t space = line.find(' ', window.begin);
      if (space < run.front().begin) window.begin = space + 1;
    }
  }
  window.end = window.begin + utf8_prefix(line.substr(window.begin), characters).size();
  if (window.end < line.size() && line[window.end] != ' ') {
    const size_t space = line.rfind(' ', window.end);
    const size_t least = run.empty() ? window.begin : run.back().end;
    if (space != std::string_view::npos && space > window.begin && space >= least) {
      window.end = space;
    }
  }
  return window;
}

}  // namespace

Snippet snippet(std::string_view text, std::span<const Match> matches, size_t characters) {
  const std::string line = one_line(text);
  const std::vector<Place> places = places_of(line, matches);
  const auto run = best_run(places, matches.size(), characters);
  const Window window = window_around(line, run, characters);
  Snippet result;
  if (window.begin > 0) result.text += kLeftOut;
  const size_t shift = result.text.size();
  result.text += std::string_view(line).substr(window.begin, window.end - window.begin);
  if (window.end < line.size()) result.text += kLeftOut;
  for (const Place& place : places) {
    if (place.begin < window.begin || place.end > window.end) continue;
    const size_t begin = place.begin - window.begin + shift;
    const size_t end = place.end - window.begin + shift;
    if (!result.highlights.empty() && begin <= result.highlights.back().end) {
      result.highlights.back().end = std::max(end, result.highlights.back().end);
    } else {
      result.highlights.push_back({.begin = begin, .end = end});
    }
  }
  return result;
}

}  // namespace iii::search
