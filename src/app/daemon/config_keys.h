// The keys of the configuration, described once. The parser (file, environment, the engine's
// configuration entry), the schema of that entry, the manifest, `iii-directory config` with its
// help, and the table in docs/configuration.md derive from this table.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "app/daemon/config.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::daemon {

enum class TextKind { kFolder, kFile, kUrl, kText, kLogLevel, kToolsMode };

struct ConfigKey {
  template <typename T>
  using Of = T DirectoryConfig::*;
  using Member = std::variant<Of<bool>, Of<uint64_t>, Of<std::string>, Of<std::vector<std::string>>,
                              Of<Scopes>, Of<sources::ScanAction>, Of<ScanOverrides>>;

  std::string_view name;
  Member member;
  std::string_view description;       // Markdown
  TextKind text = TextKind::kFolder;  // of texts and lists
  uint64_t low = 0;                   // of numbers
  uint64_t high = 0;
  bool restart = false;  // read at start only
  bool local = false;    // not through the engine: it names a program to run
  // Decides who may do or reach what: while its value cannot be read, its default may be more open,
  // so `serve` and `mcp` do not start.
  bool access = false;
  bool published = false;  // a key of iii-directory 0.8.0, shown in the manifest
};

std::span<const ConfigKey> config_keys();
const ConfigKey* find_config_key(std::string_view name);
std::vector<std::string> config_key_names();
// `III_DIRECTORY_SKILLS_FOLDER` for `skills_folder`.
std::string environment_name(std::string_view key);

// What `serve` uses where nothing is configured.
DirectoryConfig serve_defaults();

json::Value value_of(const DirectoryConfig& config, const ConfigKey& key);
void copy_key(DirectoryConfig& to, const DirectoryConfig& from, const ConfigKey& key);
// An error says what is expected instead; `warnings` gets what is left out of a value that is used
// all the same. A URL that is not valid is an error and is set nevertheless: downloads must fail
// then, not come from the default registry.
Result<void> set_key(DirectoryConfig& config, const ConfigKey& key, const json::Value& value,
                     std::vector<std::string>& warnings);

// `whole number, 1 to 64`
std::string type_of(const ConfigKey& key);
// JSON Schema of the entry in the engine's configuration. Null gives a key up.
json::Value entry_schema();
// The defaults of the published keys as JSON, for `--manifest`.
std::string default_config_json();
// One row for each key, for docs/configuration.md.
std::string keys_markdown();
// The same for a terminal.
std::string keys_help();

}  // namespace iii::daemon
