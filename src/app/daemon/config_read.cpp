#include "app/daemon/config_read.h"

#include <pwd.h>
#include <unistd.h>
#include <algorithm>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "app/daemon/config_keys.h"
#include "app/daemon/verbs/config_file.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/json/write.h"
#include "foundation/json/yaml.h"

namespace iii::daemon {

namespace {

using json::Value;

constexpr std::string_view kPrefix = "III_DIRECTORY_";
constexpr const char* kKeyIgnored = "the key is ignored";
constexpr const char* kFileIgnored = "the file is ignored";

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  const std::string_view meant = nearest(word, names);
  return meant.empty() ? "" : ". Did you mean " + std::string(meant) + "?";
}

bool needs_home(const Value& value) {
  if (const std::string* path = value.as_string()) return path->starts_with('~');
  if (const json::Array* several = value.as_array()) {
    for (const Value& each : *several) {
      if (needs_home(each)) return true;
    }
  }
  return false;
}

// A file of certificates that is not there must not silently mean "trust the system's".
void check_file(ConfigReading& reading, const ConfigKey& key, const std::string& origin) {
  const Value value = value_of(reading.config, key);
  if (value.as_string()->empty() || (needs_home(value) && reading.home.empty())) return;
  const std::filesystem::path path = expand_path(*value.as_string(), reading.home);
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(path, ignored);
  if (!folder && ::access(path.c_str(), R_OK) == 0) return;
  reading.errors.push_back({origin + ": " + std::string(key.name) + " " + path.string() +
                                " cannot be read (" +
                                (folder ? "it is a folder" : std::strerror(errno)) + ")",
                            "downloads fail until it can be read"});
}

using Lines = std::vector<std::string_view>;

// The line and a caret below the column, for a person who has to correct it.
std::string pointed_at(const Lines& lines, json::YamlPlace place) {
  constexpr size_t kBefore = 60;
  constexpr size_t kMost = 100;
  if (place.line == 0 || place.line > lines.size()) return "";
  std::string_view line = lines[place.line - 1];
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (!is_utf8(line)) return "";
  const size_t at = std::min(std::max<size_t>(place.column, 1) - 1, utf8_length(line));
  const size_t skipped = at > kBefore ? at - kBefore : 0;
  line.remove_prefix(utf8_prefix(line, skipped).size());
  std::string blanks;
  for (const char c : utf8_prefix(line, at - skipped)) {
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) blanks += c == '\t' ? '\t' : ' ';
  }
  const std::string number = std::to_string(place.line);
  return "  " + number + " | " + std::string(utf8_prefix(line, kMost)) + "\n  " +
         std::string(number.size(), ' ') + " | " + blanks + "^";
}

void set(ConfigReading& reading, const ConfigKey& key, const Value& value,
         const std::string& origin, const std::string& excerpt = "") {
  std::vector<std::string> warnings;
  const Result<void> done = set_key(reading.config, key, value, warnings);
  const std::string place = origin + ": " + std::string(key.name) + ": ";
  for (const std::string& warning : warnings) {
    std::string what = place + warning;
    if (key.access) {
      reading.errors.push_back({what, "that part is ignored", false, true, excerpt});
    } else {
      reading.warnings.push_back(std::move(what));
    }
  }
  const bool is_text = std::holds_alternative<ConfigKey::Of<std::string>>(key.member);
  if (!done) {
    const bool url = is_text && key.text == TextKind::kUrl;
    reading.errors.push_back({origin + ": " + done.error().message,
                              url ? "downloads from the registry fail until it is" : kKeyIgnored,
                              false, key.access, excerpt});
    if (!url) return;
  }
  reading.origins[std::string(key.name)] = origin;
  if (is_text && key.text == TextKind::kFile) check_file(reading, key, origin);
}

// A file whose every line is blank or a comment says nothing, which is fine.
bool only_comments(std::string_view yaml) {
  for (const std::string_view line : split(yaml, '\n')) {
    const std::string_view text = trim(line);
    if (!text.empty() && !text.starts_with('#')) return false;
  }
  return true;
}

// iii-directory 0.4.1: a relative `skills_folder` starts at the folder of the file that names it.
Value in_folder_of(const std::string& file, const Value& value) {
  const std::string* folder = value.as_string();
  if (folder == nullptr || folder->empty() || folder->starts_with('~')) return value;
  const std::filesystem::path start = std::filesystem::absolute(file).parent_path();
  return (start / *folder).lexically_normal().string();
}

// A file that an engine may share with us.
bool is_shared(const std::string& name) {
  return std::filesystem::path(name).filename() == "config.yaml";
}

