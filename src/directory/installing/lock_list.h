// directory::lock::list: what is installed, from where, in which state.
#pragma once

namespace iii::directory {

class Downloader;
class FunctionTable;

void add_lock_list(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
