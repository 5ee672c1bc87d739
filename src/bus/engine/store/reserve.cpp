#include "bus/engine/store/reserve.h"

#include <memory>
#include <string>

namespace iii::engine {

bool extend_with_zeros(sqlite3_file* file, size_t bytes) {
  sqlite3_int64 size = 0;
  if (file->pMethods->xFileSize(file, &size) != SQLITE_OK) return false;
  const auto end = static_cast<sqlite3_int64>(bytes);
  if (size >= end) return true;
  const std::string zeros(64 * 1024, '\0');
  bool good = true;
  for (sqlite3_int64 at = size; good && at < end;) {
    const auto count = static_cast<int>(std::min<sqlite3_int64>(end - at, 64 * 1024));
    good = file->pMethods->xWrite(file, zeros.data(), count, at) == SQLITE_OK;
    at += count;
  }
  good = good && file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) == SQLITE_OK;
  if (!good) file->pMethods->xTruncate(file, size);
  return good;
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
  const bool filled = opened == SQLITE_OK && extend_with_zeros(file, bytes);
  if (file->pMethods != nullptr) file->pMethods->xClose(file);
  return filled;
}

}  // namespace iii::engine