struct UnknownKey {
  bool foreign = false;  // in a file that has keys of others
  std::string excerpt;
};

// A misspelt rule about access is as good as a missing one.
void unknown_key(ConfigReading& reading, const std::string& word, const std::string& origin,
                 UnknownKey where) {
  const std::vector<std::string> names = config_key_names();
  const std::string_view meant = nearest(word, names);
  if (where.foreign && meant.empty()) return;
  const std::string what = origin + ": unknown key `" + word + "`";
  const std::string hint = did_you_mean(word, names);
  if (!meant.empty() && find_config_key(meant)->access) {
    reading.errors.push_back({what + hint, kKeyIgnored, false, true, std::move(where.excerpt)});
  } else {
    reading.warnings.push_back(what + " is ignored" + hint);
  }
}

// One key of the configuration entry.
void apply_word(ConfigReading& reading, const std::string& word, const Value& value,
                const std::string& origin) {
  const ConfigKey* key = find_config_key(word);
  if (key == nullptr) {
    reading.warnings.push_back(origin + ": unknown key `" + word + "` is ignored");
  } else if (key->local) {
    reading.warnings.push_back(origin + ": " + word +
                               " is ignored; it can be set in the file or by " +
                               environment_name(word) + " only");
  } else if (!value.is_null()) {
    const auto before = reading.origins.find(word);
    const Value replaced = value_of(reading.config, *key);
    const std::string file = before != reading.origins.end() ? before->second : "";
    set(reading, *key, value, origin);
    if (!file.empty() && value_of(reading.config, *key) != replaced) {
      reading.warnings.push_back(origin + ": " + word + " is used in place of " + file);
    }
  }
}

}  // namespace

std::string default_config_file() {
  std::error_code ignored;
  const bool only_shared = !std::filesystem::exists(kOwnConfigFile, ignored) &&
                           std::filesystem::exists("./config.yaml", ignored);
  return only_shared ? "./config.yaml" : kOwnConfigFile;
}

ConfigReading parse_config(std::string_view yaml, const std::string& name,
                           const ConfigSources& sources) {
  ConfigReading out{.config = sources.defaults,
                    .home = sources.home,
                    .origins = {},
                    .errors = {},
                    .warnings = {},
                    .has_file = true};
  if (only_comments(yaml)) return out;
  const Lines lines = split(yaml, '\n');
  json::YamlPlaces places;
  const std::optional<Value> value = json::parse_yaml(yaml, {}, &places);
  const auto at = [&](size_t line) { return name + ", line " + std::to_string(line); };
  // An engine's own file, which is not ours to judge.
  const bool foreign = !sources.file && is_shared(name) && !has_own_key(yaml);
  if (!value) {
    const bool large = yaml.size() > json::kMaxYamlBytes;
    out.errors.push_back(
        {large ? name + ": the file is larger than 64 KiB"
               : at(places.error_place.line) + ": the file is not valid YAML: " + places.error,
         kFileIgnored, !foreign, false, large ? "" : pointed_at(lines, places.error_place)});
    return out;
  }
  if (value->is_null()) return out;
  if (value->as_object() == nullptr) {
    out.errors.push_back(
        {name + ": the file is not a mapping of keys to values, but a value of type " +
             std::string(value->kind_name()),
         kFileIgnored, !foreign, false, pointed_at(lines, places.document)});
    return out;
  }
  for (const auto& [word, entry] : *value->as_object()) {
    const std::string origin = at(places.lines[word]);
    const ConfigKey* key = find_config_key(word);
    if (key == nullptr) {
      unknown_key(
          out, word, origin,
          {.foreign = is_shared(name), .excerpt = pointed_at(lines, {places.lines[word], 1})});
    } else if (!entry.is_null()) {
      const bool in_its_folder = word == "skills_folder" && sources.file && !sources.generated;
      set(out, *key, in_its_folder ? in_folder_of(name, entry) : entry, origin,
          pointed_at(lines, places.values[word]));
    }
  }
  return out;
}

