#include "daemon/config_verb.h"

#include <algorithm>

#include "cli/args.h"
#include "cli/output.h"
#include "daemon/config_keys.h"
#include "daemon/configuration.h"
#include "json/write.h"

namespace iii::daemon {

namespace {

const cli::Command& config_command() {
  static const cli::Command command{
      .usage = "iii-directory config [options]",
      .summary =
          "Prints every key of the configuration with its value and where the value comes from.\n"
          "Exits with 1 when a value is not valid.",
      .options = {{"json", "", "Print it as JSON."},
                  {"markdown", "", "Print a description of all keys, as in docs/configuration.md."},
                  {"config", "FILE", "Configuration file of the directory (./config.yaml)."},
                  {"skills", "DIR", "Use this folder instead of `skills_folder`."},
                  {"help", "", "This text.", 'h'}}};
  return command;
}

std::string origin_of(const ConfigReading& reading, const ConfigKey& key) {
  const auto found = reading.origins.find(key.name);
  return found == reading.origins.end() ? "default" : found->second;
}

void print_json(const ConfigReading& reading) {
  json::Object out;
  for (const ConfigKey& key : config_keys()) {
    out.emplace(key.name, json::Object{{"value", value_of(reading.config, key)},
                                       {"origin", origin_of(reading, key)}});
  }
  cli::print_text(json::to_pretty_text(out) + "\n");
}

void print_lines(const ConfigReading& reading) {
  std::vector<std::string> lines;
  size_t width = 0;
  for (const ConfigKey& key : config_keys()) {
    lines.push_back(std::string(key.name) + ": " + json::to_text(value_of(reading.config, key)));
    width = std::max(width, lines.back().size());
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    // As YAML: what is printed can be copied into a file.
    cli::print("{:{}}  # {}\n", lines[i], width, origin_of(reading, config_keys()[i]));
  }
}

}  // namespace

int run_config(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(config_command(), words);
  if (!args) return cli::complain(args.error());
  if (args->has("help")) {
    cli::print_text(cli::help_text(config_command()) +
                    "\nKeys of the file (the variable III_DIRECTORY_<KEY> overrides one):\n" +
                    keys_help());
    return 0;
  }
  if (args->has("markdown")) {
    cli::print_text(keys_markdown());
    return 0;
  }
  const Result<ConfigReading> reading = configuration_of(*args);
  if (!reading) return cli::complain(reading.error());
  args->has("json") ? print_json(*reading) : print_lines(*reading);
  return reading->errors.empty() ? 0 : 1;
}

}  // namespace iii::daemon
