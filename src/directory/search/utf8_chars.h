// Characters of UTF-8 text, one by one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iii::search {

inline constexpr char32_t kNoCharacter = 0xFFFD;

// The character at `at`, which moves behind it. A byte that begins none is kNoCharacter.
char32_t decode_utf8(std::string_view text, size_t& at);

void append_utf8(std::string& text, char32_t character);

}  // namespace iii::search
