// Installing: one bundle, or many as a batch with one fetch, one swap and one change of the lock.
#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "directory/risks/scan.h"
#include "directory/search/token_budget.h"
#include "directory/sources/downloads.h"
#include "foundation/base/counted.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

// A batch is written when it has this many namespaces (each holds an open file) or bytes.
constexpr size_t kMaxNamespaces = 256;
constexpr uint64_t kMaxBatchBytes = 64ULL * 1024 * 1024;
constexpr size_t kMaxPlanDiffBytes = 1024 * 1024;  // of all plans of one answer together

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
  if (!locked.resolved.empty()) report.resolved = locked.resolved;
  report.digest = locked.digest();
  report.source = source_json(locked.source, locked.branch);
  for (const auto& [path, file] : locked.files) report.unchanged.push_back(path);
  return report;
}

Error nothing_locked() {
  return {"D310",
          "D310 not_found: there is no directory.lock in the skills folder, so there is nothing to "
          "restore. Next: call directory::skills::download with a source."};
}

InstallOptions options_for(const Request& request) {
  return {.force = request.force,
          .automatic = request.automatic,
          .dry_run = request.dry_run,
          .accept_risks = request.accept_risks};
}

// A namespace on its way into the skills folder.
struct Item {
  size_t outcome = 0;  // where its end belongs
  Source asked;
  Bundle bundle;
  InstallOptions options;
  std::vector<FileRisk> risks = {};
};

// For those who want to know before anything is written; nothing when there are no findings.
std::optional<Error> unconfirmed(const std::vector<Item>& items) {
  constexpr size_t kNamed = 50;
  std::string named;
  size_t count = 0;
  for (const Item& item : items) {
    for (FileRisk risk : item.risks) {
      if (++count > kNamed) continue;
      if (items.size() > 1) {
        risk.path = namespace_of(item.bundle.source) + "/" + risk.path.value_or("");
      }
      named += "  " + where(risk) + ": " + printable(risk.message) +
               (risk.excerpt.empty() ? "" : ": " + printable(risk.excerpt)) + "\n";
    }
  }
  if (count == 0) return std::nullopt;
  if (count > kNamed) named += "  and " + std::to_string(count - kNamed) + " more\n";
  return Error{"D338", "D338 risks_unconfirmed: " + counted(count, "finding") +
                           " to look at before trusting these files:\n" + named +
                           "Nothing was written. Next: read these files, then call again without "
                           "`stop_at_risks`."};
}

}  // namespace

// Fetched bundles: examined, confirmed and written together.
class Downloads::Batch {
 public:
  // `job` is the time for each of them: its deadline moves on with every one that comes.
  // `stop_at_risks`: all are examined before any is written.
  Batch(Downloads& downloads, std::vector<NamespaceResult>& outcomes, Job& job, bool stop_at_risks)
      : downloads_(downloads), outcomes_(outcomes), job_(job), stop_at_risks_(stop_at_risks) {}

  void add(const Order& order, Result<Bundle> bundle) {
    renew();
    if (!bundle) return refuse(order.outcome, bundle.error());
    Item item{.outcome = order.outcome,
              .asked = order.source,
              .bundle = std::move(*bundle),
              .options = order.options};
    if (const auto& exactly = order.options.exactly) {
      // The lock keeps what was asked; only the fetching was by exact version.
      item.asked = item.bundle.source = exactly->source;
      item.bundle.branch = exactly->branch;
    }
    downloads_.drop_executable_bits(item.bundle);
    for (const BundleFile& file : item.bundle.files) bytes_ += file.bytes.size();
    items_.push_back(std::move(item));
    const bool full = items_.size() >= kMaxNamespaces || bytes_ >= kMaxBatchBytes;
    if (full && !stop_at_risks_) static_cast<void>(write());
  }

