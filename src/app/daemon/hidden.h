// Whose skills the installed-worker filter (`filter_unregistered`) hides, for the log and for
// `doctor`.
#pragma once

#include <string>

#include "directory/library/view.h"

namespace iii::daemon {

directory::NameSet hidden_workers(const directory::View& view);
// The first few names: `a, b, and 3 more`.
std::string some_of(const directory::NameSet& names);

}  // namespace iii::daemon
