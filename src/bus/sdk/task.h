// Handlers are tasks.
#pragma once

#include "foundation/task/task.h"

namespace iii::sdk {

using task::Task;

}  // namespace iii::sdk
