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

struct ListedSkills {
  std::vector<const content::Skill*> rows;
  std::optional<std::string> next_cursor;  // there are more
};
Result<ListedSkills> list_skills(const View& view, const ListSkillsInput& in);
// A ListSkillsOutput.
std::string list_json(const View& view, const ListedSkills& list, bool with_descriptions);

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

// The index page for a task or a budget: the best subset of the skills that costs no more than a
// given number of tokens, the same for the same documents.
// Of a page for a task, unless the caller says otherwise.
inline constexpr size_t kDefaultIndexBudget = 1'500;
inline constexpr size_t kLeastIndexBudget = 150;

struct TaskIndexRequest {
  std::string task;                         // empty: none, all of `rows` are wanted
  std::vector<const content::Skill*> rows;  // best first
  std::vector<std::string> nearest;         // ids, when nothing fits the task
  size_t others = 0;                        // skills that do not fit the task
  size_t budget = kDefaultIndexBudget;      // tokens of the whole answer as JSON
  std::string arguments;                    // of the call that shows more, beside the budget
};

IndexSkillsOutput task_index(const View& view, const TaskIndexRequest& request);

}  // namespace iii::directory
