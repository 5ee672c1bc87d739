// Two documents that are always there, also without network and before anything is installed: how
// to use this directory, and how the bus works. Any file of the same id replaces them.
#pragma once

#include <vector>

#include "directory/content/content.h"

namespace iii::directory {

std::vector<content::BuiltinDocument> builtin_documents();

}  // namespace iii::directory
