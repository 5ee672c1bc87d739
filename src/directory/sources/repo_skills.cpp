#include "directory/sources/repo_skills.h"

#include <algorithm>
#include <map>

#include "directory/content/parse.h"
#include "foundation/base/text.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxLinks = 20'000;
constexpr size_t kMaxTargetBytes = 4'096;
constexpr size_t kDescriptionCharacters = 300;

Error refused_place(const TreeEntry& entry, std::string_view place, std::string_view reason) {
  const std::string quoted = '`' + printable(place) + '`';
  switch (entry.kind) {
    case TreeKind::kLink:
      return {"D312", "D312 invalid_bundle: " + quoted + " in the repository is a symbolic link " +
                          std::string(reason) +
                          ". Next: ask for the skill under the name of its folder"};
    case TreeKind::kSubmodule:
      return {"D312", "D312 invalid_bundle: " + quoted +
                          " in the repository is a submodule. Next: ask for the skill from the "
                          "repository that it points at"};
    default:
      return {"D310", "D310 not_found: " + quoted +
                          " in the repository is a file, not a folder. Next: check the skill's "
                          "name"};
  }
}

Error gone_upstream(std::string_view path) {
  return {"D310", std::string(kGone) + "the repository no longer has `" + printable(path) +
                      "`, nor a skill of that name elsewhere. What is installed stays. Next: "
                      "remove it, or install it from another source with `force`."};
}

Error too_many_skills(size_t count) {
  return {"D312", "D312 invalid_bundle: " + std::to_string(count) + " skills, at most " +
                      std::to_string(kMaxSkills) +
                      " are listed at once. Next: name a folder of the repository with `path`, or "
                      "one skill."};
}

// The part of the path that turned out to belong to the branch (`feature` → `feature/x`), if any.
std::string rest_of_branch(const std::optional<std::string>& ref, const std::string& branch) {
  const bool longer = ref && branch.starts_with(*ref + "/");
  return longer ? branch.substr(ref->size() + 1) : std::string();
}

}  // namespace

Result<void> RepoSkills::open() {
  auto opened = files_.open();
  if (!opened) return std::unexpected(opened.error());
  opened_ = std::move(*opened);
  skills_ = find_skills(opened_.tree);
  return {};
}

// What links point at is the content of their blobs: asked for once, and only where a link matters.
Result<void> RepoSkills::read_links() {
  if (links_read_) return {};
  links_read_ = true;
  std::vector<WantedFile> links;
  for (const TreeEntry* link : opened_.tree.links()) {
    if (links.size() < kMaxLinks) links.push_back({.path = link->path, .id = link->id});
  }
  if (links.empty()) return {};
  BundleLimits limits = limits_;
  limits.max_file_bytes = kMaxTargetBytes;
  auto blobs = files_.read(links, limits, TooLarge::kLeaveOut);
  if (!blobs) return std::unexpected(blobs.error());
  for (const WantedFile& link : links) {
    if (const auto blob = blobs->find(link.id); blob != blobs->end()) {
      targets_.emplace(link.path, blob->second);
    }
  }
  return {};
}

// The folder that a path leads to; nothing when there is nothing. D312 for a link that leaves the
// repository and for a submodule, D310 for a file.
Result<RepoSkills::Place> RepoSkills::follow_to_folder(const std::string& path) {
  if (path == "." || path.empty()) return std::string();
  std::string real = path;
  const TreeEntry* entry = opened_.tree.find(path);
  const bool through_link = entry == nullptr || entry->kind == TreeKind::kLink;
  if (through_link && !opened_.tree.links().empty()) {
    if (auto read = read_links(); !read) return std::unexpected(read.error());
    const Result<std::string> target = follow(opened_.tree, targets_, path);
    if (!target && entry == nullptr) {
      // A link on the way there may be to blame.
      for (size_t slash = path.find('/'); slash != std::string::npos;
           slash = path.find('/', slash + 1)) {
        const TreeEntry* above = opened_.tree.find(path.substr(0, slash));
        if (above == nullptr || above->kind != TreeKind::kLink) continue;
        if (follow(opened_.tree, targets_, above->path)) continue;
        return std::unexpected(refused_place(*above, above->path, target.error().message));
      }
      return std::nullopt;
    }
    if (!target) return std::unexpected(refused_place(*entry, path, target.error().message));
    if (target->empty()) return std::string();
    real = *target;
    entry = opened_.tree.find(real);
  }
  if (entry == nullptr) return std::nullopt;
  if (entry->kind == TreeKind::kFolder) return real;
  return std::unexpected(refused_place(*entry, path, ""));
}

