#include "daemon/manifest.h"

#include "daemon/version.h"

namespace iii::daemon {

// Written out, because the order of the keys is part of what installers read.
std::string manifest() {
  return std::string(
             "{\n"
             "  \"name\": \"iii-directory\",\n"
             "  \"version\": \"") +
         kVersion +
         "\",\n"
         "  \"description\": \"Skills and prompts for agents, and what is on the iii bus.\",\n"
         "  \"default_config\": {},\n"
         "  \"supported_targets\": [\n"
         "    \"" III_TARGET
         "\"\n"
         "  ]\n"
         "}";
}

}  // namespace iii::daemon
