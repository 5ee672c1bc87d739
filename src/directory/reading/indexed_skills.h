// The index of skills at one state of the library, and the steps from one state to the next. Called
// off the loop: bodies are read from disk here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "directory/library/view.h"
#include "directory/search/index.h"

namespace iii::directory {

struct IndexedSkills {
  search::Index index = search::Index(search::skill_profile());
  content::GenerationPtr generation;  // that it was made from
};
using IndexedSkillsPtr = std::shared_ptr<const IndexedSkills>;

// The beginning of a body as it is now, without frontmatter; empty when it cannot be read.
std::string read_body_head(const View& view, const content::Skill& skill, size_t bytes);

// The index of `before`, brought to the generation of the view: rows that differ are indexed again,
// with their bodies. Null: so many differ that building an index takes less time.
IndexedSkillsPtr followed(const IndexedSkills& before, const View& view);

// All rows of a view, indexed by two threads in steps:
//
//   step(0) and step(1) at the same time, until no rows are left()
//   finish(0) and finish(1) at the same time
//   take()
class IndexedSkillsBuild {
 public:
  static constexpr size_t kThreads = 2;

  explicit IndexedSkillsBuild(View view) : view_(std::move(view)) {}

  bool left() const { return next_ < view_.generation().skills.size(); }
  // Indexes some more rows.
  void step(size_t thread);
  void finish(size_t thread);
  IndexedSkillsPtr take();

 private:
  search::FieldLengths lengths() const { return builders_[0].lengths() + builders_[1].lengths(); }

  const View view_;
  std::atomic<size_t> next_ = 0;  // row
  std::array<search::SegmentBuilder, kThreads> builders_{
      search::SegmentBuilder(search::skill_profile()),
      search::SegmentBuilder(search::skill_profile())};
  std::array<search::SegmentPointer, kThreads> segments_;
};

}  // namespace iii::directory
