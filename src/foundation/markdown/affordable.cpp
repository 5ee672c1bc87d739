#include "foundation/markdown/affordable.h"

#include <algorithm>

namespace iii::markdown {

namespace {

// Columns before the text of a line: half as many levels at most.
constexpr size_t kMostColumns = 512;
constexpr size_t kTab = 4;
constexpr size_t kMostBlankLines = 256;  // in a row
constexpr size_t kMostCellsOfARow = 1'024;
constexpr size_t kMostCopiedBytes = 64UL * 1024 * 1024;

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

// Takes blanks and marks from the beginning of a line; gives how many columns they are.
size_t take_columns(std::string_view& line) {
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

// Of the line below the head of a table; 0 for any other line.
size_t table_columns(std::string_view line) {
  if (line.find_first_not_of("-:| \t") != std::string_view::npos) return 0;
  const auto bars = std::ranges::count(line, '|');
  return bars == 0 ? 0 : static_cast<size_t>(bars) + 1;
}

class Reader {
 public:
  Reader(std::string_view text, size_t cells)
      : most_cells_(cells), uses_(static_cast<size_t>(std::ranges::count(text, ']'))) {}

  // False for a line that must not be parsed.
  bool takes(std::string_view line) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      columns_ = definition_ = 0;
      return ++blank_lines_ <= kMostBlankLines;
    }
    blank_lines_ = 0;
    const size_t bytes = line.size();
    const std::string_view whole = line;
    if (take_columns(line) > kMostColumns) return false;
    return takes_row(whole, line) && takes_definition(line, bytes);
  }

 private:
  bool takes_row(std::string_view whole, std::string_view text) {
    // `- | -` is the beginning of a list item, or of a table.
    columns_ = std::max({columns_, table_columns(whole), table_columns(text)});
    cells_ += columns_;
    return columns_ <= kMostCellsOfARow && cells_ <= most_cells_;
  }

  // A definition goes from a line that begins with `[` to the next such line, or to a blank one.
  bool takes_definition(std::string_view text, size_t bytes) {
    if (text.starts_with('[')) {
      definition_ = bytes;
      defines_ = false;
    } else if (definition_ > 0) {
      definition_ += bytes;
    }
    defines_ = defines_ || text.contains("]:");
    return definition_ == 0 || !defines_ || definition_ * uses_ <= kMostCopiedBytes;
  }

  const size_t most_cells_;
  const size_t uses_;
  size_t blank_lines_ = 0;
  size_t columns_ = 0;  // of the table that this line may belong to
  size_t cells_ = 0;
  size_t definition_ = 0;  // its bytes so far
  bool defines_ = false;
};

}  // namespace

std::string_view affordable_head(std::string_view text, size_t cells) {
  Reader reader(text, cells);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    if (!reader.takes(text.substr(at, end - at))) return text.substr(0, at);
    at = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
  }
  return text;
}

}  // namespace iii::markdown
