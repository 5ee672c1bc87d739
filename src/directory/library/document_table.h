// Every document of a generation as a row: what is served, and what is not and why. Made when
// somebody first asks for it; immutable. Functions that look at more than one document read it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "directory/content/types.h"

namespace iii::directory {

enum class DocumentState : uint8_t {
  kServed,
  kFinding,   // served, and the doctor has a finding about it
  kMissing,   // there is a file, and nobody can read it
  kFiltered,  // its worker is not installed (View::state)
  kShadowed,  // another document has its place
};
inline constexpr std::array<std::string_view, 5> kDocumentStates = {"served", "finding", "missing",
                                                                    "filtered", "shadowed"};
// The type of a document that has none.
inline constexpr std::string_view kNoType = "none";

std::string_view kind_word(content::SkillKind kind);

// A file that is not served, or a registration.
struct UnservedDocument {
  std::string id;      // the one it would have; `root:path` when another row has that
  std::string wanted;  // the one it would have
  content::FindingsPtr findings;
  std::string_view kind;  // `skill`, `prompt` or `folder`

  const content::Finding& reason() const { return findings->front(); }
};

struct DocumentRow {
  const content::Skill* skill = nullptr;  // null: it is not served
  const UnservedDocument* unserved = nullptr;
  // Folded id, title, description, further name and unusual path, each followed by kTextEnd.
  std::string_view text;
  uint32_t id_size = 0;  // of the id at the beginning of the text
  uint32_t type = 0;     // place in types()
  uint32_t space = 0;    // place in spaces()
  uint16_t root = 0;
  DocumentState state = DocumentState::kServed;  // without the filter: never kFiltered

  // On-disk id, or the id that it would have: rows are ordered by it.
  const std::string& key() const { return skill != nullptr ? skill->id : unserved->wanted; }
  const content::FileRef& file() const {
    return skill != nullptr ? skill->file : unserved->reason().file;
  }
};
inline constexpr char kTextEnd = '\xff';  // not in UTF-8, so that nothing is found across fields

class DocumentTable {
 public:
  // `before` may be null; texts of rows that have not changed since are shared with it.
  static std::shared_ptr<const DocumentTable> make(content::GenerationPtr generation,
                                                   const DocumentTable* before);

  const content::GenerationPtr& generation() const { return generation_; }
  std::span<const DocumentRow> rows() const { return rows_; }
  const std::vector<std::string>& types() const { return types_; }
  const std::vector<std::string>& spaces() const { return spaces_; }

  // The half-open range of rows whose key starts with `prefix`.
  std::pair<size_t, size_t> prefix_range(std::string_view prefix) const;
  // By an id as rows show it, or as it is on disk.
  std::optional<size_t> find(std::string_view id) const;
  std::optional<size_t> find_file(uint16_t root, std::string_view path) const;
  // The row that would have this id if it were served.
  std::optional<size_t> find_unserved(std::string_view wanted) const;

  // How well a path fits, best first.
  enum class Fit : uint8_t { kFile, kWithoutSuffix, kFolder, kOtherCase, kNone };
  struct Match {
    const content::Skill* skill = nullptr;
    Fit fit = Fit::kNone;
  };
  // The served document at that path, or the overview of the folder there. `root`: only in that
  // one.
  Match find_path(std::string_view path, std::optional<uint16_t> root = std::nullopt) const;

 private:
  class Maker;
  std::optional<size_t> find_served(std::string_view on_disk_id) const;
  using Chunk = content::Rows<content::SkillPtr>::ChunkPtr;
  // Texts of the rows of one chunk.
  struct TextBlock {
    explicit TextBlock(Chunk rows);

    Chunk chunk;
    std::string text;
    std::vector<uint32_t> ends;
  };

  content::GenerationPtr generation_;
  std::vector<std::shared_ptr<const TextBlock>> blocks_;
  std::deque<UnservedDocument> unserved_;
  std::deque<std::string> unserved_texts_;
  std::vector<DocumentRow> rows_;
  std::vector<std::string> types_;
  std::vector<std::string> spaces_;
};
using DocumentTablePtr = std::shared_ptr<const DocumentTable>;

// Keeps the table of the last generation that was asked for. From any thread: making a large table
// takes tens of milliseconds.
class DocumentTables {
 public:
  DocumentTablePtr of(const content::GenerationPtr& generation);

 private:
  std::mutex mutex_;
  DocumentTablePtr last_;  // under mutex_
};

// Compiled-in and registered documents are not files.
inline bool is_on_disk(content::RootKind kind) {
  return kind != content::RootKind::kBuiltin && kind != content::RootKind::kRegistered;
}

// What the doctor says about a file of a generation; null when that is nothing.
content::FindingsPtr findings_of(const content::Generation& generation,
                                 const content::FileRef& file);

}  // namespace iii::directory
