// directory::skills::{download,download_from_registry,download_from_repo}.
#pragma once

#include <string_view>

namespace iii::directory {

class Downloader;
class FunctionTable;

// Fields that every download has.
inline constexpr std::string_view kForce =
    "true overwrites files that were edited here, and a namespace that another source filled. "
    "Default false.";
inline constexpr std::string_view kAcceptRisks =
    "true installs in spite of findings that `scan: block` refuses (D336), and records all "
    "findings as accepted in directory.lock, so that they are not reported again until the file "
    "changes. Set it only when a person has read them. Default false.";
inline constexpr std::string_view kStopAtRisks =
    "true: when there is a finding about a file, nothing is written and the error D338 lists them, "
    "so that a person can be asked first. Default false.";

inline constexpr std::string_view kDryRun =
    "true: nothing is written. The answer says what would be done: `files` with sizes and "
    "differences, and `risks`. Default false.";

void add_download_functions(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
