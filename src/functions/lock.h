// directory::lock::{verify,outdated,diff,update,restore}: what directory.lock makes possible.
#pragma once

#include "functions/doctor.h"
#include "functions/downloader.h"
#include "functions/function_table.h"

namespace iii::directory {

void add_lock_functions(FunctionTable& table, Downloader& downloader);

// What the doctor says about `directory.lock`: namespaces whose folder does not exist, or that the
// file cannot be used. Looks at the disk.
std::vector<DoctorFinding> lock_findings(const sources::Downloads& downloads);

// The same answers as JSON text, for the command line.
std::string verify_json(const std::vector<sources::VerifiedNamespace>& namespaces);
std::string outdated_json(const std::vector<sources::OutdatedRow>& rows);
std::string diff_json(sources::NamespaceDiff diff);
std::string outcomes_json(const std::map<std::string, sources::Source, std::less<>>& asked,
                          std::vector<sources::NamespaceResult> outcomes);

}  // namespace iii::directory
