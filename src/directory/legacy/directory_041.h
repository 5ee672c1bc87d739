// skills::download and prompts::get of iii-directory 0.4.1, on the same store as the later ones.
#pragma once

#include "directory/installing/downloader.h"
#include "foundation/base/result.h"

namespace iii::directory {

class FunctionTable;
class Library;

// 0.4.1 takes no worker without a version or tag. Nothing: as the later versions read it.
Result<sources::Source> source_041(const sources::SourceFields& fields);

// Callers of 0.4.1 look for the status of the registry in the message; later versions do not show
// it. `error` is about a question to the registry.
Error with_status_041(Error error);

void add_download_041(FunctionTable& table, Downloader& downloader);
void add_prompt_get_041(FunctionTable& table, Library& library);

}  // namespace iii::directory