// `skills/<skill>`, then a folder `<skill>` with a SKILL.md in it, then a repository that is one
// skill. The first that is there counts, also when it is there as something that is refused.
Result<RepoSkills::Place> RepoSkills::published_place() {
  for (const std::string& path : {"skills/" + source_->skill, source_->skill}) {
    auto place = follow_to_folder(path);
    if (!place && place.error().code == "D310") continue;  // a mere file of that name
    if (!place) return place;
    if (!*place) continue;
    const bool has_main = std::ranges::any_of(
        skills_, [&place](const FoundSkill& skill) { return skill.folder == **place; });
    if (has_main || path != source_->skill) return place;
  }
  auto whole = is_whole_repository();
  if (!whole) return std::unexpected(whole.error());
  return *whole ? Place(std::string()) : std::nullopt;
}

// A SKILL.md at the top that says its name is the skill's; when it says no name, the repository's
// own name has to be it.
Result<bool> RepoSkills::is_whole_repository() {
  const auto top = std::ranges::find(skills_, "", &FoundSkill::folder);
  if (top == skills_.end()) return false;
  auto blobs = files_.read({{.path = top->main, .id = top->id}}, limits_, TooLarge::kLeaveOut);
  if (!blobs) return std::unexpected(blobs.error());
  return described(*top, *blobs).name.value_or(std::string(repository_name(source_->repo))) ==
         source_->skill;
}

Result<std::string> RepoSkills::place_by_name(const std::string& name) {
  std::vector<FoundSkill> named;
  for (const FoundSkill& skill : skills_) {
    if (skill.name() == name) named.push_back(skill);
  }
  if (named.empty()) {
    if (auto read = read_names(); !read) return std::unexpected(read.error());
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) named.push_back(skills_[i]);
    }
  }
  named = preferred(std::move(named));
  if (named.empty()) return std::unexpected(no_such_skill(name, skills_));
  if (named.size() > 1) return std::unexpected(several_fit(name, named));
  return named.front().folder;
}

Result<std::string> RepoSkills::place_after_move(const WantedSkill& wanted) {
  auto moved = place_by_name(wanted.source.skill);
  const auto not_found = [&moved] { return !moved && moved.error().message.contains("not_found"); };
  if (not_found() && !wanted.declared_name.empty()) moved = place_by_name(wanted.declared_name);
  return not_found() ? std::unexpected(gone_upstream(opened_.path)) : moved;
}

Result<std::string> RepoSkills::find_place(const WantedSkill& wanted) {
  if (source_->path) {
    auto place = follow_to_folder(opened_.path);
    if (!place) return std::unexpected(place.error());
    if (*place) return **place;
    if (wanted.may_have_moved) return place_after_move(wanted);
    return std::unexpected(no_such_skill(opened_.path, skills_));
  }
  auto published = published_place();
  if (!published) return std::unexpected(published.error());
  if (*published) return **published;
  auto named = place_by_name(source_->skill);
  if (named || named.error().code != "D310" || !named.error().message.contains("not_found")) {
    return named;
  }
  // Something else stands in the published place: that says more.
  auto place = follow_to_folder("skills/" + source_->skill);
  return place ? named : std::unexpected(place.error());
}

Result<Selection> RepoSkills::select(const std::string& folder) {
  const auto inside = opened_.tree.below(folder);
  const bool has_link = std::ranges::any_of(
      inside, [](const TreeEntry& entry) { return entry.kind == TreeKind::kLink; });
  if (has_link) {
    if (auto read = read_links(); !read) return std::unexpected(read.error());
  }
  // A repository that is a skill itself leaves the others to their own namespaces.
  std::set<std::string> others;
  const bool is_skill = std::ranges::find(skills_, "", &FoundSkill::folder) != skills_.end();
  if (folder.empty() && is_skill) {
    for (const FoundSkill& skill : skills_) {
      if (!skill.folder.empty()) others.insert(skill.folder);
    }
  }
  return select_files(opened_.tree, targets_, folder, others, limits_);
}

