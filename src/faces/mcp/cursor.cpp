#include "faces/mcp/cursor.h"

#include "faces/mcp/base64.h"
#include "foundation/base/utf8.h"

namespace iii::mcp {

std::string make_cursor(std::string_view list, std::string_view key) {
  std::string text(list);
  text += '\n';
  text += key;
  return base64_encode(text);
}

std::expected<std::optional<std::string>, RpcError> read_cursor(std::string_view list,
                                                                const json::Value& params) {
  const json::Value* cursor = params.find("cursor");
  if (cursor == nullptr) return std::nullopt;
  const RpcError wrong = invalid_params(
      "Invalid cursor. Next: pass `nextCursor` of the previous page of the same list, or leave "
      "`cursor` out for the first page.");
  if (cursor->as_string() == nullptr) return std::unexpected(wrong);
  const std::optional<std::string> text = base64_decode(*cursor->as_string());
  if (!text || !is_utf8(*text)) return std::unexpected(wrong);
  const size_t end = text->find('\n');
  if (end == std::string::npos || std::string_view(*text).substr(0, end) != list) {
    return std::unexpected(wrong);
  }
  return text->substr(end + 1);
}

}  // namespace iii::mcp
