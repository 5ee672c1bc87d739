#include "directory/sources/journal.h"

#include <algorithm>
#include <set>
#include <utility>

#include "directory/sources/lock_file.h"
#include "foundation/base/file_digests.h"
#include "foundation/base/log.h"
#include "foundation/base/sha256.h"
#include "foundation/base/text.h"
#include "foundation/json/value.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMaxJournalBytes = 64 * 1024 * 1024;
constexpr std::string_view kDamagedPath = ".iii-directory/journal.damaged";

std::string parent_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? "" : path.substr(0, slash));
}

bool is_missing(const Error& error) { return error.code == "missing"; }

// All is well when the thing is gone already.
Result<void> remove_if_there(const FolderWriter& root, const std::string& path) {
  Result<void> removed = root.remove(path);
  if (!removed && is_missing(removed.error())) return {};
  return removed;
}

// Folders that are not empty stay.
Result<void> remove_folder_if_empty(const FolderWriter& root, const std::string& path) {
  Result<void> removed = root.remove_folder(path);
  if (!removed && (is_missing(removed.error()) || removed.error().code == "not_empty")) return {};
  return removed;
}

Result<void> rename_into(const FolderWriter& root, const std::string& from, const std::string& to) {
  if (const std::string parent = parent_of(to); !parent.empty()) {
    Result<void> made = root.make_folders(parent);
    if (!made) return made;
  }
  return root.rename(from, to);
}

// One step forward. False: the file was changed by others meanwhile, and is kept.
Result<bool> take(const FolderWriter& root, const Journal& journal, const Step& step) {
  const std::string staged = step.staged.empty() ? "" : below(journal.stage, step.staged);
  if (!staged.empty() && !root.exists(staged)) return true;  // taken before
  const Result<std::string> state = state_of(root, step.path);
  if (!state) return std::unexpected(state.error());
  // The same content again is a change of the mode.
  if (*state == step.now && step.was != step.now) return true;
  // A folder that made room may be gone already.
  const bool room = step.was == kFolderState && *state == kAbsent;
  if (*state != step.was && !room) return false;
  if (staged.empty()) {
    const Result<void> removed = remove_if_there(root, step.path);
    if (!removed) return std::unexpected(removed.error());
    return true;
  }
  if (*state == kFolderState) {
    const Result<void> cleared = root.remove_folder(step.path);
    if (!cleared && cleared.error().code == "not_empty") return false;
    if (!cleared) return std::unexpected(cleared.error());
  }
  const Result<void> renamed = rename_into(root, staged, step.path);
  if (!renamed) return std::unexpected(renamed.error());
  return true;
}

// One step back: only where our own file stands, or nothing where we removed one.
Result<void> take_back(const FolderWriter& root, const Journal& journal, const Step& step) {
  if (!step.staged.empty() && root.exists(below(journal.stage, step.staged))) return {};
  const Result<std::string> state = state_of(root, step.path);
  if (!state) return std::unexpected(state.error());
  if (*state != step.now) return {};
  if (step.backup.empty()) return remove_if_there(root, step.path);
  const std::string backup = below(journal.stage, step.backup);
  if (!root.exists(backup)) return {};  // taken back before
  return rename_into(root, backup, step.path);
}

Result<void> sync_all(const FolderWriter& root, const Journal& journal) {
  std::set<std::string> folders(journal.namespaces.begin(), journal.namespaces.end());
  for (const Step& step : journal.steps) {
    for (std::string at = parent_of(step.path);; at = parent_of(at)) {
      folders.insert(at);
      if (at.empty()) break;
    }
  }
  for (const std::string& folder : folders) {
    const Result<void> synced = root.sync_folder(folder);
    if (!synced && !is_missing(synced.error())) return synced;
  }
  return {};
}