Result<Bundle> RepoSkills::bundle_of(const std::string& folder, Selection selection) {
  if (selection.files.empty()) {
    return fail("D310", "D310 not_found: the folder of the skill `" + source_->skill +
                            "` has no files that can be taken. Next: check the branch");
  }
  const TreeEntry* place = opened_.tree.find(folder);
  Bundle bundle{.source = *source_,
                .resolved = opened_.commit,
                .branch = opened_.branch,
                .folder = folder,
                .files = {},
                .skipped = std::move(selection.skipped),
                .tree = place == nullptr ? opened_.top : place->id};
  if (const auto asked = source_->path; asked && opened_.path != "." && folder != opened_.path &&
                                        opened_.tree.find(opened_.path) == nullptr) {
    // What is at that path later is another skill.
    bundle.moved_from = opened_.path;
    std::get<RepoSource>(bundle.source).path = folder.empty() ? "." : folder;
  }
  // Without a commit, ids say nothing about content.
  if (selection.reaches_out || opened_.commit.empty()) bundle.tree.clear();
  auto blobs = files_.read(selection.files, limits_, TooLarge::kRefuse);
  if (!blobs) return std::unexpected(blobs.error());
  for (WantedFile& file : selection.files) {
    const FileRole role = role_of(file.path);
    bundle.files.push_back({.path = std::move(file.path),
                            .bytes = blobs->at(file.id),
                            .role = role,
                            .executable = file.executable});
  }
  return checked(std::move(bundle), limits_);
}

void RepoSkills::use(const RepoSource& source, const std::string& branch_rest) {
  source_ = &source;
  opened_.path = source.path.value_or("");
  if (branch_rest.empty() || !opened_.path.starts_with(branch_rest)) return;
  opened_.path.erase(0, branch_rest.size());
  if (opened_.path.starts_with('/')) opened_.path.erase(0, 1);
  if (opened_.path.empty()) opened_.path = ".";
}

Result<void> RepoSkills::several(const std::vector<WantedSkill>& skills, const TakeOne& take) {
  if (auto ready = open(); !ready) return ready;
  const std::string rest = rest_of_branch(source_->ref, opened_.branch);
  struct Found {
    std::string folder;
    Selection selection;
  };
  std::vector<Result<Found>> found;
  std::vector<WantedFile> files;
  for (const WantedSkill& wanted : skills) {
    use(wanted.source, rest);
    auto place = find_place(wanted);
    Result<Selection> selection =
        place ? select(*place) : Result<Selection>(std::unexpected(place.error()));
    if (!selection) {
      found.emplace_back(std::unexpected(selection.error()));
      continue;
    }
    for (const WantedFile& file : selection->files) files.push_back(file);
    found.emplace_back(Found{.folder = std::move(*place), .selection = std::move(*selection)});
  }
  if (auto ready = files_.prepare(files); !ready) return ready;
  for (size_t i = 0; i < skills.size(); ++i) {
    use(skills[i].source, rest);
    take(i, found[i] ? bundle_of(found[i]->folder, std::move(found[i]->selection))
                     : Result<Bundle>(std::unexpected(found[i].error())));
  }
  return {};
}

Result<std::vector<std::string>> RepoSkills::trees_of(const std::vector<WantedSkill>& skills) {
  if (auto ready = open(); !ready) return std::unexpected(ready.error());
  std::vector<std::string> trees;
  for (const WantedSkill& wanted : skills) {
    use(wanted.source, "");
    const bool top = opened_.path.empty() || opened_.path == ".";
    const TreeEntry* place = opened_.tree.find(opened_.path);
    if (place == nullptr && !top) {
      const auto moved = find_place(wanted);
      if (moved) place = opened_.tree.find(*moved);
    }
    trees.push_back(top ? opened_.top : place == nullptr ? std::string() : place->id);
  }
  return trees;
}

