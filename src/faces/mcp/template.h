// Prompts with arguments, by the conventions that harnesses use. Pure.
//
//   {{name}}      the argument of that name
//   $ARGUMENTS    everything the user wrote after the command (argument `arguments`)
//   $1 … $9       its words; quotes keep words together. Without `arguments`: the declared
//   arguments
//                 in their order
//
// What is put in is never looked at again. A placeholder for which nothing is known stays as it is
// written, unless its argument is declared: then it is empty.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/json/value.h"

namespace iii::mcp {

struct TemplateArgument {
  std::string name;
  std::string description = {};
  bool required = false;
  bool declared = false;                 // in the frontmatter, not only mentioned in the text
  std::vector<std::string> values = {};  // for completion
};

// The arguments of a prompt: those that its frontmatter declares under `arguments`, then those that
// its text mentions. `frontmatter` is null when there is none.
std::vector<TemplateArgument> template_arguments(const json::Value& frontmatter,
                                                 std::string_view text);

using ArgumentValues = std::map<std::string, std::string, std::less<>>;
std::string render_template(std::string_view text, const std::vector<TemplateArgument>& arguments,
                            const ArgumentValues& values);

}  // namespace iii::mcp
