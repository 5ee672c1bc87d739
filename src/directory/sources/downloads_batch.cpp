// Installing: one bundle, or many as a batch with one fetch, one swap and one change of the lock.
#include <algorithm>
#include <utility>

#include "directory/risks/scan.h"
#include "directory/sources/downloads.h"
#include "directory/sources/local_folder.h"
#include "directory/sources/source_json.h"

namespace iii::sources {

namespace {

// A batch is written when it has this many namespaces (each holds an open file) or bytes.
constexpr size_t kMaxNamespaces = 256;
constexpr uint64_t kMaxBatchBytes = 64ULL * 1024 * 1024;

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

// Files of a namespace as they lie there. Larger ones than a scan examines count as absent.
InstalledText installed_texts(const std::filesystem::path& folder, const std::string& name) {
  auto root = std::make_shared<Result<FolderWriter>>(FolderWriter::open(folder));
  return [root, name](const std::string& path) -> std::optional<std::string> {
    if (!*root) return std::nullopt;
    Result<std::string> text = (*root)->read(name + "/" + path, risks::ScanOptions().max_bytes);
    return text ? std::optional(std::move(*text)) : std::nullopt;
  };
}

bool all_intact(const VerifiedNamespace& verified) {
  return std::ranges::all_of(verified.files, [](const VerifiedFile& file) {
    return file.state == FileState::kIntact || file.state == FileState::kExtra;
  });
}

InstallReport as_it_is(const std::string& name, const LockedNamespace& locked) {
  InstallReport report;
  report.name_space = name;
  report.resolved = locked.resolved;
  report.digest = locked.digest();
  report.source = source_json(locked.source, locked.branch);
  for (const auto& [path, file] : locked.files) report.unchanged.push_back(path);
  return report;
}

// What is known about a bundle before it is written.
struct Examined {
  Bundle bundle;
  InstallOptions options;
  std::vector<FileRisk> risks;
};

std::vector<FileRisk> all_risks(const std::vector<Examined>& examined) {
  std::vector<FileRisk> all;
  for (const Examined& one : examined) {
    for (FileRisk risk : one.risks) {
      if (examined.size() > 1)
        risk.path = namespace_of(one.bundle.source) + "/" + risk.path.value_or("");
      all.push_back(std::move(risk));
    }
  }
  return all;
}

std::unexpected<Error> declined() {
  return fail("D336", "D336 risks_found: the installation was declined. Nothing was written.");
}

}  // namespace

// Bundles on their way into the skills folder.
class Downloads::Batch {
 public:
  // `job` is the time for each of them: its deadline moves on with every one that comes.
  Batch(Downloads& downloads, std::vector<NamespaceResult>& outcomes, Job& job)
      : downloads_(downloads), outcomes_(outcomes), job_(job) {}

  void add(size_t outcome, Result<Bundle> bundle, InstallOptions options) {
    renew();
    if (!bundle) {
      outcomes_[outcome].error = std::move(bundle.error());
      return;
    }
    for (const BundleFile& file : bundle->files) bytes_ += file.bytes.size();
    wanted_.push_back({.bundle = std::move(*bundle), .options = std::move(options)});
    indices_.push_back(outcome);
    if (wanted_.size() >= kMaxNamespaces || bytes_ >= kMaxBatchBytes) flush();
  }

  void flush() {
    auto reports = downloads_.install_several(std::exchange(wanted_, {}), job_);
    for (size_t i = 0; i < reports.size(); ++i) {
      NamespaceResult& outcome = outcomes_[indices_[i]];
      if (reports[i]) outcome.report = std::move(*reports[i]);
      if (!reports[i]) outcome.error = std::move(reports[i].error());
    }
    indices_.clear();
    bytes_ = 0;
    renew();
  }

 private:
  void renew() { job_.deadline = downloads_.job_like(job_).deadline; }

