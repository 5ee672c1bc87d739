// The configuration in force: read at start, and again on SIGHUP or when the engine's entry
// changed.
#pragma once

#include "app/daemon/config_read.h"
#include "faces/cli/args.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"

namespace iii::daemon {

class Configuration {
 public:
  // Reads everything; problems are logged. An error when this configuration cannot be started with;
  // `sources.rule` says what that is.
  static Result<Configuration> start(ConfigSources sources);
  // Before anything is built from it: what the engine's configuration entry says, keys that need a
  // restart included.
  void start_with(const json::Value& entry);

  const DirectoryConfig& now() const { return reading_.config; }
  const ConfigReading& reading() const { return reading_; }
  const std::string& home() const { return sources_.home; }
  const std::string& entry_id() const { return sources_.entry; }
  const json::Value& entry() const { return entry_; }
  // The keys that a file named on the command line sets, as an entry of the engine may have them.
  json::Object named_settings() const;

  // Reads everything again. A file with errors changes nothing: what was read before stays in
  // force. Keys that need a restart keep their value, and are named in the log.
  void reload();
  // What an operator set through the engine.
  void use_entry(const json::Value& entry);

 private:
  explicit Configuration(ConfigSources sources) : sources_(std::move(sources)) {}
  void apply(const ConfigReading& file);

  ConfigSources sources_;
  ConfigReading file_;  // the last good one
  json::Value entry_;
  ConfigReading reading_;
};

// For verbs that end by themselves: reads `--config` and `--skills`, and notes problems on stderr.
Result<ConfigReading> configuration_of(const cli::Args& args, DirectoryConfig defaults = {});

}  // namespace iii::daemon
