#include "functions/search_text.h"

#include <algorithm>

#include "base/text.h"
#include "functions/find_text.h"

namespace iii::directory {

namespace {

// A change costs the folding of one block again.
constexpr size_t kBlockRows = 256;

}  // namespace

void SearchText::build(const Rows& rows, size_t first, size_t last, std::vector<Block>& out) {
  while (first < last) {
    const size_t end = std::min(last, first + kBlockRows);
    Block block;
    size_t size = 0;
    for (size_t i = first; i < end; ++i) {
      size += rows[i]->id.size() + rows[i]->title.size() + rows[i]->description.size() + 3;
    }
    block.text.reserve(size);
    block.ends.reserve(end - first);
    for (; first < end; ++first) {
      const content::Skill& skill = *rows[first];
      for (const std::string* text : {&skill.id, &skill.title, &skill.description}) {
        block.text += fold_case(*text);
        block.text += '\0';
      }
      block.ends.push_back(static_cast<uint32_t>(block.text.size()));
    }
    out.push_back(std::move(block));
  }
}

// Rows are compared by address: nothing that is still held can be at the address of another.
void SearchText::follow(const content::GenerationPtr& generation) {
  if (generation == generation_) return;
  static const Rows kNone;
  const Rows& before = generation_ ? generation_->skills : kNone;
  const Rows& now = generation->skills;
  std::vector<Block> blocks;
  blocks.reserve(blocks_.size() + 1);
  size_t at = 0;     // rows of `now` that are in `blocks`
  size_t begin = 0;  // of the old block, in `before`
  for (Block& block : blocks_) {
    const size_t end = begin + block.ends.size();
    const auto first = before.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto same = now.begin() + static_cast<std::ptrdiff_t>(at);
    if (at + block.ends.size() <= now.size() &&
        std::equal(first, before.begin() + static_cast<std::ptrdiff_t>(end), same)) {
      at += block.ends.size();
      blocks.push_back(std::move(block));
    } else {
      // Up to where the next old block would begin.
      size_t next = now.size();
      if (end < before.size()) {
        const auto place =
            std::ranges::lower_bound(now, before[end]->id, {},
                                     [](const auto& row) -> const std::string& { return row->id; });
        next = static_cast<size_t>(place - now.begin());
      }
      build(now, at, next, blocks);
      at = std::max(at, next);
    }
    begin = end;
  }
  build(now, at, now.size(), blocks);
  blocks_ = std::move(blocks);
  generation_ = generation;
}

// `begin` is the place of the block's first row.
void SearchText::look(const Block& block, size_t begin, std::string_view needle, size_t first,
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
  for (const Block& block : blocks_) {
    if (begin >= last) break;
    if (begin + block.ends.size() > first) look(block, begin, needle, first, last, hits);
    begin += block.ends.size();
  }
  return hits;
}

}  // namespace iii::directory
