#include "directory/legacy/versions.h"

#include "directory/discovery/guides.h"
#include "directory/installing/downloader.h"
#include "directory/legacy/directory_041.h"
#include "directory/legacy/introspect.h"
#include "directory/legacy/lists.h"
#include "directory/legacy/prompt_functions.h"
#include "directory/legacy/registry_041.h"
#include "directory/legacy/skill_functions.h"
#include "directory/library/library.h"

namespace iii::directory {

namespace {

void add_skills_015(const LegacyHost& host, OnChange& on_change) {
  const LegacyParts parts{host.engine, host.library, on_change};
  add_registered_skill_functions(host.table, parts);
  add_registered_prompt_functions(host.table, parts);
}

void add_directory_041(const LegacyHost& host) {
  const CurrentDownloads current = [&downloader = host.downloader] {
    return downloader.downloads();
  };
  add_download_041(host.table, host.downloader);
  add_prompt_get_041(host.table, host.library);
  add_fetch(host.table, host.engine, host.library, host.fetch_settings);
  add_registry_041(host.table, host.downloader.network(), current);
  add_introspection_041(host.table, host.engine, host.guides);
}

}  // namespace

Legacy::Legacy(const LegacyHost& host, LegacyVersions versions) {
  // What 0.1.5 and 0.4.1 share. The trigger types come before the functions: who can register can
  // be heard.
  if (versions.skills_015 || versions.directory_041) {
    host.worker.family(skills_family());
    on_change_.emplace(host.worker);
    on_download_ = host.changes.downloads().subscribe([this](const DownloadEvent& event) {
      on_change_->downloaded(event.kind, event.name_space, event.source);
    });
    add_legacy_lists(host.table, host.library);
  }
  if (versions.skills_015) add_skills_015(host, *on_change_);
  if (versions.directory_041) add_directory_041(host);
  if (versions.directory_051) add_introspection_051(host.table, host.engine, host.guides);
}

}  // namespace iii::directory
