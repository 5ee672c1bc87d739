#include "directory/sources/installer_remove.h"

#include <set>

#include "directory/sources/installation.h"
#include "directory/sources/installer_locks.h"
#include "directory/sources/installer_plan.h"
#include "directory/sources/installer_verify.h"
#include "directory/sources/journal.h"
#include "foundation/base/text.h"
#include "foundation/base/uuid.h"

namespace iii::sources {

namespace {

std::unexpected<Error> not_installed(const std::string& name, const Lock& lock) {
  std::vector<std::string> names;
  for (const auto& [known, locked] : lock.namespaces) names.push_back(known);
  const std::string_view meant = nearest(name, names);
  return fail("D310", "D310 not_found: directory.lock has no namespace \"" + name + "\"." +
                          (meant.empty() ? "" : " Did you mean: " + std::string(meant) + ".") +
                          " Next: call directory::lock::verify to see what is installed; delete "
                          "other folders yourself.");
}

Result<RemoveReport> plan(const std::filesystem::path& folder, const std::string& name,
                          bool force) {
  const Result<std::vector<VerifiedNamespace>> verified = verify_folder(folder, name);
  if (!verified) return std::unexpected(verified.error());
  RemoveReport out{.name_space = name, .removed = {}, .kept = {}};
  for (const VerifiedNamespace& one : *verified) {
    for (const VerifiedFile& file : one.files) {
      if (file.state == FileState::kMissing) continue;
      const bool ours = file.state == FileState::kIntact || file.state == FileState::kMode;
      (ours || force ? out.removed : out.kept).push_back(file.path);
    }
  }
  return out;
}

// One removal; the namespace is held by the caller.
class Removal {
 public:
  Removal(const FolderWriter& root, const RemoveReport& report) : root_(root) {
    journal_.namespaces = {report.name_space};
    journal_.stage =
        below(kStagingFolder, report.name_space + "~" + RandomIds().next().to_string());
    paths_ = report.removed;
    paths_.emplace_back(kMarkerName);
  }

  // The swap lock is held by the caller. What was changed meanwhile is kept, and named.
  Result<std::vector<std::string>> run(Lock lock) {
    lock.namespaces.erase(name());
    Result<void> done = root_.make_folders(journal_.stage);
    if (done) done = add_files();
    if (done) done = add_lock(lock);
    if (done) done = open_journal();
    if (!done) {
      sweep_stage(root_, journal_.stage);
      return std::unexpected(write_failed(done.error(), name()));
    }
    Result<std::vector<std::string>> kept = finish(root_, journal_);
    if (kept) {
      if (done = close_journal(root_, journal_); done) return kept;
    }
    const Error error = kept ? done.error() : kept.error();
    Result<void> undone = turn_back(root_, journal_);
    if (undone) undone = close_journal(root_, journal_);
    return std::unexpected(write_failed(error, name(), undone.has_value()));
  }

 private:
  const std::string& name() const { return journal_.namespaces.front(); }
  std::string in_stage(std::string_view name) const { return below(journal_.stage, name); }

  Result<void> add_files() {
    std::set<std::string> folders{name()};
    for (const std::string& inner : paths_) {
      Step step{.path = below(name(), inner), .was = {}, .now = std::string(kAbsent)};
      const Result<std::string> was = state_of(root_, step.path);
      if (!was) return std::unexpected(was.error());
      if (*was == kAbsent || *was == kFolderState) continue;
      step.was = *was;
      step.backup = "old" + std::to_string(journal_.steps.size());
      if (auto saved = back_up(step); !saved) return saved;
      for (size_t slash = step.path.rfind('/'); slash != std::string::npos;
           slash = step.path.rfind('/', slash - 1)) {
        folders.insert(step.path.substr(0, slash));
        if (slash == 0) break;
      }
      journal_.steps.push_back(std::move(step));
    }
    journal_.emptied.assign(folders.rbegin(), folders.rend());  // inner ones first
    return {};
  }

  Result<void> back_up(const Step& step) {
    Result<void> saved = root_.link(step.path, in_stage(step.backup));
    if (saved || saved.error().code != "no_links") return saved;
    const Result<std::string> bytes = root_.read(step.path, kMaxBackupBytes);
    if (!bytes) return std::unexpected(bytes.error());
    return root_.create(in_stage(step.backup), *bytes,
                        root_.mode(step.path).value_or(FolderWriter::kUsualMode));
  }