// Once: several skills of a repository may be looked for by name.
Result<void> RepoSkills::read_names() {
  if (!names_.empty() || skills_.size() > kMaxSkills) return {};
  auto blobs = read_main_files();
  if (!blobs) return std::unexpected(blobs.error());
  for (const FoundSkill& skill : skills_) names_.push_back(described(skill, *blobs).name);
  return {};
}

// All of them in one go; what is too large to be a document with a name is left out.
Result<Blobs> RepoSkills::read_main_files() {
  std::vector<WantedFile> files;
  for (FoundSkill& skill : skills_) {
    const TreeEntry* main = opened_.tree.find(skill.main);
    if (main == nullptr || main->kind != TreeKind::kLink) continue;
    if (auto read = read_links(); !read) return std::unexpected(read.error());
    const auto target = follow(opened_.tree, targets_, skill.main);
    const TreeEntry* file = target ? opened_.tree.find(*target) : nullptr;
    if (file != nullptr && file->kind == TreeKind::kFile) skill.id = file->id;
  }
  for (const FoundSkill& skill : skills_) files.push_back({.path = skill.main, .id = skill.id});
  BundleLimits limits = limits_;
  limits.max_file_bytes = kMaxMainFileBytes;
  limits.max_bundle_bytes = limits_.max_clone_bytes;
  return files_.read(files, limits, TooLarge::kLeaveOut);
}

ListedSkill RepoSkills::described(const FoundSkill& skill, const Blobs& blobs) const {
  ListedSkill out{.path = skill.path()};
  const auto blob = blobs.find(skill.id);
  if (blob == blobs.end() || !is_utf8(blob->second)) return out;
  const content::ParsedDocument parsed = content::parse_document(blob->second, {});
  if (!parsed.name.value_or("").empty()) out.name = parsed.name;
  const std::string about = parsed.description.value_or(parsed.teaser);
  std::string description(utf8_prefix(about, kDescriptionCharacters));
  if (description.size() < about.size()) description += "…";
  if (!description.empty()) out.description = std::move(description);
  return out;
}

Result<RepoListing> RepoSkills::list() {
  if (auto ready = open(); !ready) return std::unexpected(ready.error());
  // What lies elsewhere was not asked for.
  std::erase_if(skills_, [this](const FoundSkill& skill) {
    const bool all = opened_.path.empty() || opened_.path == ".";
    return !all && skill.folder != opened_.path && !skill.folder.starts_with(opened_.path + "/");
  });
  if (skills_.size() > kMaxSkills) return std::unexpected(too_many_skills(skills_.size()));
  auto blobs = read_main_files();
  if (!blobs) return std::unexpected(blobs.error());
  RepoListing listing{.branch = opened_.branch, .commit = opened_.commit, .skills = {}};
  std::string top(repository_name(source_->repo));
  for (const FoundSkill& skill : skills_) {
    listing.skills.push_back(described(skill, *blobs));
    const auto& name = listing.skills.back().name;
    if (skill.folder.empty() && name && check_namespace_name(*name)) top = *name;
  }
  const std::vector<std::string> namespaces = namespaces_for(skills_, top);
  std::map<std::string, std::string> paths;  // by the id of their tree
  for (size_t i = 0; i < namespaces.size(); ++i) {
    if (!namespaces[i].empty()) listing.skills[i].name_space = namespaces[i];
    const auto [first, is_first] = paths.try_emplace(skills_[i].tree, skills_[i].path());
    const bool copy = !is_first && !skills_[i].tree.empty() && namespaces[i].empty();
    if (copy) listing.skills[i].copy_of = first->second;
  }
  return listing;
}

RepoSource source_of(const RepoSource& repository, const ListedSkill& skill) {
  const std::string& name_space = *skill.name_space;
  const std::string name =
      skill.path == "." ? name_space : skill.path.substr(skill.path.rfind('/') + 1);
  RepoSource source = repository;
  source.path = skill.path;
  source.skill = name;
  source.as = name_space == name ? std::string() : name_space;
  while (source.skill.starts_with('.')) source.skill.erase(0, 1);
  return source;
}

}  // namespace iii::sources