  Result<void> write() {
    examine();
    const auto stopped = stop_at_risks_ ? unconfirmed(items_) : std::nullopt;
    if (stopped) return std::unexpected(*stopped);
    for (size_t from = 0; from < items_.size(); from += kMaxNamespaces) {
      write_some(
          std::span(items_).subspan(from).first(std::min(kMaxNamespaces, items_.size() - from)));
    }
    items_.clear();
    bytes_ = 0;
    return {};
  }

 private:
  void renew() { job_.deadline = downloads_.job_like(job_).deadline; }
  void refuse(size_t outcome, const Error& error) { outcomes_[outcome].error = error.message; }
  void report(Item& item, InstallReport done) {
    complete_plan(item, done);
    done.risks = std::move(item.risks);
    done.source = source_json(item.asked, item.bundle.branch);
    outcomes_[item.outcome].ok = true;
    outcomes_[item.outcome].report = std::move(done);
  }
  // Of a dry run: what reading the files would cost, and bounded differences.
  void complete_plan(const Item& item, InstallReport& report);
  // Looks for findings about the files. What may not be written because of them is left out.
  void examine();
  // As one swap.
  void write_some(std::span<Item> items) {
    std::vector<Package> packages;
    for (const Item& item : items) {
      packages.push_back({.bundle = &item.bundle, .options = &item.options});
    }
    auto reports = downloads_.installer_.install_all(packages, job_);
    for (size_t i = 0; i < reports.size(); ++i) {
      reports[i] ? report(items[i], std::move(*reports[i]))
                 : refuse(items[i].outcome, reports[i].error());
    }
    renew();
  }

  Downloads& downloads_;
  std::vector<NamespaceResult>& outcomes_;
  Job& job_;
  const bool stop_at_risks_;
  std::vector<Item> items_;
  uint64_t bytes_ = 0;
  size_t diff_bytes_ = 0;  // of the plans so far
};

void Downloads::Batch::complete_plan(const Item& item, InstallReport& report) {
  for (FileDiff& file : report.files) {
    const auto coming = std::ranges::find(item.bundle.files, file.path, &BundleFile::path);
    if (coming != item.bundle.files.end() && coming->role != FileRole::kAsset) {
      file.tokens = search::estimate_tokens(coming->bytes);
    }
    diff_bytes_ += file.diff.size();
    if (file.diff.empty() || diff_bytes_ <= kMaxPlanDiffBytes) continue;
    file.diff.clear();
    file.note = "not shown: the differences are too large together; call directory::lock::diff";
  }
}

void Downloads::Batch::examine() {
  const Result<LockPtr> lock = downloads_.lock();  // its errors are the installer's to report
  uint64_t files = 0;
  for (const Item& item : items_) files += item.bundle.files.size();
  uint64_t examined = 0;
  std::vector<Item> allowed;
  for (Item& item : items_) {
    job_.tell({.step = "checking", .done = examined, .total = files});
    examined += item.bundle.files.size();
    InstallOptions& options = item.options;
    const std::string& name = namespace_of(item.bundle.source);
    InstalledText installed;
    if (const LockedNamespace* before = lock ? (*lock)->find(name) : nullptr) {
      options.accepted = still_accepted(item.bundle, before->accepted);
      installed = installed_texts(downloads_.options_.skills_folder, name);
    }
    item.risks = scan_bundle(item.bundle, downloads_.options_.scan, options.accepted, installed,
                             options.accept_risks);
    if (options.accept_risks) accept(options.accepted, item.bundle, item.risks);
    if (options.exactly) options.exactly->accepted = options.accepted;
    const bool any = options.accept_risks || options.dry_run;
    if (const auto checked = any ? Result<void>() : check_risks(item.risks); !checked) {
      refuse(item.outcome, checked.error());
    } else {
      allowed.push_back(std::move(item));
    }
  }
  items_ = std::move(allowed);
}

