// What the installed-worker filter (`filter_unregistered`) hides, for the log and for `doctor`.
#pragma once

#include <cstddef>
#include <string>

#include "directory/library/view.h"

namespace iii::daemon {

struct Hidden {
  size_t skills = 0;
  directory::NameSet workers;  // whose skills they are
};

Hidden hidden_from(const directory::View& view);
// The first few names: `a, b, and 3 more`.
std::string some_of(const directory::NameSet& names);

}  // namespace iii::daemon
