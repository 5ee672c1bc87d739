// How deeply a text nests lists and quotes, from the beginnings of its lines. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace iii::markdown {

// The lines before the first one that is indented, or that nests lists and quotes, further than any
// sensible document does. A parser looks at every open list for each blank line: a few kilobytes of
// `- - - -` and some of line ends would keep it busy for seconds.
std::string_view sensibly_nested(std::string_view text);

}  // namespace iii::markdown
