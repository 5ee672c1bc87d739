#include "directory/sources/git_discover.h"

#include <algorithm>
#include <array>
#include <set>

#include "directory/content/kinds.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxShown = 10;  // paths in a message

std::string_view last_segment(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view folder_of(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

bool is_hidden(const FoundSkill& skill) { return is_hidden_path(skill.folder); }

// Folders that only say what is in them make no good part of a name.
bool says_nothing(std::string_view segment) {
  constexpr std::array<std::string_view, 8> kWords = {"skills",  ".claude", ".agents",  ".github",
                                                      "plugins", "src",     ".curated", "agents"};
  return std::ranges::find(kWords, segment) != kWords.end();
}

// `plugins/mail/skills/send` → `send`, then `mail-send`, then `plugins-mail-skills-send`.
std::vector<std::string> names_for(const FoundSkill& skill) {
  std::string name(skill.name());
  while (name.starts_with('.')) name.erase(0, 1);
  std::vector<std::string> names = {name};
  std::string longer = name;
  const std::vector<std::string_view> parts = split(skill.folder, '/');
  for (size_t i = parts.size() - 1; i-- > 0;) {
    if (says_nothing(parts[i])) continue;
    std::string_view part = parts[i];
    while (part.starts_with('.')) part.remove_prefix(1);
    longer.insert(0, "-").insert(0, part);
    names.push_back(longer);
  }
  std::string whole = skill.folder;
  std::ranges::replace(whole, '/', '-');
  while (whole.starts_with('.')) whole.erase(0, 1);
  names.push_back(whole);
  return names;
}

std::string shown_paths(const std::vector<FoundSkill>& skills) {
  std::vector<std::string> paths;
  for (const FoundSkill& skill : skills) {
    if (paths.size() < kMaxShown) paths.push_back(printable(skill.path()));
  }
  std::string text = join(paths, ", ");
  if (skills.size() > kMaxShown) {
    text += " and " + std::to_string(skills.size() - kMaxShown) + " more";
  }
  return text;
}

}  // namespace

std::string_view FoundSkill::name() const { return last_segment(folder); }

std::vector<FoundSkill> find_skills(const RepoTree& tree) {
  std::map<std::string, FoundSkill, std::less<>> found;
  for (const TreeEntry& entry : tree.entries()) {
    const bool document = entry.kind == TreeKind::kFile || entry.kind == TreeKind::kLink;
    if (!document || !content::is_skill_file(entry.path)) continue;
    const std::string_view folder = folder_of(entry.path);
    if (!is_utf8(folder) || folder == ".git" || folder.starts_with(".git/")) continue;
    const TreeEntry* place = tree.find(folder);
    FoundSkill skill{.folder = std::string(folder),
                     .main = entry.path,
                     .id = entry.id,
                     .tree = place == nullptr ? std::string() : place->id};
    const auto [at, fresh] = found.try_emplace(skill.folder, skill);
    // Of several spellings in one folder the usual one counts.
    if (!fresh && last_segment(skill.main) == "SKILL.md") at->second = std::move(skill);
  }
  std::vector<FoundSkill> skills;
  for (const bool hidden : {false, true}) {
    for (const auto& [folder, skill] : found) {
      if (is_hidden(skill) == hidden) skills.push_back(skill);
    }
  }
  return skills;
}

std::vector<FoundSkill> preferred(std::vector<FoundSkill> skills) {
  const bool visible =
      std::ranges::any_of(skills, [](const FoundSkill& skill) { return !is_hidden(skill); });
  if (visible) std::erase_if(skills, is_hidden);
  std::set<std::string> seen;
  std::erase_if(skills, [&seen](const FoundSkill& skill) {
    return !skill.tree.empty() && !seen.insert(skill.tree).second;
  });
  return skills;
}

std::vector<std::string> namespaces_for(const std::vector<FoundSkill>& skills,
                                        std::string_view top_name) {
  std::set<std::string, std::less<>> folders;
  for (const FoundSkill& skill : skills) folders.insert(skill.folder);
  const auto is_part = [&folders](std::string_view folder) {
    while (!(folder = folder_of(folder)).empty()) {
      if (folders.contains(folder)) return true;
    }
    return false;
  };
  std::set<std::string> trees;
  std::set<std::string> taken;
  std::vector<std::string> out;
  for (const FoundSkill& skill : skills) {
    std::string chosen;
    const bool copy = !skill.tree.empty() && !trees.insert(skill.tree).second;
    if (!copy && !is_part(skill.folder)) {
      std::vector<std::string> names = names_for(skill);
      if (skill.folder.empty()) names = {std::string(top_name)};
      for (std::string& name : names) {
        // Names that differ only in case are one folder on some systems.
        if (name.empty() || !taken.insert(ascii_lower(name)).second) continue;
        chosen = std::move(name);
        break;
      }
      for (size_t n = 2; chosen.empty(); ++n) {
        const std::string name = std::string(top_name) + "-" + std::to_string(n);
        if (taken.insert(ascii_lower(name)).second) chosen = name;
      }
    }
    out.push_back(std::move(chosen));
  }
  return out;
}

Error no_such_skill(std::string_view skill, const std::vector<FoundSkill>& skills) {
  std::string text = "D310 not_found: the repository has no skill `" + printable(skill) +
                     "`: there is no skills/" + printable(skill) +
                     ", and no folder with a SKILL.md has that path, that name or that `name` in "
                     "its frontmatter.";
  std::vector<std::string> names;
  for (const FoundSkill& one : skills) {
    names.emplace_back(one.name());
    names.push_back(one.folder);
  }
  if (const std::string_view near = nearest(skill, names); !near.empty()) {
    text += " Did you mean \"" + std::string(near) + "\"?";
  }
  return {"D310",
          text +
              " Next: call directory::repo::skills to see what the repository has, or check "
              "the branch"};
}

Error several_fit(std::string_view skill, const std::vector<FoundSkill>& skills) {
  return {"D310", "D310 ambiguous: " + std::to_string(skills.size()) +
                      " skills of the repository fit `" + printable(skill) +
                      "`: " + shown_paths(skills) + ". Next: give one of them as `path`"};
}

}  // namespace iii::sources
