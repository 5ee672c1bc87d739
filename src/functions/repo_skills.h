// directory::repo::skills: what a repository has, before anything is downloaded.
#pragma once

#include <string>

#include "functions/downloader.h"
#include "functions/function_table.h"

namespace iii::directory {

void add_repo_functions(FunctionTable& table, Downloader& downloader);

// The same answer as JSON text, for the command line.
std::string repo_skills_json(const sources::RepoListing& listing);

}  // namespace iii::directory
