#include "directory/reading/skill_search.h"

#include <utility>

#include "directory/reading/indexed_skills_store.h"
#include "foundation/base/log.h"

namespace iii::directory {

namespace {

// Smaller indexes are searched on the loop: that takes a fraction of a millisecond.
constexpr size_t kSkillsOnLoop = 1'000;

}  // namespace

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

SkillSearch::SkillSearch(sdk::Worker& worker, Library& library, SkillSearchOptions options)
    : worker_(worker),
      library_(library),
      options_(std::move(options)),
      thread_(worker.core().loop, 1) {
  if (options_.begin_after) {
    begin_timer_ = worker_.core().loop.after(*options_.begin_after, [this] {
      begin_timer_ = 0;
      tasks_.spawn(begin());
    });
  }
}

SkillSearch::~SkillSearch() {
  if (begin_timer_ != 0) worker_.core().loop.cancel(begin_timer_);
  tasks_.clear();
  thread_.stop();
}

task::Task<void> SkillSearch::begin() {
  View view = co_await library_.current({.filtered = false});
  static_cast<void>(co_await follow(std::move(view)));
}

task::Task<IndexedSkillsPtr> SkillSearch::follow(View view) {
  while (now_ == nullptr || now_->generation->number < view.generation().number) {
    if (now_ == nullptr) {
      if (!first_) {
        first_.emplace();
        tasks_.spawn(first_index(view));
      }
      if (now_ == nullptr) {
        const Latch first = *first_;
        co_await first;
      }
    } else if (step_) {
      const Latch step = *step_;
      co_await step;
    } else {
      co_await advance(view);
    }
  }
  co_return now_;
}

// From the file, or of names, titles and descriptions; of few rows with their bodies.
task::Task<void> SkillSearch::first_index(View view) {
  auto work = [view, options = options_] {
    if (options.file) {
      if (IndexedSkillsPtr stored = read_indexed_skills(*options.file, view)) return stored;
    }
    const bool few = view.generation().skills.size() <= options.few_rows;
    IndexedSkillsBuild build(view, few || options.complete_first);
    while (build.step()) {
    }
    IndexedSkillsPtr made = build.finish();
    if (!few && options.complete_first && options.file) {
      // Without it the next process does the same again.
      static_cast<void>(write_indexed_skills(*options.file, build));
    }
    return made;
  };
  now_ = co_await thread_.run(std::move(work));
  first_->open();
  improve();
}

task::Task<void> SkillSearch::advance(View view) {
  const Latch done;
  step_ = done;
  const IndexedSkillsPtr before = now_;
  IndexedSkillsPtr next =
      co_await library_.on_answer_thread([before, view] { return followed(*before, view); });
  // The index with bodies may have come meanwhile; then this is done again with that one.
  if (now_ == before) now_ = std::move(next);
  step_.reset();
  Latch(done).open();
  improve();
}

void SkillSearch::improve() {
  if (!building_ && (!now_->bodies || now_->index.outgrown())) {
    building_ = true;
    tasks_.spawn(build_with_bodies());
  } else if (!merging_ && !building_) {
    if (auto plan = now_->index.plan_merge()) {
      merging_ = true;
      tasks_.spawn(merge(std::move(*plan)));
    }
  }
}

task::Task<void> SkillSearch::build_with_bodies() {
  const View view = co_await library_.current({.filtered = false});
  const auto build = std::make_shared<IndexedSkillsBuild>(view, true);
  // In steps, so that the thread can be stopped in between.
  while (co_await thread_.run([build] { return build->step(); })) {
  }
  now_ = co_await thread_.run([build] { return build->finish(); });
  building_ = false;
  if (!options_.file) co_return;
  auto write = [build, file = *options_.file] { return write_indexed_skills(file, *build); };
  const Result<void> written = co_await thread_.run(std::move(write));
  if (!written) log_debug("search: the index was not written: {}", written.error().message);
}

task::Task<void> SkillSearch::merge(search::MergePlan plan) {
  auto work = [plan] { return search::merge(plan); };
  search::SegmentPointer merged = co_await thread_.run(std::move(work));
  IndexedSkills next = *now_;
  next.index = now_->index.replace(plan, std::move(merged));
  now_ = std::make_shared<const IndexedSkills>(std::move(next));
  merging_ = false;
}

task::Task<Result<search::Answer>> SkillSearch::find(View view, IndexedSkillsPtr index,
                                                     std::string query, SkillFilter filter,
                                                     size_t limit) {
  const bool large = index->index.documents() > kSkillsOnLoop;
  auto work = [view = std::move(view), index = std::move(index), query = std::move(query),
               filter = std::move(filter), limit] {
    search::Options options;
    options.limit = limit;
    options.accept = [&view, &filter](std::string_view key) {
      const content::Skill* skill = view.generation().skill(key);
      return skill != nullptr && filter.takes(view, *skill);
    };
    return search::find(index->index, query, options);
  };
  if (!large) co_return work();
  co_return co_await library_.on_answer_thread(std::move(work));
}

}  // namespace iii::directory
