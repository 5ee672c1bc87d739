#include "directory/sources/installer_plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "foundation/base/check.h"
#include "foundation/base/utf8.h"
#include "foundation/json/write.h"

namespace iii::sources {

LockedNamespace locked_as(const Bundle& bundle, const InstallOptions& options) {
  if (options.exactly) return *options.exactly;
  LockedNamespace locked{.source = bundle.source,
                         .resolved = bundle.resolved,
                         .branch = bundle.branch,
                         .folder = bundle.folder,
                         .automatic = options.automatic,
                         .tree = bundle.tree,
                         .files = {},
                         .accepted = options.accepted};
  for (const BundleFile& file : bundle.files) {
    locked.files[file.path] = {
        .sha256 = file.sha256, .size = file.bytes.size(), .executable = file.executable};
  }
  // So that what is read back from the lock is what is compared here.
  for (std::string* const text : {&locked.resolved, &locked.branch, &locked.folder}) {
    if (!is_utf8(*text)) *text = printable(*text);
  }
  return locked;
}

namespace {

std::string advice_for(const std::string& code) {
  if (code == "full") return "make room on the disk, then try again";
  if (code == "denied") return "allow this program to write to the skills folder";
  if (code == "link" || code == "outside") {
    return "replace the link by a folder of its own, or remove it, then download again";
  }
  if (code == "exists") return "move it aside, then download again";
  return "check the disk, then download again";
}

std::unexpected<Error> not_as_locked(const std::string& reason) {
  return fail("D332",
              "D332 lock_mismatch: what the source delivers is not what `directory.lock` "
              "says: " +
                  reason +
                  ". Nothing was written. Next: call directory::lock::update "
                  "if the change is wanted.");
}

std::vector<std::string> folders_above(const std::string& path) {
  std::vector<std::string> folders;
  for (size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    folders.push_back(path.substr(0, at));
  }
  return folders;
}

// Byte by byte what the published worker writes (directory-write §6).
std::string marker_text(const RegistrySource& source) {
  std::string text = "{\n  \"worker\": ";
  json::append_string(text, source.worker);
  text += ",\n  \"source\": \"registry\",\n  \"tag_or_version\": ";
  json::append_string(text, source.selector());
  text += ",\n  \"schema\": 1\n}";
  return text;
}

bool is_executable(mode_t mode) { return (mode & S_IXUSR) != 0; }

// All who may read may run it, or none.
mode_t with_mode(mode_t mode, bool executable) {
  constexpr mode_t kReaders = 0444;
  constexpr mode_t kRunners = 0111;
  return executable ? mode | ((mode & kReaders) >> 2U) : mode & ~kRunners;
}

// umask() cannot be read without setting it, which other threads would notice.
mode_t usual_mask() {
  static const mode_t kMask = [] {
    constexpr mode_t kCommon = 022;
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("Umask:")) {
        return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
      }
    }
    return kCommon;
  }();
  return kMask;
}

// Names a file as a conflict, and sees to it that the lock does not say that it is up to date.
void keep(Plan& plan, const std::string& path) {
  plan.report.conflicts.push_back(path);
  if (!plan.after) return;
  const auto entry = plan.after->files.find(path);
  if (entry == plan.after->files.end()) return;
  const LockedFile* const known = plan.before ? plan.before->find(path) : nullptr;
  if (known == nullptr) {
    entry->second.kept = "";
  } else if (known->same_content(entry->second)) {
    entry->second.kept = known->kept;
  } else {
    entry->second.kept = known->kept.value_or(plan.before->resolved);
  }
}

// Another version, ref or spelling of the address is the same source. A skill that has moved inside
// its repository is, too, as long as it is asked for in the same way.
bool is_same_origin(const LockedNamespace& owner, const Bundle& bundle) {
  if (owner.source.index() != bundle.source.index()) return false;
  const auto* before = std::get_if<RepoSource>(&owner.source);
  if (before == nullptr) return true;  // workers have one name
  const auto& now = std::get<RepoSource>(bundle.source);
  if (repository_key(before->repo) != repository_key(now.repo)) return false;
  const bool same_words = before->skill == now.skill && before->path == now.path;
  return same_words || owner.folder == bundle.folder || owner.folder == bundle.moved_from;
}

