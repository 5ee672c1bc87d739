// What directory::registry::workers::* takes and gives. The answers are made by `sources`; these
// types publish their schemas.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "json/describe.h"

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
    "The registry is away; this is what it said before. Absent otherwise.";

inline auto describe(json::Type<WorkerListInput>) {
  using T = WorkerListInput;
  return json::object<T>(
      "WorkerListInput", "",
      json::field("search", &T::search, "Words to look for in names and descriptions.")
          .null_default(),
      json::field("cursor", &T::cursor, "`pagination.next_cursor` of the answer before.")
          .null_default());
}
inline auto describe(json::Type<WorkerInfoInput>) {
  using T = WorkerInfoInput;
  return json::object<T>(
      "WorkerInfoInput", "",
      json::field("name", &T::name, "As directory::registry::workers::list shows it."),
      json::field("version", &T::version, "An exact version, instead of `tag`.").null_default(),
      json::field("tag", &T::tag, "A release channel; `latest` when absent.").null_default());
}
inline auto describe(json::Type<RegistryDependency>) {
  using T = RegistryDependency;
  return json::object<T>("Dependency", "", json::field("name", &T::name, ""),
                         json::field("version", &T::version, "A range; empty when none is said."));
}
inline auto describe(json::Type<RegistryAuthor>) {
  using T = RegistryAuthor;
  return json::object<T>("WorkerAuthor", "", json::field("name", &T::name, ""),
                         json::field("pfp", &T::pfp, "Address of a picture.").null_default(),
                         json::field("verified", &T::verified, "").optional());
}
inline auto describe(json::Type<RegistryWorker>) {
  using T = RegistryWorker;
  return json::object<T>(
      "Worker", "", json::field("name", &T::name, ""),
      json::field("description", &T::description, "").null_default(),
      json::field("type", &T::type, "`binary`, `image`, `bundle` or `engine`.").null_default(),
      json::field("version", &T::version, "").null_default(),
      json::field("repo", &T::repo, "").null_default(),
      json::field("config", &T::config, "").optional(),
      json::field("supported_targets", &T::supported_targets, "").optional(),
      json::field("image", &T::image, "Only of image workers."),
      json::field("total_downloads", &T::total_downloads, "").optional(),
      json::field("dependencies", &T::dependencies, "").optional(),
      json::field("author", &T::author, "").null_default());
}
inline auto describe(json::Type<RegistryPagination>) {
  using T = RegistryPagination;
  return json::object<T>("Pagination", "",
                         json::field("next_cursor", &T::next_cursor, "").null_default(),
                         json::field("has_more", &T::has_more, "").optional(),
                         json::field("page_size", &T::page_size, "").optional());
}
inline auto describe(json::Type<WorkerListOutput>) {
  using T = WorkerListOutput;
  return json::object<T>("WorkerListOutput", "", json::field("workers", &T::workers, ""),
                         json::field("pagination", &T::pagination, ""),
                         json::field("stale", &T::stale, kStaleText));
}
inline auto describe(json::Type<ReferenceFunction>) {
  using T = ReferenceFunction;
  return json::object<T>("ApiReferenceFunction", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("request_schema", &T::request_schema, ""),
                         json::field("response_schema", &T::response_schema, ""),
                         json::field("metadata", &T::metadata, ""));
}
inline auto describe(json::Type<ReferenceTrigger>) {
  using T = ReferenceTrigger;
  return json::object<T>(
      "ApiReferenceTrigger", "", json::field("name", &T::name, ""),
      json::field("description", &T::description, ""),
      json::field("invocation_schema", &T::invocation_schema, "Of a binding's config."),
      json::field("return_schema", &T::return_schema, "Of the payload that bound functions get."),
      json::field("metadata", &T::metadata, ""));
}
inline auto describe(json::Type<ApiReference>) {
  using T = ApiReference;
  return json::object<T>("ApiReference", "", json::field("functions", &T::functions, "").optional(),
                         json::field("triggers", &T::triggers, "").optional());
}
inline auto describe(json::Type<TreeSkill>) {
  return json::object<TreeSkill>("SkillsTreeSkill", "",
                                 json::field("path", &TreeSkill::path, "As it was published."));
}
inline auto describe(json::Type<TreePrompt>) {
  using T = TreePrompt;
  return json::object<T>("SkillsTreePrompt", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, "").null_default());
}
inline auto describe(json::Type<SkillsTree>) {
  using T = SkillsTree;
  return json::object<T>("SkillsTree", "", json::field("skills", &T::skills, "").optional(),
                         json::field("prompts", &T::prompts, "").optional());
}
inline auto describe(json::Type<WorkerInfoOutput>) {
  using T = WorkerInfoOutput;
  return json::object<T>(
      "WorkerInfoOutput", "", json::field("worker", &T::worker, "As in the list."),
      json::field("readme", &T::readme, "Markdown."),
      json::field("api_reference", &T::api_reference, ""),
      json::field("skills_tree", &T::skills_tree, ""), json::field("stale", &T::stale, kStaleText));
}

}  // namespace iii::directory
