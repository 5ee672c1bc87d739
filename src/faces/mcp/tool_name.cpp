#include "faces/mcp/tool_name.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kEscaped = "x.";
constexpr std::string_view kHexDigits = "0123456789abcdef";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (;;) {
    const size_t at = text.find(from);
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    out += to;
    text.remove_prefix(at + from.size());
  }
}

// The plain form, unless it would be read as something else.
std::optional<std::string> plain_name(std::string_view id) {
  if (id.starts_with(kEscaped)) return std::nullopt;
  std::string name = replaced(id, "::", "__");
  for (const char c : name) {
    if (!is_letter(c) && c != '_' && c != '.') return std::nullopt;
  }
  if (replaced(name, "__", "::") != id) return std::nullopt;
  return name;
}

std::string escaped_name(std::string_view id) {
  std::string out(kEscaped);
  for (const char c : id) {
    if (is_letter(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '.';
    out += kHexDigits[byte >> 4U];
    out += kHexDigits[byte & 15U];
  }
  return out;
}

std::optional<std::string> unescaped(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '.') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const size_t high = kHexDigits.find(text[i + 1]);
    const size_t low = kHexDigits.find(text[i + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    out += static_cast<char>(high << 4U | low);
    i += 2;
  }
  return out;
}

}  // namespace

std::optional<std::string> tool_name(std::string_view function_id) {
  if (function_id.empty()) return std::nullopt;
  std::optional<std::string> name = plain_name(function_id);
  if (!name) name = escaped_name(function_id);
  if (name->size() > kMaxToolName) return std::nullopt;
  return name;
}

std::optional<std::string> function_id(std::string_view name) {
  std::optional<std::string> id = name.starts_with(kEscaped)
                                      ? unescaped(name.substr(kEscaped.size()))
                                      : std::optional(replaced(name, "__", "::"));
  // Each id has one name only.
  if (!id || tool_name(*id) != name) return std::nullopt;
  return id;
}

}  // namespace iii::mcp
