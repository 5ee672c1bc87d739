// directory::skills::search: skills that fit a task.
#pragma once

#include <cstddef>

#include "directory/reading/skill_search.h"

namespace iii::directory {

class FunctionTable;

inline constexpr size_t kDefaultFound = 10;
inline constexpr size_t kMostFound = 100;
inline constexpr size_t kLeastBudget = 100;

// Both outlive the table.
void add_skills_search(FunctionTable& table, Library& library, SkillSearch& search);

}  // namespace iii::directory
