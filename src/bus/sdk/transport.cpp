#include "bus/sdk/transport.h"

#include <utility>

#include "foundation/base/discard.h"

namespace iii::sdk {

SharedBytes Transport::encode(std::string text) const {
  // Parsers read (never use) a little beyond the end of a text.
  constexpr size_t kPadding = 64;
  const size_t size = text.size();
  text.append(kPadding, '\0');
  const auto shared = shared_text(std::move(text));
  return {shared, std::string_view(*shared).substr(0, size)};
}

}  // namespace iii::sdk
