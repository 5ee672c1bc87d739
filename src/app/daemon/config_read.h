// Reading the configuration. Later sources win: defaults, file, the engine's configuration entry,
// environment, options of the command line.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/daemon/config.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::daemon {

// A value that cannot be used. It costs its own key only.
struct ConfigError {
  std::string what;          // where it stands, what is expected, what was found
  std::string effect;        // `the key is ignored`
  bool whole_file = false;   // nothing of the file counts
  bool access = false;       // of a key that decides about access
  std::string excerpt = {};  // the line of the file and a caret below the place; may be empty
};

struct ConfigReading {
  DirectoryConfig config;
  std::string home;  // empty: there is none
  // Where a key was set: `./config.yaml, line 3`, `III_DIRECTORY_WATCH`. Others have their default.
  std::map<std::string, std::string, std::less<>> origins;
  std::vector<ConfigError> errors;
  std::vector<std::string> warnings;
  bool has_file = false;  // there was one
};

// The variables named III_DIRECTORY_*, without empty ones.
using Environment = std::map<std::string, std::string>;
Environment process_environment();
// HOME, else the home folder of the user that runs this; empty when there is neither.
std::string home_folder();

inline constexpr const char* kOwnConfigFile = "./iii-directory.yaml";
// That, or ./config.yaml where only that exists. Engines call their own file
// config.yaml, too: keys of that file that are not ours are nobody's mistake.
std::string default_config_file();

// What happens when the file that was named cannot be read, or is not a mapping of keys to values.
enum class FileRule {
  kMustBeRead,    // an error: the one who named it waits for the outcome
  kNeverPrevents  // a warning and the defaults, as skills 0.1.5 promises: an engine starts us
};

struct ConfigSources {
  std::optional<std::string> file;  // --config; nothing: default_config_file()
  DirectoryConfig defaults;
  std::string home;
  Environment environment;
  std::optional<std::string> skills;      // --skills
  std::vector<std::string> extra_skills;  // --extra-skills
  bool auto_download = false;             // --auto-download
  FileRule rule = FileRule::kMustBeRead;
  // An engine or `iii compose` wrote the file for this process: nothing is relative to its folder.
  bool generated = false;
  std::string entry = "iii-directory";  // III_CONFIG_NAME: id of the engine's configuration entry

  std::string file_name() const { return file.value_or(default_config_file()); }
};

// `name` is for messages.
ConfigReading parse_config(std::string_view yaml, const std::string& name,
                           const ConfigSources& sources);
// The file alone. An error only when it was named, must be read and cannot be.
Result<ConfigReading> read_config_file(const ConfigSources& sources);
// What an operator set through the engine (configuration::set): every key but those that name a
// program to run. `name` is that of the entry.
void apply_entry(ConfigReading& reading, const json::Value& value,
                 const std::string& name = "iii-directory");
void apply_environment(ConfigReading& reading, const Environment& environment);
// All that comes after the file. An error when a path needs a home folder and there is none.
Result<ConfigReading> complete_config(ConfigReading file, const ConfigSources& sources,
                                      const json::Value& entry = {});

// For whoever opens a door: an error when rules about access may be missing from the configuration,
// because a file or such a key cannot be read. It shows the lines.
Result<void> check_access_rules(const ConfigReading& reading);

}  // namespace iii::daemon