// A namespace belongs to the source that filled it: another one is refused unless forced.
Result<void> check_owner(const Package& package, const LockedNamespace* owner) {
  const Bundle& bundle = *package.bundle;
  const bool any = package.options->force || package.options->exactly || owner == nullptr;
  if (any || is_same_origin(*owner, bundle)) return {};
  return fail("D335", "D335 namespace_taken: `" + namespace_of(bundle.source) +
                          "` was filled from " + shown_source(owner->source) + ", and this is " +
                          shown_source(bundle.source) +
                          ". Nothing was written. Next: install it under another name with `as`, "
                          "or replace what is there with `force`.");
}

// What was written of the bundle, in its order, by `added` and `changed`.
void list_written(InstallReport& report, const Bundle& bundle) {
  for (auto* list : {&report.skills_written, &report.prompts_written, &report.assets_written}) {
    list->clear();
  }
  std::set<std::string_view> written(report.added.begin(), report.added.end());
  written.insert(report.changed.begin(), report.changed.end());
  for (const BundleFile& file : bundle.files) {
    if (!written.contains(file.path)) continue;
    std::vector<std::string>& list = file.role == FileRole::kSkill    ? report.skills_written
                                     : file.role == FileRole::kPrompt ? report.prompts_written
                                                                      : report.assets_written;
    list.push_back(reported_name(file));
  }
  const auto pruned = [&report](FileRole role) {
    return std::ranges::find(report.pruned, role, role_of) != report.pruned.end();
  };
  report.skills_changed = !report.skills_written.empty() || pruned(FileRole::kSkill);
  report.prompts_changed = !report.prompts_written.empty() || pruned(FileRole::kPrompt);
}

class Planner {
 public:
  Planner(const FolderWriter& root, const Package& package, const LockedNamespace* before)
      : root_(root),
        bundle_(*package.bundle),
        options_(*package.options),
        plan_(std::make_unique<Plan>()) {
    plan_->name_space = namespace_of(bundle_.source);
    if (before != nullptr) plan_->before = *before;
    if (!options_.remove) plan_->after = locked_as(bundle_, options_);
  }

  Result<std::unique_ptr<Plan>> make() {
    Result<void> done = check_folder();
    if (done) done = plan_dropped();
    if (done && options_.remove) done = plan_extras();
    for (const BundleFile& file : bundle_.files) {
      if (done) done = plan_file(file);
    }
    if (done) done = plan_marker();
    if (!done) return std::unexpected(write_failed(done.error(), name()));
    plan_folders();
    fill_report();
    return std::move(plan_);
  }

 private:
  const std::string& name() const { return plan_->name_space; }

  Result<void> check_folder() {
    const Result<std::string> state = state_of(root_, name());
    if (!state) return std::unexpected(state.error());
    if (state->starts_with("link:")) {
      return fail("link", "`" + name() + "` is a link, and nothing is written through links");
    }
    if (*state != kAbsent && *state != kFolderState) {
      return fail("exists", "`" + name() + "` is not a folder");
    }
    return {};
  }

  const LockedFile* before(std::string_view path) const {
    return plan_->before ? plan_->before->find(path) : nullptr;
  }

  // A file that is not in the bundle: goes when it is ours, or by force.
  void plan_removal(const std::string& path, const std::string& state, bool ours) {
    if (state == kFolderState || !(ours || options_.force)) {
      plan_->report.conflicts.push_back(path);
      return;
    }
    const std::string whole = below(name(), path);
    plan_->changes.push_back({.path = whole, .was = state});
    plan_->report.pruned.push_back(path);
    going_.insert(whole);
    for (std::string& folder : folders_above(whole)) emptied_.insert(std::move(folder));
  }

