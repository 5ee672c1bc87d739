#include "sources/downloads.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/files_writer.h"
#include "base/text.h"
#include "risks/scan.h"
#include "sources/local_folder.h"
#include "sources/namespace_diff.h"

namespace iii::sources {

namespace {

// The namespaces of a lock that are meant.
Result<std::map<std::string, LockedNamespace>> chosen(const Lock& lock,
                                                      const std::optional<std::string>& name) {
  std::map<std::string, LockedNamespace> out;
  if (!name) {
    out.insert(lock.namespaces.begin(), lock.namespaces.end());
    return out;
  }
  const auto entry = lock.namespaces.find(*name);
  if (entry != lock.namespaces.end()) {
    out.insert(*entry);
    return out;
  }
  std::vector<std::string> names;
  for (const auto& [known, locked] : lock.namespaces) names.push_back(known);
  const std::string_view meant = nearest(*name, names);
  return fail("D310", "D310 not_found: directory.lock has no namespace \"" + *name + "\"." +
                          (meant.empty() ? "" : " Did you mean: " + std::string(meant) + ".") +
                          " Next: call directory::lock::verify without a name to see what it has.");
}

Error deleted_here(const std::string& name) {
  return {"D337",
          "D337 deleted_here: the folder of `" + name +
              "` was deleted, and is not brought back. Next: call directory::lock::restore with "
              "this namespace to have it again; `iii-directory remove " +
              name + "` forgets it."};
}

// The same source, by the version or commit that the lock has.
Source exact_source(const LockedNamespace& locked) {
  if (const auto* registry = std::get_if<RegistrySource>(&locked.source)) {
    if (locked.resolved.empty()) return *registry;
    return RegistrySource{.worker = registry->worker, .version = locked.resolved, .tag = {}};
  }
  RepoSource repo = std::get<RepoSource>(locked.source);
  if (!locked.resolved.empty()) repo.ref = locked.resolved;
  // Where it was found then; a name may fit several by now.
  repo.path = locked.folder.empty() ? "." : locked.folder;
  return repo;
}

Error only_by_command(const Source& source) {
  return {"D311",
          "D311 invalid_input: `" + namespace_of(source) +
              "` comes from a local folder, which only the command line may read. Next: run "
              "`iii-directory update " +
              namespace_of(source) + "` on the machine."};
}

// Files of a namespace as they lie there. Larger ones than a scan examines count as absent.
InstalledText installed_texts(const std::filesystem::path& folder, const std::string& name) {
  auto root = std::make_shared<Result<FolderWriter>>(FolderWriter::open(folder));
  return [root, name](const std::string& path) -> std::optional<std::string> {
    if (!*root) return std::nullopt;
    Result<std::string> text = (*root)->read(name + "/" + path, risks::ScanOptions().max_bytes);
    return text ? std::optional(std::move(*text)) : std::nullopt;
  };
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

bool all_intact(const VerifiedNamespace& verified) {
  return std::ranges::all_of(verified.files, [](const VerifiedFile& file) {
    return file.state == FileState::kIntact || file.state == FileState::kExtra;
  });
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
  own.before_swap = job.before_swap;
  own.confirm = job.confirm;
  return own;
}

Result<Bundle> Downloads::fetch(const Source& source, const Job& job) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return registry_->bundle(*registry, job);
  }
  const auto& repo = std::get<RepoSource>(source);
  const bool folder = is_local(source) && !options_.git.allow_local;
  if (folder && !options_.local_folders) return std::unexpected(only_by_command(source));
  Result<Bundle> bundle =
      folder ? fetch_folder(repo, options_.git.limits, job) : fetch_repo(repo, options_.git, job);
  if (bundle) drop_executable_bits(*bundle);
  return bundle;
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
  if (is_local(source) && !options_.git.allow_local) return std::string();
  return resolve_repo(std::get<RepoSource>(source), options_.git, job);
}

Result<RepoListing> Downloads::list(const RepoSource& source, const Job& job) {
  if (!is_local(source) || options_.git.allow_local) return list_repo(source, options_.git, job);
  if (!options_.local_folders) return std::unexpected(only_by_command(source));
  return list_folder(source, options_.git.limits, job);
}

Result<InstallReport> Downloads::install(Bundle bundle, InstallOptions options, const Job& job) {
  drop_executable_bits(bundle);
  const std::string& name = namespace_of(bundle.source);
  const Result<Lock> lock = installer_.lock();  // what is wrong with it, the installer says
  const LockedNamespace* before = nullptr;
  if (lock) {
    const auto found = lock->namespaces.find(name);
    if (found != lock->namespaces.end()) before = &found->second;
  }
  if (before != nullptr) options.accepted = still_accepted(bundle, before->accepted);
  std::vector<FileRisk> risks = scan_bundle(
      bundle, options_.scan, options.accepted,
      before == nullptr ? InstalledText() : installed_texts(options_.skills_folder, name));
  if (options.accept_risks) {
    accept(options.accepted, bundle, risks);
  } else if (const Result<void> allowed = check_risks(risks); !allowed) {
    return std::unexpected(allowed.error());
  }
  Job own = job;
  if (!risks.empty() && job.confirm) {
    const auto asked = std::chrono::steady_clock::now();
    if (!job.confirm(risks)) {
      return fail("D336", "D336 risks_found: the installation was declined. Nothing was written.");
    }
    // Somebody who reads carefully does not use up the time for writing.
    const auto spent = std::chrono::steady_clock::now() - asked;
    if (own.deadline < decltype(own.deadline)::max() - spent) own.deadline += spent;
  }
  if (options.exactly) options.exactly->accepted = options.accepted;
  Result<InstallReport> report = installer_.install(bundle, options, own);
  if (!report) return report;
  report->risks = std::move(risks);
  report->branch = bundle.branch;
  return report;
}

Result<std::vector<NamespaceResult>> Downloads::download_all(const RepoSource& source,
                                                             const InstallOptions& options,
                                                             const Job& job) {
  std::vector<NamespaceResult> outcomes;
  Job own = job_like(job);
  const auto take = [&](const ListedSkill& skill, Result<Bundle> bundle) {
    own.deadline = job_like(job).deadline;  // each skill has the whole time-out for itself
    NamespaceResult outcome{
        .name_space = skill.name_space, .before = {}, .report = {}, .error = {}};
    if (bundle) outcome.source = bundle->source;
    Result<InstallReport> report = bundle ? install(std::move(*bundle), options, own)
                                          : Result<InstallReport>(std::unexpected(bundle.error()));
    if (report) {
      outcome.report = std::move(*report);
    } else {
      outcome.error = std::move(report.error());
    }
    outcomes.push_back(std::move(outcome));
  };
  const bool folder = is_local(source) && !options_.git.allow_local;
  if (folder && !options_.local_folders) return std::unexpected(only_by_command(source));
  const auto listing = folder ? fetch_all_of_folder(source, options_.git.limits, own, take)
                              : fetch_all(source, options_.git, own, take);
  if (!listing) return std::unexpected(listing.error());
  if (outcomes.empty()) {
    return fail("D310",
                "D310 not_found: the repository has no SKILL.md. Next: check the address and the "
                "branch");
  }
  return outcomes;
}

Result<InstallReport> Downloads::download(const Source& source, const InstallOptions& options,
                                          const Job& job) {
  Result<Bundle> bundle = fetch(source, job);
  if (!bundle) return std::unexpected(std::move(bundle.error()));
  return install(std::move(*bundle), options, job);
}

Result<std::vector<VerifiedNamespace>> Downloads::verify(const Name& name) const {
  if (const auto names = locked(name); !names) return std::unexpected(names.error());
  return installer_.verify(name);
}

Result<std::map<std::string, LockedNamespace>> Downloads::locked(const Name& name) const {
  const Result<Lock> lock = installer_.lock();
  if (!lock) return std::unexpected(lock.error());
  return chosen(*lock, name);
}

void Downloads::compare(OutdatedRow& row, const Job& job) {
  if (row.pinned) {
    row.latest = row.current;
  } else if (Result<std::string> latest = resolve(row.source, job)) {
    row.latest = std::move(*latest);
    const Result<bool> changed = has_changed(row, job);
    if (!changed) row.error = changed.error();
    row.outdated = changed && *changed;
  } else {
    row.error = std::move(latest.error());
  }
  row.outdated = row.outdated || !row.kept.empty();
}

// A new commit of a repository is nothing new for a skill whose folder is as it was.
Result<bool> Downloads::has_changed(const OutdatedRow& row, const Job& job) {
  const auto* repo = std::get_if<RepoSource>(&row.source);
  if (repo == nullptr) return !row.latest.empty() && row.latest != row.current;
  if (is_local(row.source) && !options_.git.allow_local) {
    const Result<NamespaceDiff> diff = this->diff(row.name_space, std::nullopt, job);
    if (!diff) return std::unexpected(diff.error());
    return !diff->files.empty();
  }
  if (row.latest == row.current || row.tree.empty()) return row.latest != row.current;
  const Result<std::string> tree = resolve_tree(*repo, row.folder, options_.git, job);
  if (!tree) return std::unexpected(tree.error());
  return *tree != row.tree;
}

Result<NamespaceDiff> Downloads::diff(const std::string& name, const Name& path, const Job& job) {
  const auto verified = verify(name);
  if (!verified) return std::unexpected(verified.error());
  const Result<Bundle> bundle = fetch(verified->front().locked.source, job);
  if (!bundle) return std::unexpected(bundle.error());
  return diff_namespace(options_.skills_folder, verified->front(), *bundle, path);
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
                    .outdated = false,
                    .error = {}});
  }
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t at = next++; at < rows.size(); at = next++) {
      Job own = job_like(job);
      own.report = nullptr;  // it expects one thread
      compare(rows[at], own);
    }
  };
  std::vector<std::jthread> helpers;
  for (size_t i = 1; i < std::min(rows.size(), kResolvers); ++i) helpers.emplace_back(work);
  work();
  helpers.clear();  // waits
  return rows;
}

