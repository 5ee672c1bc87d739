// White space as Unicode defines it, not only ASCII's.
#pragma once

#include <string_view>

namespace iii {

std::string_view trim_start(std::string_view text);
std::string_view trim_space(std::string_view text);

}  // namespace iii
