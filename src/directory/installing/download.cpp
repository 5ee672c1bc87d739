#include "directory/installing/download.h"

#include <utility>

#include "directory/installing/downloader.h"
#include "directory/sources/answers.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"

namespace iii::directory {

namespace {

// `force` overwrites what was edited here.
constexpr Hints kDownloads{.destructive = true, .idempotent = true, .network = true};

struct DownloadInput : sources::SourceFields {
  std::optional<bool> force;
  std::optional<bool> accept_risks;
  std::optional<bool> dry_run;
  std::optional<bool> stop_at_risks;
};
// The same, with fields that are required.
struct RegistryDownloadInput : DownloadInput {
  std::string required_worker;
};
struct RepoDownloadInput : DownloadInput {
  std::string required_repo;
  std::string required_skill;
};

constexpr std::string_view kRepo =
    "Address of a git repository: https, ssh or git@, or `owner/repo` for GitHub; also "
    "`owner/repo@skill`, `owner/repo/path`, `…#ref` and the URL of a page that shows a folder.";
constexpr std::string_view kSkill =
    "Folder under `skills/` in the repository; also the namespace in skills_folder. Otherwise a "
    "folder of that name with a SKILL.md anywhere, the `name` in a SKILL.md, or a path.";
constexpr std::string_view kPath =
    "Folder of the skill in the repository, as directory::repo::skills lists it; `.` is the "
    "repository itself. With it `skill` is only a name.";
constexpr std::string_view kAs =
    "Namespace in skills_folder to write to, instead of the skill's name. For repositories only.";
constexpr std::string_view kWorker =
    "Name of a worker in the registry, for example `shell`; also the namespace in skills_folder.";
constexpr std::string_view kBranch =
    "Branch or tag. When absent `main`; if there is no `main` (for example `master`), the "
    "repository's default branch.";
constexpr std::string_view kRef = "Branch, tag or commit, instead of `branch`.";
constexpr std::string_view kVersion = "Exact semver version. Not together with `tag`.";
constexpr std::string_view kTag =
    "Registry tag, for example `latest`, which is the default. Not together with `version`.";

auto describe(json::Type<DownloadInput>) {
  using T = DownloadInput;
  return json::object<T>(
      "DownloadInput", "Either `repo` and `skill`, or `worker`, is required.",
      json::field("repo", &T::repo, kRepo).null_default().length(json::kAnyLength),  // D311
      json::field("skill", &T::skill, kSkill).null_default(),
      json::field("branch", &T::branch, kBranch).null_default(),
      json::field("ref", &T::ref, kRef).null_default(),
      json::field("worker", &T::worker, kWorker).null_default(),
      json::field("version", &T::version, kVersion).null_default(),
      json::field("tag", &T::tag, kTag).null_default(),
      json::field("path", &T::path, kPath).null_default(),
      json::field("as", &T::as, kAs).null_default(),
      json::field("force", &T::force, kForce).null_default(),
      json::field("accept_risks", &T::accept_risks, kAcceptRisks).null_default(),
      json::field("stop_at_risks", &T::stop_at_risks, kStopAtRisks).null_default(),
      json::field("dry_run", &T::dry_run, kDryRun).null_default());
}
auto describe(json::Type<RegistryDownloadInput>) {
  using T = RegistryDownloadInput;
  return json::object<T>("RegistryDownloadInput", "",
                         json::field("worker", &T::required_worker, kWorker),
                         json::field("version", &T::version, kVersion).null_default(),
                         json::field("tag", &T::tag, kTag).null_default(),
                         json::field("force", &T::force, kForce).null_default(),
                         json::field("accept_risks", &T::accept_risks, kAcceptRisks).null_default(),
                         json::field("dry_run", &T::dry_run, kDryRun).null_default());
}
auto describe(json::Type<RepoDownloadInput>) {
  using T = RepoDownloadInput;
  return json::object<T>("RepoDownloadInput", "",
                         json::field("repo", &T::required_repo, kRepo).length(json::kAnyLength),
                         json::field("skill", &T::required_skill, kSkill),
                         json::field("branch", &T::branch, kBranch).null_default(),
                         json::field("ref", &T::ref, kRef).null_default(),
                         json::field("path", &T::path, kPath).null_default(),
                         json::field("as", &T::as, kAs).null_default(),
                         json::field("force", &T::force, kForce).null_default(),
                         json::field("accept_risks", &T::accept_risks, kAcceptRisks).null_default(),
                         json::field("dry_run", &T::dry_run, kDryRun).null_default());
}

task::Task<Result<sources::InstallReport>> download(Downloader& downloader, Context context,
                                                    DownloadInput in) {
  in.local = downloader.downloads()->options().local_folders;
  Result<sources::Source> source = sources::classify(in);
  if (!source) co_return std::unexpected(on_the_bus(std::move(source.error())));
  co_return co_await downloader.install(std::move(context), std::move(*source), request_of(in));
}

}  // namespace

void add_download_functions(FunctionTable& table, Downloader& downloader) {
  const auto any = [&downloader](const Context& context, const DownloadInput& in) {
    return download(downloader, context, in);
  };
  const auto from_registry = [any](const Context& context, RegistryDownloadInput in) {
    in.worker = std::move(in.required_worker);
    return any(context, in);
  };
  const auto from_repo = [any](const Context& context, RepoDownloadInput in) {
    in.repo = std::move(in.required_repo);
    in.skill = std::move(in.required_skill);
    return any(context, in);
  };
  table.add<DownloadInput, sources::InstallReport>({.id = "directory::skills::download",
                                                    .title = "Download skills",
                                                    .description = about::kDownload,
                                                    .hints = kDownloads,
                                                    .tool_label = "Download skills",
                                                    .published = true},
                                                   any);
  table.add<RegistryDownloadInput, sources::InstallReport>(
      {.id = "directory::skills::download_from_registry",
       .title = "Download skills from the registry",
       .description = about::kDownloadFromRegistry,
       .hints = kDownloads,
       .tool_label = "Download skills (registry)",
       .published = true},
      from_registry);
  table.add<RepoDownloadInput, sources::InstallReport>(
      {.id = "directory::skills::download_from_repo",
       .title = "Download skills from a repository",
       .description = about::kDownloadFromRepo,
       .hints = kDownloads,
       .tool_label = "Download skills (repo)",
       .published = true},
      from_repo);
}

}  // namespace iii::directory
