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

struct DownloadInput {
  std::optional<std::string> repo;
  std::optional<std::string> skill;
  std::optional<std::string> branch;
  std::optional<std::string> ref;
  std::optional<std::string> worker;
  std::optional<std::string> version;
  std::optional<std::string> tag;
  std::optional<std::string> path;
  std::optional<std::string> as;
  std::optional<bool> force;
  std::optional<bool> accept_risks;
  std::optional<bool> dry_run;
  std::optional<bool> stop_at_risks;
};
struct RegistryDownloadInput {
  std::string worker;
  std::optional<std::string> version;
  std::optional<std::string> tag;
  std::optional<bool> force;
  std::optional<bool> accept_risks;
  std::optional<bool> dry_run;
};
struct RepoDownloadInput {
  std::string repo;
  std::string skill;
  std::optional<std::string> branch;
  std::optional<std::string> ref;
  std::optional<std::string> path;
  std::optional<std::string> as;
  std::optional<bool> force;
  std::optional<bool> accept_risks;
  std::optional<bool> dry_run;
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
  return json::object<T>("RegistryDownloadInput", "", json::field("worker", &T::worker, kWorker),
                         json::field("version", &T::version, kVersion).null_default(),
                         json::field("tag", &T::tag, kTag).null_default(),
                         json::field("force", &T::force, kForce).null_default(),
                         json::field("accept_risks", &T::accept_risks, kAcceptRisks).null_default(),
                         json::field("dry_run", &T::dry_run, kDryRun).null_default());
}
auto describe(json::Type<RepoDownloadInput>) {
  using T = RepoDownloadInput;
  return json::object<T>("RepoDownloadInput", "",
                         json::field("repo", &T::repo, kRepo).length(json::kAnyLength),
                         json::field("skill", &T::skill, kSkill),
                         json::field("branch", &T::branch, kBranch).null_default(),
                         json::field("ref", &T::ref, kRef).null_default(),
                         json::field("path", &T::path, kPath).null_default(),
                         json::field("as", &T::as, kAs).null_default(),
                         json::field("force", &T::force, kForce).null_default(),
                         json::field("accept_risks", &T::accept_risks, kAcceptRisks).null_default(),
                         json::field("dry_run", &T::dry_run, kDryRun).null_default());
}

task::Task<Result<sources::InstallReport>> download(Downloader& downloader, Context context,
                                                    sources::SourceFields fields,
                                                    sources::Request how) {
  fields.local = downloader.downloads()->options().local_folders;
  Result<sources::Source> source = sources::classify(fields);
  if (!source) co_return std::unexpected(on_the_bus(std::move(source.error())));
  co_return co_await downloader.install(std::move(context), std::move(*source), std::move(how));
}

sources::Request request_of(const auto& in) {
  return {.force = in.force.value_or(false),
          .accept_risks = in.accept_risks.value_or(false),
          .dry_run = in.dry_run.value_or(false)};
}

}  // namespace

void add_download_functions(FunctionTable& table, Downloader& downloader) {
  const auto any = [&downloader](const Context& context, const DownloadInput& in) {
    sources::Request request = request_of(in);
    request.stop_at_risks = in.stop_at_risks.value_or(false);
    return download(downloader, context,
                    {.repo = in.repo,
                     .skill = in.skill,
                     .branch = in.branch,
                     .ref = in.ref,
                     .worker = in.worker,
                     .version = in.version,
                     .tag = in.tag,
                     .path = in.path,
                     .as = in.as},
                    std::move(request));
  };
  const auto from_registry = [&downloader](const Context& context,
                                           const RegistryDownloadInput& in) {
    sources::SourceFields fields;
    fields.worker = in.worker;
    fields.version = in.version;
    fields.tag = in.tag;
    return download(downloader, context, std::move(fields), request_of(in));
  };
  const auto from_repo = [&downloader](const Context& context, const RepoDownloadInput& in) {
    sources::SourceFields fields;
    fields.repo = in.repo;
    fields.skill = in.skill;
    fields.branch = in.branch;
    fields.ref = in.ref;
    fields.path = in.path;
    fields.as = in.as;
    return download(downloader, context, std::move(fields), request_of(in));
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
