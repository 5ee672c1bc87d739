// Finds a text in another whatever its case: several bytes at a step where the processor can.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii::directory {

// Whether fold_case(text) contains `needle`, which is folded.
bool contains_folded(std::string_view text, std::string_view needle);

// Where `needle` first stands in `text` at or after `from`; npos: nowhere. Both are folded. Unlike
// std::string_view::find it does not stop at each occurrence of the first byte.
size_t find_folded(std::string_view text, std::string_view needle, size_t from);

}  // namespace iii::directory
