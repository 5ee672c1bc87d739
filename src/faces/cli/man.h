// Man pages, made from the table of verbs. Pure.
#pragma once

#include <string>

#include "faces/cli/verb.h"

namespace iii::cli {

// `iii-directory.1`: the verbs, the environment, the exit codes.
std::string man_page();
// `iii-directory-NAME.1`.
std::string man_page(const Verb& verb);

}  // namespace iii::cli
