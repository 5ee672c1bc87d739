#include "engine/store/reserve.h"

#include <memory>
#include <string>

namespace iii::engine {

bool extend_with_zeros(sqlite3_file* file, size_t bytes) {
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return false;
  const auto end = static_cast<sqlite3_int64>(bytes);
  if (size >= end) return true;
  const std::string zeros(64 * 1024, '\0');
  while (size < end) {
    const auto count = static_cast<int>(std::min<sqlite3_int64>(end - size, 64 * 1024));
    if (file->pMethods->xWrite(file, zeros.data(), count, size) != SQLITE_OK) return false;
    size += count;
  }
  return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
}

bool fill_with_zeros(const std::filesystem::path& path, size_t bytes) {
  sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
  // Memory of any alignment, as much as the file layer says that it needs.
  const auto memory = std::make_unique<std::max_align_t[]>(
      static_cast<size_t>(vfs->szOsFile) / sizeof(std::max_align_t) + 1);
  auto* file = reinterpret_cast<sqlite3_file*>(memory.get());
  file->pMethods = nullptr;
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_SUPER_JOURNAL;
  const int opened = vfs->xOpen(vfs, path.c_str(), file, flags, &flags);
  bool filled = opened == SQLITE_OK && extend_with_zeros(file, bytes);
  if (opened == SQLITE_OK && !filled) file->pMethods->xTruncate(file, 0);
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  return filled;
}

}  // namespace iii::engine
