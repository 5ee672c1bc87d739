#include "directory/installing/lock_list.h"

#include <algorithm>
#include <utility>

#include "directory/content/types.h"
#include "directory/installing/downloader.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

using sources::FileState;

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

}  // namespace

void add_lock_list(FunctionTable& table, Downloader& downloader) {
  table.add<ListInput, ListOutput>(
      {.id = "directory::lock::list",
       .title = "List downloads",
       .description = about::kLockList,
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, ListInput in) {
        return list(downloader, context, in);
      });
}

}  // namespace iii::directory
