#include "base/bearer.h"

#include "base/text.h"

namespace iii {

bool is_bearer(std::string_view authorization, std::string_view token) {
  constexpr std::string_view kScheme = "bearer ";
  if (token.empty() || !iequals(authorization.substr(0, kScheme.size()), kScheme)) return false;
  const std::string_view given = trim(authorization.substr(kScheme.size()));
  unsigned char difference = given.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i] ^ token[i % token.size()]);
  }
  return difference == 0;
}

}  // namespace iii
