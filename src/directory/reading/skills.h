// directory::skills::list, ::get, ::index and ::file (directory-read §4, §5, §8).
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "directory/table/limits.h"

namespace iii::directory {

class FunctionTable;
class Library;

struct SkillLimits {
  size_t max_answer_bytes = kMaxAnswerBytes;
  size_t max_batch = kMaxBatch;
};

class SkillLinks;
class SkillSearch;

// All outlive the table. `search` null: there are no pages for a task; `links` null: nothing is
// said about functions that skills name.
void add_skill_functions(FunctionTable& table, Library& library, SkillLimits limits,
                         SkillSearch* search = nullptr, SkillLinks* links = nullptr);

}  // namespace iii::directory
