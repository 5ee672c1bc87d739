// Rows of directory::skills::list and the text of directory::skills::index, made from a view. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/row_filter.h"
#include "directory/reading/skill_types.h"
#include "foundation/base/result.h"

namespace iii::directory {

// The word for a kind in rows and filters.
std::string_view kind_word(content::SkillKind kind);
// Which kinds a filter names: a word or a list of words. Nothing: no filter.
struct KindFilter {
  static Result<KindFilter> parse(const std::optional<json::Raw>& filter);
  bool takes(content::SkillKind kind) const { return (bits & (1U << unsigned(kind))) != 0; }
  unsigned bits = ~0U;
};
// What a row says beside its published fields, in lists and in answers of `get` alike.
template <typename Row>
void fill_details(Row& row, const View& view, const content::Skill& skill);

// Whether it is worth while to exclude rows before they are visited.
bool wants_filter(const ListSkillsInput& in);
// Whether a list can be made of it; gives its filter by kind.
Result<KindFilter> check_list(const ListSkillsInput& in);

// The answer of directory::skills::list as JSON text, made in steps. What it refers to outlives it.
class SkillListing {
 public:
  // `filter` follows the view's generation, or is null: then every row is visited.
  SkillListing(const View& view, const ListSkillsInput& in, KindFilter kinds,
               const RowFilter* filter);

  // Does a little more; false: there is nothing left to do.
  bool step();
  std::string take() { return std::move(out_); }

 private:
  bool is_selected() const { return place_ >= end_ && looked_at_ >= candidates_.size(); }
  void select_some();
  void select_candidates();
  bool take_row(const content::Skill& skill);
  void begin_writing();
  void write_some();

  const View& view_;
  const ListSkillsInput& in_;
  const KindFilter kinds_;
  const RowFilter* filter_;
  const std::string needle_;
  size_t place_ = 0;  // of the next row to look at, or to ask the filter about
  size_t end_ = 0;
  std::vector<size_t> candidates_;  // places that the filter has let through
  size_t looked_at_ = 0;            // of those
  std::vector<const content::Skill*> rows_;
  std::optional<std::string> next_cursor_;
  size_t written_ = 0;
  bool writing_ = false;
  bool done_ = false;
  SkillEntry entry_;
  std::string out_;
};

// The same at once, for tests and for callers without a loop.
Result<std::string> list_skills_text(const View& view, const ListSkillsInput& in,
                                     const RowFilter* filter);
Result<ListSkillsOutput> list_skills(const View& view, const ListSkillsInput& in);

// Of headings, pointers and descriptions (directory-read §8.4).
inline constexpr size_t kIndexBytes = 3'000;

// The answer of directory::skills::index as JSON text, made in steps.
class IndexPage {
 public:
  IndexPage(const View& view, const IndexSkillsInput& in, KindFilter kinds);

  bool step();
  std::string take() { return std::move(out_); }
  // Steps are needed until all rows have been looked at; then those that the page is about.
  bool is_selecting() const { return place_ < end_; }
  const std::vector<const content::Skill*>& rows() const { return rows_; }
  // After the last step: bytes of the page, and descriptions for which there was no room.
  size_t page_bytes() const { return page_bytes_; }
  size_t left_out() const { return left_out_; }

 private:
  bool belongs(const content::Skill& skill);
  bool has_overview(std::string_view top);
  void write(std::string_view text);
  void write_section(const content::Skill& skill);

  const View& view_;
  const IndexSkillsInput& in_;
  const KindFilter kinds_;
  size_t place_ = 0;
  size_t end_ = 0;
  std::vector<const content::Skill*> rows_;
  size_t written_ = 0;
  size_t page_bytes_ = 0;  // before JSON's escapes
  bool writing_ = false;
  size_t left_out_ = 0;
  bool done_ = false;
  std::string
      top_;  // the folder of the last row that was looked at, and whether it has an overview
  bool top_has_overview_ = false;
  std::string out_;
};
Result<IndexSkillsOutput> index_skills(const View& view, const IndexSkillsInput& in = {});

}  // namespace iii::directory
