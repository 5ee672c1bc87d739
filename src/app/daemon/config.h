// The configuration of the directory, and what its parts take from it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "directory/sources/bundle_risks.h"

namespace iii::content {
struct ContentOptions;
}

namespace iii::directory {
struct AutoDownloadOptions;
struct InstalledWorkersOptions;
struct RegistrationOptions;
}  // namespace iii::directory

namespace iii::sources {
struct DownloadsOptions;
}

namespace iii::daemon {

// Where `state::*` keeps what workers registered.
struct Scopes {
  std::string skills = "skills";
  std::string prompts = "prompts";

  bool operator==(const Scopes&) const = default;
};

// What to do about single codes of findings (docs/risks.md).
using ScanOverrides = std::map<std::string, sources::ScanAction, std::less<>>;

// A member here has a row in config_keys.cpp, which describes it.
struct DirectoryConfig {
  std::string skills_folder = "~/.iii/skills";
  std::string local_skills_folder = "./.iii/skills";  // empty: none
  std::vector<std::string> extra_skills_folders;      // read-only, such as ~/.agents/skills
  std::string registry_url = "https://api.workers.iii.dev";
  uint64_t download_timeout_ms = 60'000;
  uint64_t registry_cache_ttl_ms = 60'000;
  bool filter_unregistered = true;
  bool auto_download = true;
  // Ours.
  bool normalise_ids = true;
  bool lenient = true;
  bool title_from_name = true;
  bool builtin_docs = true;
  bool registry_search = true;  // what could be installed is part of a search
  // Kernel notifications; off: stamps are compared at every call.
  bool watch = true;
  uint64_t worker_list_timeout_ms = 5'000;
  uint64_t answer_repeat_ms = 50;  // worker mode on an engine that is not ours
  uint64_t max_file_bytes = 262'144;
  // Workers that register content at run time (skills 0.1.5).
  bool legacy_skills = true;
  Scopes scopes;
  uint64_t state_timeout_ms = 10'000;
  bool registered_documents = true;    // show it in directory::* too
  uint64_t registered_ttl_ms = 1'000;  // how long that may lag where state sends no events
  std::string log_level = "info";      // or `debug`, `warn`, `error`, `off`
  // The functions of iii-directory 0.4.1 and 0.5.1.
  bool legacy_directory_041 = true;
  bool legacy_directory_051 = true;
  bool legacy_open_fn = false;      // iii://fn/… also reaches the engine's own functions
  bool configuration_entry = true;  // worker mode: offer some keys in the engine's configuration
  // MCP.
  std::string mcp_tools = "minimal";    // or `directory`, `all`
  std::vector<std::string> mcp_hidden;  // beginnings of function ids
  std::vector<std::string> mcp_allow;   // the same
  // Downloads.
  std::string ca_file;  // PEM; empty: the system's certificates
  uint64_t registry_retries = 2;
  uint64_t registry_connect_timeout_ms = 10'000;
  uint64_t registry_negative_ttl_ms = 5'000;
  uint64_t registry_stale_ms = 86'400'000;
  uint64_t registry_cache_entries = 256;
  uint64_t registry_cache_bytes = 32ULL * 1024 * 1024;
  uint64_t max_downloads = 4;  // at a time
  uint64_t max_bundle_files = 1'000;
  uint64_t max_bundle_file_bytes = 4ULL * 1024 * 1024;
  uint64_t max_bundle_bytes = 64ULL * 1024 * 1024;
  uint64_t max_bundle_depth = 16;
  uint64_t max_bundle_path_bytes = 512;
  uint64_t max_clone_bytes = 256ULL * 1024 * 1024;
  bool keep_executable_bits = true;  // of files in repositories
  sources::ScanAction scan = sources::ScanAction::kWarn;
  ScanOverrides scan_overrides;
  std::vector<std::string> git_private_hosts;  // names, `*.suffix` or `*`
  std::string git_credential_helper;           // as git's `credential.helper`; empty: none
  uint64_t auto_download_jobs = 2;
  uint64_t auto_download_pause_ms = 5'000;        // before the first retry; doubles
  uint64_t auto_download_max_pause_ms = 600'000;  // up to this

  bool operator==(const DirectoryConfig&) const = default;
};

// `~` is the home folder, other relative paths start at the working directory. Without a home
// folder a path must not start with `~`; read_config() refuses such a configuration.
std::filesystem::path expand_path(const std::string& text, const std::string& home);

content::ContentOptions content_options(const DirectoryConfig& config, const std::string& home);
sources::DownloadsOptions downloads_options(const DirectoryConfig& config, const std::string& home);
directory::AutoDownloadOptions auto_download_options(const DirectoryConfig& config,
                                                     const std::string& home);
directory::InstalledWorkersOptions installed_options(const DirectoryConfig& config);
directory::RegistrationOptions registration_options(const DirectoryConfig& config);

}  // namespace iii::daemon
