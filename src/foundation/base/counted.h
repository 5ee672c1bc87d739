// A number and the noun that agrees with it: `1 skill`, `2 skills`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iii {

// `many` empty: `one` with an s.
inline std::string counted(uint64_t number, std::string_view one, std::string_view many = {}) {
  std::string out = std::to_string(number) + " ";
  if (number != 1 && !many.empty()) return out.append(many);
  out.append(one);
  return number == 1 ? out : out + "s";
}

}  // namespace iii
