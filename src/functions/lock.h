// directory::lock::{verify,outdated,update,restore}: what directory.lock makes possible.
#pragma once

#include "functions/downloader.h"

namespace iii::directory {

void add_lock_functions(sdk::Worker& worker, Downloader& downloader);

// The same answers as JSON text, for the command line.
std::string verify_json(const std::vector<sources::VerifiedNamespace>& namespaces);
std::string outdated_json(const std::vector<sources::OutdatedRow>& rows);
std::string outcomes_json(const std::map<std::string, sources::Source>& asked,
                          std::vector<sources::NamespaceResult> outcomes);

}  // namespace iii::directory