Result<void> Downloads::fetch_and_install(const std::vector<Order>& orders,
                                          std::vector<NamespaceResult>& outcomes, const Job& job,
                                          bool stop_at_risks) {
  Job own = job_like(job);
  Batch batch(*this, outcomes, own, stop_at_risks);
  // Those of one repository and ref are fetched together.
  std::map<std::string, std::vector<const Order*>> groups;
  for (const Order& order : orders) {
    if (const auto* repo = std::get_if<RepoSource>(&order.source)) {
      groups[repository_and_ref(*repo)].push_back(&order);
    } else {
      batch.add(order, fetch(order, own));
    }
  }
  for (const auto& [key, group] : groups) {
    std::vector<WantedSkill> skills;
    for (const Order* order : group) {
      skills.push_back({.source = std::get<RepoSource>(order->source),
                        .may_have_moved = order->may_have_moved,
                        .declared_name = order->declared_name});
    }
    const Result<void> fetched = fetch_several(
        skills, own,
        [&](size_t index, Result<Bundle> bundle) { batch.add(*group[index], std::move(bundle)); });
    if (fetched) continue;
    for (const Order* order : group) batch.add(*order, std::unexpected(fetched.error()));
  }
  return batch.write();
}

Result<Downloads::Targets> Downloads::targets(const Request& request) const {
  Targets out;
  for (const Source& source : request.sources) out.emplace(namespace_of(source), source);
  if (request.action == Request::Action::kInstall) return out;
  if (request.action == Request::Action::kRestore && !has(std::string(kLockFileName))) {
    return std::unexpected(nothing_locked());
  }
  const auto namespaces = locked(request.name_space);
  if (!namespaces) return std::unexpected(namespaces.error());
  for (const auto& [name, entry] : *namespaces) out.emplace(name, entry.source);
  return out;
}

// Of an update or a restoration.
Result<void> Downloads::order_locked(const Request& request, std::vector<Order>& orders,
                                     std::vector<NamespaceResult>& outcomes) const {
  const auto namespaces = locked(request.name_space);
  if (!namespaces) return std::unexpected(namespaces.error());
  const bool restore = request.action == Request::Action::kRestore;
  std::set<std::string> intact;
  if (restore) {
    const auto verified = installer_.verify(request.name_space);
    for (const VerifiedNamespace& one : verified.value_or(std::vector<VerifiedNamespace>())) {
      if (all_intact(one)) intact.insert(one.name_space);
    }
  }
  for (const auto& [name, entry] : *namespaces) {
    if (!restore && !request.name_space && entry.pinned()) continue;
    outcomes.push_back({.name_space = name, .before = entry.resolved});
    if (intact.contains(name)) {
      outcomes.back().report = as_it_is(name, entry);
      outcomes.back().ok = true;
      continue;
    }
    // Somebody deleted it, and did not ask for it now.
    if (!restore && !request.name_space && !request.force && !has(name)) {
      outcomes.back().error = deleted_here(name).message;
      continue;
    }
    orders.push_back({.outcome = outcomes.size() - 1,
                      .source = restore ? exact_source(entry) : entry.source,
                      .options = options_for(request)});
    Order& order = orders.back();
    order.options.automatic = entry.automatic;
    if (restore) {
      order.options.exactly = entry;
    } else {
      order.may_have_moved = true;
      order.declared_name = declared_name(name, entry);
    }
  }
  return {};
}

Result<std::vector<NamespaceResult>> Downloads::run(const Request& request, const Job& job) {
  std::vector<NamespaceResult> outcomes;
  std::vector<Order> orders;
  for (const Source& source : request.sources) {
    orders.push_back(
        {.outcome = outcomes.size(), .source = source, .options = options_for(request)});
    outcomes.push_back({.name_space = namespace_of(source)});
  }
  if (request.action != Request::Action::kInstall) {
    const auto ordered = order_locked(request, orders, outcomes);
    if (!ordered) return std::unexpected(ordered.error());
  }
  const bool stop = request.stop_at_risks && !request.dry_run;
  const auto written = fetch_and_install(orders, outcomes, job, stop);
  if (!written) return std::unexpected(written.error());
  return outcomes;
}

}  // namespace iii::sources
