#include "directory/sources/installer_plan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "directory/sources/journal.h"
#include "foundation/base/sha256.h"
#include "foundation/base/utf8.h"
#include "foundation/json/write.h"

namespace iii::sources {

namespace {

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

// Whoever may read may run, or nobody.
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
  const auto entry = plan.entry.files.find(path);
  if (entry == plan.entry.files.end()) return;
  const LockedFile* known = nullptr;
  if (plan.before) {
    const auto found = plan.before->files.find(path);
    if (found != plan.before->files.end()) known = &found->second;
  }
  if (known == nullptr) {
    entry->second.kept = "";
  } else if (known->same_content(entry->second)) {
    entry->second.kept = known->kept;
  } else {
    entry->second.kept = known->kept.value_or(plan.before->resolved);
  }
}

class Planner {
 public:
  Planner(const FolderWriter& root, const Bundle& bundle, const InstallOptions& options,
          const Lock& lock)
      : root_(root), bundle_(bundle), options_(options), plan_(std::make_unique<Plan>()) {
    plan_->name_space = namespace_of(bundle.source);
    const auto found = lock.namespaces.find(plan_->name_space);
    if (found != lock.namespaces.end()) plan_->before = found->second;
  }

  Result<std::unique_ptr<Plan>> make() {
    plan_->entry = locked_as(bundle_, options_);
    Result<void> done = check_folder();
    if (done) done = plan_removals();
    for (const BundleFile& file : bundle_.files) {
      if (done) done = plan_file(file);
    }
    if (done) done = plan_marker();
    if (done) done = plan_folders();
    if (!done) return std::unexpected(write_failed(done.error(), name()));
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

  // What we wrote and the source has dropped: goes, unless the user edited it.
  Result<void> plan_removals() {
    if (!plan_->before) return {};
    for (const auto& [path, file] : plan_->before->files) {
      if (plan_->entry.files.contains(path)) continue;
      const std::string whole = below(name(), path);
      const Result<std::string> state = state_of(root_, whole);
      if (!state && state.error().code != "link") return std::unexpected(state.error());
      if (state && *state == kAbsent) continue;
      const bool ours = state && is_ours(file, *state);
      const bool forced = state && options_.force && *state != kFolderState;
      if (ours || forced) {
        plan_->changes.push_back({.path = whole, .was = *state});
        going_.insert(whole);
        plan_->report.pruned.push_back(path);
      } else {
        plan_->report.conflicts.push_back(path);
      }
    }
    return {};
  }

  const LockedFile* before(const std::string& path) const {
    if (!plan_->before) return nullptr;
    const auto known = plan_->before->files.find(path);
    return known == plan_->before->files.end() ? nullptr : &known->second;
  }

  static bool is_ours(const LockedFile& file, std::string_view state) {
    constexpr std::string_view kHash = "sha256:";
    return state.starts_with(kHash) && file.is_ours(state.substr(kHash.size()));
  }

  Result<void> plan_file(const BundleFile& file) {
    const std::string whole = below(name(), file.path);
    const Result<std::string> state = state_of(root_, whole);
    if (!state) return std::unexpected(state.error());
    LockedFile& entry = plan_->entry.files.at(file.path);
    entry.kept.reset();
    entry.fixed.clear();
    const LockedFile* const known = before(file.path);
    // What was mended here stays mended as long as the source has the same text.
    const bool mended = known != nullptr && !options_.force && known->same_content(entry) &&
                        is_ours(*known, *state);
    entry.executable = file.executable;
    const bool same = *state == state_of_bytes(file.bytes);
    if (same || mended) {
      if (mended) entry.fixed = known->fixed;
      if (same && wants_mode(file, known, whole)) {
        const mode_t mode = root_.mode(whole).value_or(FolderWriter::kUsualMode);
        plan_->changes.push_back({.path = whole,
                                  .was = *state,
                                  .bytes = &file.bytes,
                                  .mode = with_mode(mode, file.executable)});
        return {};
      }
      plan_->report.unchanged.push_back(file.path);
      return {};
    }
    const Result<bool> free = may_write(file, whole, *state);
    if (!free) return std::unexpected(free.error());
    if (!*free) {
      keep(*plan_, file.path);
      return {};
    }
    Change change{.path = whole, .was = *state, .bytes = &file.bytes};
    if (state->starts_with("sha256:")) {
      change.mode = root_.mode(whole).value_or(FolderWriter::kUsualMode);
      const bool was = known != nullptr && known->executable;
      if (file.executable || was) change.mode = with_mode(change.mode, file.executable);
    } else if (file.executable) {
      change.mode = with_mode(FolderWriter::kUsualMode & ~usual_mask(), true);
    }
    plan_->changes.push_back(std::move(change));
    return {};
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
    if (known != nullptr && is_ours(*known, state)) return true;
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
    const Result<std::vector<DirectoryEntry>> entries = root_.list(folder);
    if (!entries) return std::unexpected(entries.error());
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = below(folder, entry.name);
      if (entry.kind != EntryKind::kDirectory && !going_.contains(path)) return false;
      if (entry.kind != EntryKind::kDirectory) continue;
      Result<bool> empty = will_be_empty(path);
      if (!empty || !*empty) return empty;
    }
    return !entries->empty();
  }

