// directory::skills::list, ::get and ::index (directory-read §4, §5, §8).
#pragma once

#include <memory>
#include <string>

#include "content/content.h"
#include "functions/limits.h"
#include "library/installed.h"
#include "library/registered_view.h"
#include "sdk/worker.h"

namespace iii::directory {

struct SkillLimits {
  size_t max_answer_bytes = kMaxAnswerBytes;
  size_t max_batch = kMaxBatch;
};

// `registered` is brought up to date before `content` is read; null: there is nothing to bring. All
// outlive the worker's use of them.
void add_skill_functions(sdk::Worker& worker, content::Content& content, Installed& installed,
                         SkillLimits limits, RegisteredView* registered = nullptr);

}  // namespace iii::directory