  // What we wrote and the source has dropped.
  Result<void> plan_dropped() {
    if (!plan_->before) return {};
    for (const auto& [path, file] : plan_->before->files) {
      if (plan_->after && plan_->after->find(path) != nullptr) continue;
      const Result<std::string> state = state_of(root_, below(name(), path));
      if (!state && state.error().code == "link") {
        plan_->report.conflicts.push_back(path);
        continue;
      }
      if (!state) return std::unexpected(state.error());
      if (*state != kAbsent) plan_removal(path, *state, file.is_ours_in(*state));
    }
    return {};
  }

  // Of a namespace that is removed: files that were added beside ours.
  Result<void> plan_extras() {
    const Result<std::vector<DirectoryEntry>> entries = root_.walk(name());
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      const bool file = entry.kind != EntryKind::kDirectory && entry.name != kMarkerName;
      if (!file || before(entry.name) != nullptr) continue;
      Result<std::string> state;
      if (options_.force) state = state_of(root_, below(name(), entry.name));
      if (!state) return std::unexpected(state.error());
      plan_removal(entry.name, *state, false);
    }
    std::ranges::sort(plan_->report.pruned);
    std::ranges::sort(plan_->report.conflicts);
    return {};
  }

  Result<void> plan_file(const BundleFile& file) {
    const std::string whole = below(name(), file.path);
    const Result<std::string> state = state_of(root_, whole);
    if (!state) return std::unexpected(state.error());
    LockedFile& entry = plan_->after->files.at(file.path);
    entry.kept.reset();
    entry.fixed.clear();
    const LockedFile* const known = before(file.path);
    // What was mended here stays mended as long as the source has the same text.
    const bool mended = known != nullptr && !options_.force && known->same_content(entry) &&
                        known->is_ours_in(*state);
    entry.executable = file.executable;
    Change change{.path = whole, .was = *state, .now = "sha256:" + file.sha256};
    change.bytes = &file.bytes;
    const bool same = change.was == change.now;
    if (same || mended) {
      if (mended) entry.fixed = known->fixed;
      if (!same || !wants_mode(file, known, whole)) {
        plan_->report.unchanged.push_back(file.path);
        return {};
      }
      change.mode = with_mode(mode_of(whole), file.executable);
    } else {
      const Result<bool> free = may_write(file, whole, *state);
      if (!free) return std::unexpected(free.error());
      if (!*free) {
        keep(*plan_, file.path);
        return {};
      }
      change.mode = mode_for(file, known, whole, *state);
    }
    plan_->changes.push_back(std::move(change));
    return {};
  }

  mode_t mode_of(const std::string& whole) const {
    return root_.mode(whole).value_or(FolderWriter::kUsualMode);
  }

  // Of a file with new content.
  mode_t mode_for(const BundleFile& file, const LockedFile* known, const std::string& whole,
                  std::string_view state) const {
    if (state.starts_with("sha256:")) {
      const bool was = known != nullptr && known->executable;
      const mode_t mode = mode_of(whole);
      return file.executable || was ? with_mode(mode, file.executable) : mode;
    }
    return file.executable ? with_mode(FolderWriter::kUsualMode & ~usual_mask(), true)
                           : FolderWriter::kUsualMode;
  }

  // Whether a file with the right content has to be written again for its executable bit. A bit
  // that the user changed is left alone, unless forced or restored.
  bool wants_mode(const BundleFile& file, const LockedFile* known, const std::string& whole) const {
    const Result<mode_t> mode = root_.mode(whole);
    if (!mode || is_executable(*mode) == file.executable) return false;
    const bool changed_at_source =
        known == nullptr ? file.executable : known->executable != file.executable;
    const bool asked = (options_.force || options_.exactly) &&
                       (file.executable || (known != nullptr && known->executable));
    return changed_at_source || asked;
  }

  Result<bool> may_write(const BundleFile& file, const std::string& whole,
                         const std::string& state) {
    if (state == kAbsent) return !is_blocked(whole);
    if (state == kFolderState) return will_be_empty(whole);
    const LockedFile* const known = before(file.path);
    if (known != nullptr && known->is_ours_in(state)) return true;
    // Nobody can tell an old download from a file made by hand, where there is no record of it,
    // unless the published worker's own automatic download left its mark.
    const bool marked =
        !plan_->before && state.starts_with("sha256:") && root_.exists(below(name(), kMarkerName));
    if (!options_.force && !marked) return false;
    plan_->report.overwritten.push_back(file.path);
    return true;
  }

  // A file that stays stands where a folder would have to be.
  bool is_blocked(const std::string& whole) const {
    return std::ranges::any_of(folders_above(whole), [this](const std::string& folder) {
      const Result<FileStatus> status = root_.look(folder);
      return status && status->kind != EntryKind::kDirectory && !going_.contains(folder);
    });
  }

  // Nothing but what goes is in the folder, so that a file can take its place.
  Result<bool> will_be_empty(const std::string& folder) const {
    const Result<std::vector<DirectoryEntry>> entries = root_.walk(folder);
    if (!entries) return std::unexpected(entries.error());
    return !entries->empty() && std::ranges::all_of(*entries, [&](const DirectoryEntry& entry) {
      const std::string path = below(folder, entry.name);
      return entry.kind == EntryKind::kDirectory ? emptied_.contains(path) : going_.contains(path);
    });
  }

  // Its mere existence is what counts, so a folder of that name does as well.
  Result<void> plan_marker() {
    const auto* const source = std::get_if<RegistrySource>(&bundle_.source);
    if (!options_.remove && (!options_.automatic || source == nullptr)) return {};
    const std::string path = below(name(), kMarkerName);
    const Result<std::string> state = state_of(root_, path);
    if (!state) return std::unexpected(state.error());
    if (*state == kFolderState) return {};
    Change change{.path = path, .was = *state};
    if (!options_.remove) {
      plan_->marker = marker_text(*source);
      change.now = state_of_bytes(plan_->marker);
      change.bytes = &plan_->marker;
    }
    if (change.was != change.now) plan_->changes.push_back(std::move(change));
    return {};
  }

  void plan_folders() {
    std::set<std::string> made;
    const auto note_if_missing = [&](const std::string& folder) {
      const Result<FileStatus> status = root_.look(folder);
      if (!status || status->kind != EntryKind::kDirectory) made.insert(folder);
    };
    note_if_missing(name());
    for (const Change& change : plan_->changes) {
      if (change.bytes == nullptr) continue;
      for (const std::string& folder : folders_above(change.path)) note_if_missing(folder);
    }
    emptied_.erase(name());
    if (options_.remove) emptied_.insert(name());
    // A folder sorts before what is in it.
    plan_->made.assign(made.begin(), made.end());
    plan_->emptied.assign(emptied_.rbegin(), emptied_.rend());
  }

  void fill_report() {
    InstallReport& report = plan_->report;
    report.name_space = name();
    report.source = source_json(bundle_.source, bundle_.branch);
    report.skipped = bundle_.skipped;
    report.executable_dropped = bundle_.executable_dropped;
    for (const BundleFile& file : bundle_.files) {
      if (file.executable) report.executable.push_back(file.path);
    }
    for (const Change& change : plan_->changes) {
      std::string path = *plan_->inside(change.path);
      if (change.bytes == nullptr || path == kMarkerName) continue;
      (change.was == kAbsent ? report.added : report.changed).push_back(std::move(path));
    }
    list_written(report, bundle_);
    if (!plan_->after) return;
    const LockedNamespace& after = *plan_->after;
    if (!after.resolved.empty()) report.resolved = after.resolved;
    report.digest = after.digest();
    if (plan_->before && !plan_->before->folder.empty() && plan_->before->folder != after.folder) {
      report.moved_from = plan_->before->folder;
    }
  }

  const FolderWriter& root_;
  const Bundle& bundle_;
  const InstallOptions& options_;
  std::unique_ptr<Plan> plan_;
  std::set<std::string> going_;
  std::set<std::string> emptied_;  // folders above what goes
};

}  // namespace

