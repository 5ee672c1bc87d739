// Small text helpers that more than one room needs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iii {

std::string_view trim(std::string_view text);
std::string ascii_lower(std::string_view text);
bool iequals(std::string_view a, std::string_view b);  // ASCII only
bool is_blank(std::string_view text);                  // empty or only Unicode white space

std::vector<std::string_view> split(std::string_view text, char separator);
// `name` in `folder`; an empty folder is the root.
std::string join_path(std::string_view folder, std::string_view name);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Lower-case for search: Latin (the rarer ones with two accents left out), Greek, Cyrillic and
// Armenian letters; others pass unchanged. The length in bytes stays.
std::string fold_case(std::string_view utf8);

// Percent-encoding as in RFC 3986: everything but unreserved characters is encoded.
std::string percent_encode(std::string_view text);
// Broken escapes are kept as they stand.
std::string percent_decode(std::string_view text);

std::string base64_encode(std::string_view bytes);  // with padding

// Number of code points; the first `count` code points. Input is valid UTF-8.
size_t utf8_length(std::string_view text);
std::string_view utf8_prefix(std::string_view text, size_t count);

// What a caller wrote, as a message repeats it: at most so many characters of it, and `…` for the
// rest. As many as an id may have: a message about an id shows all of it.
inline constexpr size_t kMaxEchoed = 1024;
std::string echoed(std::string_view text);

// Nothing is suggested for a longer name (in bytes): nobody mistypes one, and looking for it takes
// time.
inline constexpr size_t kMaxSuggestedFor = 256;

// The candidate that the writer of `word` most likely meant, or an empty view when none is near, or
// the word is longer than kMaxSuggestedFor. The view is into `candidates`.
std::string_view nearest(std::string_view word, const std::vector<std::string>& candidates);
std::string_view nearest(std::string_view word, std::vector<std::string>&& candidates) = delete;

}  // namespace iii
