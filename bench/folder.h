// Where servers under test keep their data.
#pragma once

#include <sys/vfs.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "process.h"

namespace iii::bench {

// Beside the program, because temporary folders are often no real disk.
class Folder {
 public:
  Folder() {
    std::string name =
        std::filesystem::read_symlink("/proc/self/exe").parent_path() / "data-XXXXXX";
    if (mkdtemp(name.data()) == nullptr) die("cannot make a folder beside the program");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string fresh() { return path_ / std::to_string(++count_); }
  bool in_memory() const {
    constexpr long kTmpfs = 0x01021994;
    struct statfs disk{};
    return statfs(path_.c_str(), &disk) == 0 && disk.f_type == kTmpfs;
  }

 private:
  std::filesystem::path path_;
  int count_ = 0;
};

}  // namespace iii::bench
