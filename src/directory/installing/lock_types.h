// Answers of directory::lock::*, and of what downloads several namespaces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "directory/installing/download.h"
#include "foundation/json/describe.h"

namespace iii::directory {

struct LockFileRow {
  std::string path;
  std::string state;
};
struct VerifyRow {
  std::string name_space;
  bool ok = false;
  json::Raw source;
  std::string resolved;
  std::string digest;
  uint64_t intact = 0;
  std::vector<LockFileRow> files;
};
struct VerifyOutput {
  bool ok = false;
  std::vector<VerifyRow> namespaces;
};
struct OutdatedOutputRow {
  std::string name_space;
  json::Raw source;
  std::string current;
  std::optional<std::string> latest;
  bool pinned = false;
  std::vector<std::string> kept;
  bool outdated = false;
  std::string state;
  std::optional<std::string> error;
};
struct OutdatedOutput {
  std::vector<OutdatedOutputRow> namespaces;
};
struct OutcomeRow {
  std::string name_space;
  bool ok = false;
  std::string before;
  std::optional<DownloadOutput> result;
  std::optional<std::string> error;
};
struct CopyRow {
  std::string path;
  std::string copy_of;
};
struct OutcomesOutput {
  bool ok = false;
  std::vector<OutcomeRow> namespaces;
  std::vector<CopyRow> copies = {};
};

struct FileDiffRow {
  std::string path;
  std::string change;
  std::string diff;
  std::string note;
};
struct DiffOutput {
  std::string name_space;
  std::string current;
  std::string latest;
  std::vector<FileDiffRow> files;
  uint64_t unchanged = 0;
};

inline constexpr std::string_view kLockNamespace = "Folder in skills_folder.";
inline constexpr std::string_view kLockNamespaces = "One row per namespace, by name.";

inline auto describe(json::Type<FileDiffRow>) {
  using T = FileDiffRow;
  return json::object<T>(
      "FileDiff", "", json::field("path", &T::path, "Path below the namespace."),
      json::field("change", &T::change,
                  "`added` (the source has it, and it is not here), `changed`, or `removed` (the "
                  "source no longer has it)."),
      json::field("diff", &T::diff,
                  "Unified difference: `-` lines are here, `+` lines are in the source. Absent for "
                  "files that are not text.")
          .optional(),
      json::field("note", &T::note, "Why `diff` is absent or not complete.").optional());
}
inline auto describe(json::Type<DiffOutput>) {
  using T = DiffOutput;
  return json::object<T>(
      "LockDiffOutput", "", json::field("namespace", &T::name_space, kLockNamespace),
      json::field("current", &T::current, "Version or commit that is installed."),
      json::field("latest", &T::latest, "Version or commit that the source has now."),
      json::field("files", &T::files, "The files that differ, by path."),
      json::field("unchanged", &T::unchanged, "Number of files that are the same."));
}
inline auto describe(json::Type<LockFileRow>) {
  using T = LockFileRow;
  return json::object<T>(
      "LockedFileState", "", json::field("path", &T::path, "Path below the namespace."),
      json::field("state", &T::state,
                  "`edited`, `missing`, `mode` (the content is intact, but the file is no longer "
                  "executable), or `extra` (not ours, and left alone)."));
}
inline auto describe(json::Type<VerifyRow>) {
  using T = VerifyRow;
  return json::object<T>(
      "VerifiedNamespace", "", json::field("namespace", &T::name_space, kLockNamespace),
      json::field("ok", &T::ok, "No file is edited or missing."),
      json::field("source", &T::source, "What was asked for."),
      json::field("resolved", &T::resolved, "Version or commit that was downloaded."),
      json::field("digest", &T::digest, "Hash over all files as they were downloaded."),
      json::field("intact", &T::intact, "Number of files that are as they were downloaded."),
      json::field("files", &T::files, "The files that are not."));
}
inline auto describe(json::Type<VerifyOutput>) {
  using T = VerifyOutput;
  return json::object<T>("VerifyOutput", "", json::field("ok", &T::ok, "Every namespace is ok."),
                         json::field("namespaces", &T::namespaces, kLockNamespaces));
}
inline auto describe(json::Type<OutdatedOutputRow>) {
  using T = OutdatedOutputRow;
  return json::object<T>(
      "OutdatedNamespace", "", json::field("namespace", &T::name_space, kLockNamespace),
      json::field("source", &T::source, "What was asked for."),
      json::field("current", &T::current, "Version or commit that is installed."),
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
inline auto describe(json::Type<OutdatedOutput>) {
  return json::object<OutdatedOutput>(
      "OutdatedOutput", "",
      json::field("namespaces", &OutdatedOutput::namespaces, kLockNamespaces));
}
inline auto describe(json::Type<OutcomeRow>) {
  using T = OutcomeRow;
  return json::object<T>(
      "NamespaceOutcome", "", json::field("namespace", &T::name_space, kLockNamespace),
      json::field("ok", &T::ok, "The download succeeded."),
      json::field("before", &T::before, "Version or commit before the call."),
      json::field("result", &T::result, "What was downloaded; absent after an error."),
      json::field("error", &T::error, "Why nothing was downloaded; absent if ok."));
}
inline auto describe(json::Type<CopyRow>) {
  using T = CopyRow;
  return json::object<T>("SkillCopy", "",
                         json::field("path", &T::path, "Its folder in the repository."),
                         json::field("copy_of", &T::copy_of, "Folder with the same files."));
}
inline auto describe(json::Type<OutcomesOutput>) {
  using T = OutcomesOutput;
  return json::object<T>("OutcomesOutput", "", json::field("ok", &T::ok, "Every namespace is ok."),
                         json::field("namespaces", &T::namespaces, kLockNamespaces),
                         json::field("copies", &T::copies,
                                     "Skills of the repository that were left out because another "
                                     "one has the same files.")
                             .optional());
}

}  // namespace iii::directory