// The folders whose places files will take: they have to go before those files come.
std::vector<std::string_view> room_folders(const Journal& journal) {
  std::vector<std::string_view> folders;
  for (const Step& step : journal.steps) {
    if (step.was == kFolderState) folders.push_back(step.path);
  }
  return folders;
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

Result<void> remove_emptied(const FolderWriter& root, const Journal& journal, bool for_room) {
  const std::vector<std::string_view> rooms = room_folders(journal);
  for (const std::string& folder : journal.emptied) {
    const bool makes_room = std::ranges::any_of(
        rooms, [&folder](std::string_view room) { return is_at_or_below(folder, room); });
    if (makes_room != for_room) continue;
    Result<void> removed = remove_folder_if_empty(root, folder);
    if (!removed) return removed;
  }
  return {};
}

bool is_safe(std::string_view path) {
  return std::ranges::none_of(split(path, '/'), [](std::string_view part) {
    return part.empty() || part == "." || part == ".." || part.find('\0') != part.npos;
  });
}

bool is_plain_name(std::string_view name) { return name.find('/') == std::string_view::npos; }

bool is_inside(const Journal& journal, std::string_view path) {
  const size_t slash = path.find('/');
  return slash != std::string_view::npos &&
         std::ranges::binary_search(journal.namespaces, path.substr(0, slash));
}

bool is_sound(const Journal& journal) {
  const auto is_namespace = [](const std::string& name) {
    return is_safe(name) && is_plain_name(name);
  };
  const auto is_step = [&journal](const Step& step) {
    const bool ours = step.path == kLockFileName || is_inside(journal, step.path);
    return ours && is_safe(step.path) && is_plain_name(step.staged) && is_plain_name(step.backup);
  };
  return !journal.namespaces.empty() && std::ranges::all_of(journal.namespaces, is_namespace) &&
         is_safe(journal.stage) && journal.stage.starts_with(below(kStagingFolder, "")) &&
         std::ranges::all_of(journal.steps, is_step) &&
         std::ranges::all_of(journal.made, is_safe) &&
         std::ranges::all_of(journal.emptied, is_safe);
}

// It cannot be read, and nothing may be read while it is there: it is moved aside.
Result<Recovery> set_aside(const FolderWriter& root, const Error& error) {
  log_error("the journal of an unfinished download is damaged ({}); it is set aside",
            error.message);
  const Result<void> moved = root.rename(kJournalPath, kDamagedPath);
  if (!moved) return std::unexpected(moved.error());
  return Recovery::kNothing;
}

Result<void> undo(const FolderWriter& root, const Journal& journal) {
  for (auto step = journal.steps.rbegin(); step != journal.steps.rend(); ++step) {
    if (step->staged.empty()) continue;
    Result<void> back = take_back(root, journal, *step);
    if (!back) return back;
  }
  for (auto folder = journal.made.rbegin(); folder != journal.made.rend(); ++folder) {
    Result<void> removed = remove_folder_if_empty(root, *folder);
    if (!removed) return removed;
  }
  for (const Step& step : journal.steps) {
    if (!step.staged.empty()) continue;
    Result<void> back = take_back(root, journal, step);
    if (!back) return back;
  }
  return sync_all(root, journal);
}

}  // namespace

std::string state_of_bytes(std::string_view bytes) { return "sha256:" + sha256_hex(bytes); }

Result<std::string> state_of(const FolderWriter& root, std::string_view path) {
  const Result<FileStatus> status = root.look(path);
  if (!status && is_missing(status.error())) return std::string(kAbsent);
  if (!status) return std::unexpected(status.error());
  if (status->kind == EntryKind::kDirectory) return std::string(kFolderState);
  if (status->is_link) {
    const Result<std::string> target = root.read_link(path);
    if (!target) return std::unexpected(target.error());
    return "link:" + sha256_hex(*target);
  }
  if (status->kind != EntryKind::kFile) return "other";
  const Result<FileDigest> file = read_digest(root, std::string(path));
  if (!file) return std::unexpected(file.error());
  return "sha256:" + file->sha256;
}

std::string render_journal(const Journal& journal) { return json::encode(journal); }

