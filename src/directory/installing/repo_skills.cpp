#include "directory/installing/repo_skills.h"

#include <algorithm>
#include <utility>

#include "directory/installing/download.h"
#include "directory/installing/downloader.h"
#include "directory/installing/lock.h"
#include "directory/table/descriptions.h"
#include "directory/table/function_table.h"

namespace iii::directory {

namespace {

struct RepoSkillsInput {
  std::string repo;
  std::optional<std::string> ref;
  std::optional<std::string> path;
};
struct RepoDownloadSeveralInput : RepoSkillsInput {
  std::optional<std::vector<std::string>> skills;
  std::optional<bool> force;
  std::optional<bool> accept_risks;
  std::optional<bool> stop_at_risks;
  std::optional<bool> dry_run;
};

constexpr std::string_view kListedRepo =
    "Git repository: `owner/repo` on GitHub, `owner/repo/folder`, the URL of a page that shows a "
    "folder, or an https, ssh or git@ address.";
constexpr std::string_view kListedRef = "Branch, tag or commit. When absent the default branch.";
constexpr std::string_view kListedPath = "Only skills in this folder of the repository.";

auto describe(json::Type<RepoSkillsInput>) {
  using T = RepoSkillsInput;
  return json::object<T>(
      "RepoSkillsInput", "",
      json::field("repo", &T::repo, kListedRepo).length(json::kAnyLength),  // D311
      json::field("ref", &T::ref, kListedRef).null_default(),
      json::field("path", &T::path, kListedPath).null_default());
}
auto describe(json::Type<RepoDownloadSeveralInput>) {
  using T = RepoDownloadSeveralInput;
  return json::object<T>(
      "RepoDownloadSeveralInput", "",
      json::field("repo", &T::repo, kListedRepo).length(json::kAnyLength),  // D311
      json::field("ref", &T::ref, kListedRef).null_default(),
      json::field("path", &T::path, kListedPath).null_default(),
      json::field("skills", &T::skills,
                  "`path` of each skill to download, as directory::repo::skills lists them. All "
                  "that have a `namespace` there when absent.")
          .null_default(),
      json::field("force", &T::force, kForce).null_default(),
      json::field("accept_risks", &T::accept_risks, kAcceptRisks).null_default(),
      json::field("stop_at_risks", &T::stop_at_risks, kStopAtRisks).null_default(),
      json::field("dry_run", &T::dry_run, kDryRun).null_default());
}

Result<sources::RepoSource> repository_of(const Downloader& downloader, const RepoSkillsInput& in) {
  const bool local = downloader.downloads()->options().local_folders;
  Result<sources::RepoSource> source = sources::classify_repository(in.repo, in.ref, local);
  if (source && in.path) source->path = in.path;
  if (!source) return std::unexpected(on_the_bus(std::move(source.error())));
  return source;
}

task::Task<Result<sources::RepoListing>> list(Downloader& downloader, Context context,
                                              RepoSkillsInput in) {
  Result<sources::RepoSource> source = repository_of(downloader, in);
  if (!source) co_return std::unexpected(std::move(source.error()));
  co_return co_await downloader.list(std::move(context), std::move(*source));
}

// Which of them are meant; an error when one is not there.
Result<std::vector<sources::Source>> chosen(const sources::RepoSource& repository,
                                            const sources::RepoListing& listing,
                                            const std::optional<std::vector<std::string>>& paths) {
  std::vector<sources::Source> out;
  if (!paths) {
    for (const sources::ListedSkill& skill : listing.skills) {
      if (skill.name_space) out.push_back(sources::source_of(repository, skill));
    }
  } else {
    for (const std::string& path : *paths) {
      const auto skill = std::ranges::find(listing.skills, path, &sources::ListedSkill::path);
      if (skill == listing.skills.end() || !skill->name_space) {
        return fail("D310", "D310 not_found: the repository has no skill at `" + path +
                                "` that can be downloaded by itself. Next: call "
                                "directory::repo::skills to see what it has.");
      }
      out.push_back(sources::source_of(repository, *skill));
    }
  }
  if (!out.empty()) return out;
  return fail("D310",
              "D310 not_found: the repository has no SKILL.md. Next: check the address and the "
              "branch.");
}

task::Task<Result<OutcomesOutput>> download(Downloader& downloader, Context context,
                                            RepoDownloadSeveralInput in) {
  Result<sources::RepoSource> source = repository_of(downloader, in);
  if (!source) co_return std::unexpected(std::move(source.error()));
  const Result<sources::RepoListing> listing = co_await downloader.list(context, *source);
  if (!listing) co_return std::unexpected(listing.error());
  auto wanted = chosen(*source, *listing, in.skills);
  if (!wanted) co_return std::unexpected(on_the_bus(std::move(wanted.error())));
  sources::Request request = request_of(in);
  request.sources = std::move(*wanted);
  std::string about(sources::repository_name(source->repo));
  auto outcomes = co_await downloader.run(std::move(context), std::move(about), std::move(request));
  if (!outcomes) co_return std::unexpected(std::move(outcomes.error()));
  OutcomesOutput out = outcomes_output(std::move(*outcomes));
  for (const sources::ListedSkill& skill : listing->skills) {
    if (in.skills || !skill.copy_of) continue;
    out.copies.push_back({.path = skill.path, .copy_of = *skill.copy_of});
  }
  co_return out;
}

}  // namespace

void add_repo_functions(FunctionTable& table, Downloader& downloader) {
  table.add<RepoSkillsInput, sources::RepoListing>(
      {.id = "directory::repo::skills",
       .title = "Skills of a repository",
       .description = about::kRepoSkills,
       .hints = {.read_only = true, .idempotent = true, .network = true}},
      [&downloader](const Context& context, const RepoSkillsInput& in) {
        return list(downloader, context, in);
      });
  table.add<RepoDownloadSeveralInput, OutcomesOutput>(
      {.id = "directory::repo::download",
       .title = "Download skills of a repository",
       .description = about::kRepoDownload,
       .hints = {.destructive = true, .idempotent = true, .network = true},
       .max_input_bytes = kMaxLargeInputBytes},
      [&downloader](const Context& context, const RepoDownloadSeveralInput& in) {
        return download(downloader, context, in);
      });
}

}  // namespace iii::directory
