// The data folder: opened once, after which every file in it is reached from that descriptor.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <optional>
#include <string>

#include "foundation/base/beneath.h"
#include "foundation/base/result.h"

namespace iii::engine {

class DataFolder {
 public:
  // Creates the folder and its missing parents with mode 0700, durably. Refuses a folder that
  // belongs to another user or that others may write: whoever can put files there decides what this
  // process reads and writes.
  static Result<DataFolder> open(const std::filesystem::path& directory);

  // Without links, for SQLite, which wants a name.
  const std::filesystem::path& path() const { return path_; }

  // Opens a plain file: a link is an error. Without O_CREAT, a missing file gives an empty
  // descriptor. New files get mode 0600.
  Result<UniqueFd> open_file(const char* name, int flags) const;
  // Nothing when there is no such file; does not follow links.
  std::optional<struct stat> find(const char* name) const;
  // Makes the names of new and removed files durable.
  void sync() const;

  // Takes the lock that keeps a second process out of the folder; the descriptor holds it.
  Result<UniqueFd> lock() const;

 private:
  UniqueFd folder_;
  std::filesystem::path path_;
};

}  // namespace iii::engine
