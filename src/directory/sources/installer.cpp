#include "directory/sources/installer.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "directory/sources/installation.h"
#include "directory/sources/namespace_diff.h"
#include "foundation/base/utf8.h"

namespace iii::sources {

namespace {

constexpr int kMaxAttempts = 3;  // `directory.lock` may change between plan and swap

std::unexpected<Error> busy(std::string_view name_space, const std::string& what) {
  return fail("D331", "D331 busy: " + what + " Namespace `" + std::string(name_space) +
                          "` is as it was. Next: try again in a moment.");
}

Error twice(std::string_view name_space) {
  return {"D311", "D311 invalid_input: `" + std::string(name_space) +
                      "` is to be installed twice at once. Next: name another namespace with `as`"};
}

Error as_write_error(const Error& error, std::string_view name_space) {
  if (error.code == "busy") {
    return busy(name_space, "another process is writing or reading here, and the time is up.")
        .error();
  }
  if (error.code == "late") return busy(name_space, "the time is up.").error();
  return error.code.starts_with('D') ? error : write_failed(error, name_space);
}

}  // namespace

struct Installer::Impl {
  Result<FolderWriter> open_to_write(const std::string& name_space) const;
  Result<std::unique_ptr<Plan>> plan(const Package& package,
                                     const std::optional<std::string>& path);
  void write(const FolderWriter& root, const std::vector<Package>& packages,
             const std::vector<size_t>& chosen, const Job& job,
             std::vector<Result<InstallReport>>& reports);

  std::filesystem::path folder;
  FolderWriter::Fault fault;
  LockReader lock;
};

Result<FolderWriter> Installer::Impl::open_to_write(const std::string& name_space) const {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  Result<FolderWriter> root = FolderWriter::open(folder, Resolver::kAuto, fault);
  if (!root && failed) {
    return std::unexpected(write_failed(
        {"denied", "the skills folder cannot be made: " + failed.message()}, name_space));
  }
  if (!root) return std::unexpected(write_failed(root.error(), name_space));
  Result<void> made = root->make_folders(kNamespaceLocks);
  if (made) made = root->make_folders(kStagingFolder);
  const std::string ignore = below(kOwnFolder, ".gitignore");
  // `directory.lock` is meant to be committed, this is not.
  if (made && !root->exists(ignore)) {
    made = root->create(ignore, "*\n");
    if (!made && made.error().code == "exists") made = {};
  }
  if (!made) return std::unexpected(write_failed(made.error(), name_space));
  return root;
}

Installer::Installer(std::filesystem::path skills_folder, FolderWriter::Fault fault)
    : impl_(std::make_unique<Impl>()) {
  impl_->folder = std::move(skills_folder);
  impl_->fault = std::move(fault);
}

Installer::~Installer() = default;

Result<InstallReport> Installer::install(const Bundle& bundle, const InstallOptions& options,
                                         const Job& job) {
  return std::move(install_all({{.bundle = &bundle, .options = &options}}, job).front());
}

std::vector<Result<InstallReport>> Installer::install_all(const std::vector<Package>& packages,
                                                          const Job& job) {
  std::vector<Result<InstallReport>> reports(packages.size());
  // Namespaces are held in one order by everybody.
  std::vector<size_t> order(packages.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t index) -> const std::string& {
    return namespace_of(packages[index].bundle->source);
  });
  std::optional<FolderWriter> root;
  std::map<std::string, FileLock> locks;
  std::vector<size_t> held;
  for (const size_t index : order) {
    const Package& package = packages[index];
    const std::string& name = namespace_of(package.bundle->source);
    Result<void> ready = check_bundle(package);
    if (ready && package.options->dry_run) {
      Result<std::unique_ptr<Plan>> plan = impl_->plan(package, {});
      if (plan) reports[index] = std::move((*plan)->report);
      if (!plan) reports[index] = std::unexpected(plan.error());
      continue;
    }
    if (ready && locks.contains(name)) ready = std::unexpected(twice(name));
    if (ready && !root) {
      Result<FolderWriter> opened = impl_->open_to_write(name);
      if (opened) root.emplace(std::move(*opened));
      if (!opened) ready = std::unexpected(opened.error());
    }
    if (ready) {
      Result<FileLock> lock = FileLock::wait(*root, below(kNamespaceLocks, name), job);
      if (lock) locks.emplace(name, std::move(*lock));
      if (!lock) ready = std::unexpected(as_write_error(lock.error(), name));
    }
    if (ready) held.push_back(index);
    if (!ready) reports[index] = std::unexpected(ready.error());
  }
  // Each of them has the whole time for itself.
  Job writing = job;
  constexpr auto kNever = std::chrono::steady_clock::time_point::max();
  if (held.size() > 1 && job.deadline != kNever) {
    writing.deadline += job.allowed * static_cast<int64_t>(held.size() - 1);
  }
  if (!held.empty()) impl_->write(*root, packages, held, writing, reports);
  return reports;
}

// Nothing is held: the plan is of a moment when no swap was under way.
Result<std::unique_ptr<Plan>> Installer::Impl::plan(const Package& package,
                                                    const std::optional<std::string>& path) {
  Result<std::unique_ptr<Plan>> plan;
  const auto make = [&](const FolderWriter& root, const Lock& now) -> Result<void> {
    plan = make_plan(root, package, now);
    if (plan) (*plan)->report.files = files_of(root, **plan, *package.bundle, path);
    return {};
  };
  const Result<void> done = read_whole(folder, lock, make);
  return done ? std::move(plan) : std::unexpected(done.error());
}

