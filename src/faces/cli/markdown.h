// Markdown for a terminal: headings, lists, code, quotes, tables and emphasis. Pure.
#pragma once

#include <string_view>

#include "faces/cli/styled.h"

namespace iii::cli {

// Paragraphs are broken to `width`; code stays as it is. Text that is not Markdown comes out as it
// went in.
Styled render_markdown(std::string_view text, size_t width);

}  // namespace iii::cli