  Downloads& downloads_;
  std::vector<NamespaceResult>& outcomes_;
  Job& job_;
  std::vector<Wanted> wanted_;
  std::vector<size_t> indices_;
  uint64_t bytes_ = 0;
};

std::vector<Result<InstallReport>> Downloads::install_several(std::vector<Wanted> wanted,
                                                              const Job& job) {
  const Result<LockPtr> lock = installer_.lock();  // what is wrong with it, the installer says
  std::vector<Result<InstallReport>> reports(wanted.size());
  std::vector<Examined> examined;
  std::vector<size_t> indices;
  uint64_t files = 0;
  for (const Wanted& each : wanted) files += each.bundle.files.size();
  uint64_t looked_at = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    job.tell({.step = "checking", .done = looked_at, .total = files});
    looked_at += wanted[i].bundle.files.size();
    Examined one{.bundle = std::move(wanted[i].bundle),
                 .options = std::move(wanted[i].options),
                 .risks = {}};
    drop_executable_bits(one.bundle);
    Result<std::vector<FileRisk>> risks = examine(one.bundle, one.options, lock ? **lock : Lock{});
    if (!risks) {
      reports[i] = std::unexpected(risks.error());
      continue;
    }
    one.risks = std::move(*risks);
    indices.push_back(i);
    examined.push_back(std::move(one));
  }
  Job own = job;
  const std::vector<FileRisk> found = all_risks(examined);
  bool sure = true;
  if (!found.empty() && job.confirm) {
    const auto asked = std::chrono::steady_clock::now();
    sure = job.confirm(found);
    // Somebody who reads carefully does not use up the time for writing.
    const auto spent = std::chrono::steady_clock::now() - asked;
    if (own.deadline < decltype(own.deadline)::max() - spent) own.deadline += spent;
  }
  std::vector<Package> packages;
  std::vector<size_t> written;  // of `examined`
  for (size_t i = 0; i < examined.size(); ++i) {
    if (!sure) {
      reports[indices[i]] = declined();
      continue;
    }
    packages.push_back({.bundle = &examined[i].bundle, .options = &examined[i].options});
    written.push_back(i);
  }
  auto done = installer_.install_all(packages, own);
  for (size_t i = 0; i < done.size(); ++i) {
    Examined& one = examined[written[i]];
    if (done[i]) {
      done[i]->risks = std::move(one.risks);
    }
    reports[indices[written[i]]] = std::move(done[i]);
  }
  return reports;
}

Result<std::vector<FileRisk>> Downloads::examine(const Bundle& bundle, InstallOptions& options,
                                                 const Lock& lock) const {
  const std::string& name = namespace_of(bundle.source);
  const auto before = lock.namespaces.find(name);
  const bool known = before != lock.namespaces.end();
  if (known) options.accepted = still_accepted(bundle, before->second.accepted);
  std::vector<FileRisk> risks =
      scan_bundle(bundle, options_.scan, options.accepted,
                  known ? installed_texts(options_.skills_folder, name) : InstalledText(),
                  options.accept_risks);
  if (options.accept_risks) {
    accept(options.accepted, bundle, risks);
  } else if (const Result<void> allowed = check_risks(risks); !allowed) {
    return std::unexpected(allowed.error());
  }
  if (options.exactly) options.exactly->accepted = options.accepted;
  return risks;
}

Result<InstallReport> Downloads::download(const Source& source, const InstallOptions& options,
                                          const Job& job) {
  NamespaceResult only = std::move(download_several({source}, options, job).front());
  if (only.error) return std::unexpected(std::move(*only.error));
  return std::move(*only.report);
}

std::vector<NamespaceResult> Downloads::download_several(const std::vector<Source>& sources,
                                                         const InstallOptions& options,
                                                         const Job& job) {
  std::vector<NamespaceResult> outcomes;
  std::vector<Order> orders;
  for (const Source& source : sources) {
    orders.push_back({.outcome = outcomes.size(), .source = source, .options = options});
    outcomes.push_back({.name_space = namespace_of(source),
                        .before = {},
                        .source = source,
                        .report = {},
                        .error = {}});
  }
  fetch_and_install(std::move(orders), outcomes, job);
  return outcomes;
}

