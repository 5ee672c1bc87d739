#include "app/daemon/local_folders.h"

#include "app/daemon/version.h"

namespace iii::daemon {

DirectoryConfig without_bus(DirectoryConfig config) {
  config.filter_unregistered = false;
  config.auto_download = false;
  config.configuration_entry = false;
  config.legacy_skills = false;
  config.legacy_directory_041 = false;
  config.legacy_directory_051 = false;
  return config;
}

sdk::WorkerOptions without_bus_worker() {
  sdk::WorkerOptions options;
  options.name = "iii-directory";
  options.version = kVersion;
  options.offline = true;
  return options;
}

}  // namespace iii::daemon
