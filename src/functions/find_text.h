// Finds a text in a long one: several bytes at a step where the processor can.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii::directory {

// As std::string_view::find. `needle` is not empty.
size_t find_text(std::string_view text, std::string_view needle, size_t from);

}  // namespace iii::directory
