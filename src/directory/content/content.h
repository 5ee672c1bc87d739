// The always-fresh index: roots on disk in, immutable generations out.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "directory/content/touched.h"
#include "directory/content/types.h"
#include "foundation/base/files.h"
#include "foundation/base/result.h"

namespace iii::content {

struct RootConfig {
  RootKind kind = RootKind::kGlobal;
  std::filesystem::path path;

  bool operator==(const RootConfig&) const = default;
};

// A document compiled into the program; lowest precedence, replaced by any file of the same id.
struct BuiltinDocument {
  std::string path;  // as if it were a file, e.g. `iii-directory/SKILL.md`
  std::string text;

  bool operator==(const BuiltinDocument&) const = default;
};

struct ContentOptions {
  std::vector<RootConfig> roots;  // in order of precedence: local, global, extra …
  std::vector<BuiltinDocument> builtin;
  bool normalise_ids = true;    // serve files whose path breaks the id rule under a normalised id
  bool lenient = true;          // see parse.h
  bool title_from_name = true;  // see title_of in document.h
  uint64_t max_file_bytes = 262'144;  // R27
  size_t max_files = 1'000'000;       // entries of all roots together: files, folders, links
  size_t max_depth = 64;
  size_t scan_threads = 8;
  // Number of the generation before the first one: numbers go on where another content ended.
  uint64_t generations_before = 0;
  // For tests: pretend that the system offers no (more) watches.
  size_t max_watches = SIZE_MAX;
  // For tests: the clock that says whether a stamp is old enough to be trusted.
  std::function<int64_t()> clock = file_clock_ns;
};

struct ContentStatus {
  bool watching = false;        // false: some folders are compared with the disk instead
  std::string fallback_reason;  // when not (everything is) watched; also said once in the log
  uint64_t generation = 0;
  uint64_t watches = 0;
  uint64_t files = 0;
  uint64_t rescans = 0;
  uint64_t polled_folders = 0;  // are not watched, so they are compared with the disk
  // So many are beyond the limit of watches that compare_more() compares them, not every call.
  bool in_background = false;
  bool comparing = false;  // compare_more() has not got to all of them yet
};

// May be called from several threads: one looks at the disk at a time, and only fresh() waits
// for it. Roots that do not exist are empty, and noticed when they appear.
class Content {
 public:
  static std::unique_ptr<Content> open(ContentOptions options);
  virtual ~Content() = default;

  // The state of the disk now: whatever finished before this call is in it. Folders that are
  // compared in the background (ContentStatus) are as they were when they were compared last.
  virtual GenerationPtr fresh() = 0;
  // The same if there is nothing to look at, else null. A few system calls; it never waits.
  virtual GenerationPtr unchanged() = 0;
  // The next fresh() reads this file again whatever notifications say; unchanged() gives null until
  // then. Of folders that are compared in the background it compares the one that the path leads to
  // (as far as it exists), or all of the root if the path is empty. Never waits.
  virtual void recheck(const FileRef& file) = 0;
  // The next fresh() compares some of the folders that are compared in the background, for about a
  // millisecond: those that were not compared for the longest time. Never waits.
  virtual void compare_more() {}
  // Somebody asks for this file: when there are not enough watches, its folder is watched rather
  // than others. Never waits.
  virtual void note_use(const FileRef&) {}
  // A document's bytes as they are now (R26–R28 are the caller's to judge from the error or the
  // text).
  virtual Result<FileBytes> read(const Generation& generation, const FileRef& file) = 0;
  // The open folder that a file is in, for readers of parts and of files beside documents; null
  // when there is none.
  virtual std::shared_ptr<const RootFolder> folder_of(const FileRef&) const { return nullptr; }
  // Replaces a file's bytes atomically; used by `doctor --fix`. Read-only roots refuse.
  virtual Result<void> write(const Generation& generation, const FileRef& file,
                             std::string_view bytes) = 0;
  virtual ContentStatus status() const = 0;
  // Whether documents are read leniently (ContentOptions), so that bodies are cut by the same
  // rules.
  virtual bool lenient() const = 0;
  // Which files were written, made or removed, as of the last fresh(). Never waits, never null.
  virtual TouchedPtr touched() const { return nothing_touched(); }
  // Becomes readable (until the next fresh()) when something may have changed; for change events
  // without polling. -1: none.
  virtual int notify_fd() const = 0;
};

}  // namespace iii::content
