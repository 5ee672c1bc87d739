// directory::skills::remove: takes a download away again.
#pragma once

namespace iii::directory {

class Downloader;
class FunctionTable;

void add_remove(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
