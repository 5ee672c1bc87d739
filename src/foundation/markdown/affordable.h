// What a parser of Markdown reads in little time and memory. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii::markdown {

// The lines before the first one that would make a parser do work out of proportion to the bytes:
// lists and quotes nested further than any sensible document does, long runs of blank lines (each
// is compared with every open list), tables with more than `cells` cells (short rows are filled
// up), and definitions of addresses that are long and used often (each use gets a copy).
std::string_view affordable_head(std::string_view text, size_t cells);

}  // namespace iii::markdown
