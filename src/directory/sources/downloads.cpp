#include "directory/sources/downloads.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "directory/content/kinds.h"
#include "directory/risks/scan.h"
#include "directory/sources/local_folder.h"
#include "foundation/base/files_writer.h"
#include "foundation/base/text.h"

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

// Of a source whose folder was located.
std::filesystem::path folder_of(const RepoSource& source) {
  return source.repo.substr(std::string_view("file://").size());
}

constexpr size_t kResolvers = 4;  // sources asked at the same time by `outdated`

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

}  // namespace

Downloads::Downloads(DownloadsOptions options)
    : options_(std::move(options)),
      registry_(Registry::make(options_.registry)),
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
  Job own = this->job(job.report);
  own.cancelled = job.cancelled;
  own.stop = job.stop;
  own.before_swap = job.before_swap;
  own.confirm = job.confirm;
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

GitOptions Downloads::local_git() const {
  GitOptions git = options_.git;
  git.allow_local = true;
  return git;
}

Result<Bundle> Downloads::fetch(const Source& source, const Job& job, IfMoved if_moved) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return registry_->bundle(*registry, job);
  }
  const auto& repo = std::get<RepoSource>(source);
  Result<Bundle> bundle;
  const Result<void> fetched = fetch_several(
      {repo}, job, if_moved, [&bundle](size_t, Result<Bundle> only) { bundle = std::move(only); });
  return fetched ? std::move(bundle) : std::unexpected(fetched.error());
}

Result<void> Downloads::fetch_several(const std::vector<RepoSource>& sources, const Job& job,
                                      IfMoved if_moved, const RepoSkills::TakeOne& take) {
  if (!is_folder(sources.front())) {
    return sources::fetch_several(sources, options_.git, job, if_moved, take);
  }
  std::vector<RepoSource> here;
  std::vector<size_t> indices;  // of `here` in `sources`
  for (size_t i = 0; i < sources.size(); ++i) {
    Result<RepoSource> place = located(sources[i]);
    if (!place) {
      take(i, std::unexpected(place.error()));
      continue;
    }
    here.push_back(std::move(*place));
    indices.push_back(i);
  }
  if (here.empty()) return {};
  const auto record = [&](size_t place, Result<Bundle> bundle) {
    const size_t index = indices[place];
    if (bundle) bundle = with_skill(std::move(*bundle));
    if (bundle) {
      RepoSource asked = sources[index];
      asked.path = std::get<RepoSource>(bundle->source).path;
      bundle->source = recorded_folder(std::move(asked), options_.skills_folder);
    }
    take(index, std::move(bundle));
  };
  if (is_bare_repository(folder_of(here.front()))) {
    return sources::fetch_several(here, local_git(), job, if_moved, record);
  }
  return fetch_several_of_folder(here, options_.git.limits, job, if_moved, record);
}

void Downloads::drop_executable_bits(Bundle& bundle) const {
  if (options_.keep_executable_bits) return;
  for (BundleFile& file : bundle.files) {
    if (std::exchange(file.executable, false)) bundle.executable_dropped.push_back(file.path);
  }
}

Result<std::string> Downloads::resolve(const Source& source, const Job& job) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return registry_->resolve(*registry, job);
  }
  if (is_folder(source)) return std::string();
  return resolve_repo(std::get<RepoSource>(source), options_.git, job);
}

Result<RepoListing> Downloads::list(const RepoSource& source, const Job& job) {
  const Result<RepoSource> place = located(source);
  if (!place) return std::unexpected(place.error());
  if (!is_folder(source)) return list_repo(*place, options_.git, job);
  return is_bare_repository(folder_of(*place)) ? list_repo(*place, local_git(), job)
                                               : list_folder(*place, options_.git.limits, job);
}

Result<std::vector<VerifiedNamespace>> Downloads::verify(const Name& name) const {
  return installer_.verify(name);
}

Result<std::map<std::string, LockedNamespace>> Downloads::locked(const Name& name) const {
  const Result<LockPtr> lock = installer_.lock();
  if (!lock) return std::unexpected(lock.error());
  const Lock& all = **lock;
  if (name && all.find(*name) == nullptr) return std::unexpected(no_such_namespace(all, *name));
  std::map<std::string, LockedNamespace> out;
  for (const auto& [known, entry] : all.namespaces) {
    if (name.value_or(known) == known) out.emplace(known, entry);
  }
  return out;
}

