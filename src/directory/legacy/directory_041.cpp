#include "directory/legacy/directory_041.h"

#include <utility>

#include "directory/legacy/add_read.h"
#include "directory/legacy/descriptions.h"
#include "directory/library/library.h"
#include "directory/reading/prompts.h"
#include "directory/sources/answers.h"
#include "directory/sources/source.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

struct DownloadInput041 : sources::SourceFields {
  std::optional<bool> force;
};
struct PromptName {
  std::string name;
};
struct PromptText : PromptGetOutput {};

auto describe(json::Type<DownloadInput041>) {
  using T = DownloadInput041;
  return json::object<T>(
      "DownloadInput",
      "Either `repo` and `skill`, or `worker` with one of `version` and `tag`, is required.",
      json::field("repo", &T::repo,
                  "Address of a git repository, for example on GitHub: https, ssh or git@. Goes "
                  "with `skill`.")
          .null_default()
          .length(json::kAnyLength),  // D311
      json::field("skill", &T::skill,
                  "Folder under `skills/` in the repository; also the namespace in skills_folder.")
          .null_default(),
      json::field("worker", &T::worker,
                  "Name of a worker in the registry. Goes with one of `version` and `tag`.")
          .null_default(),
      json::field("version", &T::version, "Exact semver version. Not together with `tag`.")
          .null_default(),
      json::field("tag", &T::tag,
                  "Registry tag, for example `latest`. Not together with `version`.")
          .null_default(),
      json::field("force", &T::force, "true overwrites files that were edited here. Default false.")
          .null_default());
}
auto describe(json::Type<PromptName>) {
  return json::object<PromptName>(
      "PromptGetInput", "",
      json::field("name", &PromptName::name, "Name as prompts::list returns it. Required."));
}
auto describe(json::Type<PromptText>) {
  using T = PromptText;
  return json::object<T>(
      "PromptGetOutput", "", json::field("name", &T::name, "Name of the prompt."),
      json::field("description", &T::description, "What it is for."),
      json::field("body", &T::body, "The markdown after the frontmatter, unchanged."),
      json::field("modified_at", &T::modified_at, "When the file was modified, RFC 3339 in UTC."));
}

bool given(const std::optional<std::string>& field) { return field && !trim(*field).empty(); }

// `{kind, repo, skill}`: there were no branches to choose.
json::Raw source_of_041(const sources::Source& source) {
  const auto* repo = std::get_if<sources::RepoSource>(&source);
  if (repo == nullptr) return sources::source_json(source, "");
  const json::Object out{{"kind", "repo"}, {"repo", repo->repo}, {"skill", repo->skill}};
  return json::Raw{json::to_text(out)};
}

task::Task<Result<sources::InstallReport>> download(Downloader& downloader, Context context,
                                                    DownloadInput041 in) {
  const Result<sources::Source> source = source_041(in);
  if (!source) co_return std::unexpected(on_the_bus(source.error()));
  Result<sources::InstallReport> report =
      co_await downloader.install(std::move(context), *source, {.force = in.force.value_or(false)});
  if (!report) {
    const bool registry = std::holds_alternative<sources::RegistrySource>(*source);
    co_return std::unexpected(registry ? with_status_041(std::move(report.error()))
                                       : std::move(report.error()));
  }
  report->source = source_of_041(*source);
  co_return report;
}

task::Task<Result<PromptText>> prompt_of(Library& library, std::string name) {
  Result<PromptGetOutput> found = co_await get_prompt(library, std::move(name), false);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return PromptText{std::move(*found)};
}

}  // namespace

Result<sources::Source> source_041(const sources::SourceFields& fields) {
  const bool worker_alone = given(fields.worker) && !given(fields.version) && !given(fields.tag);
  if (worker_alone && !given(fields.repo) && !given(fields.skill)) {
    return fail("D311",
                "D311 invalid_input: worker needs a version or tag. Next: add tag=latest, or call "
                "directory::skills::download, which takes the latest by itself.");
  }
  return sources::classify(fields);
}

Error with_status_041(Error error) {
  constexpr std::string_view kNotFound = "D310 not_found:";
  if (error.message.starts_with(kNotFound)) error.message.insert(kNotFound.size(), " HTTP 404:");
  return error;
}

void add_download_041(FunctionTable& table, Downloader& downloader) {
  table.add<DownloadInput041, sources::InstallReport>(
      {.id = "skills::download",
       .title = "Download skills",
       .description = about::kDownload041,
       .hints = {.destructive = true, .idempotent = true, .network = true},
       .tool_label = "Download skills",
       .published = true},
      [&downloader](const Context& context, DownloadInput041 in) {
        return download(downloader, context, std::move(in));
      });
}

void add_prompt_get_041(FunctionTable& table, Library& library) {
  add_read<PromptName, PromptText>(
      table, "prompts::get", "Get prompt", about::kPromptsGet041,
      [&library](const PromptName& in) { return prompt_of(library, in.name); });
}

}  // namespace iii::directory
