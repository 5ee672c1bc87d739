// How the reports of this room are written as answers of functions.
#pragma once

#include <string_view>

#include "directory/sources/downloads.h"
#include "foundation/json/describe.h"

namespace iii::sources {

inline constexpr std::string_view kNamespaceHelp = "Folder in skills_folder.";
inline constexpr std::string_view kCurrentHelp = "Version or commit that is installed.";

inline auto describe(json::Type<SkippedFile>) {
  using T = SkippedFile;
  return json::object<T>("SkippedFile", "", json::field("path", &T::path, "Path in the source."),
                         json::field("reason", &T::reason, "Why it was left out."));
}
inline auto describe(json::Type<FileDiff>) {
  using T = FileDiff;
  return json::object<T>(
      "FileDiff", "", json::field("path", &T::path, "Path below the namespace."),
      json::field("change", &T::change,
                  "`added` (the source has it, and it is not here), `changed`, or `removed` (the "
                  "source no longer has it); of a dry run also `kept` (edited here)."),
      json::field("diff", &T::diff,
                  "Unified difference: `-` lines are here, `+` lines are in the source. Absent for "
                  "files that are not text.")
          .optional(),
      json::field("note", &T::note, "Why `diff` is absent or not complete.").optional(),
      json::field("size", &T::size, "Bytes in the source; of a removed file: here.").optional(),
      json::field(
          "tokens", &T::tokens,
          "Tokens that reading it costs, estimated; of a dry run, for skills and prompts."));
}
inline auto describe(json::Type<NamespaceDiff>) {
  using T = NamespaceDiff;
  return json::object<T>(
      "LockDiffOutput", "", json::field("namespace", &T::name_space, kNamespaceHelp),
      json::field("current", &T::current, kCurrentHelp),
      json::field("latest", &T::latest, "Version or commit that the source has now."),
      json::field("files", &T::files, "The files that differ, by path."),
      json::field("unchanged", &T::unchanged, "Number of files that are the same."));
}
inline auto describe(json::Type<InstallReport>) {
  using T = InstallReport;
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
                  "empty if it has not moved.")
          .optional(),
      json::field(
          "files", &T::files,
          "With `dry_run`: the files that would come, change or go, and those that would be "
          "kept. Nothing was written, and the other fields say what would be done.")
          .optional());
}
inline auto describe(json::Type<NamespaceResult>) {
  using T = NamespaceResult;
  return json::object<T>(
      "NamespaceOutcome", "", json::field("namespace", &T::name_space, kNamespaceHelp),
      json::field("ok", &T::ok, "The download succeeded."),
      json::field("before", &T::before, "Version or commit before the call."),
      json::field("result", &T::report, "What was downloaded; absent after an error."),
      json::field("error", &T::error, "Why nothing was downloaded; absent if ok."));
}
inline auto describe(json::Type<RemoveReport>) {
  using T = RemoveReport;
  return json::object<T>(
      "RemoveOutput", "", json::field("namespace", &T::name_space, kNamespaceHelp),
      json::field("removed", &T::removed, "Files that were removed, as paths below the namespace."),
      json::field("kept", &T::kept, "Files that stay, because they were edited or added here."));
}
inline auto describe(json::Type<FileState>) {
  return json::enumeration<FileState>("FileState", {{FileState::kIntact, "intact"},
                                                    {FileState::kEdited, "edited"},
                                                    {FileState::kMissing, "missing"},
                                                    {FileState::kExtra, "extra"},
                                                    {FileState::kMode, "mode"}});
}
inline auto describe(json::Type<VerifiedFile>) {
  using T = VerifiedFile;
  return json::object<T>(
      "LockedFileState", "", json::field("path", &T::path, "Path below the namespace."),
      json::field("state", &T::state,
                  "`edited`, `missing`, `mode` (the content is intact, but the file is no longer "
                  "executable), or `extra` (not ours, and left alone)."));
}
inline auto describe(json::Type<VerifiedNamespace>) {
  using T = VerifiedNamespace;
  return json::object<T>(
      "VerifiedNamespace", "", json::field("namespace", &T::name_space, kNamespaceHelp),
      json::field("ok", &T::ok, "No file is edited or missing."),
      json::field("source", &T::source, "What was asked for."),
      json::field("resolved", &T::resolved, "Version or commit that was downloaded."),
      json::field("digest", &T::digest, "Hash over all files as they were downloaded."),
      json::field("intact", &T::intact, "Number of files that are as they were downloaded."),
      json::field("files", &T::files, "The files that are not."));
}
inline auto describe(json::Type<OutdatedRow>) {
  using T = OutdatedRow;
  return json::object<T>(
      "OutdatedNamespace", "", json::field("namespace", &T::name_space, kNamespaceHelp),
      json::field("source", &T::source, "What was asked for."),
      json::field("current", &T::current, kCurrentHelp),
      json::field("latest", &T::latest,
                  "Version or commit that the source has now; null if not known.")
          .nullable(),
      json::field("pinned", &T::pinned,
                  "An exact version or commit was asked for, which update leaves alone."),
      json::field("kept", &T::kept,
                  "Files that are older than `current`: they were edited here, so a download kept "
                  "them. update with `force` replaces them.")
          .optional(),
      json::field("outdated", &T::outdated,
                  "The source has other files than were installed. A new commit that did not touch "
                  "the skill's folder does not count, nor does an edit here."),
      json::field("state", &T::state,
                  "The first that applies: `unknown` (see `error`), `gone` (the repository has it "
                  "no more), `pinned`, `outdated`, `edited` (files were kept), `current`."),
      json::field("error", &T::error, "Why `latest` is not known; absent when it is."));
}

}  // namespace iii::sources
