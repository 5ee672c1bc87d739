// directory::prompts::list and ::get (directory-read §9).
#pragma once

#include "content/content.h"
#include "functions/limits.h"
#include "sdk/worker.h"

namespace iii::functions {

// `content` outlives the worker's use of it.
void add_prompt_functions(sdk::Worker& worker, content::Content& content,
                          size_t max_answer_bytes = kMaxAnswerBytes);

}  // namespace iii::functions
