#include "foundation/base/file_errors.h"

#include <cerrno>
#include <cstring>

#include "foundation/base/utf8.h"

namespace iii {

namespace {

// What means something else to readers and to writers.
struct Meaning {
  std::string_view code;
  std::string_view text;
};

Meaning loop(FileUse use) {
  if (use == FileUse::kWriting)
    return {"link", " is a link or lies below one; nothing is written through links"};
  return {"missing", " is a link in a loop of links"};
}

Meaning outside(FileUse use) {
  if (use == FileUse::kWriting) return {"outside", " leaves its root"};
  return {"outside",
          " is a link that leaves its root, or lies below one; only relative links that stay "
          "inside are followed"};
}

Meaning denied(FileUse use) {
  return {"denied", use == FileUse::kWriting ? " cannot be written (permission denied)"
                                             : " cannot be read (permission denied)"};
}

Meaning meaning_of(int error, FileUse use) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return {"missing", " does not exist"};
    case ELOOP:
      return loop(use);
    case EXDEV:
      return outside(use);
    case EACCES:
    case EPERM:
      return denied(use);
    case EROFS:
      return {"denied", " is on a read-only file system"};
    case EEXIST:
      return {"exists", " already exists"};
    case EISDIR:
      return {"not_a_file", " is not a regular file"};
    case ENOTEMPTY:
      return {"not_empty", " is a folder that is not empty"};
    case ENOSPC:
    case EDQUOT:
      return {"full", ": the disk is full"};
    case EFBIG:
      return {"too_large", " is too large"};
    case ENAMETOOLONG:
      // To a reader it is one more file that is not there.
      return {use == FileUse::kWriting ? "io" : "missing",
              " has a name that is too long for this system"};
    default:
      return {"io", ""};
  }
}

}  // namespace

std::string shown_path(std::string_view relative) {
  return relative.empty() ? "the folder" : "`" + printable(relative) + "`";
}

std::unexpected<Error> file_error(int error, std::string_view relative, FileUse use) {
  const Meaning meaning = meaning_of(error, use);
  const std::string text =
      meaning.text.empty() ? ": " + std::string(std::strerror(error)) : std::string(meaning.text);
  return fail(std::string(meaning.code), shown_path(relative) + text);
}

}  // namespace iii
