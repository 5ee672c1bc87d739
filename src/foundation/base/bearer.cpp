#include "foundation/base/bearer.h"

#include "foundation/base/text.h"

namespace iii {

namespace {

constexpr std::string_view kScheme = "bearer ";

}  // namespace

bool names_bearer(std::string_view authorization) {
  return iequals(authorization.substr(0, kScheme.size()), kScheme);
}

bool is_bearer(std::string_view authorization, std::string_view token) {
  if (token.empty() || !names_bearer(authorization)) return false;
  const std::string_view given = trim(authorization.substr(kScheme.size()));
  unsigned char difference = given.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i] ^ token[i % token.size()]);
  }
  return difference == 0;
}

}  // namespace iii
