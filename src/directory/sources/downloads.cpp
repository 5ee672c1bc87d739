#include "directory/sources/downloads.h"

#include <algorithm>
#include <utility>

#include "directory/content/kinds.h"
#include "directory/content/parse.h"
#include "directory/sources/installer_plan.h"
#include "directory/sources/local_folder.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

Error only_by_command(const Source& source) {
  return {"D339",
          "D339 local_only: `" + namespace_of(source) +
              "` comes from a local folder, which only the command line may read. Next: on the "
              "machine itself name the skills folder instead of the server, for example "
              "`iii-directory update " +
              namespace_of(source) + " --skills FOLDER`."};
}

// A lock comes with somebody else's project: no folder of this machine is copied for it that was
// not meant to be a skill.
Result<Bundle> with_skill(Bundle bundle) {
  const bool has_main = std::ranges::any_of(
      bundle.files, [](const BundleFile& file) { return content::is_skill_file(file.path); });
  if (has_main) return bundle;
  return fail("D310",
              "D310 not_found: the local folder has no SKILL.md. Next: name a folder that has one");
}

// What was edited here and is based on an older version than the lock's.
std::vector<std::string> kept_files(const VerifiedNamespace& verified) {
  std::vector<std::string> kept;
  for (const VerifiedFile& file : verified.files) {
    const auto locked = verified.locked.files.find(file.path);
    const bool behind = locked != verified.locked.files.end() && locked->second.kept;
    if (behind && file.state == FileState::kEdited) kept.push_back(file.path);
  }
  return kept;
}

GitOptions for_this_machine(GitOptions options) {
  options.allow_local = true;
  return options;
}

// The first that applies.
std::string outdated_state(const OutdatedRow& row) {
  if (row.error) return "unknown";
  if (row.is_gone()) return "gone";
  if (row.pinned) return "pinned";
  if (row.outdated) return "outdated";
  return row.kept.empty() ? "current" : "edited";
}

}  // namespace

Downloads::Downloads(DownloadsOptions options)
    : options_(std::move(options)),
      local_git_(for_this_machine(options_.git)),
      registry_(options_.registry),
      installer_(options_.skills_folder) {}

Job Downloads::job(std::function<void(const Progress&)> report) const {
  return {.deadline = std::chrono::steady_clock::now() + options_.timeout,
          .cancelled = cancelled_,
          .report = std::move(report),
          .allowed = options_.timeout,
          .before_swap = {}};
}

// Each of several namespaces has the whole time-out for itself; cancelling ends them all.
Job Downloads::job_like(const Job& job) const {
  Job own = job;
  own.deadline = std::chrono::steady_clock::now() + options_.timeout;
  own.allowed = options_.timeout;
  return own;
}

bool Downloads::is_folder(const Source& source) const {
  return is_local(source) && !options_.git.allow_local;
}

Result<RepoSource> Downloads::located(const RepoSource& source) const {
  if (!is_folder(source)) return source;
  if (!options_.local_folders) return std::unexpected(only_by_command(source));
  return locate_folder(source, options_.skills_folder);
}

Result<std::unique_ptr<TreeSource>> Downloads::tree_of(const RepoSource& source,
                                                       const Job& job) const {
  if (!is_folder(source)) return git_tree(source, options_.git, job);
  if (is_bare_repository(folder_path(source))) return git_tree(source, local_git_, job);
  return folder_tree(source, job);
}

Result<Bundle> Downloads::fetch(const Order& order, const Job& job) {
  if (const auto* registry = std::get_if<RegistrySource>(&order.source)) {
    return registry_.bundle(*registry, job);
  }
  Result<Bundle> bundle;
  const Result<void> fetched =
      fetch_several({{.source = std::get<RepoSource>(order.source),
                      .may_have_moved = order.may_have_moved,
                      .declared_name = order.declared_name}},
                    job, [&bundle](size_t, Result<Bundle> only) { bundle = std::move(only); });
  return fetched ? std::move(bundle) : std::unexpected(fetched.error());
}

Result<void> Downloads::fetch_several(const std::vector<WantedSkill>& skills, const Job& job,
                                      const RepoSkills::TakeOne& take) {
  std::vector<WantedSkill> here;
  std::vector<size_t> indices;  // of `here` in `skills`
  for (size_t i = 0; i < skills.size(); ++i) {
    Result<RepoSource> place = located(skills[i].source);
    if (!place) {
      take(i, std::unexpected(place.error()));
      continue;
    }
    here.push_back(skills[i]);
    here.back().source = std::move(*place);
    indices.push_back(i);
  }
  if (here.empty()) return {};
  const auto tree = tree_of(here.front().source, job);
  if (!tree) return std::unexpected(tree.error());
  const auto record = [&](size_t place, Result<Bundle> bundle) {
    const RepoSource& asked = skills[indices[place]].source;
    const bool folder = is_folder(asked);
    if (folder && bundle) bundle = with_skill(std::move(*bundle));
    if (folder && bundle) {
      RepoSource recorded = asked;
      recorded.path = std::get<RepoSource>(bundle->source).path;
      bundle->source = recorded_folder(std::move(recorded), options_.skills_folder);
    }
    take(indices[place], std::move(bundle));
  };
  return RepoSkills(here.front().source, options_.git.limits, **tree).several(here, record);
}

void Downloads::drop_executable_bits(Bundle& bundle) const {
  if (options_.keep_executable_bits) return;
  for (BundleFile& file : bundle.files) {
    if (std::exchange(file.executable, false)) bundle.executable_dropped.push_back(file.path);
  }
}

