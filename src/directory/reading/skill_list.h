// Rows of directory::skills::list and the text of directory::skills::index, made from a view. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/skill_types.h"
#include "foundation/base/result.h"

namespace iii::directory {

// Which kinds a filter names: a word or a list of words. Nothing: no filter.
struct KindFilter {
  static Result<KindFilter> parse(const std::optional<json::Raw>& filter);
  bool takes(content::SkillKind kind) const { return (bits & (1U << unsigned(kind))) != 0; }
  unsigned bits = ~0U;
};
// What a row says beside its published fields, in lists and in answers of `get` alike.
template <typename Row>
void fill_details(Row& row, const View& view, const content::Skill& skill);

Result<ListSkillsOutput> list_skills(const View& view, const ListSkillsInput& in);

// Of headings, pointers and descriptions (directory-read §8.4).
inline constexpr size_t kIndexBytes = 3'000;

// The skills that the index page is about.
std::vector<const content::Skill*> index_rows(const View& view, const IndexSkillsInput& in,
                                              KindFilter kinds);
struct IndexPage {
  IndexSkillsOutput out;
  uint64_t left_out = 0;  // descriptions for which there was no room
};
Result<IndexPage> index_page(const View& view, const IndexSkillsInput& in);

}  // namespace iii::directory
