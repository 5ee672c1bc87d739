#include "directory/reading/skill_search.h"

#include <utility>

namespace iii::directory {

bool SkillFilter::takes(const View& view, const content::Skill& skill) const {
  if (prefix && !skill.id.starts_with(*prefix)) return false;
  if (type && skill.type != *type) return false;
  if (!kinds.takes(skill.kind)) return false;
  if (!skill.for_agents && !user_only) return false;
  return view.shows(skill.id);
}

KindFilter searched_kinds() {
  return {.bits = 1U << unsigned(content::SkillKind::kSkill) |
                  1U << unsigned(content::SkillKind::kReference)};
}

SkillSearch::SkillSearch(sdk::Worker& worker, Library& library,
                         std::optional<std::chrono::milliseconds> begin_after)
    : worker_(worker), library_(library) {
  if (begin_after) {
    begin_timer_ = worker_.core().loop.after(*begin_after, [this] {
      begin_timer_ = 0;
      tasks_.spawn(begin());
    });
  }
}

SkillSearch::~SkillSearch() {
  if (begin_timer_ != 0) worker_.core().loop.cancel(begin_timer_);
}

task::Task<void> SkillSearch::begin() {
  View view = co_await library_.current({.filtered = false});
  static_cast<void>(co_await follow(std::move(view)));
}

task::Task<IndexedSkillsPtr> SkillSearch::follow(View view) {
  while (now_ == nullptr || now_->generation->number < view.generation().number) {
    if (advancing_.is_under_way()) {
      const Latch end = advancing_.end();
      co_await end;
    } else {
      co_await advance(view);
    }
  }
  co_return now_;
}

task::Task<void> SkillSearch::advance(View view) {
  const SingleFlight::Flight flight = advancing_.begin();
  const IndexedSkillsPtr before = now_;
  IndexedSkillsPtr next;
  if (before != nullptr) {
    next = co_await library_.on_answer_thread([before, view] { return followed(*before, view); });
  }
  if (next == nullptr) next = co_await build(std::move(view));
  // A rebuilt index may have come meanwhile; then this is done again with that one.
  if (now_ == before) now_ = std::move(next);
  if (now_->index.outgrown() && !rebuilding_.is_under_way()) tasks_.spawn(rebuild());
}

// On both answer threads, in steps: other answers get them in between.
task::Task<IndexedSkillsPtr> SkillSearch::build(View view) {
  const auto build = std::make_shared<IndexedSkillsBuild>(std::move(view));
  while (build->left()) {
    const auto other = library_.on_answer_thread([build] { build->step(1); });
    co_await library_.on_answer_thread([build] { build->step(0); });
    co_await other;
  }
  const auto other = library_.on_answer_thread([build] { build->finish(1); });
  co_await library_.on_answer_thread([build] { build->finish(0); });
  co_await other;
  co_return build->take();
}

task::Task<void> SkillSearch::rebuild() {
  const SingleFlight::Flight flight = rebuilding_.begin();
  View view = co_await library_.current({.filtered = false});
  now_ = co_await build(std::move(view));
}

task::Task<Result<search::Answer>> SkillSearch::find(View view, IndexedSkillsPtr index,
                                                     std::string query, SkillFilter filter,
                                                     size_t limit) {
  auto work = [index = std::move(index), query = std::move(query), filter = std::move(filter),
               limit](const View& of) {
    search::Options options;
    options.limit = limit;
    options.accept = [&of, &filter](std::string_view key) {
      const content::Skill* skill = of.generation().skill(key);
      return skill != nullptr && filter.takes(of, *skill);
    };
    return search::find(index->index, query, options);
  };
  co_return co_await library_.answer(std::move(view), std::move(work));
}

}  // namespace iii::directory
