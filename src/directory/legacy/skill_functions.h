// skills::{register,unregister,resources-list,resources-read,resources-templates} of skills 0.1.5.
#pragma once

#include "directory/legacy/documents.h"

namespace iii::directory {

class FunctionTable;

void add_registered_skill_functions(FunctionTable& table, const LegacyParts& parts);

}  // namespace iii::directory
