#include "directory/risks/risk.h"

#include <algorithm>
#include <array>

#include "directory/risks/codes.h"

namespace iii::risks {

std::string_view severity_word(Severity severity) {
  constexpr std::array<std::string_view, 3> kWords{"low", "medium", "high"};
  return kWords.at(static_cast<size_t>(severity));
}

const CodeInfo* find_code(std::string_view code) {
  const auto found = std::ranges::find(kCodes, code, &CodeInfo::code);
  return found == kCodes.end() ? nullptr : &*found;
}

}  // namespace iii::risks