Result<Journal> parse_journal(std::string_view text) {
  const Result<json::Value> value = json::parse(text, 8);
  if (!value) return fail("damaged", "it is not JSON");
  const json::Value* const version = value->find("version");
  if (version == nullptr || version->as_int() == nullptr) return fail("damaged", "no version");
  if (*version->as_int() > Journal::kFormat) {
    return fail("newer", "it was written by a newer iii-directory");
  }
  Result<Journal> journal = json::decode<Journal>(text);
  if (!journal) return fail("damaged", journal.error().message);
  if (journal->only) journal->namespaces = {*std::exchange(journal->only, std::nullopt)};
  std::ranges::sort(journal->namespaces);
  if (!is_sound(*journal)) return fail("damaged", "a field is invalid");
  return journal;
}

Result<std::vector<std::string>> finish(const FolderWriter& root, const Journal& journal) {
  std::vector<std::string> kept;
  bool made_room = false;
  for (const std::string& name : journal.namespaces) {
    const Result<void> made = root.make_folders(name);
    if (!made) return std::unexpected(made.error());
  }
  for (const Step& step : journal.steps) {
    if (!step.staged.empty() && !made_room) {
      const Result<void> room = remove_emptied(root, journal, true);
      if (!room) return std::unexpected(room.error());
      made_room = true;
    }
    const Result<bool> taken = take(root, journal, step);
    if (!taken) return std::unexpected(taken.error());
    if (!*taken) kept.push_back(step.path);
  }
  if (const Result<void> tidy = remove_emptied(root, journal, false); !tidy) {
    return std::unexpected(tidy.error());
  }
  if (const Result<void> synced = sync_all(root, journal); !synced) {
    return std::unexpected(synced.error());
  }
  return kept;
}

Result<void> turn_back(const FolderWriter& root, const Journal& journal) {
  Result<void> turned = remove_if_there(root, below(journal.stage, kForwardName));
  // On the disk before anything is undone: half undone and then finished would be a mixture.
  if (turned) turned = root.sync_folder(journal.stage);
  if (turned) turned = undo(root, journal);
  return turned;
}

Result<void> close_journal(const FolderWriter& root, const Journal& journal) {
  Result<void> removed = remove_if_there(root, std::string(kJournalPath));
  if (!removed) return removed;
  // Were the stage gone and the journal still there after a power cut, nothing could be rolled
  // back.
  if (root.sync_folder(kOwnFolder)) sweep_stage(root, journal.stage);
  return {};
}

Result<Recovery> recover(const FolderWriter& root) {
  const Result<std::string> text = root.read(kJournalPath, kMaxJournalBytes);
  if (!text && is_missing(text.error())) return Recovery::kNothing;
  if (!text) return std::unexpected(text.error());
  const Result<Journal> journal = parse_journal(*text);
  if (!journal && journal.error().code == "newer") return std::unexpected(journal.error());
  if (!journal) return set_aside(root, journal.error());
  Recovery how = Recovery::kFinished;
  // No stage: it was over, but for the journal itself.
  const bool forward = root.exists(below(journal->stage, kForwardName));
  if (root.exists(journal->stage) && !(forward && finish(root, *journal))) {
    how = Recovery::kUndone;
    if (const Result<void> undone = turn_back(root, *journal); !undone) {
      return std::unexpected(undone.error());
    }
  }
  if (const Result<void> closed = close_journal(root, *journal); !closed) {
    return std::unexpected(closed.error());
  }
  log_info("an unfinished download of `{}` was {}", join(journal->namespaces, "`, `"),
           how == Recovery::kFinished ? "finished" : "undone");
  return how;
}

void sweep_stage(const FolderWriter& root, const std::string& stage) {
  const Result<std::vector<DirectoryEntry>> entries = root.list(stage);
  if (!entries) return;
  for (const DirectoryEntry& entry : *entries) {
    if (entry.kind != EntryKind::kDirectory) (void)root.remove(below(stage, entry.name));
  }
  (void)root.remove_folder(stage);
}

}  // namespace iii::sources
