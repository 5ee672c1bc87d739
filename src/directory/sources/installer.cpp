#include "directory/sources/installer.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <numeric>
#include <set>

#include "directory/sources/installation.h"
#include "directory/sources/installer_locks.h"
#include "directory/sources/installer_plan.h"
#include "directory/sources/installer_verify.h"
#include "directory/sources/journal.h"

namespace iii::sources {

namespace {

constexpr int kMaxAttempts = 3;  // the lock file may change under our hands

std::unexpected<Error> busy(std::string_view name_space, const std::string& what) {
  return fail("D331", "D331 busy: " + what + " Namespace `" + std::string(name_space) +
                          "` is as it was. Next: try again in a moment.");
}

Error as_write_error(const Error& error, std::string_view name_space) {
  if (error.code == "busy") {
    return busy(name_space, "somebody else is writing or reading here, and the time is up.")
        .error();
  }
  if (error.code == "late") return busy(name_space, "the time is up.").error();
  return error.code.starts_with('D') ? error : write_failed(error, name_space);
}

}  // namespace

struct Installer::Impl {
  Result<FolderWriter> open() const { return FolderWriter::open(folder, Resolver::kAuto, fault); }
  Result<FolderWriter> open_to_write(const std::string& name_space) const;
  void write(const FolderWriter& root, const std::vector<Package>& packages,
             const std::vector<size_t>& chosen, const Job& job,
             std::vector<Result<InstallReport>>& reports);

  std::filesystem::path folder;
  FolderWriter::Fault fault;
  mutable std::mutex lock_mutex;
  mutable LockPtr known_lock;    // as it was parsed last, under lock_mutex
  mutable FileStamp lock_stamp;  // of the file then
};

Result<FolderWriter> Installer::Impl::open_to_write(const std::string& name_space) const {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  Result<FolderWriter> root = open();
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

// Holds the namespaces of several packages, in one order for everybody.
class Installer::Holding {
 public:
  explicit Holding(const Job& job) : job_(job) {}

  Result<void> take(const FolderWriter& root, const std::string& name) {
    if (names_.contains(name)) {
      return fail("D311",
                  "D311 invalid_input: `" + name +
                      "` is to be installed twice at once. Next: name another namespace with `as`");
    }
    Result<FileLock> lock = FileLock::wait(root, below(kNamespaceLocks, name), job_);
    if (!lock) return std::unexpected(as_write_error(lock.error(), name));
    names_.insert(name);
    locks_.push_back(std::move(*lock));
    return {};
  }

 private:
  const Job& job_;
  std::set<std::string> names_;
  std::vector<FileLock> locks_;
};

Result<InstallReport> Installer::install(const Bundle& bundle, const InstallOptions& options,
                                         const Job& job) {
  return std::move(install_all({{.bundle = &bundle, .options = &options}}, job).front());
}

std::vector<Result<InstallReport>> Installer::install_all(const std::vector<Package>& packages,
                                                          const Job& job) {
  const auto name_of = [&](size_t index) -> const std::string& {
    return namespace_of(packages[index].bundle->source);
  };
  std::vector<size_t> order(packages.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, name_of);
  std::vector<Result<InstallReport>> reports(packages.size());
  Holding holding(job);
  std::optional<FolderWriter> root;
  std::vector<size_t> held;
  for (const size_t index : order) {
    Result<void> ready = check_bundle(*packages[index].bundle, *packages[index].options);
    if (ready && !root) {
      Result<FolderWriter> opened = impl_->open_to_write(name_of(index));
      if (opened) root.emplace(std::move(*opened));
      if (!opened) ready = std::unexpected(opened.error());
    }
    if (ready) ready = holding.take(*root, name_of(index));
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
    Result<Installation::Reports> done = Installation(root, together, job).run();
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
      reports[index] = busy(name_of(index), "somebody else keeps changing `directory.lock`.");
    } else {
      reports[index] = std::unexpected(as_write_error(error, name_of(index)));
    }
  }
}

Result<LockPtr> Installer::shared_lock() const {
  const Result<FolderWriter> root = impl_->open();
  if (!root && root.error().code == "missing") return std::make_shared<const Lock>();
  if (!root) return std::unexpected(unreadable_lock(root.error()));
  const Result<FileStatus> status = root->look(kLockFileName);
  const std::lock_guard held(impl_->lock_mutex);
  if (status && impl_->known_lock && impl_->lock_stamp == status->stamp) return impl_->known_lock;
  impl_->known_lock = nullptr;
  Result<Lock> lock = read_lock(*root);
  if (!lock) return std::unexpected(std::move(lock.error()));
  LockPtr shared = std::make_shared<const Lock>(std::move(*lock));
  // A file that was written a moment ago may change again without another stamp.
  if (status && status->stamp.settled(file_clock_ns())) {
    impl_->known_lock = shared;
    impl_->lock_stamp = status->stamp;
  }
  return shared;
}

Result<Lock> Installer::lock() const {
  const Result<LockPtr> lock = shared_lock();
  if (!lock) return std::unexpected(lock.error());
  return **lock;
}

bool Installer::has_lock_file() const {
  const Result<FolderWriter> root = impl_->open();
  return root && root->exists(kLockFileName);
}

bool Installer::has_folder(const std::string& name_space) const {
  const Result<FolderWriter> root = impl_->open();
  return root && root->exists(name_space);
}

Result<void> Installer::record_fixes(const std::vector<FixedFile>& files, const Job& job) {
  if (files.empty() || !has_lock_file()) return {};
  const std::string name = files.front().path.substr(0, files.front().path.find('/'));
  const Result<FolderWriter> root = impl_->open_to_write(name);
  if (!root) return std::unexpected(root.error());
  const Result<SwapLock> held = SwapLock::wait(*root, job);
  if (!held) return std::unexpected(as_write_error(held.error(), name));
  if (const Result<Recovery> recovered = recover(*root); !recovered) {
    return std::unexpected(as_write_error(recovered.error(), name));
  }
  const Result<Lock> before = read_lock(*root);
  if (!before) return std::unexpected(before.error());
  Lock lock = *before;
  for (const FixedFile& file : files) {
    const size_t slash = std::min(file.path.find('/'), file.path.size());
    const auto entry = lock.namespaces.find(file.path.substr(0, slash));
    if (entry == lock.namespaces.end() || slash == file.path.size()) continue;
    const auto known = entry->second.files.find(file.path.substr(slash + 1));
    if (known == entry->second.files.end() || !known->second.is_ours(file.before)) continue;
    known->second.fixed = file.after == known->second.sha256 ? std::string() : file.after;
  }
  if (lock == *before) return {};
  const Result<void> done = replace_lock(*root, name, lock);
  if (!done) return std::unexpected(as_write_error(done.error(), name));
  return {};
}

Result<std::vector<VerifiedNamespace>> Installer::verify(
    const std::optional<std::string>& name_space) const {
  return verify_folder(impl_->folder, name_space);
}

Result<std::vector<VerifiedNamespace>> Installer::compare_stamps() const {
  return verify_folder(impl_->folder, std::nullopt, true);
}

bool Installer::has_marker(const std::string& name_space) const {
  const Result<FolderWriter> root = impl_->open();
  return root && root->exists(below(name_space, kMarkerName));
}

}  // namespace iii::sources
