#include "directory/sources/git_scratch.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <system_error>
#include <utility>

namespace iii::sources {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "iii-git-";
constexpr std::string_view kLockName = "in-use";
// A folder without a lock file is one that is being made right now, unless it is old.
constexpr time_t kTooYoungToTell = 3'600;

int open_locked(const fs::path& folder, int flags) {
  const int fd = open((folder / kLockName).c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return -1;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  close(fd);
  return -1;
}

// Ours and a folder, not a link that somebody else put into a shared place.
bool is_own_folder(const fs::path& path, struct stat& about) {
  return lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode) && about.st_uid == geteuid();
}

void sweep_one(const fs::path& folder) {
  struct stat about{};
  if (!is_own_folder(folder, about)) return;
  const int lock = open_locked(folder, 0);
  const bool old = time(nullptr) - about.st_mtime > kTooYoungToTell;
  std::error_code ignored;
  const bool unlocked = lock < 0 && old && !fs::exists(folder / kLockName, ignored);
  if (lock >= 0 || unlocked) fs::remove_all(folder, ignored);
  if (lock >= 0) close(lock);
}

fs::path place_or_default(const fs::path& place) {
  std::error_code bad;
  if (!place.empty()) return place;
  fs::path common = fs::temp_directory_path(bad);
  return bad ? fs::path("/tmp") : common;
}

}  // namespace

void sweep_scratch(const fs::path& place) {
  std::error_code bad;
  for (fs::directory_iterator entry(place_or_default(place), bad), end; !bad && entry != end;
       entry.increment(bad)) {
    if (entry->path().filename().native().starts_with(kPrefix)) sweep_one(entry->path());
  }
}

Result<Scratch> Scratch::make(const fs::path& place) {
  const fs::path folder = place_or_default(place);
  std::error_code bad;
  fs::create_directories(folder, bad);
  sweep_scratch(folder);
  std::string name = (folder / (std::string(kPrefix) + "XXXXXX")).native();
  if (mkdtemp(name.data()) == nullptr) {
    return fail("D321",
                "D321 git_error: cannot create a temporary folder. Next: check that the system's "
                "temporary folder is writable and has free space");
  }
  const int lock = open_locked(name, O_CREAT | O_EXCL);
  if (lock < 0) {
    fs::remove_all(name, bad);
    return fail("D321",
                "D321 git_error: cannot write to the temporary folder. Next: check that the "
                "system's temporary folder has free space");
  }
  return Scratch(std::move(name), lock);
}

Scratch::Scratch(Scratch&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

Scratch::~Scratch() {
  if (path_.empty()) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  close(lock_);
}

uint64_t Scratch::bytes() const {
  uint64_t sum = 0;
  std::error_code bad;
  for (fs::recursive_directory_iterator entry(path_, bad), end; !bad && entry != end;
       entry.increment(bad)) {
    struct stat about{};
    if (lstat(entry->path().c_str(), &about) == 0 && S_ISREG(about.st_mode)) {
      sum += static_cast<uint64_t>(about.st_size);
    }
  }
  return sum;
}

}  // namespace iii::sources