Result<std::string> Downloads::resolve(const Source& source, const Job& job) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return registry_.resolve(*registry, job);
  }
  if (is_folder(source)) return std::string();
  return resolve_repo(std::get<RepoSource>(source), options_.git, job);
}

Result<RepoListing> Downloads::list(const RepoSource& source, const Job& job) {
  const Result<RepoSource> place = located(source);
  if (!place) return std::unexpected(place.error());
  const auto tree = tree_of(*place, job);
  if (!tree) return std::unexpected(tree.error());
  return RepoSkills(*place, options_.git.limits, **tree).list();
}

Result<Downloads::Locked> Downloads::locked(const Name& name) const {
  const Result<LockPtr> lock = installer_.lock();
  if (!lock) return std::unexpected(lock.error());
  if (name && (*lock)->find(*name) == nullptr) {
    return std::unexpected(no_such_namespace(**lock, *name));
  }
  Locked out;
  for (const auto& [known, entry] : (*lock)->namespaces) {
    if (name.value_or(known) == known) out.emplace(known, entry);
  }
  return out;
}

std::string Downloads::declared_name(const std::string& name_space,
                                     const LockedNamespace& locked) const {
  const auto main = std::ranges::find_if(
      locked.files, [](const auto& file) { return content::is_skill_file(file.first); });
  const auto root = FolderWriter::open(options_.skills_folder);
  if (main == locked.files.end() || main->first.contains('/') || !root) return {};
  const auto text = root->read(name_space + "/" + main->first, kMaxMainFileBytes);
  if (!text || !is_utf8(*text)) return {};
  return content::parse_document(*text, {}).name.value_or("");
}

Result<std::vector<Downloads::Question>> Downloads::questions(const Name& name) const {
  const auto namespaces = verify(name);
  if (!namespaces) return std::unexpected(namespaces.error());
  std::vector<Question> out;
  std::map<std::string, size_t> known;
  for (const VerifiedNamespace& verified : *namespaces) {
    const LockedNamespace& locked = verified.locked;
    const auto* repo = std::get_if<RepoSource>(&locked.source);
    OutdatedRow row{.name_space = verified.name_space,
                    .source = source_json(locked.source, ""),
                    .current = locked.resolved,
                    .pinned = locked.pinned(),
                    .kept = kept_files(verified),
                    .asked = locked.source,
                    .digest = verified.digest,
                    .folder = locked.folder,
                    .tree = locked.tree};
    if (repo != nullptr) row.name = declared_name(row.name_space, locked);
    const bool shared = repo != nullptr && !row.pinned && !is_folder(locked.source);
    const auto [at, is_new] =
        known.try_emplace(shared ? repository_and_ref(*repo) : row.name_space, out.size());
    if (is_new) out.emplace_back();
    out[at->second].push_back(std::move(row));
  }
  return out;
}

void Downloads::ask(Question& rows, const Job& job) {
  Job own = job_like(job);
  own.report = nullptr;  // several questions are asked at the same time
  Result<void> compared;
  if (rows.front().pinned) {
    rows.front().latest = rows.front().current;
  } else {
    const Result<std::string> latest = resolve(rows.front().asked, own);
    compared = latest ? find_changed(rows, *latest, own) : std::unexpected(latest.error());
  }
  for (OutdatedRow& row : rows) {
    if (!compared) row.error = compared.error().message;
    row.state = outdated_state(row);
  }
}

// A new commit of a repository is nothing new for a skill whose folder is as it was.
Result<void> Downloads::find_changed(Question& rows, const std::string& latest, const Job& job) {
  std::vector<OutdatedRow*> unsure;
  std::vector<WantedSkill> places;
  for (OutdatedRow& row : rows) {
    if (!latest.empty()) row.latest = latest;
    if (is_folder(row.asked)) {
      // It has no version: its files are compared with those that were installed.
      const Result<Bundle> now =
          fetch({.source = row.asked, .may_have_moved = true, .declared_name = row.name}, job);
      const bool gone = !now && now.error().message.starts_with(kGone);
      if (!now && !gone) return std::unexpected(now.error());
      if (gone) row.state = "gone";
      row.outdated = now && locked_as(*now, {}).digest() != row.digest;
    } else if (row.tree.empty() || latest.empty() || latest == row.current) {
      row.outdated = !latest.empty() && latest != row.current;
    } else {
      unsure.push_back(&row);
      places.push_back({.source = std::get<RepoSource>(row.asked),
                        .may_have_moved = true,
                        .declared_name = row.name});
      places.back().source.path = row.folder.empty() ? "." : row.folder;
    }
  }
  if (unsure.empty()) return {};
  const auto tree = tree_of(places.front().source, job);
  if (!tree) return std::unexpected(tree.error());
  const auto trees =
      RepoSkills(places.front().source, options_.git.limits, **tree).trees_of(places);
  if (!trees) return std::unexpected(trees.error());
  for (size_t i = 0; i < unsure.size(); ++i) {
    if ((*trees)[i].empty()) unsure[i]->state = "gone";
    unsure[i]->outdated = !(*trees)[i].empty() && (*trees)[i] != unsure[i]->tree;
  }
  return {};
}

Result<NamespaceDiff> Downloads::diff(const std::string& name, const Name& path, const Job& job) {
  const auto namespaces = locked(name);
  if (!namespaces) return std::unexpected(namespaces.error());
  const LockedNamespace& entry = namespaces->at(name);
  const Result<Bundle> bundle = fetch(
      {.source = entry.source, .may_have_moved = true, .declared_name = declared_name(name, entry)},
      job);
  if (!bundle) return std::unexpected(bundle.error());
  return installer_.diff(*bundle, path);
}

}  // namespace iii::sources
