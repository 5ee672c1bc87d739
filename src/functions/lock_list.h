// directory::lock::list: what is installed, from where, in which state.
#pragma once

#include "functions/downloader.h"
#include "functions/function_table.h"

namespace iii::directory {

void add_lock_list(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
