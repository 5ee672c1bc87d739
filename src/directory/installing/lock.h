// directory::lock::{verify,outdated,diff,update,restore}: what directory.lock makes possible.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "directory/installing/lock_types.h"
#include "directory/sources/downloads.h"
#include "directory/sources/source.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

void add_lock_functions(FunctionTable& table, Downloader& downloader);

// What became of several namespaces. `asked`: the sources of those that were installed before.
using Asked = std::map<std::string, sources::Source, std::less<>>;
OutcomesOutput outcomes_output(const Asked& asked, std::vector<sources::NamespaceResult> outcomes);

}  // namespace iii::directory
