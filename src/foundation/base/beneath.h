// Opening paths so that they cannot leave a folder: openat2 where the kernel has it, else component
// by component. Errors are negative errno values; EXDEV means that the path would leave the folder.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace iii {

// A file descriptor with one owner.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  void reset();
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// `relative` has no `..` of its own (EXDEV); empty means the folder itself. Returns a descriptor or
// -errno.
int open_beneath(int folder, std::string_view relative, int flags);
// The same without openat2.
int open_by_components(int folder, std::string_view relative, int flags);
bool have_openat2();

// A folder below a folder, for writers: no component may be a link (ELOOP), wherever it leads.
// `relative` as above. Returns a descriptor (O_PATH) or -errno.
int open_plain_folder(int folder, std::string_view relative);
// The same without openat2.
int open_plain_folder_by_components(int folder, std::string_view relative);

// Where a path leads when every link, the last one too, is followed: a folder and a name in it that
// is not a link (it may not exist). An empty name means the folder itself. Returns 0 or -errno.
struct Place {
  UniqueFd folder;
  std::string name;
};
int find_place(int folder, std::string_view relative, Place& out);

}  // namespace iii
