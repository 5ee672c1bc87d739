// Changes below a root, for whoever has to change several files as one: single steps, each of them
// atomic, each of them forced to the disk when asked.
//
// Stricter than reading (files.h): no link is followed, not even one that stays inside the root. A
// link before the last component is an error (`link`); a link as the last component is itself what
// is renamed, removed or looked at.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/beneath.h"
#include "foundation/base/files.h"

namespace iii {

// An open root directory. Thread-safe as far as the fault hook is.
class FolderWriter {
 public:
  // Called before every step that changes something (`make`, `create`, `rename`, `link`, `remove`,
  // `rmdir`, `sync`) with the path; an errno makes the step fail with it. For tests of failures.
  using Fault = std::function<int(std::string_view step, std::string_view path)>;

  // Codes of every error here: `missing`, `denied`, `outside`, `link`, `exists`, `not_a_file`,
  // `not_empty`, `too_large`, `full`, `no_links` (hard links do not exist here), `io`. Messages
  // name the relative path only.
  static Result<FolderWriter> open(const std::filesystem::path& path,
                                   Resolver resolver = Resolver::kAuto, Fault fault = {});
  // The same for reading; a root that is missing reads as an empty one.
  static Result<FolderWriter> open_to_read(const std::filesystem::path& path);

  // The folder and those above it, as far as they are missing.
  Result<void> make_folders(std::string_view relative) const;
  // A new file, on the disk when this returns. `exists`, whatever stands there.
  static constexpr mode_t kUsualMode = 0666;
  Result<void> create(std::string_view relative, std::string_view bytes,
                      mode_t mode = kUsualMode) const;
  // Replaces what stands at `to`, unless that is a folder.
  Result<void> rename(std::string_view from, std::string_view to) const;
  // A second name for a file (or for a link itself).
  Result<void> link(std::string_view from, std::string_view to) const;
  Result<void> remove(std::string_view relative) const;
  Result<void> remove_folder(std::string_view relative) const;  // `not_empty`
  // Names that were made or removed in the folder are on the disk when this returns.
  Result<void> sync_folder(std::string_view relative) const;
  // A file to lock: made when missing. Never truncated.
  Result<UniqueFd> open_lock(std::string_view relative) const;

  Result<FileStatus> look(std::string_view relative) const;
  Result<mode_t> mode(std::string_view relative) const;
  bool exists(std::string_view relative) const { return look(relative).has_value(); }
  Result<std::string> read_link(std::string_view relative) const;
  Result<UniqueFd> open_file(std::string_view relative) const;  // a regular file, for reading
  Result<std::string> read(std::string_view relative, uint64_t max_bytes) const;
  // Unsorted; links are not resolved (their kind is kOther).
  Result<std::vector<DirectoryEntry>> list(std::string_view relative) const;
  // Everything below a folder (walk.h), by paths below it; 64 folders deep at most. Empty when the
  // folder is missing, `too_large` beyond kMaxWalkEntries.
  static constexpr size_t kMaxWalkEntries = 200'000;
  Result<std::vector<DirectoryEntry>> walk(std::string_view relative) const;

 private:
  struct Spot {
    UniqueFd folder;
    std::string name;
  };

  FolderWriter(UniqueFd root, Resolver resolver, Fault fault)
      : root_(std::move(root)), resolver_(resolver), fault_(std::move(fault)) {}
  int open_folder(std::string_view relative) const;
  int find(std::string_view relative, Spot& out) const;
  // For a step: the fault, then the spot. 0 or an errno.
  int begin(std::string_view step, std::string_view relative, Spot& out) const;

  UniqueFd root_;
  Resolver resolver_;
  Fault fault_;
};

}  // namespace iii
