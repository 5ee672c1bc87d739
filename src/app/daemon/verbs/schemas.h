// The shapes of --json as JSON Schema, one for each verb that has it.
#pragma once

#include <string>

#include "faces/cli/verb.h"

namespace iii::daemon {

// Pretty JSON text.
std::string verb_schema(const cli::Verb& verb);

}  // namespace iii::daemon
