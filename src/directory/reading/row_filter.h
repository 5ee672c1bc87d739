// Which rows may fit a list's filters, without a visit to every skill: of each row a few bytes are
// kept side by side. What they exclude does not fit; what they let through has to be looked at.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"
#include "directory/reading/row_blocks.h"

namespace iii::directory {

// Neighbouring rows. The signature of a row has a bit for every three neighbouring bytes of its
// folded texts, in two bits for each byte of them: a text that contains another has all its bits.
struct FilterBlock {
  explicit FilterBlock(std::span<const content::SkillPtr> rows);

  std::vector<uint64_t> words;  // the signatures, one after the other
  std::vector<uint32_t> ends;   // of each in `words`
  std::vector<uint32_t> types;  // hashes; 0: it has none
};

// Whether rows may contain texts, all of which are folded.
class FilterCheck {
 public:
  explicit FilterCheck(std::span<const std::string_view> needles);
  FilterCheck(std::string_view needle, std::optional<std::string_view> type);

  bool passes(const FilterBlock& block, size_t row) const;

 private:
  std::vector<uint32_t> grams_;
  std::optional<uint32_t> type_;
};

class RowFilter {
 public:
  struct Wanted {
    std::string_view needle;  // folded; may be empty
    std::optional<std::string_view> type;
  };

  RowFilter() = default;
  explicit RowFilter(RowBlocks<FilterBlock> blocks) : blocks_(std::move(blocks)) {}

  const RowBlocks<FilterBlock>& blocks() const { return blocks_; }
  // Follows at once, for tests.
  void follow(const content::GenerationPtr& generation);

  // Places in [first, last), ascending. All rows there that fit are among them.
  std::vector<size_t> candidates(const Wanted& wanted, size_t first, size_t last) const;

 private:
  RowBlocks<FilterBlock> blocks_;
};

// The texts of a row in which `search` looks, apart from the id, which is searched as it is shown.
std::array<std::string_view, 4> searched_texts(const content::Skill& skill);

}  // namespace iii::directory
