// Every document as a row of a table that can be filtered in milliseconds: what is served, and what
// is not and why. Made from a view when somebody browses; immutable.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"
#include "directory/library/view.h"
#include "directory/reading/row_blocks.h"
#include "directory/reading/row_filter.h"

namespace iii::directory {

enum class BrowseState : uint8_t {
  kServed,
  kFinding,   // served, and the doctor has something to say about it
  kMissing,   // there is a file, and nobody can read it
  kFiltered,  // its worker is not installed
  kShadowed,  // another document has its place
};
inline constexpr std::array<std::string_view, 5> kBrowseStates = {"served", "finding", "missing",
                                                                  "filtered", "shadowed"};
// What stands for the type of a document that has none.
inline constexpr std::string_view kNoType = "none";

// The folded texts of rows, one after the other: id, title, description and further names of a row
// end with a newline each, and no term has one.
struct BrowseTexts {
  void add(std::string_view id, std::initializer_list<std::string_view> others);
  size_t rows() const { return id_sizes.size(); }
  std::string_view row(size_t at) const {
    return std::string_view(text).substr(starts[at], starts[at + 1] - starts[at]);
  }

  std::string text;
  std::vector<uint32_t> starts = {0};  // of each row, and the end
  std::vector<uint16_t> id_sizes;
};

// What is known about neighbouring rows, whatever the rest of the generation is.
struct BrowseBlock {
  explicit BrowseBlock(std::span<const content::SkillPtr> rows);

  // Rows that stand together and have the same namespace. `bare`: a document of the root itself.
  struct Space {
    uint32_t first = 0;
    std::string name;
    bool bare = false;
  };

  FilterBlock filter;
  BrowseTexts texts;
  std::vector<uint64_t> id_hashes;  // of on-disk ids
  std::vector<uint16_t> roots;
  std::vector<uint16_t> types;  // places in `type_names`
  std::vector<std::string> type_names;
  std::vector<Space> spaces;
};

// A file that is not served, or a registration: what its findings say about it.
struct UnservedRow {
  std::string id;      // the one it would have; `root:path` when another row has that
  std::string wanted;  // the one it would have; rows are sorted by it
  content::FindingsPtr findings;
  BrowseState state = BrowseState::kMissing;
  std::string_view kind;  // `skill`, `prompt` or `folder`
  std::string space;
  uint32_t before = 0;  // how many skills have a lower id

  const content::Finding& reason() const { return findings->front(); }
};

// A row is known by its number: served documents by their place in the generation, the others after
// them.
class BrowseColumns {
 public:
  // `before` may be null; what has not changed since is shared with it. Takes milliseconds, and
  // tens of them the first time.
  static std::shared_ptr<const BrowseColumns> make(View view, const BrowseColumns* before);

  // Whether this is what a view shows.
  bool fits(const View& view) const;

  const View& view() const { return view_; }
  size_t rows() const { return states_.size(); }
  size_t skills() const { return view_.generation().skills.size(); }
  const content::Skill* skill(size_t row) const {
    return row < skills() ? view_.generation().skills[row].get() : nullptr;
  }
  const UnservedRow& unserved(size_t row) const { return unserved_[row - skills()]; }
  const std::vector<UnservedRow>& all_unserved() const { return unserved_; }
  const RowBlocks<BrowseBlock>& blocks() const { return blocks_; }
  const BrowseTexts& unserved_texts() const { return unserved_texts_; }

  BrowseState state(size_t row) const { return static_cast<BrowseState>(states_[row]); }
  uint16_t root(size_t row) const { return roots_[row]; }
  uint32_t type(size_t row) const { return types_[row]; }
  uint32_t space(size_t row) const { return spaces_[row]; }
  const std::vector<std::string>& type_names() const { return type_names_; }
  const std::vector<std::string>& space_names() const { return space_names_; }
  // Types, the most frequent first, then by name.
  const std::vector<uint32_t>& types_by_frequency() const { return type_order_; }

  // By an id as rows show it, or another spelling of it.
  std::optional<size_t> find(std::string_view id) const;
  // The row of the file at `path` of a root. Looks at every row: not for the loop thread.
  std::optional<size_t> find(uint16_t root, std::string_view path) const;

  size_t bytes() const;  // of memory, roughly

 private:
  class Maker;
  explicit BrowseColumns(View view) : view_(std::move(view)) {}

  View view_;
  RowBlocks<BrowseBlock> blocks_;
  std::vector<UnservedRow> unserved_;  // by the id that they would have
  BrowseTexts unserved_texts_;
  std::vector<uint8_t> states_;
  std::vector<uint16_t> roots_;
  std::vector<uint32_t> types_;
  std::vector<uint32_t> spaces_;
  std::vector<std::string> type_names_;
  std::vector<std::string> space_names_;
  std::vector<uint32_t> type_order_;
};
using BrowseColumnsPtr = std::shared_ptr<const BrowseColumns>;

// What the doctor says about a file of a generation; null when that is nothing.
content::FindingsPtr findings_of(const content::Generation& generation,
                                 const content::FileRef& file);
// Whether a finding says that another document has the place.
bool says_shadowed(std::string_view code);

}  // namespace iii::directory
