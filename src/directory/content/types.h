// What the index knows, as immutable values. Readers hold a Generation by shared_ptr; it never
// changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/content/rows.h"

namespace iii::content {

// Roots in order of precedence. The last is not a folder: documents that workers registered at run
// time (library/merger.h).
enum class RootKind { kLocal, kGlobal, kExtra, kBuiltin, kRegistered };

struct RootInfo {
  RootKind kind = RootKind::kGlobal;
  // `local`, `global`, `extra-1`, `builtin`, `registered`: what callers see instead of a path.
  std::string label;
};

// Which file a document came from.
struct FileRef {
  uint16_t root = 0;  // index into Generation::roots
  std::string path;   // relative to the root

  bool operator==(const FileRef&) const = default;
};

// A time that is not known: of compiled-in documents, and of files that could not be looked at
// (R33).
inline constexpr int64_t kNoTime = INT64_MIN;

// Which version of a file a row was made of; together with size and mtime it is the file's stamp.
struct FileVersion {
  uint64_t inode = 0;  // 0: there is no file, or it could not be looked at
  int64_t ctime_ns = 0;

  bool operator==(const FileVersion&) const = default;
};

inline constexpr uint64_t kUnknownOffset = UINT64_MAX;

// What a document is for whoever lists it. A prompt has its own type.
enum class SkillKind : uint8_t {
  kSkill,      // a SKILL.md, a document that describes itself, or one that belongs to no skill
  kReference,  // another document in the folder of a skill
  kReadme,     // README, AGENTS, LICENSE and the like
};

struct Skill {
  std::string id;  // on-disk id: `ns/index` for an overview (R11–R13)
  FileRef file;
  SkillKind kind = SkillKind::kSkill;
  bool kind_by_folder = false;  // the kind follows the SKILL.md files above it (kinds.h)
  // False: `disable-model-invocation`; readable by id, not in lists for agents.
  bool for_agents = true;
  std::string name;   // as the frontmatter gives it; may be empty
  std::string title;  // frontmatter title, else name, else H1; empty: show the display id (R29)
  std::optional<std::string> type;
  std::optional<std::string> function_id;
  std::vector<std::string> required_functions;  // ids in `requires`, at most kMaxRequired
  std::string description;  // frontmatter description, else first paragraph (R31)
  uint64_t bytes = 0;
  int64_t mtime_ns = 0;
  // False: the whole text cannot be had (oversize, not UTF-8, unreadable); the row stays (R47). An
  // oversize file has its metadata all the same, and can be read in parts.
  bool readable = true;
  FileVersion version;
  // Where the body begins, if this version can be told from every other one by its stamp; spares
  // readers the frontmatter.
  uint64_t body_offset = kUnknownOffset;

  bool operator==(const Skill&) const = default;
};

struct Prompt {
  std::string name;
  FileRef file;
  std::string description;
  int64_t mtime_ns = 0;
  uint64_t bytes = 0;
  FileVersion version;

  bool operator==(const Prompt&) const = default;
};

enum class Severity { kInfo, kWarning, kError };

// A ready patch: replace `length` bytes at `offset` of the file by `text`.
struct Fix {
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string text;

  bool operator==(const Fix&) const = default;
};

// Something worth telling about one file. Every skipped and every leniently read file has at least
// one.
struct Finding {
  FileRef file;
  Severity severity = Severity::kWarning;
  std::string code;  // stable, `snake_case`: see findings.h
  std::optional<uint32_t> line;
  std::optional<uint32_t> column;
  std::string message;
  // On-disk id or name under which it is served nevertheless (see display_id).
  std::optional<std::string> served_as;
  std::optional<Fix> fix;

  bool operator==(const Finding&) const = default;
};

using SkillPtr = std::shared_ptr<const Skill>;
using PromptPtr = std::shared_ptr<const Prompt>;
using FindingsPtr = std::shared_ptr<const std::vector<Finding>>;

// files == skills + prompts + supporting + skipped, always, over all roots that are folders.
struct Accounting {
  uint64_t files = 0;
  uint64_t skills = 0;
  uint64_t prompts = 0;
  uint64_t supporting = 0;  // files that are not documents: scripts, images, other suffixes
  uint64_t skipped = 0;     // documents that are not served (shadowed ones included)
};

// One consistent state of all roots.
struct Generation {
  uint64_t number = 0;
  std::vector<RootInfo> roots;
  Rows<SkillPtr> skills;       // merged view, ascending by on-disk id, ids unique
  Rows<PromptPtr> prompts;     // merged view, ascending by name, names unique
  Rows<FindingsPtr> findings;  // one list per file that has any, in order of root and path
  Accounting accounting;
  // The same for each root; what is compiled in or registered has none.
  std::vector<Accounting> accounting_of_roots;

  // Exact on-disk id; null when absent. Binary search.
  const Skill* skill(std::string_view id) const;
  const Prompt* prompt(std::string_view name) const;
  // The half-open range of skills whose on-disk id starts with `prefix`.
  std::pair<size_t, size_t> prefix_range(std::string_view prefix) const;
};

using GenerationPtr = std::shared_ptr<const Generation>;

// Whether a worker registered this document, so that there is no file.
bool is_registered(const Generation& generation, const FileRef& file);

// directory-read §5.4: a trailing `/index` is dropped unless the rest exists as an id of its own.
std::string display_id(const Generation& generation, std::string_view on_disk_id);

// R33: `2026-05-01T12:34:56.123456789+00:00`, fraction of 0, 3, 6 or 9 digits; kNoTime gives an
// empty text.
std::string format_time(int64_t mtime_ns);

}  // namespace iii::content
