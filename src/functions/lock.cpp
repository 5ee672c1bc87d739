#include "functions/lock.h"

#include <algorithm>
#include <utility>

#include "functions/descriptions.h"
#include "functions/download.h"
#include "json/write.h"

namespace iii::directory {

namespace {

using sources::FileState;
using sources::NamespaceResult;

struct LockInput {
  std::optional<std::string> name_space;
  std::optional<bool> force;
};
struct FileRow {
  std::string path;
  std::string state;
};
struct VerifyRow {
  std::string name_space;
  bool ok = false;
  json::Raw source;
  std::string resolved;
  std::string digest;
  uint64_t intact = 0;
  std::vector<FileRow> files;
};
struct VerifyOutput {
  bool ok = false;
  std::vector<VerifyRow> namespaces;
};
struct OutdatedOutputRow {
  std::string name_space;
  json::Raw source;
  std::string current;
  std::optional<std::string> latest;
  bool pinned = false;
  std::vector<std::string> kept;
  bool outdated = false;
  std::optional<std::string> error;
};
struct OutdatedOutput {
  std::vector<OutdatedOutputRow> namespaces;
};
struct OutcomeRow {
  std::string name_space;
  bool ok = false;
  std::string before;
  std::optional<DownloadOutput> result;
  std::optional<std::string> error;
};
struct OutcomesOutput {
  bool ok = false;
  std::vector<OutcomeRow> namespaces;
};

struct DiffInput {
  std::string name_space;
  std::optional<std::string> path;
};
struct FileDiffRow {
  std::string path;
  std::string change;
  std::string diff;
  std::string note;
};
struct DiffOutput {
  std::string name_space;
  std::string current;
  std::string latest;
  std::vector<FileDiffRow> files;
  uint64_t unchanged = 0;
};

constexpr std::string_view kNamespace = "Folder in skills_folder.";
constexpr std::string_view kNamespaces = "One row per namespace, by name.";

auto describe(json::Type<LockInput>) {
  using T = LockInput;
  return json::object<T>(
      "LockInput", "",
      json::field("namespace", &T::name_space, "Namespace in directory.lock. All when absent.")
          .null_default(),
      json::field("force", &T::force, "true overwrites files that were edited here. Default false.")
          .null_default());
}
auto describe(json::Type<DiffInput>) {
  using T = DiffInput;
  return json::object<T>(
      "LockDiffInput", "", json::field("namespace", &T::name_space, "Namespace in directory.lock."),
      json::field("path", &T::path, "Only this file, a path below the namespace. All when absent.")
          .null_default());
}
auto describe(json::Type<FileDiffRow>) {
  using T = FileDiffRow;
  return json::object<T>(
      "FileDiff", "", json::field("path", &T::path, "Path below the namespace."),
      json::field("change", &T::change,
                  "`added` (the source has it, and it is not here), `changed`, or `removed` (the "
                  "source no longer has it)."),
      json::field("diff", &T::diff,
                  "Unified difference: `-` lines are here, `+` lines are in the source. Absent for "
                  "files that are not text.")
          .optional(),
      json::field("note", &T::note, "Why `diff` is absent or not complete.").optional());
}
auto describe(json::Type<DiffOutput>) {
  using T = DiffOutput;
  return json::object<T>(
      "LockDiffOutput", "", json::field("namespace", &T::name_space, kNamespace),
      json::field("current", &T::current, "Version or commit that is installed."),
      json::field("latest", &T::latest, "Version or commit that the source has now."),
      json::field("files", &T::files, "The files that differ, by path."),
      json::field("unchanged", &T::unchanged, "Number of files that are the same."));
}
auto describe(json::Type<FileRow>) {
  using T = FileRow;
  return json::object<T>(
      "LockedFileState", "", json::field("path", &T::path, "Path below the namespace."),
      json::field("state", &T::state,
                  "`edited`, `missing`, `mode` (the content is intact, but the file is no longer "
                  "executable), or `extra` (not ours, and left alone)."));
}
auto describe(json::Type<VerifyRow>) {
  using T = VerifyRow;
  return json::object<T>(
      "VerifiedNamespace", "", json::field("namespace", &T::name_space, kNamespace),
      json::field("ok", &T::ok, "No file is edited or missing."),
      json::field("source", &T::source, "What was asked for."),
      json::field("resolved", &T::resolved, "Version or commit that was downloaded."),
      json::field("digest", &T::digest, "Hash over all files as they were downloaded."),
      json::field("intact", &T::intact, "Number of files that are as they were downloaded."),
      json::field("files", &T::files, "The files that are not."));
}
auto describe(json::Type<VerifyOutput>) {
  using T = VerifyOutput;
  return json::object<T>("VerifyOutput", "", json::field("ok", &T::ok, "Every namespace is ok."),
                         json::field("namespaces", &T::namespaces, kNamespaces));
}
auto describe(json::Type<OutdatedOutputRow>) {
  using T = OutdatedOutputRow;
  return json::object<T>(
      "OutdatedNamespace", "", json::field("namespace", &T::name_space, kNamespace),
      json::field("source", &T::source, "What was asked for."),
      json::field("current", &T::current, "Version or commit that is installed."),
      json::field("latest", &T::latest,
                  "Version or commit that the source has now; null if not known.")
          .nullable(),
      json::field("pinned", &T::pinned,
                  "An exact version or commit was asked for, which update leaves alone."),
      json::field("kept", &T::kept,
                  "Files that are older than `current`: they were edited here, so a download kept "
                  "them. update with `force` replaces them.")
          .optional(),
      json::field("outdated", &T::outdated,
                  "The source has other files than are installed, or files were kept. A new commit "
                  "that did not touch the skill's folder does not count."),
      json::field("error", &T::error, "Why `latest` is not known; absent when it is."));
}
auto describe(json::Type<OutdatedOutput>) {
  return json::object<OutdatedOutput>(
      "OutdatedOutput", "", json::field("namespaces", &OutdatedOutput::namespaces, kNamespaces));
}
auto describe(json::Type<OutcomeRow>) {
  using T = OutcomeRow;
  return json::object<T>(
      "NamespaceOutcome", "", json::field("namespace", &T::name_space, kNamespace),
      json::field("ok", &T::ok, "The download succeeded."),
      json::field("before", &T::before, "Version or commit before the call."),
      json::field("result", &T::result, "What was downloaded; absent after an error."),
      json::field("error", &T::error, "Why nothing was downloaded; absent if ok."));
}
auto describe(json::Type<OutcomesOutput>) {
  using T = OutcomesOutput;
  return json::object<T>("OutcomesOutput", "", json::field("ok", &T::ok, "Every namespace is ok."),
                         json::field("namespaces", &T::namespaces, kNamespaces));
}

std::string_view word(FileState state) {
  switch (state) {
    case FileState::kEdited:
      return "edited";
    case FileState::kMissing:
      return "missing";
    case FileState::kExtra:
      return "extra";
    case FileState::kMode:
      return "mode";
    case FileState::kIntact:
      break;
  }
  return "intact";
}

VerifyOutput output_of(const std::vector<sources::VerifiedNamespace>& namespaces) {
  VerifyOutput out{.ok = true, .namespaces = {}};
  for (const sources::VerifiedNamespace& verified : namespaces) {
    VerifyRow row{.name_space = verified.name_space,
                  .ok = true,
                  .source = source_json(verified.locked.source, verified.locked.branch),
                  .resolved = verified.locked.resolved,
                  .digest = verified.locked.digest(),
                  .intact = 0,
                  .files = {}};
    for (const sources::VerifiedFile& file : verified.files) {
      if (file.state == FileState::kIntact) {
        ++row.intact;
        continue;
      }
      row.files.push_back({.path = file.path, .state = std::string(word(file.state))});
      // Files that somebody put beside ours are nobody's fault.
      row.ok = row.ok && file.state == FileState::kExtra;
    }
    out.ok = out.ok && row.ok;
    out.namespaces.push_back(std::move(row));
  }
  return out;
}

OutdatedOutput output_of(const std::vector<sources::OutdatedRow>& rows) {
  OutdatedOutput out;
  for (const sources::OutdatedRow& row : rows) {
    OutdatedOutputRow shown{.name_space = row.name_space,
                            .source = source_json(row.source, ""),
                            .current = row.current,
                            .latest = {},
                            .pinned = row.pinned,
                            .kept = row.kept,
                            .outdated = row.outdated,
                            .error = {}};
    if (!row.latest.empty()) shown.latest = row.latest;
    if (row.error) shown.error = row.error->message;
    out.namespaces.push_back(std::move(shown));
  }
  return out;
}

DiffOutput output_of(sources::NamespaceDiff diff) {
  constexpr const char* kWords[] = {"added", "changed", "removed"};
  DiffOutput out{.name_space = std::move(diff.name_space),
                 .current = std::move(diff.current),
                 .latest = std::move(diff.latest),
                 .files = {},
                 .unchanged = diff.unchanged};
  for (sources::FileDiff& file : diff.files) {
    out.files.push_back({.path = std::move(file.path),
                         .change = kWords[static_cast<size_t>(file.kind)],
                         .diff = std::move(file.text),
                         .note = std::move(file.note)});
  }
  return out;
}

OutcomeRow row_of(const sources::Source& asked, NamespaceResult outcome) {
  OutcomeRow row{.name_space = std::move(outcome.name_space),
                 .ok = outcome.report.has_value(),
                 .before = std::move(outcome.before),
                 .result = {},
                 .error = {}};
  if (outcome.report) row.result = directory::output_of(asked, std::move(*outcome.report));
  if (outcome.error) row.error = std::move(outcome.error->message);
  return row;
}

// What looks at the disk and asks nobody.
template <typename F>
auto on_disk(Downloader& downloader, F work) {
  auto bound = [downloads = downloader.downloads(), work = std::move(work)] {
    return work(*downloads);
  };
  return downloader.local().run(std::move(bound));
}

sdk::Task<Result<VerifyOutput>> verify(Downloader& downloader, LockInput in) {
  auto verified = co_await on_disk(
      downloader, [in](auto& downloads) { return downloads.verify(in.name_space); });
  if (!verified) co_return std::unexpected(on_the_bus(std::move(verified.error())));
  co_return output_of(*verified);
}

sdk::Task<Result<DiffOutput>> diff(Downloader& downloader, Context context, DiffInput in) {
  auto found = co_await downloader.diff(std::move(context), std::move(in.name_space), in.path);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return output_of(std::move(*found));
}

sdk::Task<Result<OutdatedOutput>> outdated(Downloader& downloader, Context context, LockInput in) {
  auto rows = co_await downloader.outdated(std::move(context), in.name_space);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  co_return output_of(*rows);
}

using Asked = std::map<std::string, sources::Source, std::less<>>;

OutcomesOutput output_of(const Asked& asked, std::vector<NamespaceResult> outcomes) {
  OutcomesOutput out{.ok = true, .namespaces = {}};
  for (NamespaceResult& outcome : outcomes) {
    const auto locked = asked.find(outcome.name_space);
    const sources::Source* source = outcome.source          ? &*outcome.source
                                    : locked != asked.end() ? &locked->second
                                                            : nullptr;
    // Without a source there is an error, which does not need one.
    const sources::Source asked_for = source != nullptr ? *source : sources::RegistrySource{};
    out.namespaces.push_back(row_of(asked_for, std::move(outcome)));
    out.ok = out.ok && out.namespaces.back().ok;
  }
  return out;
}

sdk::Task<Result<OutcomesOutput>> again(Downloader& downloader, Context context,
                                        Downloader::Again what, LockInput in) {
  auto lock = co_await on_disk(downloader, [](auto& downloads) { return downloads.lock(); });
  if (!lock) co_return std::unexpected(on_the_bus(std::move(lock.error())));
  const auto shared = std::make_shared<const sources::Lock>(std::move(*lock));
  auto outcomes = co_await downloader.again(std::move(context), what, shared, in.name_space,
                                            in.force.value_or(false));
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  Asked asked;
  for (const auto& [name, locked] : shared->namespaces) asked.emplace(name, locked.source);
  co_return output_of(asked, std::move(*outcomes));
}

}  // namespace

std::vector<DoctorFinding> lock_findings(const sources::Downloads& downloads) {
  std::vector<DoctorFinding> out;
  const auto add = [&out](std::string path, const char* severity, const char* code,
                          std::string message) {
    out.push_back({.root = "global",
                   .path = std::move(path),
                   .severity = severity,
                   .code = code,
                   .line = {},
                   .column = {},
                   .message = std::move(message),
                   .served_as = {},
                   .fix = {}});
  };
  const Result<sources::Lock> lock = downloads.lock();
  if (!lock) {
    add(std::string(sources::kLockFileName), "error", "lock_unreadable", lock.error().message);
    return out;
  }
  for (const auto& [name, locked] : lock->namespaces) {
    if (downloads.has_folder(name)) continue;
    add(name, "warning", "namespace_missing",
        "directory.lock names this namespace (" + locked.resolved +
            "), but its folder does not exist; `iii-directory install` or directory::lock::restore "
            "brings it back");
  }
  return out;
}

std::string verify_json(const std::vector<sources::VerifiedNamespace>& namespaces) {
  return json::encode(output_of(namespaces));
}

std::string outdated_json(const std::vector<sources::OutdatedRow>& rows) {
  return json::encode(output_of(rows));
}

std::string diff_json(sources::NamespaceDiff diff) {
  return json::encode(output_of(std::move(diff)));
}

std::string outcomes_json(const std::map<std::string, sources::Source, std::less<>>& asked,
                          std::vector<NamespaceResult> outcomes) {
  return json::encode(output_of(asked, std::move(outcomes)));
}

void add_lock_functions(FunctionTable& table, Downloader& downloader) {
  // `force` overwrites what was edited here.
  const Hints writes{.destructive = true, .idempotent = true, .network = true};
  table.add<LockInput, VerifyOutput>(
      {.id = "directory::lock::verify",
       .title = "Verify downloads",
       .description = about::kLockVerify,
       .hints = kReadOnly},
      [&downloader](const LockInput& in) { return verify(downloader, in); });
  table.add<LockInput, OutdatedOutput>(
      {.id = "directory::lock::outdated",
       .title = "Outdated downloads",
       .description = about::kLockOutdated,
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, const LockInput& in) {
        return outdated(downloader, context, in);
      });
  table.add<DiffInput, DiffOutput>(
      {.id = "directory::lock::diff",
       .title = "Differences of a download",
       .description = about::kLockDiff,
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, const DiffInput& in) {
        return diff(downloader, context, in);
      });
  const auto add = [&](const char* id, const char* title, const char* about,
                       Downloader::Again what) {
    table.add<LockInput, OutcomesOutput>(
        {.id = id, .title = title, .description = about, .hints = writes},
        [&downloader, what](const Context& context, const LockInput& in) {
          return again(downloader, context, what, in);
        });
  };
  add("directory::lock::update", "Update downloads", about::kLockUpdate,
      Downloader::Again::kUpdate);
  add("directory::lock::restore", "Restore downloads", about::kLockRestore,
      Downloader::Again::kRestore);
}

}  // namespace iii::directory
