// The functions of skills 0.1.5.
#pragma once

#include "directory/legacy/documents.h"

namespace iii::directory {

class FunctionTable;

// skills::{register,unregister} and prompts::{register,unregister}.
void add_registration_functions(FunctionTable& table, const LegacyParts& parts);
// skills::{resources-list,resources-read,resources-templates}.
void add_resource_functions(FunctionTable& table, const LegacyParts& parts);
// prompts::{mcp-list,mcp-get}.
void add_prompt_functions_015(FunctionTable& table, const LegacyParts& parts);

}  // namespace iii::directory
