// directory::skills::{download,download_from_registry,download_from_repo}.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/reading/risks.h"
#include "directory/sources/installer.h"
#include "directory/sources/source.h"
#include "foundation/json/describe.h"

namespace iii::directory {

class Downloader;
class FunctionTable;

struct SkippedRow {
  std::string path;
  std::string reason;
};
struct DownloadOutput {
  std::string name_space;
  std::vector<std::string> skills_written;
  std::vector<std::string> prompts_written;
  json::Raw source;
  std::vector<std::string> assets_written;
  std::vector<std::string> unchanged;
  std::vector<std::string> pruned;
  std::vector<std::string> conflicts;
  std::vector<std::string> overwritten;
  std::vector<SkippedRow> skipped;
  std::vector<std::string> added;
  std::vector<std::string> changed;
  std::vector<std::string> executable;
  std::vector<std::string> executable_dropped;
  std::vector<RiskRow> risks;
  std::optional<std::string> resolved;
  std::string digest;
  std::string moved_from;
};

inline auto describe(json::Type<SkippedRow>) {
  using T = SkippedRow;
  return json::object<T>("SkippedFile", "", json::field("path", &T::path, "Path in the source."),
                         json::field("reason", &T::reason, "Why it was left out."));
}
inline auto describe(json::Type<DownloadOutput>) {
  using T = DownloadOutput;
  return json::object<T>(
      "DownloadOutput", "",
      json::field("namespace", &T::name_space,
                  "Folder in skills_folder that the files are in: the worker or the skill."),
      json::field("skills_written", &T::skills_written,
                  "Skill files that were written, as paths below the namespace."),
      json::field("prompts_written", &T::prompts_written,
                  "Names of the prompts that were written."),
      json::field("source", &T::source,
                  "What was asked for: {kind: \"registry\", worker, version or tag} or {kind: "
                  "\"repo\", repo, skill, path?, branch}."),
      json::field("assets_written", &T::assets_written,
                  "Other files that were written, such as scripts and images.")
          .optional(),
      json::field("unchanged", &T::unchanged, "Files that had this content already.").optional(),
      json::field("pruned", &T::pruned,
                  "Files that the source no longer has, removed here because they were not edited.")
          .optional(),
      json::field("conflicts", &T::conflicts,
                  "Files that were edited here, or were here before the first download, and "
                  "therefore kept; `force` overwrites them.")
          .optional(),
      json::field("overwritten", &T::overwritten,
                  "Files that were edited here or not downloaded before, and were replaced.")
          .optional(),
      json::field("skipped", &T::skipped,
                  "Files of the source that were left out, with the reason.")
          .optional(),
      json::field("added", &T::added, "Paths of files that were not here before.").optional(),
      json::field("changed", &T::changed, "Paths of files that were replaced by another version.")
          .optional(),
      json::field("executable", &T::executable,
                  "Paths of files that may be run, because the repository has them so.")
          .optional(),
      json::field("executable_dropped", &T::executable_dropped,
                  "Paths of files that the repository has as executable and that were written "
                  "without, because `keep_executable_bits` is off.")
          .optional(),
      json::field("risks", &T::risks, kRisksHelp).optional(),
      json::field("resolved", &T::resolved, "Version or commit that was downloaded."),
      json::field("digest", &T::digest,
                  "Hash over all files of the namespace, as directory.lock records it.")
          .optional(),
      json::field("moved_from", &T::moved_from,
                  "Folder that the skill had in the repository when it was downloaded before; "
                  "absent if it has not moved.")
          .optional());
}

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

DownloadOutput output_of(const sources::Source& source, sources::InstallReport report);

void add_download_functions(FunctionTable& table, Downloader& downloader);

}  // namespace iii::directory
