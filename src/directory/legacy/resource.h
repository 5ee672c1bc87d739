// iii:// addresses, and what is made of the answers of the functions behind them (skills-legacy
// §5.1, §5.4, §7.6). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::directory {

struct ResourceUri {
  enum class Kind { kIndex, kSkill, kSection };
  Kind kind = Kind::kIndex;
  std::string skill_id;
  std::string function_id;  // of a section
};

// The error's message is a reason that names the address.
Result<ResourceUri> parse_resource_uri(std::string_view uri);

// Functions that a registered document must not reach: the engine's, state's, and our own.
bool is_reserved_function(std::string_view function_id);

struct SectionText {
  std::string mime_type;
  std::string text;
};
SectionText section_text(const json::Value& output);
// Two spaces per level, keys sorted, numbers spelled as the published worker spelled them.
std::string pretty_json(const json::Value& value);

// The messages of a prompt, made of what its handler returned. The error's message is a reason.
Result<std::vector<json::Raw>> prompt_messages(std::string_view output);
// One message of the user.
json::Raw user_message(std::string_view text);

}  // namespace iii::directory
