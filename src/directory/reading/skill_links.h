// The functions that skills name (`function_id` and `requires` in their frontmatter).
#pragma once

#include <vector>

#include "directory/library/view.h"
#include "directory/reading/doctor.h"
#include "directory/reading/skill_types.h"
#include "foundation/task/task.h"

namespace iii::directory {

// Who knows which functions there are. On the loop thread.
class SkillLinks {
 public:
  virtual ~SkillLinks() = default;

  // What is known about the functions that a skill names, in the order in which it names them.
  // Empty when it names none.
  virtual task::Task<std::vector<SkillFunction>> of(const content::Skill& skill) = 0;

  // A finding for each skill whose `function_id` does not exist. None while the functions on the
  // bus are not known.
  virtual task::Task<std::vector<DoctorFinding>> broken(const View& view) = 0;
};

}  // namespace iii::directory
