#include "app/daemon/configuration.h"

#include <utility>

#include "app/daemon/config_keys.h"
#include "faces/cli/output.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"

namespace iii::daemon {

namespace {

void log_problems(const ConfigReading& reading, FileRule rule) {
  for (const ConfigError& error : reading.errors) {
    const bool warn = error.whole_file && rule == FileRule::kNeverPrevents;
    log_at(warn ? LogLevel::kWarn : LogLevel::kError, "{}; {}", error.what, error.effect);
  }
  for (const std::string& warning : reading.warnings) log_warn("{}", warning);
}

std::vector<std::string> changed_keys(const DirectoryConfig& before, const DirectoryConfig& after,
                                      bool restart) {
  std::vector<std::string> names;
  for (const ConfigKey& key : config_keys()) {
    if (key.restart == restart && value_of(before, key) != value_of(after, key)) {
      names.emplace_back(key.name);
    }
  }
  return names;
}

}  // namespace

Result<Configuration> Configuration::start(ConfigSources sources) {
  Configuration out(std::move(sources));
  Result<ConfigReading> file = read_config_file(out.sources_);
  if (!file) return std::unexpected(std::move(file.error()));
  out.file_ = std::move(*file);
  Result<ConfigReading> all = complete_config(out.file_, out.sources_);
  if (!all) return std::unexpected(std::move(all.error()));
  out.reading_ = std::move(*all);
  if (out.sources_.rule == FileRule::kMustBeRead) {
    if (auto safe = check_access_rules(out.reading_); !safe) return std::unexpected(safe.error());
  }
  log_problems(out.reading_, out.sources_.rule);
  out.file_.errors.clear();
  out.file_.warnings.clear();
  return out;
}

void Configuration::start_with(const json::Value& entry) {
  if (entry.is_null()) return;
  Result<ConfigReading> all = complete_config(file_, sources_, entry);
  if (!all) return log_error("the configuration entry is ignored: {}", all.error().message);
  entry_ = entry;
  log_problems(*all, sources_.rule);
  reading_ = std::move(*all);
}

json::Object Configuration::named_settings() const {
  json::Object out;
  if (!sources_.file) return out;
  for (const ConfigKey& key : config_keys()) {
    if (key.local || !file_.origins.contains(key.name)) continue;
    out.emplace(key.name, value_of(file_.config, key));
  }
  return out;
}

void Configuration::reload() {
  Result<ConfigReading> file = read_config_file(sources_);
  const bool vanished = file && file_.has_file && !file->has_file;
  if (!file || vanished || !file->errors.empty()) {
    if (!file) log_error("{}", file.error().message);
    if (vanished)
      log_error("the configuration file {} is not there any more", sources_.file_name());
    if (file) {
      for (const ConfigError& error : file->errors) log_error("{}", error.what);
    }
    log_error("configuration not reloaded: {} has errors, and what was in force stays in force",
              sources_.file_name());
    return;
  }
  apply(*file);
}

void Configuration::use_entry(const json::Value& entry) {
  if (entry_ == entry) return;
  entry_ = entry;
  apply(file_);
}

void Configuration::apply(const ConfigReading& file) {
  Result<ConfigReading> all = complete_config(file, sources_, entry_);
  if (!all) {
    log_error("configuration not reloaded: {}", all.error().message);
    return;
  }
  file_ = file;
  log_problems(*all, sources_.rule);
  const std::vector<std::string> at_restart = changed_keys(now(), all->config, true);
  const std::vector<std::string> changed = changed_keys(now(), all->config, false);
  for (const std::string& name : at_restart) {
    copy_key(all->config, now(), *find_config_key(name));
  }
  reading_ = std::move(*all);
  if (!at_restart.empty()) {
    log_warn("configuration: restart to apply the new value of {}", join(at_restart, ", "));
  }
  if (!changed.empty()) {
    log_info("configuration read again: {} applied", join(changed, ", "));
  } else if (at_restart.empty()) {
    log_info("configuration read again: nothing changed");
  }
}

Result<ConfigReading> configuration_of(const cli::Args& args, DirectoryConfig defaults) {
  const ConfigSources sources{.file = args.value("config"),
                              .defaults = std::move(defaults),
                              .home = home_folder(),
                              .environment = process_environment(),
                              .skills = args.value("skills"),
                              .extra_skills = {}};
  Result<ConfigReading> file = read_config_file(sources);
  if (!file) return file;
  Result<ConfigReading> all = complete_config(std::move(*file), sources);
  if (!all) return all;
  for (const ConfigError& error : all->errors) {
    cli::note("Error: {}; {}.\n", error.what, error.effect);
  }
  for (const std::string& warning : all->warnings) cli::note("Warning: {}\n", warning);
  return all;
}

}  // namespace iii::daemon
