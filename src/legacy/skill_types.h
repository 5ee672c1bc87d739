// What the functions of skills 0.1.5 take and give; names and keys are those it published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/describe.h"
#include "library/registered.h"

namespace iii::directory::legacy {

struct EmptyInput {};
struct RegisterSkillInput {
  std::string id;
  std::string skill;
};
struct RegisterSkillOutput {
  std::string id;
  std::string registered_at;
};
struct UnregisterSkillInput {
  std::string id;
};
struct UnregisterSkillOutput {
  std::string id;
  bool removed = false;
};
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

struct RegisterPromptInput {
  std::string name;
  std::string description;
  std::vector<PromptArgument> arguments;
  std::string function_id;
};
struct RegisterPromptOutput {
  std::string name;
  std::string registered_at;
};
struct UnregisterPromptInput {
  std::string name;
};
struct UnregisterPromptOutput {
  std::string name;
  bool removed = false;
};
struct McpPrompt {
  std::string name;
  std::string description;
  std::vector<PromptArgument> arguments;
};
struct McpPromptsOutput {
  std::vector<McpPrompt> prompts;
};
struct PromptGetInput {
  std::string name;
  json::Raw arguments;
};
struct PromptGetOutput {
  std::string description;
  std::vector<json::Raw> messages;
};

inline auto describe(json::Type<EmptyInput>) { return json::object<EmptyInput>("EmptyInput", ""); }
inline auto describe(json::Type<RegisterSkillInput>) {
  using T = RegisterSkillInput;
  return json::object<T>(
      "RegisterSkillInput", "",
      json::field("id", &T::id, "Lowercase letters, digits, `-` and `_`; at most 64 bytes."),
      json::field("skill", &T::skill, "The markdown; at most 256 KiB."));
}
inline auto describe(json::Type<RegisterSkillOutput>) {
  using T = RegisterSkillOutput;
  return json::object<T>("RegisterSkillOutput", "", json::field("id", &T::id, ""),
                         json::field("registered_at", &T::registered_at, "UTC."));
}
inline auto describe(json::Type<UnregisterSkillInput>) {
  using T = UnregisterSkillInput;
  return json::object<T>("UnregisterSkillInput", "", json::field("id", &T::id, ""));
}
inline auto describe(json::Type<UnregisterSkillOutput>) {
  using T = UnregisterSkillOutput;
  return json::object<T>("UnregisterSkillOutput", "", json::field("id", &T::id, ""),
                         json::field("removed", &T::removed, "Whether there was one."));
}
inline auto describe(json::Type<Resource>) {
  using T = Resource;
  return json::object<T>(
      "Resource", "", json::field("uri", &T::uri, ""), json::field("name", &T::name, ""),
      json::field("description", &T::description, ""), json::field("mimeType", &T::mime_type, ""));
}
inline auto describe(json::Type<ResourcesOutput>) {
  using T = ResourcesOutput;
  return json::object<T>("ResourcesOutput", "",
                         json::field("resources", &T::resources, "The index first, then by id."));
}
inline auto describe(json::Type<ReadResourceInput>) {
  using T = ReadResourceInput;
  return json::object<T>(
      "ReadResourceInput", "",
      json::field("uri", &T::uri, "iii://skills, iii://{id} or iii://{id}/{function_id}."));
}
inline auto describe(json::Type<ResourceContent>) {
  using T = ResourceContent;
  return json::object<T>("ResourceContent", "", json::field("uri", &T::uri, "As asked for."),
                         json::field("mimeType", &T::mime_type, ""),
                         json::field("text", &T::text, ""));
}
inline auto describe(json::Type<ReadResourceOutput>) {
  using T = ReadResourceOutput;
  return json::object<T>("ReadResourceOutput", "",
                         json::field("contents", &T::contents, "Exactly one."));
}
inline auto describe(json::Type<ResourceTemplate>) {
  using T = ResourceTemplate;
  return json::object<T>("ResourceTemplate", "", json::field("uriTemplate", &T::uri_template, ""),
                         json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("mimeType", &T::mime_type, ""));
}
inline auto describe(json::Type<ResourceTemplatesOutput>) {
  using T = ResourceTemplatesOutput;
  return json::object<T>("ResourceTemplatesOutput", "",
                         json::field("resourceTemplates", &T::templates, ""));
}

inline auto describe(json::Type<RegisterPromptInput>) {
  using T = RegisterPromptInput;
  return json::object<T>(
      "RegisterPromptInput", "",
      json::field("name", &T::name, "Lowercase letters, digits, `-` and `_`; at most 64 bytes."),
      json::field("description", &T::description, "What people choose it by."),
      json::field("arguments", &T::arguments, "").optional(),
      json::field("function_id", &T::function_id, "Called with the arguments to make the text."));
}
inline auto describe(json::Type<RegisterPromptOutput>) {
  using T = RegisterPromptOutput;
  return json::object<T>("RegisterPromptOutput", "", json::field("name", &T::name, ""),
                         json::field("registered_at", &T::registered_at, "UTC."));
}
inline auto describe(json::Type<UnregisterPromptInput>) {
  using T = UnregisterPromptInput;
  return json::object<T>("UnregisterPromptInput", "", json::field("name", &T::name, ""));
}
inline auto describe(json::Type<UnregisterPromptOutput>) {
  using T = UnregisterPromptOutput;
  return json::object<T>("UnregisterPromptOutput", "", json::field("name", &T::name, ""),
                         json::field("removed", &T::removed, "Whether there was one."));
}
inline auto describe(json::Type<McpPrompt>) {
  using T = McpPrompt;
  return json::object<T>("McpPrompt", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("arguments", &T::arguments, ""));
}
inline auto describe(json::Type<McpPromptsOutput>) {
  using T = McpPromptsOutput;
  return json::object<T>("McpPromptsOutput", "", json::field("prompts", &T::prompts, "By name."));
}
inline auto describe(json::Type<PromptGetInput>) {
  using T = PromptGetInput;
  return json::object<T>(
      "PromptGetInput", "", json::field("name", &T::name, ""),
      json::field("arguments", &T::arguments, "Handed to the handler as they are.").optional());
}
inline auto describe(json::Type<PromptGetOutput>) {
  using T = PromptGetOutput;
  return json::object<T>("PromptGetOutput", "", json::field("description", &T::description, ""),
                         json::field("messages", &T::messages, ""));
}

}  // namespace iii::directory::legacy