void Downloads::fetch_and_install(std::vector<Order> orders, std::vector<NamespaceResult>& outcomes,
                                  const Job& job) {
  Job own = job_like(job);
  Batch batch(*this, outcomes, own);
  const auto take = [&](const Order& order, Result<Bundle> bundle) {
    if (bundle && order.options.exactly) {
      // The lock keeps what was asked; only the fetching was by exact version.
      bundle->source = order.options.exactly->source;
      bundle->branch = order.options.exactly->branch;
    }
    batch.add(order.outcome, std::move(bundle), order.options);
  };
  // Those of one repository and ref are fetched together.
  std::map<std::string, std::vector<const Order*>> groups;
  for (const Order& order : orders) {
    if (const auto* repo = std::get_if<RepoSource>(&order.source)) {
      groups[repository_and_ref(*repo)].push_back(&order);
    } else {
      take(order, fetch(order.source, own, order.if_moved));
    }
  }
  for (const auto& [key, group] : groups) {
    std::vector<RepoSource> sources;
    for (const Order* order : group) sources.push_back(std::get<RepoSource>(order->source));
    const Result<void> fetched = fetch_several(
        sources, own, group.front()->if_moved,
        [&](size_t index, Result<Bundle> bundle) { take(*group[index], std::move(bundle)); });
    if (fetched) continue;
    for (const Order* order : group) take(*order, std::unexpected(fetched.error()));
  }
  batch.flush();
}

Result<std::vector<NamespaceResult>> Downloads::update(const Name& name, bool force,
                                                       const Job& job) {
  const auto names = locked(name);
  if (!names) return std::unexpected(names.error());
  std::vector<NamespaceResult> outcomes;
  std::vector<Order> orders;
  for (const auto& [locked_name, entry] : *names) {
    if (!name && entry.pinned()) continue;
    outcomes.push_back(
        {.name_space = locked_name, .before = entry.resolved, .report = {}, .error = {}});
    // Somebody deleted it, and did not ask for it now.
    if (!name && !force && !installer_.has(locked_name)) {
      outcomes.back().error = deleted_here(locked_name);
      continue;
    }
    orders.push_back({.outcome = outcomes.size() - 1,
                      .source = entry.source,
                      .options = {.force = force, .automatic = entry.automatic},
                      .if_moved = IfMoved::kFind});
  }
  fetch_and_install(std::move(orders), outcomes, job);
  return outcomes;
}

Result<std::vector<NamespaceResult>> Downloads::restore(const Name& name, bool force,
                                                        const Job& job) {
  const auto names = locked(name);
  if (!names) return std::unexpected(names.error());
  const auto verified = installer_.verify(name);
  std::map<std::string_view, const VerifiedNamespace*> states;
  if (verified) {
    for (const VerifiedNamespace& one : *verified) states.emplace(one.name_space, &one);
  }
  std::vector<NamespaceResult> outcomes;
  std::vector<Order> orders;
  for (const auto& [locked_name, entry] : *names) {
    outcomes.push_back(
        {.name_space = locked_name, .before = entry.resolved, .report = {}, .error = {}});
    const auto state = states.find(locked_name);
    if (state != states.end() && all_intact(*state->second)) {
      outcomes.back().report = as_it_is(locked_name, entry);
      continue;
    }
    orders.push_back({.outcome = outcomes.size() - 1,
                      .source = exact_source(entry),
                      .options = {.force = force, .automatic = entry.automatic, .exactly = entry}});
  }
  fetch_and_install(std::move(orders), outcomes, job);
  return outcomes;
}

}  // namespace iii::sources
