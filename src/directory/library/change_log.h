// What changed between generations, and a bounded memory of it. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "directory/content/types.h"

namespace iii::directory {

enum class ChangeKind { kSkill, kPrompt };
enum class ChangeAct { kAdded, kChanged, kRemoved };
// What caused it: a download by this process, somebody else who wrote files, or a worker that
// registered or unregistered a document.
enum class ChangeOp { kDownload, kExternal, kRegister, kUnregister };

std::string_view word(ChangeAct act);
std::string_view word(ChangeOp op);

struct Change {
  uint64_t generation = 0;  // the first that shows it
  ChangeKind kind = ChangeKind::kSkill;
  ChangeAct act = ChangeAct::kChanged;
  std::string name_space;
  std::string id;  // as lists show it; a prompt's name
  ChangeOp op = ChangeOp::kExternal;
  std::string source = "disk";  // `registry`, `repo`, `disk`, `registered`
  content::FileRef file;        // where it is, or was
};

// Skills first, then prompts, each in order of id. Rows that two generations share, or that say the
// same of equal files, are the same document.
std::vector<Change> differences(const content::Generation& before,
                                const content::Generation& after);

// All changes that led to one generation. Shared, because there may be tens of thousands.
using ChangeList = std::shared_ptr<const std::vector<Change>>;

class ChangeLog {
 public:
  explicit ChangeLog(size_t capacity) : capacity_(capacity) {}

  // `at_ns`: when it was seen, since 1970.
  void add(ChangeList changes, int64_t at_ns);

  // What was published with one generation; not empty.
  struct Entry {
    ChangeList changes;
    int64_t at_ns = 0;
  };
  struct Answer {
    std::vector<Entry> entries;  // oldest first
    uint64_t up_to = 0;          // pass it as `since` next time
    bool more = false;
    bool truncated = false;  // the log no longer reaches back to `since`: look at everything anew
  };
  enum class From { kOldest, kNewest };
  // `now` is the present generation. At least one whole generation, else at most `limit` changes,
  // counted from one end.
  Answer since(uint64_t generation, uint64_t now, size_t limit, From from = From::kOldest) const;

  // The last generation that changed this document; nothing when the log does not know one.
  std::optional<uint64_t> last_change(ChangeKind kind, std::string_view id) const;

 private:
  size_t capacity_;
  std::deque<Entry> lists_;
  size_t size_ = 0;         // of all together
  uint64_t forgotten_ = 0;  // changes of this generation and before may be missing
};

}  // namespace iii::directory
