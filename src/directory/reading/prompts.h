// directory::prompts::list and ::get (directory-read §9).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

struct PromptArgumentRow {
  std::string name;
  std::optional<std::string> description = {};
  bool required = false;
  std::optional<std::vector<std::string>> values = {};
};
// The arguments of a prompt, from the bytes of its file: the rules are those of MCP.
using ArgumentsOf = std::function<std::vector<PromptArgumentRow>(std::string_view bytes)>;

// `library` outlives the table.
void add_prompt_functions(FunctionTable& table, Library& library, ArgumentsOf arguments_of = {},
                          size_t max_answer_bytes = kMaxAnswerBytes);

}  // namespace iii::directory
