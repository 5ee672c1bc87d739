// prompts::{register,unregister,mcp-list,mcp-get} of skills 0.1.5.
#pragma once

#include "directory/legacy/skill_functions.h"

namespace iii::directory {

void add_registered_prompt_functions(FunctionTable& table, const LegacyParts& parts);

}  // namespace iii::directory
