// The swap: many files changed as one. It is recorded before it begins, so that the next
// process can finish or undo it after a crash.
//
// Order of a swap, all of it under the swap lock: staged files and backups are on the disk → the
// journal is → steps → the folders are on the disk → the journal goes. Every step can be repeated.
// A file that another process changed meanwhile is never touched: it is kept as it is.
//
// The stage is one folder. In it: the new files, second names (or copies) of the old ones, and
// `forward` as long as the swap is meant to be finished; without it, it is to be undone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/files_writer.h"
#include "foundation/base/result.h"
#include "foundation/json/describe.h"

namespace iii::sources {

inline std::string below(std::string_view folder, std::string_view name) {
  return std::string(folder) + "/" + std::string(name);
}

// Below the skills folder: everything of ours that is no content.
inline constexpr std::string_view kOwnFolder = ".iii-directory";
inline constexpr std::string_view kStagingFolder = ".iii-directory/staging";
inline constexpr std::string_view kJournalPath = ".iii-directory/journal";
inline constexpr std::string_view kForwardName = "forward";

inline constexpr std::string_view kAbsent = "absent";
inline constexpr std::string_view kFolderState = "folder";

// What stands at a path, in one word: `absent`, `folder`, `sha256:…`, `link:…` (with its target) or
// `other`. Fails when a link lies on the way.
Result<std::string> state_of(const FolderWriter& root, std::string_view path);
// The same for bytes in memory.
std::string state_of_bytes(std::string_view bytes);

struct Step {
  std::string path;    // below the skills folder
  std::string was;     // before: a step is taken only where this still stands
  std::string now;     // after; `absent` for a file that goes
  std::string staged;  // name in the stage; empty for a file that goes
  std::string backup;  // name in the stage; empty when nothing stood there
};

struct Journal {
  static constexpr int64_t kFormat = 2;  // 1 had one `namespace` instead of `namespaces`

  int64_t version = kFormat;
  std::vector<std::string> namespaces;  // sorted; the swap changes nothing outside of them
  std::string stage;                    // below the skills folder
  std::vector<Step> steps;              // what goes before what comes, `directory.lock` last
  std::vector<std::string> made;        // folders that did not exist before, outer ones first
  std::vector<std::string> emptied;     // folders that lose files, inner ones first
  std::optional<std::string> only;      // of format 1, when it was read
};

inline auto describe(json::Type<Step>) {
  using T = Step;
  return json::object<T>("Step", "", json::field("path", &T::path, ""),
                         json::field("was", &T::was, ""), json::field("now", &T::now, ""),
                         json::field("staged", &T::staged, ""),
                         json::field("backup", &T::backup, ""));
}
inline auto describe(json::Type<Journal>) {
  using T = Journal;
  return json::object<T>("Journal", "", json::field("version", &T::version, ""),
                         json::field("namespaces", &T::namespaces, "").optional(),
                         json::field("stage", &T::stage, ""), json::field("steps", &T::steps, ""),
                         json::field("made", &T::made, ""), json::field("emptied", &T::emptied, ""),
                         json::field("namespace", &T::only, ""));
}

std::string render_journal(const Journal& journal);
Result<Journal> parse_journal(std::string_view text);

// Takes the steps, as far as they are still to be taken, and forces them to the disk. Returns the
// paths that were changed by others meanwhile.
Result<std::vector<std::string>> finish(const FolderWriter& root, const Journal& journal);
// Gives the swap up: puts everything back, as far as it was changed, and forces it to the disk.
Result<void> turn_back(const FolderWriter& root, const Journal& journal);
// The swap is over, whichever way: the journal goes, and then the stage.
Result<void> close_journal(const FolderWriter& root, const Journal& journal);

enum class Recovery { kNothing, kFinished, kUndone };
// Finishes or undoes what a dead process left behind. The swap lock is held by the caller.
Result<Recovery> recover(const FolderWriter& root);

// Removes a stage. What cannot be removed stays for the next time.
void sweep_stage(const FolderWriter& root, const std::string& stage);

}  // namespace iii::sources
