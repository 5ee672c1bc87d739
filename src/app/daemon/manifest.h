// `--manifest`: what this worker is, for tools that install workers.
#pragma once

#include <string>

namespace iii::daemon {

// Pretty JSON: name, version, description, default_config, supported_targets.
std::string manifest();

}  // namespace iii::daemon
