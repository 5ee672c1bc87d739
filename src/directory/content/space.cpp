#include "directory/content/space.h"

namespace iii::content {

namespace {

bool is_ascii_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_two_byte_space(std::string_view two) { return two == "\u0085" || two == "\u00a0"; }

bool is_three_byte_space(std::string_view three) {
  if (three.starts_with("\xe2\x80")) {
    const auto last = static_cast<unsigned char>(three[2]);
    // U+2000 to U+200A, U+2028, U+2029, U+202F.
    return (last >= 0x80 && last <= 0x8a) || last == 0xa8 || last == 0xa9 || last == 0xaf;
  }
  return three == "\u1680" || three == "\u205f" || three == "\u3000";
}

}  // namespace

size_t leading_space(std::string_view text) {
  if (text.empty()) return 0;
  if (is_ascii_space(text.front())) return 1;
  if (static_cast<unsigned char>(text.front()) < 0x80) return 0;
  if (text.size() >= 2 && is_two_byte_space(text.substr(0, 2))) return 2;
  if (text.size() >= 3 && is_three_byte_space(text.substr(0, 3))) return 3;
  return 0;
}

size_t trailing_space(std::string_view text) {
  if (text.empty()) return 0;
  if (is_ascii_space(text.back())) return 1;
  if (static_cast<unsigned char>(text.back()) < 0x80) return 0;
  if (text.size() >= 2 && is_two_byte_space(text.substr(text.size() - 2))) return 2;
  if (text.size() >= 3 && is_three_byte_space(text.substr(text.size() - 3))) return 3;
  return 0;
}

std::string_view trim_start(std::string_view text) {
  while (const size_t length = leading_space(text)) text.remove_prefix(length);
  return text;
}

std::string_view trim_space(std::string_view text) {
  text = trim_start(text);
  while (const size_t length = trailing_space(text)) text.remove_suffix(length);
  return text;
}

std::string_view next_line(std::string_view text, size_t& at) {
  const size_t end = text.find('\n', at);
  std::string_view line = text.substr(at, end == std::string_view::npos ? end : end - at);
  at = end == std::string_view::npos ? text.size() : end + 1;
  if (end != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace iii::content
