#include "directory/reading/resolve.h"

#include "directory/content/ids.h"
#include "directory/table/errors.h"
#include "foundation/base/text.h"

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

// `ns/skill.md` is the overview `ns/index`. In 0.8.0 it was `ns/skill`: that id goes on to work.
const Skill* former_id(const View& view, std::string_view id) {
  constexpr std::string_view kName = "skill";
  if (id != kName && !id.ends_with("/skill")) return nullptr;
  const Skill* overview = view.find(std::string(id.substr(0, id.size() - kName.size())) + "index");
  return overview != nullptr && overview->file.path.ends_with("skill.md") ? overview : nullptr;
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
                         echoed(id)));
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
  if (const Skill* overview = view.find(std::string(id) + "/index")) return overview;
  return former_id(view, id);
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

const Skill* look_up_path(const View& view, std::string_view input, const Skill* by_id) {
  const std::string_view text = without_scheme(input);
  const std::optional<std::string> path = join_relative("", text);
  if (!path) return by_id;
  const DocumentTablePtr table = view.table();
  DocumentTable::Match match = table->find_path(*path);
  if (match.skill == nullptr && path->find('#') != std::string::npos) {
    match = table->find_path(path->substr(0, path->find('#')));
  }
  const bool shown = match.skill != nullptr && view.shows(match.skill->id);
  const bool certain = shown && match.fit != DocumentTable::Fit::kOtherCase;
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
  // A short name may also mean a folder with an overview, whose worker is not installed or not
  // known.
  const bool bare_name = slash == std::string::npos && top.size() >= kShortestGuess;
  if (!worker && bare_name) {
    NameSet documented = namespaces_like(view, ascii_lower(top));
    documented.erase("iii");
    worker = match_worker(documented, top);
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

Result<Lookup> look_up_input(const View& view, std::string_view input) {
  Result<std::string> id = normalise_input(input);
  const Skill* by_id = id ? look_up(view, *id) : nullptr;
  if (by_id != nullptr && is_exact(*by_id, *id, input)) return Lookup{.skill = by_id};
  if (const Skill* found = look_up_path(view, input, by_id)) return Lookup{.skill = found};
  if (id) return Lookup{.id = std::move(*id)};
  const Skill* hidden = look_up_path(view.unfiltered(), input, nullptr);
  if (hidden == nullptr) return std::unexpected(std::move(id.error()));
  return Lookup{.id = hidden->id};
}

std::optional<size_t> find_row(const View& view, std::string_view text) {
  const DocumentTablePtr table = view.table();
  if (const auto row = table->find(text)) return row;
  const auto& roots = view.generation().roots;
  const auto count = static_cast<uint16_t>(roots.size());
  const size_t colon = text.find(':');
  for (uint16_t root = 0; colon != std::string_view::npos && root < count; ++root) {
    if (roots[root].label != text.substr(0, colon)) continue;
    if (const auto row = table->find_file(root, text.substr(colon + 1))) return row;
  }
  // As it is written on disk, before the spellings that also lead to it: names that differ only in
  // case are different files.
  for (const std::string_view end : {"", "/SKILL.md", ".md"}) {
    const std::string path = std::string(text) + std::string(end);
    for (uint16_t root = 0; root < count; ++root) {
      if (const auto row = table->find_file(root, path)) return row;
    }
  }
  const Result<std::string> id = normalise_input(text);
  if (!id) return std::nullopt;
  const content::Skill* skill = look_up(view.unfiltered(), *id);
  if (skill != nullptr) return table->find(skill->id);
  const auto row = table->find(*id);
  return row ? row : table->find_unserved(*id);
}

}  // namespace iii::directory
