// directory::skills::remove: takes a download away again.
#pragma once

#include "functions/downloader.h"
#include "functions/function_table.h"

namespace iii::directory {

void add_remove(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
