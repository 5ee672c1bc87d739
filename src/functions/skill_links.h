// The functions that skills name (`function_id` and `requires` in their frontmatter), looked up on
// the bus.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "functions/doctor.h"
#include "functions/function_catalog.h"
#include "functions/skill_types.h"
#include "library/view.h"
#include "sdk/task.h"
#include "sources/downloads.h"

namespace iii::directory {

class Library;

// Texts with `::` in `requires`: one text, a list, or a text with commas. At most 32.
std::vector<std::string> required_functions(std::string_view frontmatter);

// On the loop thread. Everything it is given outlives it.
class SkillLinks {
 public:
  SkillLinks(Library& library, FunctionCatalog& catalog,
             std::function<std::shared_ptr<sources::Downloads>()> downloads)
      : library_(library), catalog_(catalog), downloads_(std::move(downloads)) {}

  // What is known about the functions that a skill names, in the order in which it names them.
  // Empty when it names none.
  sdk::Task<std::vector<SkillFunction>> of(const View& view, const content::Skill& skill);

  // A finding for each skill whose `function_id` does not exist. None while the functions on the
  // bus are not known.
  sdk::Task<std::vector<DoctorFinding>> broken(const View& view);

 private:
  Library& library_;
  FunctionCatalog& catalog_;
  const std::function<std::shared_ptr<sources::Downloads>()> downloads_;
};

}  // namespace iii::directory