  Result<void> plan_marker() {
    const auto* const source = std::get_if<RegistrySource>(&plan_->entry.source);
    if (!options_.automatic || source == nullptr) return {};
    plan_->marker = marker_text(*source);
    const std::string path = below(name(), kMarkerName);
    const Result<std::string> state = state_of(root_, path);
    if (!state) return std::unexpected(state.error());
    // Its mere existence is what counts, so a folder of that name does as well.
    if (*state == state_of_bytes(plan_->marker) || *state == kFolderState) return {};
    plan_->changes.push_back({.path = path, .was = *state, .bytes = &plan_->marker});
    return {};
  }

  Result<void> plan_folders() {
    std::set<std::string> made;
    std::set<std::string> emptied;
    const auto note_if_missing = [&](const std::string& folder) {
      const Result<FileStatus> status = root_.look(folder);
      if (!status || status->kind != EntryKind::kDirectory) made.insert(folder);
    };
    note_if_missing(name());
    for (const Change& change : plan_->changes) {
      for (const std::string& folder : folders_above(change.path)) {
        if (change.bytes != nullptr) {
          note_if_missing(folder);
        } else if (folder != name()) {
          emptied.insert(folder);
        }
      }
    }
    // A folder sorts before what is in it.
    plan_->made.assign(made.begin(), made.end());
    plan_->emptied.assign(emptied.rbegin(), emptied.rend());
    return {};
  }

  void fill_report() {
    InstallReport& report = plan_->report;
    report.name_space = name();
    report.skipped = bundle_.skipped;
    report.executable_dropped = bundle_.executable_dropped;
    for (const BundleFile& file : bundle_.files) {
      if (file.executable) report.executable.push_back(file.path);
    }
    for (const Change& change : plan_->changes) {
      const std::string path = change.path.substr(name().size() + 1);
      if (change.bytes == nullptr || path == kMarkerName) continue;
      (change.was == kAbsent ? report.added : report.changed).push_back(path);
    }
    report.resolved = plan_->entry.resolved;
    if (plan_->before && !plan_->before->folder.empty() &&
        plan_->before->folder != plan_->entry.folder) {
      report.moved_from = plan_->before->folder;
    }
    report.branch = plan_->entry.branch;
    report.digest = plan_->entry.digest();
    std::set<std::string_view> writing;
    for (const Change& change : plan_->changes) {
      if (change.bytes != nullptr) writing.insert(change.path);
    }
    for (const BundleFile& file : bundle_.files) {
      if (!writing.contains(below(name(), file.path))) continue;
      const std::string shown = reported_name(file);
      if (file.role == FileRole::kSkill) report.skills_written.push_back(shown);
      if (file.role == FileRole::kPrompt) report.prompts_written.push_back(shown);
      if (file.role == FileRole::kAsset) report.assets_written.push_back(shown);
    }
    note_what_changed(report);
  }

  static void note_what_changed(InstallReport& report) {
    const auto pruned = [&report](FileRole role) {
      return std::ranges::any_of(report.pruned,
                                 [role](const std::string& path) { return role_of(path) == role; });
    };
    report.skills_changed = !report.skills_written.empty() || pruned(FileRole::kSkill);
    report.prompts_changed = !report.prompts_written.empty() || pruned(FileRole::kPrompt);
  }

