// directory::doctor::apply, and what `doctor --fix` does: ready patches, written file by file.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "directory/content/content.h"
#include "directory/sources/installer.h"

namespace iii::directory {

class Installed;
class FunctionTable;
class Library;

// A patch as directory::doctor showed it with `details`.
struct ChosenFix {
  std::string root;
  std::string path;
  std::string digest;  // of the file that it was made for
  std::string key;
};
struct RefusedFix {
  std::string root;
  std::string path;
  std::string reason;
};

struct FixOutcome {
  uint64_t applied = 0;  // patches
  uint64_t fixed_files = 0;
  // Those below the skills folder, for `directory.lock`: our own fixes are not edits.
  std::vector<sources::FixedFile> in_skills_folder;
  std::vector<RefusedFix> refused;
};

// Which patches are wanted: those that are named, else all, or all of one code.
struct FixQuery {
  std::vector<ChosenFix> chosen = {};
  std::optional<std::string> code = {};
};
// Somebody who waits, and may have had enough; between two files.
struct FixWatcher {
  std::stop_token cancelled = {};
  std::function<void(uint64_t done, uint64_t total)> progress = {};
};

// Applies patches to the files as they are now, each file atomically. Blocking; a file is patched
// by one thread at a time.
FixOutcome apply_fixes(content::Content& content, const content::Generation& generation,
                       const FixQuery& query, const FixWatcher& watcher = {});

// Everything outlives the table. `installed` knows `directory.lock`; null: there is none.
void add_fixes(FunctionTable& table, Library& library, Installed* installed = nullptr);

}  // namespace iii::directory
