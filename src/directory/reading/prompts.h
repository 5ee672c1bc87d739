// directory::prompts::list and ::get (directory-read §9).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "directory/table/limits.h"
#include "foundation/base/result.h"
#include "foundation/task/task.h"

namespace iii::directory {

class FunctionTable;
class Library;

// `kind` of every prompt.
inline constexpr const char* kPromptKind = "prompt";

struct PromptGetOutput {
  std::string name;
  std::string description;
  std::string body;
  std::string modified_at;
  std::string kind = kPromptKind;
  std::optional<std::string> origin;
};
// `registered`: also what workers registered. The library outlives the task.
task::Task<Result<PromptGetOutput>> get_prompt(Library& library, std::string name,
                                               bool registered = true);

// `library` outlives the table.
void add_prompt_functions(FunctionTable& table, Library& library,
                          size_t max_answer_bytes = kMaxAnswerBytes);

}  // namespace iii::directory
