// Sorting of what is almost in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace iii::content {

// Sorts by merging the ascending runs that are there already: a walk comes almost in order of the
// ids, and the library's sort gains nothing from that.
template <typename Item, typename Less>
void merge_runs(std::vector<Item>& items, Less less) {
  std::vector<size_t> ends;
  for (size_t i = 1; i <= items.size(); ++i) {
    if (i == items.size() || less(items[i], items[i - 1])) ends.push_back(i);
  }
  std::vector<Item> merged(items.size());
  while (ends.size() > 1) {
    std::vector<size_t> fewer;
    auto to = merged.begin();
    size_t begin = 0;
    for (size_t run = 0; run < ends.size(); run += 2) {
      const size_t end = ends[std::min(run + 1, ends.size() - 1)];
      const auto at = [&items](size_t place) {
        return items.begin() + static_cast<std::ptrdiff_t>(place);
      };
      to = std::merge(at(begin), at(ends[run]), at(ends[run]), at(end), to, less);
      fewer.push_back(end);
      begin = end;
    }
    items.swap(merged);
    ends = std::move(fewer);
  }
}

}  // namespace iii::content
