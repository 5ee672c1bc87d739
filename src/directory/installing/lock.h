// directory::lock::{verify,outdated,list,diff,update,restore} and directory::skills::remove: what
// directory.lock makes possible.
#pragma once

#include <vector>

#include "directory/installing/lock_types.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

void add_lock_functions(FunctionTable& table, Downloader& downloader);

OutcomesOutput outcomes_output(std::vector<sources::NamespaceResult> outcomes);

}  // namespace iii::directory
