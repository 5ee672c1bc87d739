// Base64 (RFC 4648). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace iii::mcp {

std::string base64_encode(std::string_view bytes);
// Standard alphabet with padding; nothing else is accepted.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace iii::mcp
