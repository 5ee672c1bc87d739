// Errors of the directory: a D-code, what happened, `Did you mean`, `Next:` (directory-read §6).
//
// On the bus every one has code `invocation_failed`, as in the published worker; the D-code is the
// first word of the text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "functions/limits.h"
#include "json/value.h"

namespace iii::directory {

Error skill_not_found(std::string_view id, const std::vector<std::string>& suggestions);
// It exists, and `filter_unregistered` hides it: `worker` is not installed.
Error skill_hidden(std::string_view id, std::string_view worker,
                   const std::vector<std::string>& suggestions);
// A worker without documents, and no engine document to show instead.
Error worker_without_document(std::string_view id, std::string_view worker);
Error looks_like_a_function(std::string_view input);
Error invalid_skill_id(std::string_view reason);
Error prompt_not_found(std::string_view name, const std::vector<std::string>& suggestions);
Error invalid_prompt_name(std::string_view reason);
// `what` is `skill` or `prompt`; `reason` holds no path.
Error unreadable(std::string_view what, std::string_view id, std::string_view reason);
// An answer beyond what one message may carry; `remedy` completes `Next: call …`.
Error answer_too_large(size_t bytes, size_t limit, std::string_view remedy);
// The answer, unless it has more than `limit` bytes: an engine disconnects a worker for a message
// that it cannot take, so an error says how to ask for less.
Result<json::Raw> bounded(std::string text, std::string_view remedy,
                          size_t limit = kMaxAnswerBytes);
// A page of no rows would never come to an end.
Error empty_page(std::string_view function_id);
// More ids in one call than are read at once.
Error too_many_ids(size_t count, size_t most);

}  // namespace iii::directory