  const FolderWriter& root_;
  const Bundle& bundle_;
  const InstallOptions& options_;
  std::unique_ptr<Plan> plan_;
  std::set<std::string> going_;
};

std::string advice_for(const std::string& code) {
  if (code == "full") return "make room on the disk, then try again";
  if (code == "denied") return "allow this program to write to the skills folder";
  if (code == "link" || code == "outside") {
    return "replace the link by a folder of its own, or remove it, then download again";
  }
  if (code == "exists") return "move it aside, then download again";
  return "check the disk, then download again";
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

std::unexpected<Error> not_as_locked(const std::string& reason) {
  return fail("D332",
              "D332 lock_mismatch: what the source delivers is not what `directory.lock` "
              "says: " +
                  reason +
                  ". Nothing was written. Next: call directory::lock::update "
                  "if the change is wanted.");
}

}  // namespace

Error write_failed(const Error& error, std::string_view name_space, bool undone) {
  const std::string after =
      undone ? "Namespace `" + std::string(name_space) + "` is as it was."
             : "It could not be undone either; it will be finished or undone before anything is "
               "read or written here.";
  return {"D330", "D330 write_failed: " + error.message + ". " + after +
                      " Next: " + advice_for(error.code) + "."};
}

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
    LockedFile& locked_file = locked.files[file.path];
    locked_file.sha256 = sha256_hex(file.bytes);
    locked_file.size = file.bytes.size();
    locked_file.executable = file.executable;
  }
  // So that what is read back from the lock is what is compared here.
  for (std::string* const text : {&locked.resolved, &locked.branch, &locked.folder}) {
    if (!is_utf8(*text)) *text = printable(*text);
  }
  return locked;
}

Result<void> check_owner(const Bundle& bundle, const InstallOptions& options, const Lock& lock) {
  const std::string& name = namespace_of(bundle.source);
  const auto entry = lock.namespaces.find(name);
  if (options.force || options.exactly || entry == lock.namespaces.end()) return {};
  const LockedNamespace& owner = entry->second;
  if (is_same_origin(owner, bundle)) return {};
  return fail("D335",
              "D335 namespace_taken: `" + name + "` was filled from " + shown_source(owner.source) +
                  ", and this is " + shown_source(bundle.source) +
                  ". Nothing was written. Next: install it under another name with `as`, or "
                  "replace what is there with `force`.");
}

Result<void> check_bundle(const Bundle& bundle, const InstallOptions& options) {
  const std::string& name = namespace_of(bundle.source);
  const BundleLimits any{.max_depth = 64, .max_path_bytes = 4'096};
  const Result<std::string> clean_name = clean_path(name, any);
  if (!clean_name || *clean_name != name || name.find('/') != std::string::npos) {
    return fail("D311", "D311 invalid_input: " + printable(name) + " is not a name of a namespace");
  }
  std::set<std::string_view> paths;
  for (const BundleFile& file : bundle.files) {
    const Result<std::string> clean = clean_path(file.path, any);
    if (!clean) return std::unexpected(clean.error());
    if (*clean != file.path || !paths.insert(file.path).second) {
      return fail("D312", "D312 invalid_bundle: invalid skill path \"" + printable(file.path) +
                              "\": it is not in its clean form, or comes twice");
    }
  }
  if (!options.exactly) return {};
  const LockedNamespace delivered = locked_as(bundle, {});
  for (const auto& [path, file] : options.exactly->files) {
    const auto found = delivered.files.find(path);
    if (found == delivered.files.end()) return not_as_locked("`" + path + "` is missing");
    if (!found->second.same_content(file)) {
      return not_as_locked("`" + path + "` has other content");
    }
  }
  for (const auto& [path, file] : delivered.files) {
    if (!options.exactly->files.contains(path)) return not_as_locked("`" + path + "` is new");
  }
  return {};
}

Result<std::unique_ptr<Plan>> make_plan(const FolderWriter& root, const Bundle& bundle,
                                        const InstallOptions& options, const Lock& lock) {
  Result<std::unique_ptr<Plan>> plan = Planner(root, bundle, options, lock).make();
  if (plan && options.exactly && !(*plan)->report.conflicts.empty()) {
    return fail("D332", "D332 lock_mismatch: `" + (*plan)->report.conflicts.front() +
                            "` was edited here and is not what `directory.lock` says. Nothing was "
                            "written. Next: restore again with `force` to give up the edit.");
  }
  return plan;
}

void report_as_kept(Plan& plan, const Bundle& bundle, const std::string& path) {
  if (!path.starts_with(plan.name_space + "/")) return;
  const std::string inner = path.substr(plan.name_space.size() + 1);
  if (inner == kMarkerName) return;
  InstallReport& report = plan.report;
  for (const BundleFile& file : bundle.files) {
    if (file.path != inner) continue;
    std::vector<std::string>& written = file.role == FileRole::kSkill    ? report.skills_written
                                        : file.role == FileRole::kPrompt ? report.prompts_written
                                                                         : report.assets_written;
    const auto at = std::ranges::find(written, reported_name(file));
    if (at != written.end()) written.erase(at);
  }
  std::erase(report.pruned, inner);
  std::erase(report.overwritten, inner);
  std::erase(report.added, inner);
  std::erase(report.changed, inner);
  keep(plan, inner);
}

}  // namespace iii::sources
