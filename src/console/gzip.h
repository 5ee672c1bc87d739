// gzip in memory, for small texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iii::console {

std::string gzip(std::string_view text);
// What `compressed`, which this program itself holds, stands for; `size` is the length of that.
std::string gunzip(std::string_view compressed, size_t size);

}  // namespace iii::console
