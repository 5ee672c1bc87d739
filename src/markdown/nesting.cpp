#include "markdown/nesting.h"

#include <algorithm>

namespace iii::markdown {

namespace {

// Columns before the text of a line: half as many levels at most.
constexpr size_t kMostColumns = 512;
constexpr size_t kTab = 4;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of the list or quote mark at the beginning, 0 when there is none.
size_t mark_length(std::string_view line) {
  if (line.starts_with('>')) return 1;
  size_t digits = 0;
  while (digits < line.size() && digits < 9 && is_digit(line[digits])) ++digits;
  const std::string_view signs = digits > 0 ? ".)" : "-+*";
  if (digits >= line.size() || signs.find(line[digits]) == std::string_view::npos) return 0;
  const size_t end = digits + 1;
  return end == line.size() || line[end] == ' ' || line[end] == '\t' ? end : 0;
}

size_t columns_before_text(std::string_view line) {
  size_t columns = 0;
  while (!line.empty() && columns <= kMostColumns) {
    size_t length = 1;
    if (line.front() == '\t') {
      columns += kTab;
    } else if (line.front() == ' ') {
      ++columns;
    } else {
      length = mark_length(line);
      if (length == 0) break;
      columns += 2;
    }
    line.remove_prefix(length);
  }
  return columns;
}

}  // namespace

std::string_view sensibly_nested(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) line = {};
    if (columns_before_text(line) > kMostColumns) return text.substr(0, at);
    at = end + 1;
  }
  return text;
}

}  // namespace iii::markdown
