// The index of skills at one state of the library, and the steps from one state to the next. Called
// off the loop: bodies are read from disk here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "directory/library/view.h"
#include "directory/search/index.h"

namespace iii::directory {

struct IndexedSkills {
  search::Index index = search::Index(search::skill_profile());
  content::GenerationPtr generation;  // that it was made from
};
using IndexedSkillsPtr = std::shared_ptr<const IndexedSkills>;

// The beginning of a body as it is now, without frontmatter; empty when it cannot be read.
// `settled`: the file is old enough that its stamp tells this version from every other one.
struct BodyHead {
  std::string text;
  bool settled = false;
};
BodyHead read_body_head(const View& view, const content::Skill& skill, size_t bytes);

search::Document document_of(const View& view, const content::Skill& skill, std::string_view body);

// What identifies the indexed text of a row; 0: nothing does.
uint64_t row_mark(const content::Skill& skill);

// Rows of the view that are not in `before`, or not as they are now; and keys that are gone.
struct RowChanges {
  std::vector<content::SkillPtr> put;
  std::vector<std::string> removed;
};
RowChanges changes_between(const content::Generation& before, const content::Generation& now);

// `before` with changes.
IndexedSkillsPtr followed(const IndexedSkills& before, const RowChanges& changes, const View& view);
IndexedSkillsPtr followed(const IndexedSkills& before, const View& view);

// All rows of a view, in steps.
class IndexedSkillsBuild {
 public:
  explicit IndexedSkillsBuild(View view);

  // Indexes some more rows; false: there is nothing left to do.
  bool step();
  IndexedSkillsPtr finish();

  // Of the finished index: its only segment, and the mark of each of its documents (0: to be read
  // again after a restart).
  const search::SegmentPointer& segment() const { return segment_; }
  const std::vector<uint64_t>& marks() const { return marks_; }

 private:
  const View view_;
  search::SegmentBuilder builder_;
  size_t next_ = 0;
  std::vector<uint64_t> marks_;
  search::SegmentPointer segment_;
};

}  // namespace iii::directory
