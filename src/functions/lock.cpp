#include "functions/lock.h"

#include <algorithm>
#include <utility>

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

auto describe(json::Type<LockInput>) {
  using T = LockInput;
  return json::object<T>(
      "LockInput", "",
      json::field("namespace", &T::name_space, "One of the lock; all when absent.").null_default(),
      json::field("force", &T::force, "Overwrite files that were edited here.").null_default());
}
auto describe(json::Type<FileRow>) {
  using T = FileRow;
  return json::object<T>("LockedFileState", "", json::field("path", &T::path, ""),
                         json::field("state", &T::state, "`edited`, `missing` or `extra`."));
}
auto describe(json::Type<VerifyRow>) {
  using T = VerifyRow;
  return json::object<T>(
      "VerifiedNamespace", "", json::field("namespace", &T::name_space, ""),
      json::field("ok", &T::ok, "Nothing is edited or missing."),
      json::field("source", &T::source, "What was asked for."),
      json::field("resolved", &T::resolved, "The version or commit that came."),
      json::field("digest", &T::digest, "Of all files as they were written."),
      json::field("intact", &T::intact, "How many files are as they were written."),
      json::field("files", &T::files, "The others."));
}
auto describe(json::Type<VerifyOutput>) {
  using T = VerifyOutput;
  return json::object<T>("VerifyOutput", "", json::field("ok", &T::ok, "All are."),
                         json::field("namespaces", &T::namespaces, ""));
}
auto describe(json::Type<OutdatedOutputRow>) {
  using T = OutdatedOutputRow;
  return json::object<T>(
      "OutdatedNamespace", "", json::field("namespace", &T::name_space, ""),
      json::field("source", &T::source, "What was asked for."),
      json::field("current", &T::current, "The version or commit that is here."),
      json::field("latest", &T::latest, "What the same question gives now.").nullable(),
      json::field("pinned", &T::pinned, "An exact version was asked for; it stays."),
      json::field("outdated", &T::outdated, ""),
      json::field("error", &T::error, "Why `latest` is not known."));
}
auto describe(json::Type<OutdatedOutput>) {
  return json::object<OutdatedOutput>("OutdatedOutput", "",
                                      json::field("namespaces", &OutdatedOutput::namespaces, ""));
}
auto describe(json::Type<OutcomeRow>) {
  using T = OutcomeRow;
  return json::object<T>("NamespaceOutcome", "", json::field("namespace", &T::name_space, ""),
                         json::field("ok", &T::ok, ""),
                         json::field("before", &T::before, "The version or commit before."),
                         json::field("result", &T::result, "What was done."),
                         json::field("error", &T::error, "Why nothing was done."));
}
auto describe(json::Type<OutcomesOutput>) {
  using T = OutcomesOutput;
  return json::object<T>("OutcomesOutput", "", json::field("ok", &T::ok, "All went well."),
                         json::field("namespaces", &T::namespaces, ""));
}

std::string_view word(FileState state) {
  switch (state) {
    case FileState::kEdited:
      return "edited";
    case FileState::kMissing:
      return "missing";
    case FileState::kExtra:
      return "extra";
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
                            .outdated = row.outdated,
                            .error = {}};
    if (!row.latest.empty()) shown.latest = row.latest;
    if (row.error) shown.error = row.error->message;
    out.namespaces.push_back(std::move(shown));
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

// On the pool: everything that looks at the disk or asks somebody.
template <typename F>
auto on_pool(Downloader& downloader, F work) {
  auto bound = [downloads = downloader.downloads(), work = std::move(work)] {
    return work(*downloads);
  };
  return downloader.pool().run(std::move(bound));
}

sdk::Task<Result<VerifyOutput>> verify(Downloader& downloader, LockInput in) {
  auto verified = co_await on_pool(
      downloader, [in](auto& downloads) { return downloads.verify(in.name_space); });
  if (!verified) co_return std::unexpected(on_the_bus(std::move(verified.error())));
  co_return output_of(*verified);
}

sdk::Task<Result<OutdatedOutput>> outdated(Downloader& downloader, LockInput in) {
  auto rows = co_await on_pool(downloader, [in](auto& downloads) {
    return downloads.outdated(in.name_space, downloads.job());
  });
  if (!rows) co_return std::unexpected(on_the_bus(std::move(rows.error())));
  co_return output_of(*rows);
}

// One namespace after the other, so that each has its own generation and events.
sdk::Task<Result<OutcomesOutput>> again(Downloader& downloader, Downloader::Again what,
                                        LockInput in) {
  auto lock = co_await on_pool(downloader, [](auto& downloads) { return downloads.lock(); });
  if (!lock) co_return std::unexpected(on_the_bus(std::move(lock.error())));
  OutcomesOutput out{.ok = true, .namespaces = {}};
  if (in.name_space && !lock->namespaces.contains(*in.name_space)) {
    // Downloads knows best how to say that.
    auto refused = co_await downloader.again(what, *in.name_space, "registry", false);
    if (!refused) co_return std::unexpected(std::move(refused.error()));
  }
  for (const auto& [name, locked] : lock->namespaces) {
    if (in.name_space && *in.name_space != name) continue;
    const bool leave = what == Downloader::Again::kUpdate && !in.name_space && locked.pinned();
    if (leave) continue;
    Result<NamespaceResult> outcome = co_await downloader.again(
        what, name, sources::kind_of(locked.source), in.force.value_or(false));
    if (!outcome) co_return std::unexpected(std::move(outcome.error()));
    out.namespaces.push_back(row_of(locked.source, std::move(*outcome)));
    out.ok = out.ok && out.namespaces.back().ok;
  }
  co_return out;
}

}  // namespace

std::string verify_json(const std::vector<sources::VerifiedNamespace>& namespaces) {
  return json::encode(output_of(namespaces));
}

std::string outdated_json(const std::vector<sources::OutdatedRow>& rows) {
  return json::encode(output_of(rows));
}

std::string outcomes_json(const std::map<std::string, sources::Source>& asked,
                          std::vector<NamespaceResult> outcomes) {
  OutcomesOutput out{.ok = true, .namespaces = {}};
  for (NamespaceResult& outcome : outcomes) {
    const auto source = asked.find(outcome.name_space);
    if (source == asked.end()) continue;
    out.namespaces.push_back(row_of(source->second, std::move(outcome)));
    out.ok = out.ok && out.namespaces.back().ok;
  }
  return json::encode(out);
}

void add_lock_functions(sdk::Worker& worker, Downloader& downloader) {
  const auto verify_all = [&downloader](const LockInput& in) { return verify(downloader, in); };
  const auto list_outdated = [&downloader](const LockInput& in) {
    return outdated(downloader, in);
  };
  const auto update = [&downloader](const LockInput& in) {
    return again(downloader, Downloader::Again::kUpdate, in);
  };
  const auto restore = [&downloader](const LockInput& in) {
    return again(downloader, Downloader::Again::kRestore, in);
  };
  static_cast<void>(worker.function("directory::lock::verify",
                                    "Compares downloaded files with directory.lock.", verify_all));
  static_cast<void>(worker.function("directory::lock::outdated",
                                    "Tells which downloads have something newer upstream.",
                                    list_outdated));
  static_cast<void>(worker.function(
      "directory::lock::update", "Downloads again what was asked for before; pins stay.", update));
  static_cast<void>(worker.function("directory::lock::restore",
                                    "Brings files back to exactly what directory.lock says.",
                                    restore));
}

}  // namespace iii::directory
