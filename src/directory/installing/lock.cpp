#include "directory/installing/lock.h"

#include <algorithm>
#include <utility>

#include "directory/installing/downloader.h"
#include "directory/sources/source_json.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using sources::NamespaceResult;

struct LockedInput {
  std::optional<std::string> name_space;
};
struct LockInput {
  std::optional<std::string> name_space;
  std::optional<bool> force;
  std::optional<bool> stop_at_risks;
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
      json::field("stop_at_risks", &T::stop_at_risks, kStopAtRisks).null_default());
}
auto describe(json::Type<DiffInput>) {
  using T = DiffInput;
  return json::object<T>(
      "LockDiffInput", "", json::field("namespace", &T::name_space, "Namespace in directory.lock."),
      json::field("path", &T::path, "Only this file, a path below the namespace. All when absent.")
          .null_default()
          .length(kMaxPathLength));
}

VerifyOutput output_of(const std::vector<sources::VerifiedNamespace>& namespaces) {
  VerifyOutput out{.ok = true, .namespaces = {}};
  for (const sources::VerifiedNamespace& verified : namespaces) {
    VerifyRow row{.name_space = verified.name_space,
                  .ok = verified.ok,
                  .source = verified.source,
                  .resolved = verified.resolved,
                  .digest = verified.digest,
                  .intact = verified.intact,
                  .files = {}};
    for (const sources::VerifiedFile& file : verified.files) {
      row.files.push_back({.path = file.path, .state = sources::word_of(file.state)});
    }
    out.ok = out.ok && row.ok;
    out.namespaces.push_back(std::move(row));
  }
  return out;
}

std::string state_of(const sources::OutdatedRow& row) {
  if (row.error) return "unknown";
  if (row.gone) return "gone";
  if (row.pinned) return "pinned";
  if (row.outdated) return "outdated";
  return row.kept.empty() ? "current" : "edited";
}

OutdatedOutput output_of(const std::vector<sources::OutdatedRow>& rows) {
  OutdatedOutput out;
  for (const sources::OutdatedRow& row : rows) {
    OutdatedOutputRow shown{.name_space = row.name_space,
                            .source = sources::source_json(row.source, ""),
                            .current = row.current,
                            .latest = {},
                            .pinned = row.pinned,
                            .kept = row.kept,
                            .outdated = row.outdated,
                            .state = state_of(row),
                            .error = {}};
    if (!row.latest.empty()) shown.latest = row.latest;
    if (row.error) shown.error = row.error->message;
    out.namespaces.push_back(std::move(shown));
  }
  return out;
}

DiffOutput output_of(sources::NamespaceDiff diff) {
  DiffOutput out{.name_space = std::move(diff.name_space),
                 .current = std::move(diff.current),
                 .latest = std::move(diff.latest),
                 .files = {},
                 .unchanged = diff.unchanged};
  for (sources::FileDiff& file : diff.files) {
    out.files.push_back({.path = std::move(file.path),
                         .change = std::move(file.change),
                         .diff = std::move(file.diff),
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

Error nothing_locked() {
  return {"D310",
          "D310 not_found: there is no directory.lock in the skills folder, so there is nothing to "
          "restore. Next: call directory::skills::download with a source."};
}

// What looks at the disk and asks nobody.
template <typename F>
auto on_disk(Downloader& downloader, F work) {
  auto bound = [downloads = downloader.downloads(), work = std::move(work)] {
    return work(*downloads);
  };
  return downloader.local().run(std::move(bound));
}

task::Task<Result<VerifyOutput>> verify(Downloader& downloader, LockedInput in) {
  auto verified = co_await on_disk(
      downloader, [in](auto& downloads) { return downloads.verify(in.name_space); });
  if (!verified) co_return std::unexpected(on_the_bus(std::move(verified.error())));
  co_return output_of(*verified);
}

task::Task<Result<DiffOutput>> diff(Downloader& downloader, Context context, DiffInput in) {
  auto found = co_await downloader.diff(std::move(context), std::move(in.name_space), in.path);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return output_of(std::move(*found));
}

task::Task<Result<OutdatedOutput>> outdated(Downloader& downloader, Context context,
                                            LockedInput in) {
  auto rows = co_await downloader.outdated(std::move(context), in.name_space);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  co_return output_of(*rows);
}

task::Task<Result<OutcomesOutput>> again(Downloader& downloader, Context context,
                                         Downloader::Again what, LockInput in) {
  const bool restore = what == Downloader::Again::kRestore;
  auto lock = co_await on_disk(downloader, [restore](auto& downloads) -> Result<sources::LockPtr> {
    const bool nothing = restore && !downloads.has(std::string(sources::kLockFileName));
    if (nothing) return std::unexpected(nothing_locked());
    return downloads.lock();
  });
  if (!lock) co_return std::unexpected(on_the_bus(std::move(lock.error())));
  const sources::LockPtr shared = std::move(*lock);
  auto outcomes =
      co_await downloader.again(std::move(context), what, shared, in.name_space,
                                in.force.value_or(false), in.stop_at_risks.value_or(false));
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  Asked asked;
  for (const auto& [name, locked] : shared->namespaces) asked.emplace(name, locked.source);
  co_return outcomes_output(asked, std::move(*outcomes));
}

}  // namespace

OutcomesOutput outcomes_output(const Asked& asked, std::vector<NamespaceResult> outcomes) {
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

void add_lock_functions(FunctionTable& table, Downloader& downloader) {
  // `force` overwrites what was edited here.
  const Hints writes{.destructive = true, .idempotent = true, .network = true};
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
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, const LockedInput& in) {
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