Result<NamespaceDiff> Installer::diff(const Bundle& bundle,
                                      const std::optional<std::string>& path) const {
  const InstallOptions options{.force = true, .dry_run = true};
  const Package package{.bundle = &bundle, .options = &options};
  if (const Result<void> fits = check_bundle(package); !fits) return std::unexpected(fits.error());
  const Result<std::unique_ptr<Plan>> made = impl_->plan(package, path);
  if (!made) return std::unexpected(made.error());
  const Plan& plan = **made;
  const bool here = path && plan.before && plan.before->find(*path) != nullptr;
  const bool in_source =
      path && std::ranges::find(bundle.files, *path, &BundleFile::path) != bundle.files.end();
  if (path && !here && !in_source) {
    return fail("D310", "D310 not_found: neither the namespace nor its source has the file \"" +
                            printable(*path) +
                            "\". Next: call directory::lock::diff without `path` to see all.");
  }
  return NamespaceDiff{.name_space = plan.name_space,
                       .current = plan.before ? plan.before->resolved : "",
                       .latest = bundle.resolved,
                       .files = plan.report.files,
                       .unchanged = plan.report.unchanged.size()};
}

Result<RemoveReport> Installer::remove(const std::string& name_space, const InstallOptions& options,
                                       const Job& job) {
  const Result<LockPtr> lock = this->lock();
  if (!lock) return std::unexpected(lock.error());
  const LockedNamespace* const locked = (*lock)->find(name_space);
  if (locked == nullptr) return std::unexpected(no_such_namespace(**lock, name_space));
  const Bundle nothing{.source = locked->source};
  InstallOptions own = options;
  own.remove = true;
  Result<InstallReport> report = install(nothing, own, job);
  if (!report) return std::unexpected(report.error());
  return RemoveReport{.name_space = std::move(report->name_space),
                      .removed = std::move(report->pruned),
                      .kept = std::move(report->conflicts)};
}

// The namespaces are held.
void Installer::Impl::write(const FolderWriter& root, const std::vector<Package>& packages,
                            const std::vector<size_t>& chosen, const Job& job,
                            std::vector<Result<InstallReport>>& reports) {
  std::vector<Package> together;
  for (const size_t index : chosen) together.push_back(packages[index]);
  const auto name_of = [&](size_t index) -> const std::string& {
    return namespace_of(packages[index].bundle->source);
  };
  Error error{"again", ""};
  for (int attempt = 0; attempt < kMaxAttempts && error.code == "again"; ++attempt) {
    Result<Installation::Reports> done = Installation(root, together, lock, job).run();
    if (!done) {
      error = std::move(done.error());
      continue;
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
      Result<InstallReport>& report = (*done)[i];
      if (!report) report = std::unexpected(as_write_error(report.error(), name_of(chosen[i])));
      reports[chosen[i]] = std::move(report);
    }
    return;
  }
  // What stands in the way of one namespace does not concern the others.
  constexpr std::array<std::string_view, 4> kForAll = {"again", "busy", "late", "D333"};
  const bool alone =
      chosen.size() == 1 || std::ranges::count(kForAll, error.code) > 0 || job.should_stop();
  for (const size_t index : chosen) {
    if (!alone) {
      write(root, packages, {index}, job, reports);
    } else if (error.code == "again") {
      reports[index] = busy(name_of(index), "another process keeps changing `directory.lock`.");
    } else {
      reports[index] = std::unexpected(as_write_error(error, name_of(index)));
    }
  }
}

Result<LockPtr> Installer::lock() const {
  const Result<FolderWriter> root = FolderWriter::open_to_read(impl_->folder);
  if (!root) return std::unexpected(unreadable_lock(root.error()));
  return impl_->lock.read(*root);
}

bool Installer::has(const std::string& path) const {
  const Result<FolderWriter> root = FolderWriter::open_to_read(impl_->folder);
  return root && root->exists(path);
}

Result<void> Installer::record_fixes(const std::vector<FixedFile>& files, const Job& job) {
  if (files.empty() || !has(std::string(kLockFileName))) return {};
  const std::string name = files.front().path.substr(0, files.front().path.find('/'));
  const Result<FolderWriter> root = impl_->open_to_write(name);
  if (!root) return std::unexpected(root.error());
  const Result<SwapLock> held = begin_swap(*root, job);
  if (!held) return std::unexpected(as_write_error(held.error(), name));
  const Result<LockPtr> before = impl_->lock.read(*root);
  if (!before) return std::unexpected(before.error());
  Lock lock = **before;
  for (const FixedFile& file : files) {
    const size_t slash = std::min(file.path.find('/'), file.path.size());
    const auto entry = lock.namespaces.find(file.path.substr(0, slash));
    if (entry == lock.namespaces.end() || slash == file.path.size()) continue;
    const auto known = entry->second.files.find(file.path.substr(slash + 1));
    if (known == entry->second.files.end() || !known->second.is_ours(file.before)) continue;
    known->second.fixed = file.after == known->second.sha256 ? std::string() : file.after;
  }
  if (lock == **before) return {};
  const Result<void> done = replace_lock(*root, name, lock);
  if (!done) return std::unexpected(as_write_error(done.error(), name));
  return {};
}

Result<std::vector<VerifiedNamespace>> Installer::verify(
    const std::optional<std::string>& name_space) const {
  Result<std::vector<VerifiedNamespace>> verified;
  const auto compare = [&](const FolderWriter& root, const Lock& lock) -> Result<void> {
    verified = verify_files(root, lock, name_space);
    return {};
  };
  const Result<void> done = read_whole(impl_->folder, impl_->lock, compare);
  return done ? std::move(verified) : std::unexpected(done.error());
}

}  // namespace iii::sources
