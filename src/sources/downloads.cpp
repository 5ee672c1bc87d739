#include "sources/downloads.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/files_writer.h"
#include "base/text.h"
#include "risks/scan.h"

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

// The same source, by the version or commit that the lock has.
Source exact_source(const LockedNamespace& locked) {
  if (const auto* registry = std::get_if<RegistrySource>(&locked.source)) {
    if (locked.resolved.empty()) return *registry;
    return RegistrySource{.worker = registry->worker, .version = locked.resolved, .tag = {}};
  }
  RepoSource repo = std::get<RepoSource>(locked.source);
  repo.ref = locked.resolved;
  return repo;
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
  return fetch_repo(std::get<RepoSource>(source), options_.git, job);
}

Result<std::string> Downloads::resolve(const Source& source, const Job& job) {
  if (const auto* registry = std::get_if<RegistrySource>(&source)) {
    return registry_->resolve(*registry, job);
  }
  return resolve_repo(std::get<RepoSource>(source), options_.git, job);
}

Result<InstallReport> Downloads::install_scanned(const Bundle& bundle, InstallOptions options,
                                                 const Job& job) {
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
  if (report) report->risks = std::move(risks);
  return report;
}

Result<InstallReport> Downloads::download(const Source& source, const InstallOptions& options,
                                          const Job& job) {
  Result<Bundle> bundle = fetch(source, job);
  if (!bundle) return std::unexpected(std::move(bundle.error()));
  Result<InstallReport> report = install_scanned(*bundle, options, job);
  if (report) report->branch = bundle->branch;
  return report;
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
    row.outdated = !row.latest.empty() && row.latest != row.current;
  } else {
    row.error = std::move(latest.error());
  }
  row.outdated = row.outdated || !row.kept.empty();
}

Result<std::vector<OutdatedRow>> Downloads::outdated(const Name& name, const Job& job) {
  const auto namespaces = verify(name);
  if (!namespaces) return std::unexpected(namespaces.error());
  std::vector<OutdatedRow> rows;
  for (const VerifiedNamespace& verified : *namespaces) {
    rows.push_back({.name_space = verified.name_space,
                    .source = verified.locked.source,
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
  if (auto report = install_scanned(*bundle, options, own)) {
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
