#include "directory/reading/suggest.h"

#include <algorithm>

#include "foundation/base/edit_distance.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr size_t kMost = 3;
constexpr std::string_view kOverview = "/index";

// The best few of what is offered, best first. Less is better.
template <typename Item>
class Best {
 public:
  void add(Item item) {
    if (items_.size() == kMost && !(item < items_.back())) return;
    items_.insert(std::ranges::upper_bound(items_, item), std::move(item));
    if (items_.size() > kMost) items_.pop_back();
  }
  const std::vector<Item>& items() const { return items_; }

 private:
  std::vector<Item> items_;
};

bool has_segment(std::string_view id, std::string_view segment) {
  for (size_t at = id.find(segment); at != std::string_view::npos; at = id.find(segment, at + 1)) {
    const size_t end = at + segment.size();
    if ((at == 0 || id[at - 1] == '/') && (end == id.size() || id[end] == '/')) return true;
  }
  return false;
}

// Ids that share segments with the missed one: 100 for each, less the distance.
std::vector<std::string> with_shared_segments(const View& view, std::string_view missed,
                                              const EditDistance& distance) {
  const std::vector<std::string_view> segments = split(missed, '/');  // as written
  Best<std::pair<int64_t, std::string_view>> best;                    // (−score, id)
  for (const content::SkillPtr& skill : view.generation().skills) {
    const auto shared = std::ranges::count_if(
        segments, [&](std::string_view segment) { return has_segment(skill->id, segment); });
    if (shared == 0) continue;
    const int64_t score = 100 * shared - static_cast<int64_t>(distance.to(skill->id));
    if (score > 0 && view.shows(skill->id)) best.add({-score, skill->id});
  }
  std::vector<std::string> out;
  for (const auto& [score, id] : best.items()) out.push_back(view.display(id));
  return out;
}

// Whole ids and namespaces that look like the missed one; for typos that share no segment with
// anything. A third of the letters may be wrong, at least one.
std::vector<std::string> similar(const View& view, std::string_view missed,
                                 const EditDistance& distance) {
  const size_t allowed = std::max<size_t>(1, missed.size() / 3);
  Best<std::pair<size_t, std::string>> best;
  // The id as it is on disk, or without the last segment of an overview.
  const auto is_near = [&](std::string_view id) {
    const size_t gap =
        id.size() > missed.size() ? id.size() - missed.size() : missed.size() - id.size();
    return gap <= allowed && distance.to(id) <= allowed;
  };
  for (const content::SkillPtr& skill : view.generation().skills) {
    const std::string_view id = skill->id;
    const bool overview = id.ends_with(kOverview);
    const bool near =
        is_near(id) || (overview && is_near(id.substr(0, id.size() - kOverview.size())));
    if (!near || !view.shows(id)) continue;
    std::string shown = view.display(id);
    const size_t apart = distance.to(shown);
    if (apart <= allowed) best.add({apart, std::move(shown)});
  }
  std::vector<std::string> out;
  for (const auto& [apart, shown] : best.items()) out.push_back(shown);
  return out;
}

}  // namespace

std::vector<std::string> suggest_skills(const View& view, std::string_view missed) {
  if (missed.size() > kMaxSuggestedFor) return {};
  const EditDistance distance(missed);
  std::vector<std::string> out = with_shared_segments(view, missed, distance);
  return out.empty() ? similar(view, missed, distance) : out;
}

task::Task<std::vector<std::string>> suggest_skills(Library& library, View view,
                                                    std::string missed) {
  auto look = [missed = std::move(missed)](const View& v) { return suggest_skills(v, missed); };
  co_return co_await library.answer(std::move(view), std::move(look));
}

std::vector<std::string> suggest_prompts(const content::Generation& generation,
                                         std::string_view missed) {
  if (missed.size() > kMaxSuggestedFor) return {};
  const EditDistance distance(missed);
  Best<std::pair<size_t, std::string>> best;
  for (const content::PromptPtr& prompt : generation.prompts) {
    best.add({distance.to(prompt->name), prompt->name});
  }
  std::vector<std::string> out;
  for (const auto& [apart, name] : best.items()) out.push_back(name);
  return out;
}

task::Task<std::vector<std::string>> suggest_prompts(Library& library, View view,
                                                     std::string missed) {
  auto look = [missed = std::move(missed)](const View& v) {
    return suggest_prompts(v.generation(), missed);
  };
  co_return co_await library.answer(std::move(view), std::move(look));
}

task::Task<std::string> nearest_on(task::Pool& pool, std::string word,
                                   std::vector<std::string> candidates) {
  if (word.size() > kMaxSuggestedFor) co_return std::string();
  auto look = [word = std::move(word), candidates = std::move(candidates)] {
    return std::string(nearest(word, candidates));
  };
  co_return co_await pool.run(std::move(look));
}

NameSet namespaces_like(const View& view, std::string_view part) {
  NameSet out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    const std::string_view id = skill->id;
    if (!id.ends_with(kOverview)) continue;
    const std::string_view name = id.substr(0, id.size() - kOverview.size());
    const bool is_like =
        name.find('/') == std::string_view::npos && name.find(part) != std::string_view::npos;
    if (is_like && view.shows(id)) out.emplace(name);
  }
  return out;
}

}  // namespace iii::directory
