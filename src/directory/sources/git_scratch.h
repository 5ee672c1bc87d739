// A temporary folder for git's objects: private, removed on every way out, and swept up after
// processes that died without removing theirs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "foundation/base/result.h"

namespace iii::sources {

class Scratch {
 public:
  // Below `place`, or the system's place for temporary files when that is empty.
  static Result<Scratch> make(const std::filesystem::path& place);
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&&) = delete;
  ~Scratch();

  const std::filesystem::path& path() const { return path_; }
  // What its files take up together.
  uint64_t bytes() const;

 private:
  Scratch(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

  std::filesystem::path path_;
  int lock_ = -1;  // held as long as this lives: that is how others see that it is in use
};

// Removes folders of this kind whose owner is gone. Called by Scratch::make.
void sweep_scratch(const std::filesystem::path& place);

}  // namespace iii::sources
