// directory::prompts::list and ::get (directory-read §9).
#pragma once

#include "functions/limits.h"
#include "library/library.h"
#include "sdk/worker.h"

namespace iii::directory {

// `library` outlives the worker's use of it.
void add_prompt_functions(sdk::Worker& worker, Library& library,
                          size_t max_answer_bytes = kMaxAnswerBytes);

}  // namespace iii::directory
