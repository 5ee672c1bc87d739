#include "engine/store/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/text.h"

namespace iii::engine {

namespace {

std::unexpected<Error> system_failure(const std::string& what, int error) {
  return fail("data_error", what + ": " + std::strerror(error) +
                                "; check the data folder's permissions and free space");
}

void sync_directory(const std::filesystem::path& directory) {
  const int fd = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

Result<void> make_private_directory(const std::filesystem::path& directory) {
  struct stat info{};
  if (::stat(directory.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) return {};
    return fail("data_error", "the data folder is a file; name a folder with --data");
  }
  const std::filesystem::path parent = directory.parent_path();
  if (!parent.empty() && parent != directory) {
    if (auto made = make_private_directory(parent); !made) return made;
  }
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return system_failure("cannot create the data folder", errno);
  }
  sync_directory(parent.empty() ? "." : parent);
  return {};
}

Result<void> make_private_file(const std::filesystem::path& directory, const char* name) {
  const std::filesystem::path path = directory / name;
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return system_failure(std::string("cannot open ") + name, errno);
  ::close(fd);
  sync_directory(directory);
  return {};
}

Result<int> lock_directory(const std::filesystem::path& directory) {
  const int fd = ::open((directory / "state.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return system_failure("cannot open state.lock", errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) {
    // The number only helps a person to find the other process; the lock is what counts.
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0) errno = 0;
    return fd;
  }
  const int error = errno;
  char text[32] = {};
  const ssize_t got = ::pread(fd, text, sizeof text - 1, 0);
  ::close(fd);
  if (error != EWOULDBLOCK) return system_failure("cannot lock the data folder", error);
  std::string other = "another process";
  if (got > 0) other += " (pid " + std::string(trim(text)) + ")";
  return fail("data_in_use", "the data folder is in use by " + other +
                                 "; stop that process, or choose another folder with --data");
}

}  // namespace iii::engine
