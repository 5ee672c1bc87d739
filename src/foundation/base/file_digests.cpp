#include "foundation/base/file_digests.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "foundation/base/file_errors.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/hash.h"
#include "foundation/base/sha256.h"

namespace iii {

namespace {

constexpr std::string_view kProgramMark = "#!";

// Beyond kMost files everything is forgotten.
class DigestTable {
 public:
  std::optional<FileDigest> find(const FileStamp& stamp) const {
    const std::lock_guard lock(mutex_);
    const auto found = known_.find(stamp);
    if (found == known_.end()) return std::nullopt;
    return found->second;
  }

  // Files that are too young to be told from another version are not kept.
  void keep(const FileStamp& stamp, int64_t read_at_ns, const FileDigest& digest) {
    if (!stamp.settled(read_at_ns)) return;
    const std::lock_guard lock(mutex_);
    if (known_.size() >= kMost) known_.clear();
    known_.insert_or_assign(stamp, digest);
  }

 private:
  static constexpr size_t kMost = 200'000;
  struct Hash {
    size_t operator()(const FileStamp& stamp) const {
      return static_cast<size_t>(
          keyed_hash(process_hash_key(), stamp.inode, static_cast<uint64_t>(stamp.ctime_ns)));
    }
  };

  mutable std::mutex mutex_;
  std::unordered_map<FileStamp, FileDigest, Hash> known_;
};

DigestTable& digests() {
  static DigestTable table;
  return table;
}

}  // namespace

std::optional<FileDigest> known_digest(const FileStamp& stamp) { return digests().find(stamp); }

Result<FileDigest> file_digest(const RootFolder& root, const std::string& path,
                               const FileStamp& stamp, uint64_t max_bytes) {
  if (std::optional<FileDigest> known = known_digest(stamp)) return std::move(*known);
  const int64_t now = file_clock_ns();
  const Result<FileBytes> file = root.read(path, max_bytes);
  if (!file) return std::unexpected(file.error());
  FileDigest out{.sha256 = sha256_hex(file->bytes),
                 .is_program = file->bytes.starts_with(kProgramMark),
                 .size = file->bytes.size()};
  digests().keep(file->stamp, now, out);
  return out;
}

Result<FileDigest> file_digest(const FolderWriter& root, const std::string& path,
                               const FileStamp& stamp) {
  if (std::optional<FileDigest> known = known_digest(stamp)) return std::move(*known);
  const int64_t now = file_clock_ns();
  Result<FileDigest> out = read_digest(root, path);
  // Equal stamps before and after: what was read is what has the stamp.
  const Result<FileStatus> after = root.look(path);
  if (out && after && after->stamp == stamp) digests().keep(stamp, now, *out);
  return out;
}

Result<FileDigest> read_digest(const FolderWriter& root, const std::string& path) {
  const Result<UniqueFd> file = root.open_file(path);
  if (!file) return std::unexpected(file.error());
  FileDigest out;
  Sha256 hash;
  std::array<char, 65'536> part;
  for (;;) {
    const ssize_t got = ::read(file->get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error(errno, path, FileUse::kReading);
    if (got == 0) break;
    const std::string_view bytes(part.data(), static_cast<size_t>(got));
    if (out.size == 0) out.is_program = bytes.starts_with(kProgramMark);
    hash.add(bytes);
    out.size += bytes.size();
  }
  out.sha256 = hash.hex();
  return out;
}

}  // namespace iii
