// directory::repo::skills: what a repository has, before anything is downloaded.
// directory::repo::download: several of them at once.
#pragma once

namespace iii::directory {

class Downloader;
class FunctionTable;

void add_repo_functions(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
