// directory::prompts::browse: all prompts with where they come from and what they take.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iii::directory {

class FunctionTable;
class Library;

struct BrowsedArgument {
  std::string name;
  std::optional<std::string> description;
  bool required = false;
  std::optional<std::vector<std::string>> values;
};
// The arguments of a prompt, from the bytes of its file: the rules are those of MCP.
using ArgumentsOf = std::function<std::vector<BrowsedArgument>(std::string_view bytes)>;

// `library` outlives the table.
void add_prompts_browse(FunctionTable& table, Library& library, ArgumentsOf arguments_of);

}  // namespace iii::directory