Result<std::vector<NamespaceResult>> Downloads::update(const Name& name, bool force,
                                                       const Job& job) {
  const auto names = locked(name);
  if (!names) return std::unexpected(names.error());
  std::vector<NamespaceResult> outcomes;
  for (const auto& [locked_name, entry] : *names) {
    if (!name && entry.pinned()) continue;
    NamespaceResult outcome{
        .name_space = locked_name, .before = entry.resolved, .report = {}, .error = {}};
    // Somebody deleted it, and did not ask for it now.
    if (!name && !force && !installer_.has_folder(locked_name)) {
      outcome.error = deleted_here(locked_name);
      outcomes.push_back(std::move(outcome));
      continue;
    }
    const InstallOptions options{
        .force = force, .automatic = entry.automatic, .exactly = std::nullopt};
    const Job own = job_like(job);
    if (auto report = download(entry.source, options, own)) {
      outcome.report = std::move(*report);
    } else {
      outcome.error = std::move(report.error());
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

NamespaceResult Downloads::restore_one(const std::string& name, const LockedNamespace& locked,
                                       bool force, const Job& job) {
  NamespaceResult outcome{.name_space = name, .before = locked.resolved, .report = {}, .error = {}};
  const auto verified = installer_.verify(name);
  if (verified && !verified->empty() && all_intact(verified->front())) {
    InstallReport report;
    report.name_space = name;
    report.resolved = locked.resolved;
    report.digest = locked.digest();
    for (const auto& [path, file] : locked.files) report.unchanged.push_back(path);
    outcome.report = std::move(report);
    return outcome;
  }
  const Job own = job_like(job);
  Result<Bundle> bundle = fetch(exact_source(locked), own);
  if (!bundle) {
    outcome.error = std::move(bundle.error());
    return outcome;
  }
  // The lock keeps what was asked; only the fetching was by exact version.
  bundle->source = locked.source;
  bundle->branch = locked.branch;
  const InstallOptions options{.force = force, .automatic = locked.automatic, .exactly = locked};
  if (auto report = install(std::move(*bundle), options, own)) {
    outcome.report = std::move(*report);
  } else {
    outcome.error = std::move(report.error());
  }
  return outcome;
}

Result<std::vector<NamespaceResult>> Downloads::restore(const Name& name, bool force,
                                                        const Job& job) {
  const auto names = locked(name);
  if (!names) return std::unexpected(names.error());
  std::vector<NamespaceResult> outcomes;
  for (const auto& [locked_name, entry] : *names) {
    outcomes.push_back(restore_one(locked_name, entry, force, job));
  }
  return outcomes;
}

}  // namespace iii::sources
