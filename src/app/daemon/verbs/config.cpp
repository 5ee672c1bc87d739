// `config`: what is in force, where it comes from, and how to change it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/daemon/config_keys.h"
#include "app/daemon/configuration.h"
#include "app/daemon/verbs/config_file.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/output.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"
#include "foundation/json/yaml.h"

namespace iii::daemon {

namespace {

std::string origin_of(const ConfigReading& reading, const ConfigKey& key) {
  const auto found = reading.origins.find(key.name);
  return found == reading.origins.end() ? "default" : found->second;
}

void print_all_json(const ConfigReading& reading) {
  json::Object out;
  for (const ConfigKey& key : config_keys()) {
    out.emplace(key.name, json::Object{{"value", value_of(reading.config, key)},
                                       {"origin", origin_of(reading, key)}});
  }
  cli::print_json(json::to_pretty_text(out));
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

Result<const ConfigKey*> known_key(const std::string& name) {
  if (const ConfigKey* key = find_config_key(name)) return key;
  return fail("usage", "there is no key '" + name + "'." +
                           cli::did_you_mean(name, config_key_names()) +
                           " Next: `iii-directory config` lists all.");
}

std::string file_of(const cli::Args& args) {
  return args.value("config").value_or(default_config_file());
}

// The file that `set` writes. One named config.yaml that has nothing of ours is the engine's.
std::string file_to_set(const cli::Args& args) {
  std::string file = file_of(args);
  if (args.has("config") || file == kOwnConfigFile) return file;
  std::ifstream in(file, std::ios::binary);
  const std::string yaml{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (has_own_key(yaml)) return file;
  cli::note("{} has none of these keys and stays as it is.\n", file);
  return kOwnConfigFile;
}

int print_file(const cli::Args& args, const std::string& file) {
  std::error_code ignored;
  const std::string path = std::filesystem::absolute(file).lexically_normal().string();
  const bool exists = std::filesystem::exists(path, ignored);
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(json::Object{{"path", path}, {"exists", exists}}));
  } else {
    cli::print("{}\n", path);
    if (!exists) cli::note_text("It does not exist.\n");
  }
  return 0;
}

int get(const cli::Args& args, const std::string& name) {
  const auto key = known_key(name);
  if (!key) return cli::complain(key.error());
  const auto reading = configuration_of(args);
  if (!reading) return cli::complain(reading.error());
  const json::Value value = value_of(reading->config, **key);
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(
        json::Object{{"key", name}, {"value", value}, {"origin", origin_of(*reading, **key)}}));
  } else {
    cli::print("{}\n", value.as_string() != nullptr ? *value.as_string() : json::to_text(value));
  }
  return 0;
}

int set(const cli::Args& args, const std::string& name, const std::string& text) {
  const auto key = known_key(name);
  if (!key) return cli::complain(key.error());
  const bool is_text = std::holds_alternative<ConfigKey::Of<std::string>>((*key)->member);
  const std::optional<json::Value> parsed = is_text ? std::nullopt : json::parse_yaml(text);
  const json::Value value = parsed ? *parsed : json::Value(text);
  DirectoryConfig scratch;
  std::vector<std::string> warnings;
  if (auto valid = set_key(scratch, **key, value, warnings); !valid) {
    return cli::complain({"usage", valid.error().message});
  }
  for (const std::string& warning : warnings) cli::note("Warning: {}\n", warning);
  const std::string file = file_to_set(args);
  if (auto written = set_in_file(file, name, value); !written)
    return cli::complain(written.error());
  if (!args.has("json")) {
    cli::note("{} is now {}{}.\n", name, json::to_text(value),
              (*key)->restart ? "; a running server must be restarted"
                              : "; a running server reads it on SIGHUP");
  }
  return print_file(args, file);
}

int check(const cli::Args& args) {
  const std::string file = file_of(args);
  const ConfigSources sources{.file = args.value("config"),
                              .defaults = {},
                              .home = home_folder(),
                              .environment = process_environment(),
                              .skills = args.value("skills"),
                              .extra_skills = {}};
  Result<ConfigReading> reading = read_config_file(sources);
  if (reading) reading = complete_config(std::move(*reading), sources);
  if (!reading) return cli::complain(reading.error());
  json::Array errors;
  for (const ConfigError& error : reading->errors)
    errors.emplace_back(error.what + "; " + error.effect);
  json::Array warnings;
  for (const std::string& warning : reading->warnings) warnings.emplace_back(warning);
  const bool ok = errors.empty();
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(
        json::Object{{"path", file}, {"ok", ok}, {"errors", errors}, {"warnings", warnings}}));
    return ok ? 0 : 1;
  }
  for (const json::Value& error : errors) cli::note("Error: {}.\n", *error.as_string());
  for (const json::Value& warning : warnings) cli::note("Warning: {}\n", *warning.as_string());
  std::error_code ignored;
  const bool exists = std::filesystem::exists(file, ignored);
  if (ok) cli::print("{}: {}\n", file, exists ? "no errors" : "does not exist; defaults are used");
  return ok ? 0 : 1;
}

int wrong_words(const std::vector<std::string>& words) {
  if (words[0] == "get" || words[0] == "set") {
    return cli::complain({"usage", "config " + words[0] + " takes " +
                                       (words[0] == "get" ? "KEY" : "KEY and VALUE") +
                                       ". Next: see `iii-directory config --help`."});
  }
  return cli::complain({"usage", "config " + join(words, " ") +
                                     ": expected get KEY, set KEY VALUE, path or check." +
                                     cli::did_you_mean(words[0], {"get", "set", "path", "check"})});
}

}  // namespace

std::string config_keys_text() {
  return "\nKeys of the file (the variable III_DIRECTORY_<KEY> overrides one):\n" + keys_help();
}

int run_config(const cli::Args& args) {
  if (args.has("markdown")) {
    cli::print_text(keys_markdown());
    return 0;
  }
  const std::vector<std::string>& words = args.positionals();
  if (words.size() == 2 && words[0] == "get") return get(args, words[1]);
  if (words.size() == 3 && words[0] == "set") return set(args, words[1], words[2]);
  if (words.size() == 1 && words[0] == "path") return print_file(args, file_of(args));
  if (words.size() == 1 && words[0] == "check") return check(args);
  if (!words.empty()) return wrong_words(words);
  const Result<ConfigReading> reading = configuration_of(args);
  if (!reading) return cli::complain(reading.error());
  args.has("json") ? print_all_json(*reading) : print_lines(*reading);
  return reading->errors.empty() ? 0 : 1;
}

}  // namespace iii::daemon
