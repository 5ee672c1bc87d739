#include "directory/sources/installer_verify.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "directory/sources/journal.h"
#include "foundation/base/file_digests.h"

namespace iii::sources {

namespace {

constexpr std::chrono::milliseconds kGatePause{5};
constexpr int kMaxLooks = 2'000;  // at a gate that is shut: ten seconds

// The file is read unless its digest is known.
Result<std::string> state_by_stamp(const FolderWriter& root, const std::string& path,
                                   const FileStamp& stamp) {
  const Result<FileDigest> digest = file_digest(root, path, stamp);
  if (digest) return "sha256:" + digest->sha256;
  if (digest.error().code == "missing") return std::string(kAbsent);
  return std::unexpected(digest.error());
}

struct LookedAt {
  FileState state = FileState::kIntact;
  int64_t mtime_ns = 0;
};

Result<LookedAt> look_at_locked(const FolderWriter& root, const std::string& path,
                                const LockedFile& locked) {
  const auto found = [](FileState state) { return LookedAt{.state = state}; };
  const Result<FileStatus> status = root.look(path);
  if (!status && status.error().code == "missing") return found(FileState::kMissing);
  // A link among its folders: whatever is there, we did not write it.
  if (!status && status.error().code == "link") return found(FileState::kEdited);
  if (!status) return std::unexpected(status.error());
  if (status->kind != EntryKind::kFile) return found(FileState::kEdited);
  if (status->stamp.size != locked.size && locked.fixed.empty()) return found(FileState::kEdited);
  const Result<std::string> state = state_by_stamp(root, path, status->stamp);
  if (!state) return std::unexpected(state.error());
  if (*state == kAbsent) return found(FileState::kMissing);
  if (!locked.is_ours_in(*state)) return found(FileState::kEdited);
  const Result<mode_t> mode = root.mode(path);
  const bool stopped = locked.executable && mode && (*mode & S_IXUSR) == 0;
  return LookedAt{.state = stopped ? FileState::kMode : FileState::kIntact,
                  .mtime_ns = status->stamp.mtime_ns};
}

Result<VerifiedNamespace> verify_one(const FolderWriter& root, const std::string& name,
                                     const LockedNamespace& locked) {
  VerifiedNamespace out{.name_space = name,
                        .source = source_json(locked.source, locked.branch),
                        .resolved = locked.resolved,
                        .digest = locked.digest(),
                        .files = {},
                        .locked = locked};
  std::map<std::string, FileState> others;
  for (const auto& [path, file] : locked.files) {
    const Result<LookedAt> look = look_at_locked(root, below(name, path), file);
    if (!look) return std::unexpected(look.error());
    if (look->state == FileState::kIntact) {
      ++out.intact;
      out.written_ns = std::max(out.written_ns.value_or(look->mtime_ns), look->mtime_ns);
    } else {
      others.emplace(path, look->state);
      out.ok = false;
    }
  }
  const Result<std::vector<DirectoryEntry>> entries = root.walk(name);
  // The namespace itself is a link: its files were compared above.
  if (!entries && entries.error().code != "link") return std::unexpected(entries.error());
  for (const DirectoryEntry& entry : entries.value_or(std::vector<DirectoryEntry>())) {
    const bool file = entry.kind != EntryKind::kDirectory && entry.name != kMarkerName;
    if (file && locked.find(entry.name) == nullptr) others.emplace(entry.name, FileState::kExtra);
  }
  for (const auto& [path, state] : others) out.files.push_back({path, state});
  return out;
}

}  // namespace

std::string word_of(FileState state) { return kFileStateWords.at(static_cast<size_t>(state)); }

Error read_failed(const Error& error) {
  return {"D330", "D330 read_failed: " + error.message + ". Next: check the skills folder."};
}

Error unreadable_lock(const Error& error) {
  return {"D333",
          "D333 lock_unreadable: `directory.lock` cannot be read: " + error.message +
              ". Nothing was changed. Next: make it a plain file that this program may read."};
}

Result<LockPtr> LockReader::read(const FolderWriter& root) {
  static const LockPtr kNone = std::make_shared<const Lock>();
  const Result<FileStatus> status = root.look(kLockFileName);
  if (!status && status.error().code == "missing") return kNone;
  const std::lock_guard held(mutex_);
  if (status && stamp_ == status->stamp) return lock_;
  const Result<std::string> text = root.read(kLockFileName, kMaxLockBytes);
  if (!text && text.error().code == "missing") return kNone;
  if (!text) return std::unexpected(unreadable_lock(text.error()));
  std::string hash = sha256_hex(*text);
  if (lock_ == nullptr || hash != hash_) {
    Result<Lock> lock = parse_lock(*text);
    if (!lock) return std::unexpected(std::move(lock.error()));
    lock_ = std::make_shared<const Lock>(std::move(*lock));
    hash_ = std::move(hash);
  }
  stamp_.reset();
  // A file that was written a moment ago may change again without another stamp.
  if (status && status->stamp.settled(file_clock_ns())) stamp_ = status->stamp;
  return lock_;
}

Result<void> read_whole(const std::filesystem::path& skills_folder, LockReader& reader,
                        const ReadWork& work) {
  ReadGate gate(skills_folder);
  for (int look = 0; look < kMaxLooks; ++look) {
    if (!gate.enter()) {
      std::this_thread::sleep_for(kGatePause);
      continue;
    }
    const Result<FolderWriter> root = FolderWriter::open_to_read(skills_folder);
    if (!root) return std::unexpected(read_failed(root.error()));
    const Result<LockPtr> lock = reader.read(*root);
    Result<void> done = lock ? work(*root, **lock) : std::unexpected(lock.error());
    if (gate.leave()) return done;
  }
  return fail("D331",
              "D331 busy: a download is under way for too long. Next: try again in a moment.");
}

Result<std::vector<VerifiedNamespace>> verify_files(const FolderWriter& root, const Lock& lock,
                                                    const std::optional<std::string>& name_space) {
  if (name_space && lock.find(*name_space) == nullptr) {
    return std::unexpected(no_such_namespace(lock, *name_space));
  }
  std::vector<VerifiedNamespace> all;
  for (const auto& [name, locked] : lock.namespaces) {
    if (name_space && *name_space != name) continue;
    Result<VerifiedNamespace> one = verify_one(root, name, locked);
    if (!one) return std::unexpected(read_failed(one.error()));
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace iii::sources