  Result<void> add_lock(const Lock& lock) {
    const std::string text = render_lock(lock);
    const Result<std::string> was = state_of(root_, kLockFileName);
    if (!was) return std::unexpected(was.error());
    Step step{.path = std::string(kLockFileName),
              .was = *was,
              .now = state_of_bytes(text),
              .staged = "lock"};
    step.backup = "old-lock";
    if (auto saved = back_up(step); !saved) return saved;
    journal_.steps.push_back(std::move(step));
    return root_.create(in_stage("lock"), text,
                        root_.mode(kLockFileName).value_or(FolderWriter::kUsualMode));
  }

  // From here on the removal will be finished or undone, whatever happens.
  Result<void> open_journal() {
    Result<void> done = root_.create(in_stage(kForwardName), "");
    if (done) done = root_.create(in_stage("journal"), render_journal(journal_));
    for (const std::string_view folder :
         {std::string_view(journal_.stage), kStagingFolder, kOwnFolder}) {
      if (done) done = root_.sync_folder(folder);
    }
    if (done) done = root_.rename(in_stage("journal"), kJournalPath);
    return done ? root_.sync_folder(kOwnFolder) : done;
  }

  const FolderWriter& root_;
  Journal journal_;
  std::vector<std::string> paths_;  // below the namespace
};

Result<void> check_installed(const FolderWriter& root, const std::string& name, Lock* out) {
  const Result<Lock> lock = read_lock(root);
  if (!lock) return std::unexpected(lock.error());
  if (!lock->namespaces.contains(name)) return not_installed(name, *lock);
  if (out != nullptr) *out = *lock;
  return {};
}

}  // namespace

Result<RemoveReport> plan_removal(const std::filesystem::path& skills_folder,
                                  const std::string& name_space, bool force) {
  const Result<FolderWriter> root = FolderWriter::open(skills_folder);
  if (!root && root.error().code == "missing") return not_installed(name_space, {});
  if (!root) return std::unexpected(write_failed(root.error(), name_space));
  if (auto known = check_installed(*root, name_space, nullptr); !known) {
    return std::unexpected(known.error());
  }
  return plan(skills_folder, name_space, force);
}

Result<RemoveReport> remove_namespace(const std::filesystem::path& skills_folder,
                                      const std::string& name_space, bool force, const Job& job,
                                      FolderWriter::Fault fault) {
  if (auto known = plan_removal(skills_folder, name_space, force); !known) return known;
  const Result<FolderWriter> root =
      FolderWriter::open(skills_folder, Resolver::kAuto, std::move(fault));
  if (!root) return std::unexpected(write_failed(root.error(), name_space));
  for (const std::string_view folder : {kNamespaceLocks, kStagingFolder}) {
    if (auto made = root->make_folders(folder); !made) {
      return std::unexpected(write_failed(made.error(), name_space));
    }
  }
  const Result<FileLock> held = FileLock::wait(*root, below(kNamespaceLocks, name_space), job);
  if (!held) return std::unexpected(write_failed(held.error(), name_space));
  Result<RemoveReport> report = plan(skills_folder, name_space, force);
  if (!report) return report;
  const Result<SwapLock> swap = SwapLock::wait(*root, job);
  if (!swap) return std::unexpected(write_failed(swap.error(), name_space));
  if (const Result<Recovery> recovered = recover(*root); !recovered) {
    return std::unexpected(write_failed(recovered.error(), name_space));
  }
  Lock lock;
  if (auto known = check_installed(*root, name_space, &lock); !known) {
    return std::unexpected(known.error());
  }
  if (job.should_stop()) return fail("D331", "D331 busy: the time is up. Nothing was removed.");
  const Result<std::vector<std::string>> kept = Removal(*root, *report).run(std::move(lock));
  if (!kept) return std::unexpected(kept.error());
  for (const std::string& path : *kept) {
    if (!path.starts_with(name_space + "/")) continue;  // `directory.lock`
    const std::string inner = path.substr(name_space.size() + 1);
    std::erase(report->removed, inner);
    report->kept.push_back(inner);
  }
  return report;
}

}  // namespace iii::sources
