// directory::skills::{download,download_from_registry,download_from_repo}.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "functions/downloader.h"
#include "json/describe.h"

namespace iii::directory {

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
  std::vector<SkippedRow> skipped;
  std::optional<std::string> resolved;
  std::string digest;
};

inline auto describe(json::Type<SkippedRow>) {
  using T = SkippedRow;
  return json::object<T>("SkippedFile", "", json::field("path", &T::path, ""),
                         json::field("reason", &T::reason, "Why it was left out."));
}
inline auto describe(json::Type<DownloadOutput>) {
  using T = DownloadOutput;
  return json::object<T>(
      "DownloadOutput", "", json::field("namespace", &T::name_space, "The folder that was filled."),
      json::field("skills_written", &T::skills_written, "Paths below the namespace."),
      json::field("prompts_written", &T::prompts_written, "Names of prompts."),
      json::field("source", &T::source, "What was asked for."),
      json::field("assets_written", &T::assets_written, "Other files.").optional(),
      json::field("unchanged", &T::unchanged, "Had that content already; not touched.").optional(),
      json::field("pruned", &T::pruned, "Dropped upstream and not edited here: removed.")
          .optional(),
      json::field("conflicts", &T::conflicts, "Edited here: kept. `force` overwrites.").optional(),
      json::field("skipped", &T::skipped, "Left out, and why.").optional(),
      json::field("resolved", &T::resolved, "The version or commit that came."),
      json::field("digest", &T::digest, "Of all files together.").optional());
}

DownloadOutput output_of(const sources::Source& source, sources::InstallReport report);
// `{"kind":"registry","worker":…,"tag":…}`, as the published worker echoes it.
json::Raw source_json(const sources::Source& source, const std::string& branch);

void add_download_functions(sdk::Worker& worker, Downloader& downloader);

}  // namespace iii::directory
