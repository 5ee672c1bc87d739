// directory::lock::{verify,outdated,diff,update,restore}: what directory.lock makes possible.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "functions/doctor.h"
#include "functions/lock_types.h"
#include "sources/downloads.h"
#include "sources/source.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

void add_lock_functions(FunctionTable& table, Downloader& downloader);

// What the doctor says about `directory.lock`: namespaces whose folder does not exist, or that the
// file cannot be used. Looks at the disk.
std::vector<DoctorFinding> lock_findings(const sources::Downloads& downloads);

// What became of several namespaces. `asked`: the sources of those that were installed before.
using Asked = std::map<std::string, sources::Source, std::less<>>;
OutcomesOutput outcomes_output(const Asked& asked, std::vector<sources::NamespaceResult> outcomes);

}  // namespace iii::directory
