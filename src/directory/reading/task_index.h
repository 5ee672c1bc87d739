// The index page for a task or a budget: the best subset of the skills that costs no more than a
// given number of tokens, the same for the same documents. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "directory/library/view.h"
#include "directory/reading/skill_types.h"

namespace iii::directory {

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
