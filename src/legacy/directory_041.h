// skills::download and prompts::get of iii-directory 0.4.1, on the same store as the later ones.
#pragma once

#include "functions/downloader.h"
#include "library/library.h"
#include "sdk/worker.h"

namespace iii::directory {

// 0.4.1 takes no worker without a version or tag. Nothing: as the later versions read it.
Result<sources::Source> source_041(const sources::SourceFields& fields);

void add_download_041(sdk::Worker& worker, Downloader& downloader);
void add_prompt_get_041(sdk::Worker& worker, Library& library);

}  // namespace iii::directory
