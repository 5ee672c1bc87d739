// How much room text takes on a terminal. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace iii::cli {

// Columns that well-formed UTF-8 takes: wide characters two, combining ones none, and what is drawn
// as one character (an emoji of several parts) once.
size_t columns(std::string_view text);
// The beginning that fits into `width` columns; what is cut off shows as `…`.
std::string shortened(std::string_view text, size_t width);
// Filled up with blanks.
std::string padded(std::string_view text, size_t width);
// Broken at blanks into lines of at most `width` columns; a word that is longer has a line of its
// own.
std::vector<std::string> wrapped(std::string_view text, size_t width);
// Cut into pieces of at most `width` columns (at least one character each), wherever that is.
std::vector<std::string_view> pieces(std::string_view text, size_t width);
// White space of any kind becomes single blanks.
std::string one_line(std::string_view text);

}  // namespace iii::cli
