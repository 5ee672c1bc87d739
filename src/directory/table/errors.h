// Errors of the directory: a D-code, what happened, `Did you mean`, `Next:` (directory-read §6).
//
// On the bus every one has code `invocation_failed`, as in the published worker; the D-code is the
// first word of the text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/table/limits.h"
#include "foundation/base/result.h"
#include "foundation/json/codec.h"
#include "foundation/json/value.h"

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
Error unknown_severity(std::string_view given);
Error unknown_cursor(std::string_view given);
// directory::doctor::apply: none or several of the ways to choose patches; too many of them.
Error unclear_fixes();
Error too_many_fixes(size_t count, size_t most);
Error unknown_kind(std::string_view given);
Error unknown_state(std::string_view given);
// A link of the document `from` that leads to no document; `target` is where it leads, if anywhere.
Error link_not_found(std::string_view link, std::string_view from, std::string_view target,
                     const std::vector<std::string>& suggestions);
// Files of a skill: `id` as it is shown, `path` as the caller wrote it.
Error file_not_found(std::string_view id, std::string_view path,
                     const std::vector<std::string>& suggestions);
Error file_outside(std::string_view id, std::string_view path);
Error file_of_another(std::string_view path, std::string_view other_id);
Error file_unreadable(std::string_view id, std::string_view path, std::string_view reason);
Error without_files(std::string_view id);
// A search that cannot be made: `why` is the code of search::find.
Error bad_search(std::string_view function_id, std::string_view why);
Error too_many_capabilities(size_t count, size_t most);
Error small_budget(std::string_view function_id, size_t least);
// Input that a function does not take: too many bytes, a text that is too long, another type.
Error input_too_large(std::string_view function_id, size_t bytes, size_t most);
Error text_too_long(std::string_view function_id, const json::LongText& text);
struct MistypedKey {
  std::string key;
  std::string meant;  // the field that is nearest
};
Error wrong_input(std::string_view function_id, std::string_view problem,
                  const std::optional<MistypedKey>& key);
// More ids in one call than are read at once.
Error too_many_ids(size_t count, size_t most);

}  // namespace iii::directory
