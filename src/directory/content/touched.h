// Which files below the roots were written, made or removed: documents and all others. Generations
// describe documents only; whoever serves or remembers other files follows this log.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "directory/content/types.h"

namespace iii::content {

struct TouchedFile {
  FileRef file;               // a folder stands for everything in it; an empty path for the root
  bool came_or_went = false;  // not only its bytes or permissions changed
};

// Never changes.
struct TouchedFiles {
  static constexpr size_t kKept = 256;

  uint64_t count = 0;             // since the content was opened
  std::vector<TouchedFile> last;  // the newest kKept, oldest first
  // False: some folders are not watched, so what happens in them is not here.
  bool complete = true;

  // Those after the first `known`; nothing: more than are kept, so it may be any file.
  std::optional<std::span<const TouchedFile>> after(uint64_t known) const;
};
using TouchedPtr = std::shared_ptr<const TouchedFiles>;
TouchedPtr nothing_touched();

// What one look at the folders found; at most kKept files are told apart.
class TouchedRound {
 public:
  void add(uint16_t root, std::string path, bool came_or_went);
  void add_root(uint16_t root) { add(root, "", true); }
  bool empty() const { return files_.empty(); }
  // The log with this round's files, which are then forgotten.
  TouchedPtr append_to(const TouchedFiles& log, bool complete);

 private:
  std::map<std::pair<uint16_t, std::string>, bool> files_;
};

}  // namespace iii::content
