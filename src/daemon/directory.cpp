#include "daemon/directory.h"

#include <chrono>
#include <utility>

#include "base/log.h"
#include "daemon/version.h"
#include "functions/doctor.h"
#include "functions/health.h"
#include "functions/prompts.h"
#include "functions/skills.h"

namespace iii::daemon {

Directory::Directory(const DirectoryConfig& config, DirectoryPlaces places, sdk::Worker& worker,
                     const std::string& mode)
    : config_(config),
      places_(std::move(places)),
      library_(content::Content::open(content_options(config, places_.home, places_.cache_file))),
      installed_(worker, installed_options(config)) {
  functions::add_health(
      worker, library_,
      {.version = kVersion, .mode = mode, .started = std::chrono::steady_clock::now()});
  functions::add_skill_functions(worker, library_, installed_, {});
  functions::add_prompt_functions(worker, library_);
  functions::add_doctor(worker, library_);
  const content::GenerationPtr now = library_.fresh();
  log_info("{} skills and {} prompts; {} of {} files are not served (directory::doctor says why)",
           now->skills.size(), now->prompts.size(), now->accounting.skipped, now->accounting.files);
}

void Directory::reload(const DirectoryConfig& config) {
  if (config == config_) {
    log_info("configuration read again: nothing changed");
    return;
  }
  config_ = config;
  installed_.set_options(installed_options(config));
  library_.replace(
      content::Content::open(content_options(config, places_.home, places_.cache_file)));
  log_info("configuration read again and applied");
}

DirectoryConfig read_configuration(const std::optional<std::string>& path,
                                   DirectoryConfig defaults) {
  ConfigReading reading = load_config(path, std::move(defaults));
  apply_environment(reading, process_environment_reader());
  for (const std::string& warning : reading.warnings) log_warn("{}", warning);
  return reading.config;
}

}  // namespace iii::daemon
