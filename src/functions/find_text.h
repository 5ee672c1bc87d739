// Finds a text in another whatever its case: several bytes at a step where the processor can.
#pragma once

#include <string_view>

namespace iii::directory {

// Whether fold_case(text) contains `needle`, which is folded.
bool contains_folded(std::string_view text, std::string_view needle);

}  // namespace iii::directory
