#include "functions/search_text.h"

#include <algorithm>

#include "base/text.h"
#include "functions/find_text.h"
#include "functions/paths.h"

namespace iii::directory {

TextBlock::TextBlock(std::span<const content::SkillPtr> rows) {
  size_t size = 0;
  for (const content::SkillPtr& row : rows) {
    size += row->id.size() + row->title.size() + row->description.size() + row->name.size() + 5;
  }
  text.reserve(size);
  ends.reserve(rows.size());
  for (const content::SkillPtr& row : rows) {
    for (const std::string_view each :
         {std::string_view(row->id), std::string_view(row->title),
          std::string_view(row->description), std::string_view(row->name), unusual_path(*row)}) {
      text += fold_case(each);
      text += '\0';
    }
    ends.push_back(static_cast<uint32_t>(text.size()));
  }
}

void SearchText::follow(const content::GenerationPtr& generation) {
  if (generation == blocks_.generation()) return;
  RowBlocks<TextBlock>::Update update(std::move(blocks_), generation);
  while (update.step()) {
  }
  blocks_ = update.take();
}

// `begin` is the place of the block's first row.
void SearchText::look(const TextBlock& block, size_t begin, std::string_view needle, size_t first,
                      size_t last, std::vector<Hit>& hits) {
  size_t row = first > begin ? first - begin : 0;
  const size_t stop = std::min(block.ends.size(), last - begin);
  size_t from = row > 0 ? block.ends[row - 1] : 0;
  while (row < stop) {
    const size_t found = find_text(block.text, needle, from);
    if (found == std::string::npos) return;
    const auto end = std::upper_bound(block.ends.begin() + static_cast<std::ptrdiff_t>(row),
                                      block.ends.end(), found);
    row = static_cast<size_t>(end - block.ends.begin());
    if (row >= stop) return;
    const size_t row_begin = row > 0 ? block.ends[row - 1] : 0;
    const size_t id_end = block.text.find('\0', row_begin);
    bool certain = found > id_end;
    if (!certain) {
      const auto rest = std::string_view(block.text).substr(id_end, *end - id_end);
      certain = rest.find(needle) != std::string_view::npos;
    }
    hits.push_back({.place = begin + row, .certain = certain});
    from = *end;
    ++row;
  }
}

std::vector<SearchText::Hit> SearchText::find(std::string_view needle, size_t first,
                                              size_t last) const {
  std::vector<Hit> hits;
  size_t begin = 0;
  for (const auto& [rows, block] : blocks_.pieces()) {
    if (begin >= last) break;
    if (begin + rows > first) look(*block, begin, needle, first, last, hits);
    begin += rows;
  }
  return hits;
}

}  // namespace iii::directory