// All rows that get the same answer: which version, commit and tree a source means now.
std::vector<std::vector<OutdatedRow*>> Downloads::by_question(std::vector<OutdatedRow>& rows) {
  std::vector<std::vector<OutdatedRow*>> questions;
  std::map<std::string, size_t> known;
  for (OutdatedRow& row : rows) {
    if (row.pinned) {
      row.latest = row.current;
      continue;
    }
    const auto* repo = std::get_if<RepoSource>(&row.source);
    const bool shared = repo != nullptr && !is_folder(row.source);
    const auto [at, is_new] =
        known.try_emplace(shared ? repository_and_ref(*repo) : row.name_space, questions.size());
    if (is_new) questions.emplace_back();
    questions[at->second].push_back(&row);
  }
  return questions;
}

void Downloads::compare(const std::vector<OutdatedRow*>& rows, const Job& job) {
  const Result<std::string> latest = resolve(rows.front()->source, job);
  const Result<void> compared =
      latest ? find_changed(rows, *latest, job) : Result<void>(std::unexpected(latest.error()));
  for (OutdatedRow* row : rows) {
    if (!compared) row->error = compared.error();
  }
}

// A new commit of a repository is nothing new for a skill whose folder is as it was.
Result<void> Downloads::find_changed(const std::vector<OutdatedRow*>& rows,
                                     const std::string& latest, const Job& job) {
  std::vector<OutdatedRow*> unsure;
  std::vector<RepoSource> places;
  for (OutdatedRow* row : rows) {
    row->latest = latest;
    if (is_folder(row->source)) {
      const Result<NamespaceDiff> diff = this->diff(row->name_space, std::nullopt, job);
      row->gone = !diff && diff.error().message.starts_with(kGone);
      if (!diff && !row->gone) return std::unexpected(diff.error());
      row->outdated = diff && !diff->files.empty();
    } else if (row->tree.empty() || latest.empty() || latest == row->current) {
      row->outdated = !latest.empty() && latest != row->current;
    } else {
      unsure.push_back(row);
      places.push_back(std::get<RepoSource>(row->source));
      places.back().path = row->folder.empty() ? "." : row->folder;
    }
  }
  if (unsure.empty()) return {};
  const auto trees = resolve_trees(places, options_.git, job);
  if (!trees) return std::unexpected(trees.error());
  for (size_t i = 0; i < unsure.size(); ++i) {
    unsure[i]->gone = (*trees)[i].empty();
    unsure[i]->outdated = !unsure[i]->gone && (*trees)[i] != unsure[i]->tree;
  }
  return {};
}

Result<NamespaceDiff> Downloads::diff(const std::string& name, const Name& path, const Job& job) {
  const auto namespaces = locked(name);
  if (!namespaces) return std::unexpected(namespaces.error());
  const Result<Bundle> bundle = fetch(namespaces->at(name).source, job, IfMoved::kFind);
  if (!bundle) return std::unexpected(bundle.error());
  return installer_.diff(*bundle, path);
}

Result<std::vector<OutdatedRow>> Downloads::outdated(const Name& name, const Job& job) {
  const auto namespaces = verify(name);
  if (!namespaces) return std::unexpected(namespaces.error());
  std::vector<OutdatedRow> rows;
  for (const VerifiedNamespace& verified : *namespaces) {
    rows.push_back({.name_space = verified.name_space,
                    .source = verified.locked.source,
                    .folder = verified.locked.folder,
                    .tree = verified.locked.tree,
                    .current = verified.locked.resolved,
                    .latest = {},
                    .pinned = verified.locked.pinned(),
                    .kept = kept_files(verified),
                    .error = {}});
  }
  const std::vector<std::vector<OutdatedRow*>> questions = by_question(rows);
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t at = next++; at < questions.size(); at = next++) {
      Job own = job_like(job);
      own.report = nullptr;  // it expects one thread
      compare(questions[at], own);
    }
  };
  std::vector<std::jthread> helpers;
  for (size_t i = 1; i < std::min(questions.size(), kResolvers); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // waits
  return rows;
}

}  // namespace iii::sources
