// What the functions of skills 0.1.5 take and give; names and keys are those it published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "directory/legacy/skill_text.h"
#include "foundation/json/describe.h"

namespace iii::directory::legacy {

struct EmptyInput {};
struct RegisterSkillInput : RegisteredDocument {};
struct Resource {
  std::string uri;
  std::string name;
  std::optional<std::string> description;
  std::string mime_type;
};
struct ResourcesOutput {
  std::vector<Resource> resources;
};
struct ReadResourceInput {
  std::string uri;
};
struct ResourceContent {
  std::string uri;
  std::string mime_type;
  std::string text;
};
struct ReadResourceOutput {
  std::vector<ResourceContent> contents;
};
struct ResourceTemplate {
  std::string uri_template;
  std::string name;
  std::string description;
  std::string mime_type;
};
struct ResourceTemplatesOutput {
  std::vector<ResourceTemplate> templates;
};

struct RegisterPromptInput : RegisteredDocument {};
struct McpPrompt : LegacyDocument {};
struct McpPromptsOutput {
  std::vector<McpPrompt> prompts;
};
struct PromptGetInput {
  std::string name;
  json::Raw arguments;
};
// What a caller should know about an answer that is otherwise as published.
struct PromptGetMeta {
  std::vector<std::string> missing_arguments;
  std::string warning;
};
struct PromptGetOutput {
  std::string description;
  std::vector<json::Raw> messages;
  std::optional<PromptGetMeta> meta = {};
};

inline constexpr std::string_view kRegisteredId =
    "Unique: lowercase letters, digits, `-` and `_`, at most 64 bytes. Required.";
inline constexpr std::string_view kRegisteredAt = "When it was stored, RFC 3339 in UTC.";
inline constexpr std::string_view kMimeType = "`text/markdown`, or `application/json` for data.";

inline auto describe(json::Type<EmptyInput>) { return json::object<EmptyInput>("EmptyInput", ""); }
inline auto describe(json::Type<RegisterSkillInput>) {
  using T = RegisterSkillInput;
  return json::object<T>(
      "RegisterSkillInput", "", json::field("id", &T::key, kRegisteredId),
      json::field("skill", &T::text,
                  "Markdown that is served at iii://{id}, at most 256 KiB. Required.")
          .length(json::kAnyLength));
}

// What the functions of both kinds share: a skill has an `id`, a prompt a `name`.
template <ChangeKind kKind>
struct Registered {
  std::string key;
  std::string registered_at;
};
template <ChangeKind kKind>
struct UnregisterInput {
  std::string key;
};
template <ChangeKind kKind>
struct Unregistered {
  std::string key;
  bool removed = false;
};

template <ChangeKind kKind>
constexpr bool kIsSkill = kKind == ChangeKind::kSkill;
template <ChangeKind kKind>
constexpr std::string_view kKey = kIsSkill<kKind> ? "id" : "name";

template <ChangeKind kKind>
auto describe(json::Type<Registered<kKind>>) {
  using T = Registered<kKind>;
  return json::object<T>(
      kIsSkill<kKind> ? "RegisterSkillOutput" : "RegisterPromptOutput", "",
      json::field(kKey<kKind>, &T::key,
                  kIsSkill<kKind> ? "Id it is registered by." : "Name it is registered by."),
      json::field("registered_at", &T::registered_at, kRegisteredAt));
}
template <ChangeKind kKind>
auto describe(json::Type<UnregisterInput<kKind>>) {
  using T = UnregisterInput<kKind>;
  return json::object<T>(kIsSkill<kKind> ? "UnregisterSkillInput" : "UnregisterPromptInput", "",
                         json::field(kKey<kKind>, &T::key,
                                     kIsSkill<kKind> ? "Id of a registered skill. Required."
                                                     : "Name of a registered prompt. Required."));
}
template <ChangeKind kKind>
auto describe(json::Type<Unregistered<kKind>>) {
  using T = Unregistered<kKind>;
  return json::object<T>(
      kIsSkill<kKind> ? "UnregisterSkillOutput" : "UnregisterPromptOutput", "",
      json::field(kKey<kKind>, &T::key,
                  kIsSkill<kKind> ? "Id that was given." : "Name that was given."),
      json::field("removed", &T::removed, "false when there was none."));
}

inline auto describe(json::Type<Resource>) {
  using T = Resource;
  return json::object<T>(
      "Resource", "", json::field("uri", &T::uri, "Address: iii://skills or iii://{id}."),
      json::field("name", &T::name, "Title of the skill, else its id."),
      json::field("description", &T::description, "What it is; only for the index page."),
      json::field("mimeType", &T::mime_type, kMimeType));
}
inline auto describe(json::Type<ResourcesOutput>) {
  using T = ResourcesOutput;
  return json::object<T>(
      "ResourcesOutput", "",
      json::field("resources", &T::resources, "The index page first, then skills by id."));
}
inline auto describe(json::Type<ReadResourceInput>) {
  using T = ReadResourceInput;
  return json::object<T>(
      "ReadResourceInput", "",
      json::field(
          "uri", &T::uri,
          "iii://skills (the list of all), iii://{id} (a skill), or iii://{id}/{function_id} "
          "(what the function returns when it is called with {}). Required."));
}
inline auto describe(json::Type<ResourceContent>) {
  using T = ResourceContent;
  return json::object<T>("ResourceContent", "",
                         json::field("uri", &T::uri, "Address that was given."),
                         json::field("mimeType", &T::mime_type, kMimeType),
                         json::field("text", &T::text, "The content."));
}
inline auto describe(json::Type<ReadResourceOutput>) {
  using T = ReadResourceOutput;
  return json::object<T>("ReadResourceOutput", "",
                         json::field("contents", &T::contents, "Exactly one entry."));
}
inline auto describe(json::Type<ResourceTemplate>) {
  using T = ResourceTemplate;
  return json::object<T>("ResourceTemplate", "",
                         json::field("uriTemplate", &T::uri_template, "RFC 6570 template."),
                         json::field("name", &T::name, "Name of this kind of address."),
                         json::field("description", &T::description, "What is read there."),
                         json::field("mimeType", &T::mime_type, kMimeType));
}
inline auto describe(json::Type<ResourceTemplatesOutput>) {
  using T = ResourceTemplatesOutput;
  return json::object<T>("ResourceTemplatesOutput", "",
                         json::field("resourceTemplates", &T::templates, "Always the same two."));
}

inline auto describe(json::Type<RegisterPromptInput>) {
  using T = RegisterPromptInput;
  return json::object<T>(
      "RegisterPromptInput", "", json::field("name", &T::key, kRegisteredId),
      json::field("description", &T::description,
                  "Text that people see when they choose a prompt. Required.")
          .length(json::kAnyLength),
      json::field("arguments", &T::arguments, "Arguments it takes. None when absent.").optional(),
      json::field(
          "function_id", &T::function_id,
          "Function that is called with the arguments. It returns a string, {content: string} or "
          "{messages: [...]}. Required."));
}
inline auto describe(json::Type<McpPrompt>) {
  using T = McpPrompt;
  return json::object<T>("McpPrompt", "", json::field("name", &T::id, "Name of the prompt."),
                         json::field("description", &T::description, "What it is for."),
                         json::field("arguments", &T::arguments, "Arguments it takes."));
}
inline auto describe(json::Type<McpPromptsOutput>) {
  using T = McpPromptsOutput;
  return json::object<T>("McpPromptsOutput", "",
                         json::field("prompts", &T::prompts, "One entry per prompt, by name."));
}
inline auto describe(json::Type<PromptGetInput>) {
  using T = PromptGetInput;
  return json::object<T>(
      "PromptGetInput", "",
      json::field("name", &T::name, "Name as prompts::mcp-list returns it. Required."),
      json::field("arguments", &T::arguments, "Passed to the function of the prompt, unchanged.")
          .optional());
}
inline auto describe(json::Type<PromptGetMeta>) {
  using T = PromptGetMeta;
  return json::object<T>(
      "PromptGetMeta", "",
      json::field("missing_arguments", &T::missing_arguments,
                  "Required arguments of the prompt that were not given."),
      json::field("warning", &T::warning, "The same as a sentence, with what to do."));
}
inline auto describe(json::Type<PromptGetOutput>) {
  using T = PromptGetOutput;
  return json::object<T>("PromptGetOutput", "",
                         json::field("description", &T::description, "What it is for."),
                         json::field("messages", &T::messages, "MCP messages, in order."),
                         json::field("_meta", &T::meta,
                                     "Only when required arguments were missing: the function of "
                                     "the prompt was called without them."));
}

}  // namespace iii::directory::legacy
