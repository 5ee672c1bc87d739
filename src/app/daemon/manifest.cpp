#include "app/daemon/manifest.h"

#include "app/daemon/config_keys.h"
#include "app/daemon/version.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

// A nested object, two spaces further in than the text around it.
std::string indented(const std::string& json_text) {
  const auto value = json::parse(json_text);
  std::string out;
  for (const char c : value ? json::to_pretty_text(*value) : json_text) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out;
}

}  // namespace

// Written out, because the order of the keys is part of what installers read.
std::string manifest() {
  return std::string(
             "{\n"
             "  \"name\": \"iii-directory\",\n"
             "  \"version\": \"") +
         kVersion +
         "\",\n"
         "  \"description\": \"Skills and prompts for agents, and what is on the iii bus.\",\n"
         "  \"default_config\": " +
         indented(default_config_json()) +
         ",\n"
         "  \"supported_targets\": [\n"
         "    \"" III_TARGET
         "\"\n"
         "  ]\n"
         "}";
}

}  // namespace iii::daemon
