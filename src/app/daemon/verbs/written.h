// What verbs that write say at the end: they change files themselves, and a running server follows.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faces/cli/args.h"

namespace iii::daemon {

// Names the folder that was changed, and whether a server that runs shows (or, when `gone`, no
// longer shows) these skills: it may have been started with other folders. For a person at a
// terminal only.
void say_written(const cli::Args& args, const std::filesystem::path& folder,
                 const std::vector<std::string>& skills, bool gone = false);

}  // namespace iii::daemon
