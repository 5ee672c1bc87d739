#include "faces/cli/table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "faces/cli/width.h"
#include "foundation/base/utf8.h"

namespace iii::cli {

namespace {

constexpr size_t kGap = 2;
constexpr size_t kLeast = 5;  // columns that are left of a text beside a long name

}  // namespace

void Table::add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = printable(one_line(cell));
  rows_.push_back(std::move(cells));
}

// The widest columns give way first, all to the same width; names only when little is left of the
// others, because a name that is cut cannot be used.
std::vector<size_t> Table::widths(size_t available) const {
  std::vector<size_t> wanted(columns_.size(), 0);
  for (size_t i = 0; i < columns_.size(); ++i) {
    for (const auto& row : rows_) wanted[i] = std::max(wanted[i], columns(row[i]));
    if (wanted[i] > 0) wanted[i] = std::max(wanted[i], columns(columns_[i].title));
  }
  const auto shown =
      static_cast<size_t>(std::ranges::count_if(wanted, [](size_t w) { return w > 0; }));
  const size_t gaps = shown > 1 ? (shown - 1) * kGap : 0;
  available = available > gaps ? available - gaps : 1;
  const auto least = [&wanted] {
    return std::accumulate(wanted.begin(), wanted.end(), size_t{0},
                           [](size_t sum, size_t w) { return sum + std::min(w, kLeast); });
  };
  // What a name takes is not there for the others.
  std::vector<size_t> names(wanted.size(), 0);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (columns_[i].style != Style::kName) continue;
    const size_t name = std::exchange(wanted[i], 0);
    if (name + least() <= available) {
      names[i] = name;
      available -= name;
    } else {
      wanted[i] = name;
    }
  }
  shrink(wanted, available);
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i] += names[i];
  return wanted;
}

void Table::shrink(std::vector<size_t>& wanted, size_t available) {
  const auto total = [&](size_t most) {
    return std::accumulate(wanted.begin(), wanted.end(), size_t{0},
                           [most](size_t sum, size_t w) { return sum + std::min(w, most); });
  };
  size_t most = std::ranges::max(wanted);
  if (total(most) <= available) return;
  while (most > 1 && total(most) > available) --most;
  size_t left = available - std::min(available, total(most));
  for (size_t& width : wanted) {
    if (width <= most) continue;
    const size_t more = std::min(left, width - most);
    width = most + more;
    left -= more;
  }
}

Styled Table::text(const Screen& screen) const {
  Styled out;
  if (rows_.empty()) return out;
  if (!screen.terminal) {
    for (const auto& row : rows_) {
      for (size_t i = 0; i < row.size(); ++i) {
        if (i > 0) out.add("\t");
        out.add(row[i], columns_[i].style);
      }
      out.add("\n");
    }
    return out;
  }
  const std::vector<size_t> room = widths(screen.width);
  size_t last = 0;
  for (size_t i = 0; i < room.size(); ++i) {
    if (room[i] > 0) last = i;
  }
  const auto line = [&](const auto& text_of, const auto& style_of) {
    for (size_t i = 0; i <= last; ++i) {
      if (room[i] == 0) continue;
      const std::string cell = shortened(text_of(i), room[i]);
      out.add(cell, style_of(i));
      if (i < last) out.add(std::string(room[i] - columns(cell) + kGap, ' '));
    }
    out.add("\n");
  };
  line([&](size_t i) { return columns_[i].title; }, [](size_t) { return Style::kDim; });
  for (const auto& row : rows_) {
    line([&](size_t i) -> std::string_view { return row[i]; },
         [&](size_t i) { return columns_[i].style; });
  }
  return out;
}

}  // namespace iii::cli
