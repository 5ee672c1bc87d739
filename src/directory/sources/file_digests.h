// Hashes of files that were read before, for as long as their stamps are the same.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "foundation/base/files.h"

namespace iii::sources {

// From any thread.
class FileDigests {
 public:
  std::optional<std::string> find(const std::string& path, const FileStamp& stamp) const;
  // Files that are too young to be told from another version are not kept. `stamp` was taken before
  // the file was read.
  void keep(const std::string& path, const FileStamp& stamp, std::string digest);

 private:
  // Beyond this everything is forgotten: as many files as are ever compared.
  static constexpr size_t kMost = 200'000;

  struct Known {
    FileStamp stamp;
    std::string digest;
  };

  mutable std::mutex mutex_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace iii::sources
