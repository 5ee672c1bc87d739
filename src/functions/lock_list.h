// directory::lock::list: what is installed, from where, in which state.
#pragma once

#include "functions/downloader.h"

namespace iii::directory {

class FunctionTable;

void add_lock_list(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
