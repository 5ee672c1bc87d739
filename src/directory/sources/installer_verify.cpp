#include "directory/sources/installer_verify.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "directory/sources/installer_plan.h"
#include "directory/sources/journal.h"
#include "foundation/base/file_digests.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"
#include "foundation/base/walk.h"

namespace iii::sources {

namespace {

constexpr std::chrono::milliseconds kGatePause{5};
constexpr int kMaxLooks = 2'000;  // at a gate that is shut: ten seconds
constexpr size_t kMaxEntries = 200'000;

using States = std::map<std::string, FileState>;

// Everything in the folder that the lock does not name. Links are not followed.
Result<void> find_extras(const FolderWriter& root, const std::string& folder, States& states) {
  const auto visit = [&](const std::string& below, std::vector<DirectoryEntry>& entries) {
    if (below.empty()) std::erase_if(entries, [](const auto& e) { return e.name == kMarkerName; });
    for (const DirectoryEntry& entry : entries) {
      if (entry.kind == EntryKind::kDirectory) continue;
      states.emplace(join_path(below, entry.name), FileState::kExtra);  // known ones keep theirs
    }
    return Result<void>();
  };
  Result<void> walked = walk(root, folder, {.max_entries = kMaxEntries}, visit);
  if (walked || walked.error().code == "missing" || walked.error().code == "too_deep") return {};
  if (walked.error().code != "too_many") return walked;
  return fail("too_large", "`" + printable(folder) + "` has too many files");
}

// `by_stamp`: the file is not read when its digest is known.
Result<std::string> state_of_file(const FolderWriter& root, const std::string& path,
                                  const FileStamp& stamp, bool by_stamp) {
  if (!by_stamp) return state_of(root, path);
  const Result<FileDigest> digest = file_digest(root, path, stamp);
  if (!digest && digest.error().code == "missing") return std::string(kAbsent);
  if (!digest) return std::unexpected(digest.error());
  return "sha256:" + digest->sha256;
}

struct LookedAt {
  FileState state = FileState::kIntact;
  int64_t mtime_ns = 0;
};

Result<LookedAt> look_at_locked(const FolderWriter& root, const std::string& path,
                                const LockedFile& locked, bool by_stamp) {
  const auto found = [](FileState state) { return LookedAt{.state = state}; };
  const Result<FileStatus> status = root.look(path);
  if (!status && status.error().code == "missing") return found(FileState::kMissing);
  // A link among its folders: whatever is there, we did not write it.
  if (!status && status.error().code == "link") return found(FileState::kEdited);
  if (!status) return std::unexpected(status.error());
  if (status->kind != EntryKind::kFile) return found(FileState::kEdited);
  if (status->stamp.size != locked.size && locked.fixed.empty()) return found(FileState::kEdited);
  const Result<std::string> state = state_of_file(root, path, status->stamp, by_stamp);
  if (!state) return std::unexpected(state.error());
  if (*state == kAbsent) return found(FileState::kMissing);
  constexpr std::string_view kHash = "sha256:";
  const bool ours =
      state->starts_with(kHash) && locked.is_ours(std::string_view(*state).substr(kHash.size()));
  if (!ours) return found(FileState::kEdited);
  const Result<mode_t> mode = root.mode(path);
  const bool stopped = locked.executable && mode && (*mode & S_IXUSR) == 0;
  return LookedAt{.state = stopped ? FileState::kMode : FileState::kIntact,
                  .mtime_ns = status->stamp.mtime_ns};
}

Result<VerifiedNamespace> verify_one(const FolderWriter& root, const std::string& name,
                                     const LockedNamespace& locked, bool by_stamp) {
  States states;
  std::optional<int64_t> written;
  for (const auto& [path, file] : locked.files) {
    const Result<LookedAt> look = look_at_locked(root, below(name, path), file, by_stamp);
    if (!look) return std::unexpected(look.error());
    states.emplace(path, look->state);
    if (look->state == FileState::kIntact) {
      written = std::max(written.value_or(look->mtime_ns), look->mtime_ns);
    }
  }
  const Result<void> found = find_extras(root, name, states);
  // The namespace itself is a link: its files were told apart above.
  if (!found && found.error().code != "link") return std::unexpected(found.error());
  VerifiedNamespace verified{
      .name_space = name, .locked = locked, .files = {}, .written_ns = written};
  for (const auto& [path, state] : states) verified.files.push_back({path, state});
  return verified;
}

Error cannot_read(const Error& error) {
  return {"D330", "D330 read_failed: " + error.message + ". Next: check the skills folder."};
}

Result<std::vector<VerifiedNamespace>> verify_now(const FolderWriter& root,
                                                  const std::optional<std::string>& name_space,
                                                  bool by_stamp) {
  const Result<Lock> lock = read_lock(root);
  if (!lock) return std::unexpected(lock.error());
  if (name_space && !lock->namespaces.contains(*name_space)) {
    std::vector<std::string> names;
    for (const auto& [name, locked] : lock->namespaces) names.push_back(name);
    const std::string_view near = nearest(*name_space, names);
    return fail("D310", "D310 not_found: `" + printable(*name_space) +
                            "` is not in `directory.lock`." +
                            (near.empty() ? "" : " Did you mean: " + std::string(near) + ".") +
                            " Next: call directory::lock::verify without a namespace to see all.");
  }
  std::vector<VerifiedNamespace> all;
  for (const auto& [name, locked] : lock->namespaces) {
    if (name_space && *name_space != name) continue;
    Result<VerifiedNamespace> one = verify_one(root, name, locked, by_stamp);
    if (!one) return std::unexpected(cannot_read(one.error()));
    all.push_back(std::move(*one));
  }
  return all;
}

}  // namespace

std::string word_of(FileState state) {
  switch (state) {
    case FileState::kEdited:
      return "edited";
    case FileState::kMissing:
      return "missing";
    case FileState::kExtra:
      return "extra";
    case FileState::kMode:
      return "mode";
    case FileState::kIntact:
      break;
  }
  return "intact";
}

Error unreadable_lock(const Error& error) {
  return {"D333",
          "D333 lock_unreadable: `directory.lock` cannot be read: " + error.message +
              ". Nothing was changed. Next: make it a plain file that this program may read."};
}

Result<Lock> read_lock(const FolderWriter& root) {
  const Result<std::string> text = root.read(kLockFileName, kMaxLockBytes);
  if (!text && text.error().code == "missing") return Lock{};
  if (!text) return std::unexpected(unreadable_lock(text.error()));
  return parse_lock(*text);
}

Result<std::vector<VerifiedNamespace>> verify_folder(const std::filesystem::path& skills_folder,
                                                     const std::optional<std::string>& name_space,
                                                     bool by_stamp) {
  ReadGate gate(skills_folder);
  for (int look = 0; look < kMaxLooks; ++look) {
    if (!gate.enter()) {
      std::this_thread::sleep_for(kGatePause);
      continue;
    }
    const Result<FolderWriter> root = FolderWriter::open(skills_folder);
    const bool missing = !root && root.error().code == "missing";
    if (!root && !missing) return std::unexpected(cannot_read(root.error()));
    Result<std::vector<VerifiedNamespace>> verified =
        missing ? std::vector<VerifiedNamespace>{} : verify_now(*root, name_space, by_stamp);
    if (gate.leave()) return verified;
  }
  return fail("D331",
              "D331 busy: a download is under way for too long. Next: try again in a moment.");
}

}  // namespace iii::sources
