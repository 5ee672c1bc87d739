// The files of a skill, as they are on disk: which there are, their digests, their bytes.
//
// Blocking; may be used from several threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/result.h"
#include "functions/skill_files.h"

namespace iii::mcp {

// SEP-2640: what a host has to accept.
inline constexpr size_t kMaxSkillFiles = 512;
inline constexpr uint64_t kMaxSkillBytes = 16ULL * 1024 * 1024;

struct SkillFile {
  std::string path;  // relative to the folder
  uint64_t size = 0;
  std::string sha256;  // hexadecimal
};

struct SkillEntryInFolder {
  std::string name;
  bool is_folder = false;
  uint64_t size = 0;
};

// Paths are relative to a root of skills. Hidden names are nowhere; a link or special file makes
// the whole manifest an error (`link`), and cannot be read.
class SkillFiles {
 public:
  virtual ~SkillFiles() = default;

  // All files below the folder, by path. `too_many` and `too_large` beyond the limits.
  virtual Result<std::vector<SkillFile>> manifest(uint16_t root, std::string_view folder) = 0;
  virtual Result<std::vector<SkillEntryInFolder>> list(uint16_t root, std::string_view folder) = 0;
  virtual Result<std::string> read(uint16_t root, std::string_view path) = 0;
};

class FolderSkillFiles final : public SkillFiles {
 public:
  using RootPath = std::function<std::filesystem::path(uint16_t root)>;
  explicit FolderSkillFiles(RootPath root_path) : root_path_(std::move(root_path)) {}

  Result<std::vector<SkillFile>> manifest(uint16_t root, std::string_view folder) override;
  Result<std::vector<SkillEntryInFolder>> list(uint16_t root, std::string_view folder) override;
  Result<std::string> read(uint16_t root, std::string_view path) override;

 private:
  Result<RootFolder> open(uint16_t root) const;
  Result<SkillFile> file(const RootFolder& folder, const std::string& path, const FileStamp& stamp);

  const RootPath root_path_;
  directory::FileDigests digests_;
};

}  // namespace iii::mcp
