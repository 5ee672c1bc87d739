#include "legacy/directory_041.h"

#include <utility>

#include "base/text.h"
#include "content/ids.h"
#include "functions/document.h"
#include "functions/download.h"
#include "functions/errors.h"
#include "functions/resolve.h"
#include "json/write.h"

namespace iii::directory {

namespace {

struct DownloadInput041 {
  std::optional<std::string> repo;
  std::optional<std::string> skill;
  std::optional<std::string> worker;
  std::optional<std::string> version;
  std::optional<std::string> tag;
  std::optional<bool> force;
};
struct PromptName {
  std::string name;
};
struct PromptText {
  std::string name;
  std::string description;
  std::string body;
  std::string modified_at;
};

auto describe(json::Type<DownloadInput041>) {
  using T = DownloadInput041;
  return json::object<T>(
      "DownloadInput", "Either {repo, skill} or {worker, version|tag}.",
      json::field("repo", &T::repo, "https://, ssh:// or git@ address.").null_default(),
      json::field("skill", &T::skill, "The folder to take from it.").null_default(),
      json::field("worker", &T::worker, "A worker of the registry.").null_default(),
      json::field("version", &T::version, "An exact version, instead of `tag`.").null_default(),
      json::field("tag", &T::tag, "A release channel, instead of `version`.").null_default(),
      json::field("force", &T::force, "Overwrite files that were edited here.").null_default());
}
auto describe(json::Type<PromptName>) {
  return json::object<PromptName>(
      "PromptGetInput", "", json::field("name", &PromptName::name, "As prompts::list shows it."));
}
auto describe(json::Type<PromptText>) {
  using T = PromptText;
  return json::object<T>("PromptGetOutput", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("body", &T::body, "The template, without its frontmatter."),
                         json::field("modified_at", &T::modified_at, "UTC."));
}

bool given(const std::optional<std::string>& field) { return field && !trim(*field).empty(); }

// `{kind, repo, skill}`: there were no branches to choose.
json::Raw source_of_041(const sources::Source& source) {
  const auto* repo = std::get_if<sources::RepoSource>(&source);
  if (repo == nullptr) return source_json(source, "");
  const json::Object out{{"kind", "repo"}, {"repo", repo->repo}, {"skill", repo->skill}};
  return json::Raw{json::to_text(out)};
}

sdk::Task<Result<DownloadOutput>> download(Downloader& downloader, DownloadInput041 in) {
  sources::SourceFields fields;
  fields.repo = in.repo;
  fields.skill = in.skill;
  fields.worker = in.worker;
  fields.version = in.version;
  fields.tag = in.tag;
  const Result<sources::Source> source = source_041(fields);
  if (!source) co_return std::unexpected(on_the_bus(source.error()));
  sources::InstallOptions options;
  options.force = in.force.value_or(false);
  Result<sources::InstallReport> report = co_await downloader.install(*source, options);
  if (!report) co_return std::unexpected(std::move(report.error()));
  DownloadOutput out = output_of(*source, std::move(*report));
  out.source = source_of_041(*source);
  co_return out;
}

Result<PromptText> prompt_of(content::Content& content, const std::string& name) {
  if (const Result<void> legal = content::check_name(name); !legal) {
    return std::unexpected(invalid_prompt_name(legal.error().message));
  }
  const content::GenerationPtr generation = content.fresh();
  const content::Prompt* prompt = generation->prompt(name);
  if (prompt == nullptr) {
    return std::unexpected(prompt_not_found(name, suggest_prompts(*generation, name)));
  }
  Result<Document> document = read_document(content, *generation, prompt->file, "prompt", name);
  if (!document) return std::unexpected(std::move(document.error()));
  return PromptText{.name = prompt->name,
                    .description = prompt->description,
                    .body = std::move(document->body),
                    .modified_at = content::format_time(document->mtime_ns)};
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

void add_download_041(sdk::Worker& worker, Downloader& downloader) {
  const auto run = [&downloader](DownloadInput041 in) {
    return download(downloader, std::move(in));
  };
  const json::Value label = json::Object{{"tool", json::Object{{"label", "Download skills"}}}};
  static_cast<void>(worker.function(
      {.id = "skills::download",
       .description = "Fetches skills and prompts from the registry or from a git repository.",
       .metadata = json::Raw{json::to_text(label)}},
      run));
}

void add_prompt_get_041(sdk::Worker& worker, content::Content& content) {
  const auto get = [&content](const PromptName& in) { return prompt_of(content, in.name); };
  static_cast<void>(worker.function("prompts::get", "Reads one prompt template by its name.", get));
}

}  // namespace iii::directory
