// What directory::registry::workers::* takes and gives. The answers are made by `sources`; these
// types publish their schemas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/json/describe.h"

namespace iii::directory {

struct WorkerListInput {
  std::optional<std::string> search;
  std::optional<std::string> cursor;
};
struct WorkerInfoInput {
  std::string name;
  std::optional<std::string> version;
  std::optional<std::string> tag;
};

struct RegistryDependency {
  std::string name;
  std::string version;
};
struct RegistryAuthor {
  std::optional<std::string> name;
  std::optional<std::string> pfp;
  bool verified = false;
};
struct RegistryWorker {
  std::string name;
  std::optional<std::string> description;
  std::optional<std::string> type;
  std::optional<std::string> version;
  std::optional<std::string> repo;
  json::Value config = json::Object{};
  std::vector<std::string> supported_targets;
  std::optional<std::string> image;
  uint64_t total_downloads = 0;
  std::vector<RegistryDependency> dependencies;
  std::optional<RegistryAuthor> author;
};
struct RegistryPagination {
  std::optional<std::string> next_cursor;
  bool has_more = false;
  uint32_t page_size = 0;
};
struct WorkerListOutput {
  std::vector<RegistryWorker> workers;
  RegistryPagination pagination;
  std::optional<bool> stale;
};

struct ReferenceFunction {
  std::string name;
  std::optional<std::string> description;
  std::optional<json::Value> request_schema;
  std::optional<json::Value> response_schema;
  std::optional<json::Value> metadata;
};
struct ReferenceTrigger {
  std::string name;
  std::optional<std::string> description;
  std::optional<json::Value> invocation_schema;
  std::optional<json::Value> return_schema;
  std::optional<json::Value> metadata;
};
struct ApiReference {
  std::vector<ReferenceFunction> functions;
  std::vector<ReferenceTrigger> triggers;
};
struct TreeSkill {
  std::string path;
};
struct TreePrompt {
  std::string name;
  std::optional<std::string> description;
};
struct SkillsTree {
  std::vector<TreeSkill> skills;
  std::vector<TreePrompt> prompts;
};
struct WorkerInfoOutput {
  RegistryWorker worker;
  std::optional<std::string> readme;
  ApiReference api_reference;
  SkillsTree skills_tree;
  std::optional<bool> stale;
};

inline constexpr std::string_view kStaleText =
    "true when the registry does not answer and this is an older answer; absent otherwise.";

inline auto describe(json::Type<WorkerListInput>) {
  using T = WorkerListInput;
  return json::object<T>(
      "WorkerListInput", "",
      json::field("search", &T::search,
                  "Free text. The registry ranks workers by the similarity of their name and "
                  "description, ignoring case. When absent, rows are ordered by `total_downloads`, "
                  "largest first.")
          .null_default()
          .length(json::kAnyLength),  // D311
      json::field("cursor", &T::cursor,
                  "`pagination.next_cursor` of the previous answer, unchanged. First page when "
                  "absent or null.")
          .null_default()
          .length(json::kAnyLength));
}
inline auto describe(json::Type<WorkerInfoInput>) {
  using T = WorkerInfoInput;
  return json::object<T>(
      "WorkerInfoInput", "",
      json::field("name", &T::name,
                  "Name of the worker in the registry, for example `resend`. Required."),
      json::field("version", &T::version,
                  "Exact version. Not together with `tag`; tag `latest` when both are absent.")
          .null_default(),
      json::field("tag", &T::tag, "Registry tag. Not together with `version`. Default `latest`.")
          .null_default());
}
inline auto describe(json::Type<RegistryDependency>) {
  using T = RegistryDependency;
  return json::object<T>("Dependency", "", json::field("name", &T::name, "Name of the worker."),
                         json::field("version", &T::version,
                                     "Range of versions; empty when the registry names none."));
}
inline auto describe(json::Type<RegistryAuthor>) {
  using T = RegistryAuthor;
  return json::object<T>(
      "WorkerAuthor", "", json::field("name", &T::name, "Name of the author."),
      json::field("pfp", &T::pfp, "URL of the profile picture; null without one.").null_default(),
      json::field("verified", &T::verified, "The registry has verified the author.").optional());
}
inline auto describe(json::Type<RegistryWorker>) {
  using T = RegistryWorker;
  return json::object<T>(
      "Worker", "",
      json::field("name", &T::name,
                  "Name; pass it to directory::registry::workers::info or as `worker` to a "
                  "download."),
      json::field("description", &T::description, "What the worker does.").null_default(),
      json::field("type", &T::type, "Kind of worker: `binary`, `image`, `bundle` or `engine`.")
          .null_default(),
      json::field("version", &T::version,
                  "Latest published version; in an answer for `version` or `tag`, the one it "
                  "resolved to.")
          .null_default(),
      json::field("repo", &T::repo, "URL of the source repository.").null_default(),
      json::field("config", &T::config, "Runtime configuration as published; any shape.")
          .optional(),
      json::field("supported_targets", &T::supported_targets,
                  "Platforms it is published for, as target triples.")
          .optional(),
      json::field("image", &T::image, "Container image; only for workers of type `image`."),
      json::field("total_downloads", &T::total_downloads, "Downloads of all versions.").optional(),
      json::field("dependencies", &T::dependencies, "Workers that it needs.").optional(),
      json::field("author", &T::author, "Who published it; null if not known.").null_default());
}
inline auto describe(json::Type<RegistryPagination>) {
  using T = RegistryPagination;
  return json::object<T>(
      "Pagination", "Which page this is of.",
      json::field("next_cursor", &T::next_cursor,
                  "Pass it as `cursor` for the next page, unchanged; null on the last page.")
          .null_default(),
      json::field("has_more", &T::has_more, "There is another page.").optional(),
      json::field("page_size", &T::page_size,
                  "Rows per page, chosen by the registry; callers cannot change it.")
          .optional());
}
inline auto describe(json::Type<WorkerListOutput>) {
  using T = WorkerListOutput;
  return json::object<T>(
      "WorkerListOutput", "", json::field("workers", &T::workers, "Workers of this page."),
      json::field("pagination", &T::pagination, ""), json::field("stale", &T::stale, kStaleText));
}
inline auto describe(json::Type<ReferenceFunction>) {
  using T = ReferenceFunction;
  return json::object<T>(
      "ApiReferenceFunction", "", json::field("name", &T::name, "Function id."),
      json::field("description", &T::description, "What it does."),
      json::field("request_schema", &T::request_schema, "JSON Schema of its input."),
      json::field("response_schema", &T::response_schema, "JSON Schema of its output."),
      json::field("metadata", &T::metadata, "Published beside it, for example tool labels."));
}
inline auto describe(json::Type<ReferenceTrigger>) {
  using T = ReferenceTrigger;
  return json::object<T>("ApiReferenceTrigger", "",
                         json::field("name", &T::name, "Id of the trigger type."),
                         json::field("description", &T::description, "When it fires."),
                         json::field("invocation_schema", &T::invocation_schema,
                                     "JSON Schema of the config of a binding."),
                         json::field("return_schema", &T::return_schema,
                                     "JSON Schema of the payload that bound functions receive."),
                         json::field("metadata", &T::metadata, "Published beside it."));
}
inline auto describe(json::Type<ApiReference>) {
  using T = ApiReference;
  return json::object<T>("ApiReference", "What the worker offers on the bus.",
                         json::field("functions", &T::functions, "Its functions.").optional(),
                         json::field("triggers", &T::triggers, "Its trigger types.").optional());
}
inline auto describe(json::Type<TreeSkill>) {
  return json::object<TreeSkill>(
      "SkillsTreeSkill", "",
      json::field("path", &TreeSkill::path, "Path of the file, as it was published."));
}
inline auto describe(json::Type<TreePrompt>) {
  using T = TreePrompt;
  return json::object<T>(
      "SkillsTreePrompt", "", json::field("name", &T::name, "Name of the prompt."),
      json::field("description", &T::description, "What it is for.").null_default());
}
inline auto describe(json::Type<SkillsTree>) {
  using T = SkillsTree;
  return json::object<T>("SkillsTree", "Documents that a download would install.",
                         json::field("skills", &T::skills, "Skill files.").optional(),
                         json::field("prompts", &T::prompts, "Prompts.").optional());
}
inline auto describe(json::Type<WorkerInfoOutput>) {
  using T = WorkerInfoOutput;
  return json::object<T>(
      "WorkerInfoOutput", "",
      json::field("worker", &T::worker,
                  "The row of directory::registry::workers::list; shares fields with "
                  "engine::workers::list."),
      json::field("readme", &T::readme, "Readme as markdown; null without one."),
      json::field("api_reference", &T::api_reference, ""),
      json::field("skills_tree", &T::skills_tree, ""), json::field("stale", &T::stale, kStaleText));
}

}  // namespace iii::directory
