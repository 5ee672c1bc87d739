// Search over the skills of the library: the index follows the generations.
//
//   IndexedSkillsPtr index = co_await search.follow(view);  // contains what the view shows
//   auto answer = co_await search.find(view, index, "review a pull request", filter, 10);
//
// The index is built at the first search, or some time after the start. A changed document is
// indexed, with its body, in the call that sees the change.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "directory/library/latch.h"
#include "directory/library/library.h"
#include "directory/reading/indexed_skills.h"
#include "directory/reading/skill_list.h"
#include "directory/search/find.h"
#include "foundation/task/task_group.h"

namespace iii::directory {

// Which rows count. Texts as for directory::skills::list.
struct SkillFilter {
  std::optional<std::string> prefix = {};
  std::optional<std::string> type = {};
  KindFilter kinds = {};
  bool user_only = false;  // also those that their author keeps for users

  bool takes(const View& view, const content::Skill& skill) const;
};
// What agents look for when they do not say: everything but README, LICENSE and the like.
KindFilter searched_kinds();

// On the loop thread. `worker` and `library` outlive it.
class SkillSearch {
 public:
  // `begin_after`: when to begin without being asked; nothing: at the first search.
  SkillSearch(sdk::Worker& worker, Library& library,
              std::optional<std::chrono::milliseconds> begin_after = {});
  ~SkillSearch();
  SkillSearch(const SkillSearch&) = delete;
  SkillSearch& operator=(const SkillSearch&) = delete;

  // An index of the view's generation or a later one. What is not in the view must be left out
  // (SkillFilter does so).
  task::Task<IndexedSkillsPtr> follow(View view);

  // Large indexes are searched on another thread.
  task::Task<Result<search::Answer>> find(View view, IndexedSkillsPtr index, std::string query,
                                          SkillFilter filter, size_t limit);

 private:
  task::Task<void> begin();
  task::Task<void> advance(View view);
  task::Task<IndexedSkillsPtr> build(View view);
  task::Task<void> rebuild();

  sdk::Worker& worker_;
  Library& library_;
  IndexedSkillsPtr now_;    // null: there is none yet
  SingleFlight advancing_;  // the index is being made, or brought to another generation
  SingleFlight rebuilding_;
  TimerId begin_timer_ = 0;
  task::TaskGroup tasks_;
};

}  // namespace iii::directory
