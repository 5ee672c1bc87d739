#include "directory/discovery/search_functions.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "directory/discovery/installable.h"
#include "directory/discovery/search_functions_types.h"
#include "directory/search/find.h"
#include "directory/search/sentences.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/text.h"
#include "foundation/task/pool.h"

namespace iii::directory {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kId = "directory::search_functions";
// Larger catalogues, and more capabilities, are searched off the loop.
constexpr size_t kSearchedOnLoop = 1'000;
constexpr size_t kCapabilitiesOnLoop = 6;
constexpr size_t kMostSkills = 6;
constexpr size_t kSkillsPerCapability = 3;
constexpr size_t kMostTriggers = 12;
// How long the registry may keep a caller waiting; and after a failure it is left alone for a
// while.
constexpr std::chrono::milliseconds kRegistryTime{1'500};
constexpr std::chrono::seconds kRegistryPause{30};

std::string first_sentence(std::string_view text) {
  return std::string(search::split_sentences(text).first);
}

std::string namespace_of(std::string_view id) {
  return std::string(id.substr(0, std::min(id.find("::"), id.size())));
}

// Bindings of consoles and other short-lived listeners do not count.
bool is_lasting(const FoundTrigger& binding) {
  return !binding.function_id.starts_with("iii::") && !binding.function_id.starts_with("console:");
}

std::vector<FoundWorker> grouped(const FunctionIndex& functions,
                                 const search::MergedAnswer& found) {
  std::vector<FoundWorker> out;
  uint64_t rank = 0;
  for (const search::MergedHit& hit : found.rows) {
    const KnownFunction* function = functions.find(hit.key);
    if (function == nullptr) continue;
    const std::string name = namespace_of(hit.key);
    auto group = std::ranges::find(out, name, &FoundWorker::name_space);
    if (group == out.end()) group = out.insert(out.end(), FoundWorker{name, {}});
    std::optional<std::string> elsewhere;
    if (!function->name_space.empty()) elsewhere = function->name_space;
    group->functions.push_back({.function_id = hit.key,
                                .name_space = std::move(elsewhere),
                                .description = first_sentence(function->description),
                                .rank = ++rank,
                                .capability = hit.capability,
                                .score = hit.f});
  }
  return out;
}

std::vector<UnmatchedCapability> unmatched_of(const std::vector<std::string>& capabilities,
                                              const search::MergedAnswer& found) {
  std::vector<UnmatchedCapability> out;
  for (size_t i = 0; i < capabilities.size(); ++i) {
    const search::Answer& answer = found.answers[i];
    if (answer.hits.empty()) out.push_back({capabilities[i], answer.nearest});
  }
  return out;
}

std::vector<FoundTrigger> triggers_of(const std::vector<FoundTrigger>& bindings,
                                      const search::MergedAnswer& found) {
  std::set<std::string_view> wanted;
  for (const search::MergedHit& hit : found.rows) wanted.insert(hit.key);
  std::vector<FoundTrigger> out;
  for (const FoundTrigger& each : bindings) {
    if (out.size() >= kMostTriggers) break;
    if (!wanted.contains(each.function_id) || !is_lasting(each)) continue;
    out.push_back(each);
  }
  return out;
}

std::string guidance_of(const SearchFunctionsOutput& out, bool live) {
  std::string text;
  if (!out.workers.empty()) {
    text =
        "Choose the ids you need and read their schemas in one call: engine::functions::info with "
        "function_ids. Call nothing whose schema you have not read.";
  } else if (out.nearest && !out.nearest->empty()) {
    text =
        "No function here fits. `nearest` names what comes closest; read the description before "
        "you use one. Do not guess function ids.";
  } else {
    text =
        "No function here fits. Do it without one, ask the user, or search again in other words.";
  }
  if (!out.workers.empty() && !out.unmatched.empty()) {
    text += " Nothing fits the capabilities in `unmatched`; do not guess ids for them.";
  }
  if (!out.installable.empty()) {
    text +=
        " Workers in `installable` are not installed: their functions cannot be called yet. If the "
        "user agrees, make the `install` call, wait until the worker runs, and search again.";
  }
  if (out.registry == "unreachable") {
    text += " The registry did not answer, so it is not known what could be installed.";
  }
  if (!out.skills.empty()) text += " Read skills with directory::skills::get before you begin.";
  if (!out.triggers.empty()) {
    text += " Bindings in `triggers` already call these functions; do not register them twice.";
  }
  if (!live) {
    text +=
        " The engine could not be asked: these are the last known functions, and some may not be "
        "there any more.";
  }
  return text;
}

class SearchFunctions {
 public:
  explicit SearchFunctions(SearchFunctionsParts parts) : parts_(std::move(parts)) {}

  task::Task<Result<SearchFunctionsOutput>> find(Context context, SearchFunctionsInput in) {
    const auto begin = Clock::now();
    const size_t count = in.capabilities.size();
    if (count == 0 || count > search::kMaxCapabilities) {
      co_return std::unexpected(too_many_capabilities(count, search::kMaxCapabilities));
    }
    const FunctionCatalog::Now now = co_await parts_.catalog.current(context);
    Result<search::MergedAnswer> found = co_await search_in(now.functions, in.capabilities);
    if (!found) co_return std::unexpected(bad_search(kId, found.error().code));
    SearchFunctionsOutput out;
    out.workers = grouped(*now.functions, *found);
    out.unmatched = unmatched_of(in.capabilities, *found);
    if (out.workers.empty()) out.nearest = nearest_of(out.unmatched);
    out.skills = co_await skills_for(in.capabilities);
    if (!found->rows.empty()) {
      const auto bindings = co_await parts_.catalog.bindings(context);
      out.triggers = triggers_of(*bindings, *found);
    }
    co_await add_installable(out, *now.functions);
    out.search_mode = "hybrid";
    out.guidance = guidance_of(out, now.live);
    out.latency_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    co_return out;
  }

 private:
  task::Task<Result<search::MergedAnswer>> search_in(FunctionIndexPtr functions,
                                                     std::vector<std::string> capabilities) {
    const bool small = functions->functions().size() <= kSearchedOnLoop &&
                       capabilities.size() <= kCapabilitiesOnLoop;
    auto work = [functions = std::move(functions), capabilities = std::move(capabilities)] {
      search::Options options;
      options.reasons = false;
      return search::find_all(functions->index(), capabilities, options);
    };
    if (small) co_return work();
    co_return co_await parts_.library.on_answer_thread(std::move(work));
  }

  static std::vector<std::string> nearest_of(const std::vector<UnmatchedCapability>& unmatched) {
    std::vector<std::string> out;
    for (const UnmatchedCapability& each : unmatched) {
      for (const std::string& id : each.nearest) {
        if (std::ranges::find(out, id) == out.end()) out.push_back(id);
      }
    }
    return out;
  }

  // The first of each capability, then the second of each …
  task::Task<std::vector<SuggestedSkill>> skills_for(std::vector<std::string> capabilities) {
    const View view = co_await parts_.library.current();
    const IndexedSkillsPtr index = co_await parts_.skills.follow(view);
    std::vector<std::vector<std::string>> lanes;
    for (size_t i = 0; i < std::min(capabilities.size(), kMostSkills); ++i) {
      const Result<search::Answer> found = co_await parts_.skills.find(
          view, index, capabilities[i], {.kinds = searched_kinds()}, kSkillsPerCapability);
      lanes.emplace_back();
      if (!found) continue;
      for (const search::Hit& hit : found->hits) lanes.back().push_back(hit.key);
    }
    std::vector<SuggestedSkill> out;
    std::set<std::string> seen;
    for (size_t place = 0; place < kSkillsPerCapability; ++place) {
      for (const auto& lane : lanes) {
        if (place >= lane.size() || out.size() >= kMostSkills) continue;
        const content::Skill* skill = view.generation().skill(lane[place]);
        if (skill == nullptr || !seen.insert(skill->id).second) continue;
        SuggestedSkill& row = out.emplace_back(SuggestedSkill{skill_row(view, *skill)});
        row.description = first_sentence(row.description);
        row.rank = out.size();
      }
    }
    co_return out;
  }

  // Only for what nothing here does; never longer than kRegistryTime.
  task::Task<void> add_installable(SearchFunctionsOutput& out, const FunctionIndex& functions) {
    out.registry = "not_needed";
    if (out.unmatched.empty()) co_return;
    out.registry = "off";
    if (!parts_.registry_search()) co_return;
    out.registry = "unreachable";
    if (Clock::now() < registry_paused_until_) co_return;
    std::vector<std::string> capabilities;
    for (const UnmatchedCapability& each : out.unmatched) capabilities.push_back(each.capability);
    std::set<std::string> installed;
    for (const KnownFunction& each : functions.functions()) installed.insert(each.worker);
    auto work = [downloads = parts_.downloads(), capabilities = std::move(capabilities),
                 installed = std::move(installed), deadline = Clock::now() + kRegistryTime] {
      return find_installable(*downloads, capabilities, installed, deadline);
    };
    auto found = co_await parts_.worker.pool().run(std::move(work));
    if (!found) {
      registry_paused_until_ = Clock::now() + kRegistryPause;
      co_return;
    }
    out.registry = "asked";
    out.installable = std::move(*found);
  }

  const SearchFunctionsParts parts_;
  Clock::time_point registry_paused_until_ = {};
};

}  // namespace

void add_search_functions(FunctionTable& table, SearchFunctionsParts parts) {
  const auto functions = std::make_shared<SearchFunctions>(std::move(parts));
  table.add<SearchFunctionsInput, SearchFunctionsOutput>(
      {.id = std::string(kId),
       .title = "Search functions",
       .description = about::kSearchFunctions,
       .hints = {.read_only = true, .idempotent = true, .network = true},
       .tool_label = "Search functions",
       .max_input_bytes = kMaxLargeInputBytes},
      [functions](const Context& context, SearchFunctionsInput in) {
        return functions->find(context, std::move(in));
      });
}

}  // namespace iii::directory
