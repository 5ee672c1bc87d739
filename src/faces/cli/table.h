// Rows: fitted to a terminal, or complete and separated by tabs for other programs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/styled.h"
#include "faces/cli/terminal.h"

namespace iii::cli {

struct Column {
  std::string_view title;
  Style style = Style::kPlain;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One text for each column. White space becomes single blanks, control characters are shown.
  void add(std::vector<std::string> cells);
  size_t size() const { return rows_.size(); }

  // On a terminal: a line of titles, and every row in one line of at most `screen.width` columns;
  // what does not fit ends with `…`. Columns that are empty in all rows are left out.
  Styled text(const Screen& screen) const;

 private:
  std::vector<size_t> widths(size_t available) const;
  static void shrink(std::vector<size_t>& wanted, size_t available);

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace iii::cli
