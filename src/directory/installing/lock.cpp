#include "directory/installing/lock.h"

#include <algorithm>
#include <utility>

#include "directory/content/types.h"
#include "directory/installing/download.h"
#include "directory/installing/downloader.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"

namespace iii::directory {

namespace {

using sources::FileState;

struct LockedInput {
  std::optional<std::string> name_space;
};
struct LockInput {
  std::optional<std::string> name_space;
  std::optional<bool> force;
  std::optional<bool> stop_at_risks;
  std::optional<bool> dry_run;
};
struct DiffInput {
  std::string name_space;
  std::optional<std::string> path;
};

constexpr std::string_view kLockedNamespace = "Namespace in directory.lock. All when absent.";

auto describe(json::Type<LockedInput>) {
  return json::object<LockedInput>(
      "LockedInput", "",
      json::field("namespace", &LockedInput::name_space, kLockedNamespace).null_default());
}
auto describe(json::Type<LockInput>) {
  using T = LockInput;
  return json::object<T>(
      "LockInput", "", json::field("namespace", &T::name_space, kLockedNamespace).null_default(),
      json::field("force", &T::force, "true overwrites files that were edited here. Default false.")
          .null_default(),
      json::field("stop_at_risks", &T::stop_at_risks, kStopAtRisks).null_default(),
      json::field("dry_run", &T::dry_run, kDryRun).null_default());
}
auto describe(json::Type<DiffInput>) {
  using T = DiffInput;
  return json::object<T>(
      "LockDiffInput", "", json::field("namespace", &T::name_space, "Namespace in directory.lock."),
      json::field("path", &T::path, "Only this file, a path below the namespace. All when absent.")
          .null_default()
          .length(kMaxPathLength));
}

task::Task<Result<VerifyOutput>> verify(Downloader& downloader, LockedInput in) {
  auto work = [downloads = downloader.downloads(), in] { return downloads->verify(in.name_space); };
  auto verified = co_await downloader.network().run(std::move(work));
  if (!verified) co_return std::unexpected(on_the_bus(std::move(verified.error())));
  const bool ok = std::ranges::all_of(*verified, &sources::VerifiedNamespace::ok);
  co_return VerifyOutput{.ok = ok, .namespaces = std::move(*verified)};
}

task::Task<Result<OutdatedOutput>> outdated(Downloader& downloader, Context context,
                                            LockedInput in) {
  auto rows = co_await downloader.outdated(std::move(context), in.name_space);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  co_return OutdatedOutput{std::move(*rows)};
}

task::Task<Result<OutcomesOutput>> write_again(Downloader& downloader, Context context,
                                               sources::Request::Action action, LockInput in) {
  sources::Request request = request_of(in);
  request.action = action;
  request.name_space = in.name_space;
  auto outcomes = co_await downloader.run(
      std::move(context), in.name_space.value_or("skills_folder"), std::move(request));
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  co_return outcomes_output(std::move(*outcomes));
}

constexpr size_t kMaxFiles = 1'000;  // named of one namespace

struct ListInput {
  std::optional<bool> check;
};
struct ListedNamespace {
  std::string name_space;
  json::Raw source;
  std::string current;
  std::optional<std::string> latest = {};
  std::optional<std::string> checked_at = {};
  std::string state = {};
  bool pinned = false;
  bool automatic = false;
  uint64_t intact = 0;
  std::vector<std::vector<std::string>> files = {};
  std::optional<uint64_t> more_files = {};
  std::optional<std::string> error = {};
  std::optional<std::string> at = {};
};
struct ListOutput {
  std::vector<ListedNamespace> namespaces;
};

auto describe(json::Type<ListInput>) {
  return json::object<ListInput>(
      "LockListInput", "",
      json::field("check", &ListInput::check,
                  "true asks every source for its newest version first. Default false: `latest` is "
                  "what was found out last, with its time.")
          .null_default());
}
auto describe(json::Type<ListedNamespace>) {
  using T = ListedNamespace;
  return json::object<T>(
      "ListedNamespace", "", json::field("namespace", &T::name_space, "Folder in skills_folder."),
      json::field("source", &T::source, "What was asked for, as directory::lock::verify has it."),
      json::field("current", &T::current, "Version or commit that is installed."),
      json::field("latest", &T::latest, "Newest one that the source has; null if not known.")
          .nullable(),
      json::field("checked_at", &T::checked_at, "When the source was asked; absent: never."),
      json::field("state", &T::state,
                  "The first that applies: `missing` (files are missing), `edited`, `pinned`, "
                  "`gone` (the repository has it no more), `unknown` (the source was not asked or "
                  "did not answer), `outdated`, `current`."),
      json::field("pinned", &T::pinned, "An exact version or commit was asked for."),
      json::field("auto", &T::automatic, "Installed by automatic downloads."),
      json::field("intact", &T::intact, "Number of files that are as they were downloaded."),
      json::field("files", &T::files,
                  "The others, each as [state, path]: `edited`, `missing`, `mode` or `extra`."),
      json::field("more_files", &T::more_files, "How many more there are than the 1000 shown."),
      json::field("error", &T::error, "Why `latest` is not known."),
      json::field("at", &T::at, "When its files were written."));
}
auto describe(json::Type<ListOutput>) {
  return json::object<ListOutput>(
      "LockListOutput", "",
      json::field("namespaces", &ListOutput::namespaces, "One row per namespace, by name."));
}

// Of all files, also those beyond kMaxFiles.
std::string state_of(const sources::VerifiedNamespace& verified,
                     const sources::OutdatedRow& known) {
  const auto any = [&verified](FileState state) {
    return std::ranges::find(verified.files, state, &sources::VerifiedFile::state) !=
           verified.files.end();
  };
  if (any(FileState::kMissing)) return "missing";
  if (any(FileState::kEdited)) return "edited";
  if (verified.locked.pinned()) return "pinned";
  if (known.is_gone()) return "gone";
  if (known.error || known.latest.value_or("").empty()) return "unknown";
  return known.outdated ? "outdated" : "current";
}

ListedNamespace row_of(const sources::VerifiedNamespace& verified,
                       const std::optional<LatestVersions::Known>& known) {
  ListedNamespace row{.name_space = verified.name_space,
                      .source = verified.source,
                      .current = verified.resolved,
                      .state = state_of(verified, known ? known->row : sources::OutdatedRow()),
                      .pinned = verified.locked.pinned(),
                      .automatic = verified.locked.automatic,
                      .intact = verified.intact};
  for (const sources::VerifiedFile& file : verified.files) {
    if (row.files.size() == kMaxFiles) break;
    row.files.push_back({sources::word_of(file.state), file.path});
  }
  if (verified.files.size() > kMaxFiles) row.more_files = verified.files.size() - kMaxFiles;
  if (known) {
    if (!known->row.latest.value_or("").empty()) row.latest = known->row.latest;
    row.checked_at = content::format_time(known->checked_ns);
    row.error = known->row.error;
  }
  if (verified.written_ns) row.at = content::format_time(*verified.written_ns);
  return row;
}

task::Task<Result<ListOutput>> list(Downloader& downloader, Context context, ListInput in) {
  if (in.check.value_or(false)) {
    auto asked = co_await downloader.outdated(std::move(context), std::nullopt);
    if (!asked) co_return std::unexpected(std::move(asked.error()));
  }
  // Files are looked at, and those that were touched are read.
  auto verify = [downloads = downloader.downloads(),
                 latest = downloader.latest()]() -> Result<ListOutput> {
    const auto verified = downloads->verify(std::nullopt);
    if (!verified) return std::unexpected(verified.error());
    ListOutput out;
    for (const sources::VerifiedNamespace& each : *verified) {
      out.namespaces.push_back(row_of(each, latest.about(each.name_space, each.locked)));
    }
    return out;
  };
  Result<ListOutput> out = co_await downloader.network().run(std::move(verify));
  if (!out) co_return std::unexpected(on_the_bus(std::move(out.error())));
  co_return out;
}

struct RemoveInput {
  std::string name_space;
  std::optional<bool> force;
  std::optional<bool> dry_run;
};

auto describe(json::Type<RemoveInput>) {
  using T = RemoveInput;
  return json::object<T>(
      "RemoveInput", "", json::field("namespace", &T::name_space, "Namespace in directory.lock."),
      json::field("force", &T::force,
                  "true also removes files that were edited or added here. Default false.")
          .null_default(),
      json::field("dry_run", &T::dry_run,
                  "true: nothing is removed; the answer says what would be. Default false.")
          .null_default());
}

}  // namespace

OutcomesOutput outcomes_output(std::vector<sources::NamespaceResult> outcomes) {
  const bool ok = std::ranges::all_of(outcomes, &sources::NamespaceResult::ok);
  return {.ok = ok, .namespaces = std::move(outcomes)};
}

void add_lock_functions(FunctionTable& table, Downloader& downloader) {
  // `force` overwrites what was edited here.
  const Hints writes{.destructive = true, .idempotent = true, .network = true};
  const Hints asks{.read_only = true, .idempotent = true, .network = true};
  table.add<LockedInput, VerifyOutput>(
      {.id = "directory::lock::verify",
       .title = "Verify downloads",
       .description = about::kLockVerify,
       .hints = kReadOnly},
      [&downloader](const LockedInput& in) { return verify(downloader, in); });
  table.add<LockedInput, OutdatedOutput>(
      {.id = "directory::lock::outdated",
       .title = "Outdated downloads",
       .description = about::kLockOutdated,
       .hints = asks},
      [&downloader](const Context& context, const LockedInput& in) {
        return outdated(downloader, context, in);
      });
  table.add<DiffInput, sources::NamespaceDiff>(
      {.id = "directory::lock::diff",
       .title = "Differences of a download",
       .description = about::kLockDiff,
       .hints = asks},
      [&downloader](const Context& context, const DiffInput& in) {
        return downloader.diff(context, in.name_space, in.path);
      });
  const auto add = [&](const char* id, const char* title, const char* about,
                       sources::Request::Action action) {
    table.add<LockInput, OutcomesOutput>(
        {.id = id, .title = title, .description = about, .hints = writes},
        [&downloader, action](const Context& context, const LockInput& in) {
          return write_again(downloader, context, action, in);
        });
  };
  add("directory::lock::update", "Update downloads", about::kLockUpdate,
      sources::Request::Action::kUpdate);
  add("directory::lock::restore", "Restore downloads", about::kLockRestore,
      sources::Request::Action::kRestore);
  table.add<ListInput, ListOutput>(
      {.id = "directory::lock::list",
       .title = "List downloads",
       .description = about::kLockList,
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, ListInput in) {
        return list(downloader, context, in);
      });
  table.add<RemoveInput, sources::RemoveReport>(
      {.id = "directory::skills::remove",
       .title = "Remove downloaded skills",
       .description = about::kRemove,
       .hints = {.destructive = true}},
      [&downloader](const Context& context, const RemoveInput& in) {
        return downloader.remove(
            context, in.name_space,
            {.force = in.force.value_or(false), .dry_run = in.dry_run.value_or(false)});
      });
}

}  // namespace iii::directory