Result<ConfigReading> read_config_file(const ConfigSources& sources) {
  const std::string name = sources.file_name();
  std::error_code ignored;
  const bool folder = std::filesystem::is_directory(name, ignored);
  errno = 0;
  std::ifstream file;
  if (!folder) file.open(name, std::ios::binary);
  if (file.is_open()) {
    std::string yaml(json::kMaxYamlBytes + 1, '\0');  // one more than is accepted
    file.read(yaml.data(), static_cast<std::streamsize>(yaml.size()));
    if (!file.bad()) {
      yaml.resize(static_cast<size_t>(file.gcount()));
      return parse_config(yaml, name, sources);
    }
  }
  const int reason = folder ? EISDIR : errno;
  const std::string what =
      "the configuration file " + name + " cannot be read: " + std::strerror(reason);
  if (sources.file && sources.rule == FileRule::kMustBeRead) {
    return fail("usage", what + ". Next: check the path given with --config.");
  }
  ConfigReading out = parse_config("", name, sources);
  out.has_file = false;
  if (sources.file || reason != ENOENT) out.errors.push_back({what, kFileIgnored, true});
  return out;
}

void apply_entry(ConfigReading& reading, const Value& value, const std::string& name) {
  if (value.is_null()) return;
  const std::string origin = "configuration entry " + name;
  if (value.as_object() == nullptr) {
    reading.errors.push_back({origin + ": the value is not an object", "it is ignored"});
    return;
  }
  for (const auto& [word, one] : *value.as_object()) apply_word(reading, word, one, origin);
}

void apply_environment(ConfigReading& reading, const Environment& environment) {
  Environment unknown = environment;
  for (const ConfigKey& key : config_keys()) {
    const std::string name = environment_name(key.name);
    const auto found = environment.find(name);
    if (found == environment.end()) continue;
    unknown.erase(name);
    // A path such as `5` is text where text is expected.
    const bool text = std::holds_alternative<ConfigKey::Of<std::string>>(key.member);
    const std::optional<Value> value = text ? std::nullopt : json::parse_yaml(found->second);
    set(reading, key, value ? *value : Value(found->second), name);
  }
  const std::vector<std::string> keys = config_key_names();
  for (const auto& [name, value] : unknown) {
    // The prefix is the same in all, so it makes nothing similar.
    const std::string_view meant = nearest(std::string_view(name).substr(kPrefix.size()), keys);
    reading.warnings.push_back(
        "unknown environment variable " + name + " is ignored" +
        (meant.empty() ? "" : ". Did you mean " + environment_name(meant) + "?"));
  }
}

Result<ConfigReading> complete_config(ConfigReading file, const ConfigSources& sources,
                                      const Value& entry) {
  ConfigReading out = std::move(file);
  apply_entry(out, entry, sources.entry);
  apply_environment(out, sources.environment);
  if (sources.skills) {
    set(out, *find_config_key("skills_folder"), *sources.skills, "--skills");
    if (sources.skills->empty()) return fail("usage", "--skills is empty. Next: name a folder.");
  }
  for (const std::string& folder : sources.extra_skills) {
    if (folder.empty()) return fail("usage", "--extra-skills is empty. Next: name a folder.");
    out.config.extra_skills_folders.push_back(folder);
    out.origins["extra_skills_folders"] = "--extra-skills";
  }
  if (sources.auto_download) {
    set(out, *find_config_key("auto_download"), true, "--auto-download");
  }
  if (!out.home.empty()) return out;
  for (const ConfigKey& key : config_keys()) {
    const Value value = value_of(out.config, key);
    const bool path = key.text == TextKind::kFolder || key.text == TextKind::kFile;
    if (!path || !needs_home(value)) continue;
    return fail("no_home", std::string(key.name) + " is " + json::to_text(value) +
                               ", but HOME is not set and this user has no home folder. Next: set "
                               "HOME, or set " +
                               environment_name(key.name) + " to a path without `~`.");
  }
  return out;
}

Result<void> check_access_rules(const ConfigReading& reading) {
  std::string lines;
  for (const ConfigError& error : reading.errors) {
    if (!error.whole_file && !error.access) continue;
    lines += (lines.empty() ? "" : "\n") + error.what;
    if (!error.excerpt.empty()) lines += "\n" + error.excerpt;
  }
  if (lines.empty()) return {};
  return fail("bad_configuration",
              lines +
                  "\nNothing is served without the rules about access. Next: correct this, then "
                  "start again; `iii-directory config check` checks the file.");
}

Environment process_environment() {
  Environment out;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::string_view assignment = *each;
    const size_t equals = assignment.find('=');
    if (!assignment.starts_with(kPrefix) || equals == std::string_view::npos) continue;
    const std::string_view value = assignment.substr(equals + 1);
    if (!value.empty()) out.emplace(assignment.substr(0, equals), value);
  }
  return out;
}

std::string home_folder() {
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') return home;
  std::array<char, 16'384> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return "";
  return found != nullptr && found->pw_dir != nullptr ? found->pw_dir : "";
}

}  // namespace iii::daemon
