#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "directory/sources/installer.h"
#include "directory/sources/installer_locks.h"
#include "directory/sources/journal.h"
#include "foundation/base/log.h"

namespace iii::sources {

namespace {

UniqueFd open_to_lock(const std::filesystem::path& path) {
  return UniqueFd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
}

}  // namespace

struct ReadGate::Impl {
  explicit Impl(std::filesystem::path skills_folder)
      : folder(std::move(skills_folder)),
        swap_path(folder / kSwapLockPath),
        turn_path(folder / kTurnLockPath),
        journal_path(folder / kJournalPath) {}

  enum class Entry { kOpen, kShut, kAgain };
  // How it was entered: not at all, holding the lock, where no swap ever took place, or where locks
  // cannot be had.
  enum class Held { kNothing, kLock, kUnlocked, kBlind };

  Entry try_enter();
  bool same_file(const struct stat& found) const {
    return swap && found.st_ino == inode && found.st_dev == device;
  }
  void open_files(const struct stat& found);
  bool share(const UniqueFd& file);
  bool recover_now();
  Entry blind() {
    held = Held::kBlind;
    return Entry::kOpen;
  }

  const std::filesystem::path folder;
  const std::filesystem::path swap_path;
  const std::filesystem::path turn_path;
  const std::filesystem::path journal_path;
  UniqueFd swap;
  UniqueFd turn;
  ino_t inode = 0;
  dev_t device = 0;
  Held held = Held::kNothing;
  bool unsupported = false;
  bool complained = false;
};

void ReadGate::Impl::open_files(const struct stat& found) {
  turn = open_to_lock(turn_path);
  swap = open_to_lock(swap_path);
  inode = found.st_ino;
  device = found.st_dev;
}

// A shared flock, if it can be had at once.
bool ReadGate::Impl::share(const UniqueFd& file) {
  if (::flock(file.get(), LOCK_SH | LOCK_NB) == 0) return true;
  unsupported = errno != EWOULDBLOCK && errno != EINTR;
  return false;
}

ReadGate::Impl::Entry ReadGate::Impl::try_enter() {
  struct stat found{};
  if (::lstat(swap_path.c_str(), &found) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return blind();
    held = Held::kUnlocked;
    return Entry::kOpen;
  }
  if (!same_file(found)) open_files(found);
  if (!swap) return errno == ENOENT ? Entry::kAgain : blind();
  if (turn) {
    if (!share(turn)) return unsupported ? blind() : Entry::kShut;
  }
  const bool shared = share(swap);
  if (turn) ::flock(turn.get(), LOCK_UN);
  if (!shared) return unsupported ? blind() : Entry::kShut;
  struct stat journal{};
  if (::lstat(journal_path.c_str(), &journal) != 0) {
    held = Held::kLock;
    return Entry::kOpen;
  }
  // No process is swapping, and yet a swap is not over: its process has died.
  ::flock(swap.get(), LOCK_UN);
  return recover_now() ? Entry::kAgain : Entry::kShut;
}

bool ReadGate::Impl::recover_now() {
  const auto give_up = [this](const Error& error) {
    if (!complained) {
      log_error("an unfinished download can neither be completed nor rolled back: {}",
                error.message);
    }
    complained = true;
    return false;
  };
  const Result<FolderWriter> root = FolderWriter::open(folder);
  if (!root) return give_up(root.error());
  Job no_waiting;
  no_waiting.deadline = {};
  const Result<SwapLock> lock = SwapLock::wait(*root, no_waiting);
  if (!lock) return lock.error().code == "busy" ? false : give_up(lock.error());
  const Result<Recovery> recovered = recover(*root);
  if (!recovered) return give_up(recovered.error());
  complained = false;
  return true;
}

ReadGate::ReadGate(std::filesystem::path skills_folder)
    : impl_(std::make_unique<Impl>(std::move(skills_folder))) {}
ReadGate::~ReadGate() = default;

bool ReadGate::enter() {
  if (impl_->held != Impl::Held::kNothing) leave();
  // Again: the files were removed meanwhile, or a swap was finished. Both are over soon.
  for (int attempt = 0; attempt < 3; ++attempt) {
    switch (impl_->try_enter()) {
      case Impl::Entry::kOpen:
        return true;
      case Impl::Entry::kShut:
        return false;
      case Impl::Entry::kAgain:
        break;
    }
  }
  return false;
}

bool ReadGate::leave() {
  const Impl::Held held = std::exchange(impl_->held, Impl::Held::kNothing);
  if (held == Impl::Held::kNothing || held == Impl::Held::kBlind) return true;
  struct stat found{};
  const bool there = ::lstat(impl_->swap_path.c_str(), &found) == 0;
  if (held == Impl::Held::kUnlocked) return !there;
  ::flock(impl_->swap.get(), LOCK_UN);
  return !there || impl_->same_file(found);
}

}  // namespace iii::sources
