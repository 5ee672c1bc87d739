#include "directory/installing/lock.h"

#include <algorithm>
#include <utility>

#include "directory/installing/download.h"
#include "directory/installing/downloader.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"

namespace iii::directory {

namespace {

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
  auto outcomes =
      co_await downloader.run(std::move(context), in.name_space.value_or("skills_folder"),
                              {.action = action,
                               .name_space = in.name_space,
                               .force = in.force.value_or(false),
                               .stop_at_risks = in.stop_at_risks.value_or(false),
                               .dry_run = in.dry_run.value_or(false)});
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  co_return outcomes_output(std::move(*outcomes));
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
}

}  // namespace iii::directory