Error write_failed(const Error& error, std::string_view name_space, bool undone) {
  const std::string after =
      undone ? "Namespace `" + std::string(name_space) + "` is as it was."
             : "It could not be undone either; it will be finished or undone before anything is "
               "read or written here.";
  return {"D330", "D330 write_failed: " + error.message + ". " + after +
                      " Next: " + advice_for(error.code) + "."};
}

Result<void> check_bundle(const Package& package) {
  const Bundle& bundle = *package.bundle;
  const std::string& name = namespace_of(bundle.source);
  const BundleLimits any{.max_depth = 64, .max_path_bytes = 4'096};
  const Result<std::string> clean_name = clean_path(name, any);
  if (!clean_name || *clean_name != name || name.find('/') != std::string::npos) {
    return fail("D311", "D311 invalid_input: " + printable(name) + " is not a name of a namespace");
  }
  if (auto fits = check_paths(bundle, any); !fits) return fits;
  const auto is_hashed = [](const BundleFile& file) { return !file.sha256.empty(); };
  III_CHECK(std::ranges::all_of(bundle.files, is_hashed));
  const std::optional<LockedNamespace>& exactly = package.options->exactly;
  if (!exactly) return {};
  std::set<std::string_view> missing;
  for (const auto& [path, file] : exactly->files) missing.insert(path);
  for (const BundleFile& file : bundle.files) {
    const LockedFile* const locked = exactly->find(file.path);
    if (locked == nullptr) return not_as_locked("`" + file.path + "` is new");
    if (locked->sha256 != file.sha256 || locked->size != file.bytes.size()) {
      return not_as_locked("`" + file.path + "` has other content");
    }
    missing.erase(file.path);
  }
  if (!missing.empty()) return not_as_locked("`" + std::string(*missing.begin()) + "` is missing");
  return {};
}

void Plan::change(Lock& lock) const {
  if (after) {
    lock.namespaces.insert_or_assign(name_space, *after);
  } else {
    lock.namespaces.erase(name_space);
  }
}

std::optional<std::string> Plan::inside(std::string_view path) const {
  const bool ours = path.size() > name_space.size() && path.starts_with(name_space) &&
                    path[name_space.size()] == '/';
  if (!ours) return std::nullopt;
  return std::string(path.substr(name_space.size() + 1));
}

Result<std::unique_ptr<Plan>> make_plan(const FolderWriter& root, const Package& package,
                                        const Lock& lock) {
  const std::string& name = namespace_of(package.bundle->source);
  const LockedNamespace* const before = lock.find(name);
  if (package.options->remove && before == nullptr) {
    return std::unexpected(no_such_namespace(lock, name));
  }
  if (const auto ours = check_owner(package, before); !ours) return std::unexpected(ours.error());
  Result<std::unique_ptr<Plan>> plan = Planner(root, package, before).make();
  if (plan && package.options->exactly && !(*plan)->report.conflicts.empty()) {
    return fail("D332", "D332 lock_mismatch: `" + (*plan)->report.conflicts.front() +
                            "` was edited here and is not what `directory.lock` says. Nothing was "
                            "written. Next: restore again with `force` to give up the edit.");
  }
  return plan;
}

void report_as_kept(Plan& plan, const Bundle& bundle, const std::string& path) {
  const std::optional<std::string> inner = plan.inside(path);
  if (!inner || *inner == kMarkerName) return;
  InstallReport& report = plan.report;
  for (auto* list : {&report.pruned, &report.overwritten, &report.added, &report.changed}) {
    std::erase(*list, *inner);
  }
  keep(plan, *inner);
  list_written(report, bundle);
}

}  // namespace iii::sources
