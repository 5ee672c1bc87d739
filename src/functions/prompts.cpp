#include "functions/prompts.h"

#include "content/ids.h"
#include "functions/document.h"
#include "functions/errors.h"
#include "functions/resolve.h"
#include "json/describe.h"

namespace iii::functions {

namespace {

struct ListPromptsInput {};
struct PromptEntry {
  std::string name;
  std::string description;
  std::string modified_at;
};
struct ListPromptsOutput {
  std::vector<PromptEntry> prompts;
};
struct PromptGetInput {
  std::string name;
};
struct PromptGetOutput {
  std::string name;
  std::string description;
  std::string body;
  std::string modified_at;
};

auto describe(json::Type<ListPromptsInput>) {
  return json::object<ListPromptsInput>("ListPromptsInput", "");
}
auto describe(json::Type<PromptEntry>) {
  using T = PromptEntry;
  return json::object<T>("PromptEntry", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("modified_at", &T::modified_at, "UTC."));
}
auto describe(json::Type<ListPromptsOutput>) {
  return json::object<ListPromptsOutput>("ListPromptsOutput", "",
                                         json::field("prompts", &ListPromptsOutput::prompts, ""));
}
auto describe(json::Type<PromptGetInput>) {
  return json::object<PromptGetInput>(
      "PromptGetInput", "",
      json::field("name", &PromptGetInput::name, "As directory::prompts::list shows it."));
}
auto describe(json::Type<PromptGetOutput>) {
  using T = PromptGetOutput;
  return json::object<T>("PromptGetOutput", "", json::field("name", &T::name, ""),
                         json::field("description", &T::description, ""),
                         json::field("body", &T::body, "The template, without its frontmatter."),
                         json::field("modified_at", &T::modified_at, "UTC."));
}

ListPromptsOutput list(const content::Generation& generation) {
  ListPromptsOutput out;
  for (const content::PromptPtr& prompt : generation.prompts) {
    out.prompts.push_back({.name = prompt->name,
                           .description = prompt->description,
                           .modified_at = content::format_time(prompt->mtime_ns)});
  }
  return out;
}

Result<PromptGetOutput> get(content::Content& content, const PromptGetInput& in) {
  if (const Result<void> legal = content::check_name(in.name); !legal) {
    return std::unexpected(invalid_prompt_name(legal.error().message));
  }
  const content::GenerationPtr generation = content.fresh();
  const content::Prompt* prompt = generation->prompt(in.name);
  if (prompt == nullptr) {
    return std::unexpected(prompt_not_found(in.name, suggest_prompts(*generation, in.name)));
  }
  Result<Document> document =
      read_document(content, *generation, prompt->file, "prompt", prompt->name);
  if (!document) return std::unexpected(std::move(document.error()));
  return PromptGetOutput{.name = prompt->name,
                         .description = prompt->description,
                         .body = std::move(document->body),
                         .modified_at = content::format_time(document->mtime_ns)};
}

}  // namespace

void add_prompt_functions(sdk::Worker& worker, content::Content& content) {
  const auto list_all = [&content](const ListPromptsInput&) { return list(*content.fresh()); };
  const auto get_one = [&content](const PromptGetInput& in) { return get(content, in); };
  static_cast<void>(worker.function("directory::prompts::list",
                                    "Lists the prompt templates there are, by name.", list_all));
  static_cast<void>(worker.function("directory::prompts::get",
                                    "Reads one prompt template by its name.", get_one));
}

}  // namespace iii::functions
