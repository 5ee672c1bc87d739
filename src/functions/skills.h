// directory::skills::list, ::get and ::index (directory-read §4, §5, §8).
#pragma once

#include <memory>
#include <string>

#include "functions/limits.h"
#include "library/library.h"
#include "sdk/worker.h"

namespace iii::directory {

struct SkillLimits {
  size_t max_answer_bytes = kMaxAnswerBytes;
  size_t max_batch = kMaxBatch;
};

// `library` outlives the worker's use of it.
void add_skill_functions(sdk::Worker& worker, Library& library, SkillLimits limits);

}  // namespace iii::directory
