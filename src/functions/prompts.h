// directory::prompts::list and ::get (directory-read §9).
#pragma once

#include "content/content.h"
#include "functions/limits.h"
#include "library/registered_view.h"
#include "sdk/worker.h"

namespace iii::directory {

// `registered` is brought up to date before `content` is read; null: there is nothing to bring.
// Both outlive the worker's use of them.
void add_prompt_functions(sdk::Worker& worker, content::Content& content,
                          size_t max_answer_bytes = kMaxAnswerBytes,
                          RegisteredView* registered = nullptr);

}  // namespace iii::directory
