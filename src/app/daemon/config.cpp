#include "app/daemon/config.h"

#include <algorithm>
#include <utility>

#include "directory/content/content.h"
#include "directory/installing/auto_download.h"
#include "directory/library/installed_workers.h"
#include "directory/library/registration_feed.h"
#include "directory/reading/builtin_docs.h"
#include "directory/sources/downloads.h"
#include "foundation/base/check.h"
#include "foundation/base/saturate.h"

namespace iii::daemon {

std::filesystem::path expand_path(const std::string& text, const std::string& home) {
  if (!text.starts_with('~')) return std::filesystem::absolute(text);
  III_CHECK(!home.empty());
  std::string rest = text.substr(1);
  while (rest.starts_with('/')) rest.erase(0, 1);
  return std::filesystem::path(home) / rest;
}

content::ContentOptions content_options(const DirectoryConfig& config, const std::string& home) {
  using content::RootKind;
  content::ContentOptions out;
  if (!config.local_skills_folder.empty()) {
    out.roots.push_back({RootKind::kLocal, expand_path(config.local_skills_folder, home)});
  }
  out.roots.push_back({RootKind::kGlobal, expand_path(config.skills_folder, home)});
  for (const std::string& extra : config.extra_skills_folders) {
    out.roots.push_back({RootKind::kExtra, expand_path(extra, home)});
  }
  if (config.builtin_docs) out.builtin = directory::builtin_documents();
  out.normalise_ids = config.normalise_ids;
  out.lenient = config.lenient;
  out.title_from_name = config.title_from_name;
  out.max_file_bytes = config.max_file_bytes;
  if (!config.watch) out.max_watches = 0;
  return out;
}

sources::DownloadsOptions downloads_options(const DirectoryConfig& config,
                                            const std::string& home) {
  const auto timeout = std::chrono::milliseconds(config.download_timeout_ms);
  const std::string ca_file =
      config.ca_file.empty() ? "" : expand_path(config.ca_file, home).string();
  const sources::BundleLimits limits{.max_files = config.max_bundle_files,
                                     .max_file_bytes = config.max_bundle_file_bytes,
                                     .max_bundle_bytes = config.max_bundle_bytes,
                                     .max_depth = config.max_bundle_depth,
                                     .max_path_bytes = config.max_bundle_path_bytes,
                                     .max_clone_bytes = config.max_clone_bytes};
  sources::DownloadsOptions out;
  out.skills_folder = expand_path(config.skills_folder, home);
  out.timeout = timeout;
  out.scan = {.action = config.scan, .overrides = config.scan_overrides};
  out.registry.url = config.registry_url;
  out.registry.timeout = timeout;
  out.registry.cache_ttl = std::chrono::milliseconds(config.registry_cache_ttl_ms);
  out.registry.retries = static_cast<unsigned>(config.registry_retries);
  out.registry.connect_timeout = std::chrono::milliseconds(config.registry_connect_timeout_ms);
  out.registry.negative_ttl = std::chrono::milliseconds(config.registry_negative_ttl_ms);
  out.registry.stale_for = std::chrono::milliseconds(config.registry_stale_ms);
  out.registry.cache_entries = saturated_size(config.registry_cache_entries);
  out.registry.cache_bytes = config.registry_cache_bytes;
  // A bundle travels as JSON, whose escapes take room.
  out.registry.max_answer_bytes = config.max_bundle_bytes + config.max_bundle_bytes / 2;
  out.registry.ca_file = ca_file;
  out.registry.limits = limits;
  out.git.ca_file = ca_file;
  out.git.private_hosts = config.git_private_hosts;
  out.git.credential_helper = config.git_credential_helper;
  out.git.limits = limits;
  out.keep_executable_bits = config.keep_executable_bits;
  return out;
}

directory::AutoDownloadOptions auto_download_options(const DirectoryConfig& config,
                                                     const std::string& home) {
  directory::AutoDownloadOptions out;
  out.local_folder = expand_path(config.local_skills_folder, home);
  out.jobs = saturated_size(config.auto_download_jobs);
  out.pause = std::chrono::milliseconds(config.auto_download_pause_ms);
  out.max_pause = std::chrono::milliseconds(config.auto_download_max_pause_ms);
  return out;
}

directory::InstalledWorkersOptions installed_options(const DirectoryConfig& config) {
  return {.filter = config.filter_unregistered,
          .ttl = std::chrono::milliseconds(config.registry_cache_ttl_ms),
          .timeout = std::chrono::milliseconds(config.worker_list_timeout_ms),
          .own_page = config.builtin_docs};
}

directory::RegistrationOptions registration_options(const DirectoryConfig& config) {
  directory::RegistrationOptions out;
  out.skills_scope = config.scopes.skills;
  out.prompts_scope = config.scopes.prompts;
  out.timeout = std::chrono::milliseconds(config.state_timeout_ms);
  out.in_views = config.registered_documents;
  out.ttl = std::chrono::milliseconds(config.registered_ttl_ms);
  out.ttl_with_events = std::max(out.ttl_with_events, out.ttl);
  return out;
}

}  // namespace iii::daemon
