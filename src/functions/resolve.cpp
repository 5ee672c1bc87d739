#include "functions/resolve.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/text.h"
#include "content/ids.h"
#include "functions/errors.h"

namespace iii::directory {

namespace {

using content::Skill;

constexpr size_t kShortestGuess = 3;  // letters of a name that is matched against folders

bool ends_with_overview_file(std::string& id) {
  for (const std::string_view name : {"SKILLS.md", "SKILL.md"}) {
    if (id == name) {
      id = "index";
      return true;
    }
    if (id.ends_with(std::string("/") + std::string(name))) {
      id.replace(id.size() - name.size(), name.size(), "index");
      return true;
    }
  }
  return false;
}

// directory-read §5.2, step 3: equal ignoring case wins; else the strictly shortest name that
// contains `top`.
std::optional<std::string> match_worker(const NameSet& names, std::string_view top) {
  if (top.empty() || top == "iii") return std::nullopt;
  const std::string needle = ascii_lower(top);
  std::optional<std::string> best;
  bool tie = false;
  for (const std::string& name : names) {
    const std::string lower = ascii_lower(name);
    if (lower == needle) return name;
    if (lower.find(needle) == std::string::npos) continue;
    if (!best || name.size() < best->size()) {
      best = name;
      tie = false;
    } else if (name.size() == best->size()) {
      tie = true;
    }
  }
  return tie ? std::nullopt : best;
}

// Namespaces on disk that have an overview: what a short name can mean when no worker is known.
NameSet documented_namespaces(const View& view) {
  NameSet out;
  for (const content::SkillPtr& skill : view.generation().skills) {
    const std::string& id = skill->id;
    const size_t slash = id.find('/');
    if (slash != std::string::npos && id.substr(slash) == "/index" && view.shows(id)) {
      out.insert(id.substr(0, slash));
    }
  }
  out.erase("iii");
  return out;
}

std::string overview_note(const View& view, const std::string& id, const std::string& worker,
                          const std::string& folder) {
  const std::string shown = view.display(folder + "/index");
  return "> Note: there is no skill `" + id + "`. This is `" + shown +
         "`, the overview of that worker. For its other skills call `directory::skills::list` with "
         "prefix=\"" +
         folder + "/\"; for its functions call `engine::functions::list` with worker=" + worker +
         ".\n\n---\n\n";
}

std::string undocumented_note(const std::string& worker) {
  return "> Note: the worker `" + worker + "` is installed and brings no skill, so `" + worker +
         "` has no overview. This is the overview of the iii engine. For what `" + worker +
         "` can do call `engine::functions::list` with worker=" + worker +
         ", or `engine::workers::info` with name=" + worker + ".\n\n---\n\n";
}

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

// At least this many letters have to be changed: a bound that is quicker than the distance itself.
size_t letters_apart(std::string_view a, std::string_view b) {
  std::array<int, 32> counts{};
  for (const char c : a) ++counts[static_cast<unsigned char>(c) % 32];
  for (const char c : b) --counts[static_cast<unsigned char>(c) % 32];
  size_t missing = 0, extra = 0;
  for (const int count : counts)
    (count > 0 ? extra : missing) += static_cast<size_t>(std::abs(count));
  return std::max(missing, extra);
}

// A third of the letters may be wrong, at least one.
bool is_near(std::string_view missed, std::string_view candidate) {
  const size_t allowed = std::max<size_t>(1, missed.size() / 3);
  const size_t longer = std::max(missed.size(), candidate.size());
  const size_t shorter = std::min(missed.size(), candidate.size());
  return longer - shorter <= allowed && letters_apart(missed, candidate) <= allowed &&
         distance(missed, candidate) <= allowed;
}

bool has_segment(std::string_view id, std::string_view segment) {
  for (size_t at = id.find(segment); at != std::string_view::npos; at = id.find(segment, at + 1)) {
    const size_t end = at + segment.size();
    if ((at == 0 || id[at - 1] == '/') && (end == id.size() || id[end] == '/')) return true;
  }
  return false;
}

// Whether `id` is near as it stands or as it may be shown. Asked before the shown form is made,
// which takes a search.
bool may_be_near(std::string_view missed, std::string_view id) {
  constexpr std::string_view kOverview = "/index";
  if (is_near(missed, id)) return true;
  return id.ends_with(kOverview) && is_near(missed, id.substr(0, id.size() - kOverview.size()));
}

// Whole ids and namespaces that look like the missed one; for typos that share no segment with
// anything.
std::vector<std::string> near_misses(const View& view, const std::string& missed) {
  std::vector<std::pair<size_t, std::string>> near;
  std::string previous;
  for (const content::SkillPtr& skill : view.generation().skills) {
    if (!may_be_near(missed, skill->id) || !view.shows(skill->id)) continue;
    std::string shown = view.display(skill->id);
    if (shown == previous || !is_near(missed, shown)) continue;
    near.emplace_back(distance(missed, shown), shown);
    previous = std::move(shown);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < near.size() && i < 3; ++i) out.push_back(std::move(near[i].second));
  return out;
}

}  // namespace

Result<std::string> normalise_input(std::string_view input) {
  std::string id(trim(input));
  if (id.empty()) return std::unexpected(invalid_skill_id("the id must be non-empty"));
  if (id.starts_with("iii://")) {
    id.erase(0, 6);
    if (id.empty()) return std::unexpected(invalid_skill_id("the id must be non-empty"));
  } else if (id.find("://") != std::string::npos) {
    return std::unexpected(
        invalid_skill_id("an id is a path such as `ns/name`, may end in .md, or is an iii:// "
                         "address; this is none: " +
                         id));
  }
  if (!ends_with_overview_file(id) && id.ends_with(".md")) id.erase(id.size() - 3);
  if (id.find("::") != std::string::npos) return std::unexpected(looks_like_a_function(id));
  // The page promises that letter case does not matter; published ids are lower-case.
  if (const Result<void> as_written = content::check_id(id); !as_written) {
    std::string lower = ascii_lower(id);
    if (!content::check_id(lower)) {
      return std::unexpected(invalid_skill_id(as_written.error().message));
    }
    return lower;
  }
  return id;
}

const Skill* look_up(const View& view, std::string_view id) {
  if (const Skill* exact = view.find(id)) return exact;
  return view.find(std::string(id) + "/index");
}

static std::string_view without_scheme(std::string_view input) {
  constexpr std::string_view kScheme = "iii://";
  std::string_view text = trim(input);
  if (text.starts_with(kScheme)) text.remove_prefix(kScheme.size());
  return text;
}

bool is_exact(const Skill& skill, std::string_view id, std::string_view input) {
  const std::string_view text = without_scheme(input);
  return text == id || text == skill.file.path;
}

const Skill* look_up_path(const View& view, const PathIndex& paths, std::string_view input,
                          const Skill* by_id) {
  const std::string_view text = without_scheme(input);
  const std::optional<std::string> path = join_relative("", text);
  if (!path) return by_id;
  PathIndex::Match match = paths.find(*path);
  if (match.skill == nullptr && path->find('#') != std::string::npos) {
    match = paths.find(path->substr(0, path->find('#')));
  }
  const bool shown = match.skill != nullptr && view.shows(match.skill->id);
  const bool certain = shown && match.fit != PathIndex::Fit::kOtherCase;
  if (certain || by_id == nullptr) return shown ? match.skill : nullptr;
  return by_id;
}

Result<Resolution> resolve_miss(const View& view, const NameSet& workers, const std::string& id) {
  const size_t slash = id.find('/');
  const std::string top = id.substr(0, slash);
  NameSet candidates = workers;
  // Our own pages need no installation; under the old name only where there are documents.
  for (const char* ours : {"directory", "iii-directory"}) {
    if (view.find(std::string(ours) + "/index") != nullptr) candidates.insert(ours);
  }
  std::optional<std::string> worker = match_worker(candidates, top);
  // Nobody could say which workers there are: a short name may still mean a folder with an
  // overview.
  const bool bare_name = slash == std::string::npos && top.size() >= kShortestGuess;
  if (!worker && workers.empty() && bare_name) {
    worker = match_worker(documented_namespaces(view), top);
  }
  if (worker) {
    // A name that breaks the rule for ids has its documents under the normalised one.
    const std::string folder = content::normalise_name(*worker);
    if (const Skill* overview = view.find(folder + "/index")) {
      const bool bare = slash == std::string::npos;
      if (bare || view.documents_of(folder) == 1) {
        return Resolution{overview, overview_note(view, id, *worker, folder)};
      }
    } else if (view.documents_of(folder) == 0) {
      if (const Skill* engine = view.find("iii/index")) {
        return Resolution{engine, undocumented_note(*worker)};
      }
      return std::unexpected(worker_without_document(id, *worker));
    }
  }
  const std::vector<std::string> near = suggest_skills(view, id);
  if (look_up(view.unfiltered(), id) != nullptr) {
    return std::unexpected(skill_hidden(id, id.substr(0, id.find('/')), near));
  }
  return std::unexpected(skill_not_found(id, near));
}

std::vector<std::string> suggest_skills(const View& view, std::string_view missed) {
  const std::string lower = ascii_lower(missed);
  const std::vector<std::string_view> segments = split(missed, '/');
  std::vector<std::pair<int64_t, size_t>> scored;  // (−score, place): ties stay in id order
  const auto& skills = view.generation().skills;
  for (size_t i = 0; i < skills.size(); ++i) {
    int64_t shared = 0;
    for (const std::string_view segment : segments) {
      shared += has_segment(skills[i]->id, segment) ? 1 : 0;
    }
    // Without a shared segment the score cannot be positive, so the distance need not be known.
    if (shared == 0 || !view.shows(skills[i]->id)) continue;
    const auto apart = static_cast<int64_t>(distance(lower, ascii_lower(skills[i]->id)));
    const int64_t score = 100 * shared - apart;
    if (score > 0) scored.emplace_back(-score, i);
  }
  std::sort(scored.begin(), scored.end());
  std::vector<std::string> out;
  for (size_t n = 0; n < scored.size() && n < 3; ++n) {
    out.push_back(view.display(skills[scored[n].second]->id));
  }
  return out.empty() ? near_misses(view, lower) : out;
}

std::vector<std::string> suggest_prompts(const content::Generation& generation,
                                         std::string_view missed) {
  const std::string lower = ascii_lower(missed);
  std::vector<std::pair<size_t, std::string>> near;
  for (const content::PromptPtr& prompt : generation.prompts) {
    near.emplace_back(distance(lower, ascii_lower(prompt->name)), prompt->name);
  }
  std::sort(near.begin(), near.end());
  std::vector<std::string> out;
  for (size_t i = 0; i < near.size() && i < 3; ++i) out.push_back(std::move(near[i].second));
  return out;
}

}  // namespace iii::directory
