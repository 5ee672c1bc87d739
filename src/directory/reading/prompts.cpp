#include "directory/reading/prompts.h"

#include "directory/content/ids.h"
#include "directory/library/library.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/reading/skill_types.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct ListPromptsInput {
  std::optional<uint64_t> limit;
  std::optional<std::string> cursor;
};
struct PromptEntry {
  std::string name;
  std::string description;
  std::string modified_at;
  std::string kind = kPromptKind;
  std::optional<std::string> origin;
};
struct ListPromptsOutput {
  std::vector<PromptEntry> prompts;
  std::optional<std::string> next_cursor;
};
struct PromptGetInput {
  std::string name;
};

constexpr std::string_view kKindOfPromptHelp = "Always `prompt`.";
constexpr std::string_view kDescriptionHelp = "What the prompt is for, in one or two sentences.";
constexpr std::string_view kModifiedHelp =
    "When the file was modified or the prompt registered, RFC 3339 in UTC.";

}  // namespace

static auto describe(json::Type<PromptGetOutput>) {
  using T = PromptGetOutput;
  return json::object<T>(
      "PromptGetOutput", "", json::field("name", &T::name, "Name of the prompt."),
      json::field("description", &T::description, kDescriptionHelp),
      json::field("body", &T::body,
                  "The markdown after the frontmatter, unchanged. For a registered prompt, which "
                  "has no template: how to get its messages from prompts::mcp-get."),
      json::field("modified_at", &T::modified_at, kModifiedHelp),
      json::field("kind", &T::kind, kKindOfPromptHelp).optional(),
      json::field("origin", &T::origin, kOriginHelp));
}

namespace {

auto describe(json::Type<ListPromptsInput>) {
  using T = ListPromptsInput;
  return json::object<T>("ListPromptsInput", "",
                         json::field("limit", &T::limit, kLimitHelp).null_default(),
                         json::field("cursor", &T::cursor, kCursorHelp).null_default());
}
auto describe(json::Type<PromptEntry>) {
  using T = PromptEntry;
  return json::object<T>("PromptEntry", "",
                         json::field("name", &T::name, "Pass it to directory::prompts::get."),
                         json::field("description", &T::description, kDescriptionHelp),
                         json::field("modified_at", &T::modified_at, kModifiedHelp),
                         json::field("kind", &T::kind, kKindOfPromptHelp).optional(),
                         json::field("origin", &T::origin, kOriginHelp));
}
auto describe(json::Type<ListPromptsOutput>) {
  using T = ListPromptsOutput;
  return json::object<T>("ListPromptsOutput", "",
                         json::field("prompts", &T::prompts, "One row per prompt, by name."),
                         json::field("next_cursor", &T::next_cursor, kNextCursorHelp));
}
auto describe(json::Type<PromptGetInput>) {
  return json::object<PromptGetInput>(
      "PromptGetInput", "",
      json::field(
          "name", &PromptGetInput::name,
          "Name as directory::prompts::list returns it: lowercase letters, digits, `-` and `_`, "
          "at most 64 bytes. Required."));
}
std::optional<std::string> origin_of(const content::Generation& generation,
                                     const content::Prompt& prompt) {
  if (!content::is_registered(generation, prompt.file)) return std::nullopt;
  return kRegisteredOrigin;
}

Result<json::Raw> list(const content::Generation& generation, const ListPromptsInput& in,
                       size_t max_answer_bytes) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::prompts::list"));
  ListPromptsOutput out;
  for (const content::PromptPtr& prompt : generation.prompts) {
    if (in.cursor && prompt->name <= *in.cursor) continue;
    if (in.limit && out.prompts.size() >= *in.limit) {
      out.next_cursor = out.prompts.back().name;
      break;
    }
    out.prompts.push_back({.name = prompt->name,
                           .description = prompt->description,
                           .modified_at = content::format_time(prompt->mtime_ns),
                           .origin = origin_of(generation, *prompt)});
  }
  return bounded(json::encode(out),
                 "directory::prompts::list with `limit`, and with `cursor` for what follows",
                 max_answer_bytes);
}

constexpr ViewOptions kPrompts{.filtered = false};  // prompts are not filtered

task::Task<Result<PromptGetOutput>> get(Library& library, const View& view,
                                        const std::string& name) {
  const content::Generation& generation = view.generation();
  const content::Prompt* prompt = generation.prompt(name);
  if (prompt == nullptr) {
    co_return std::unexpected(
        prompt_not_found(name, co_await suggest_prompts(library, view, name)));
  }
  Result<Body> body = read_prompt(library, view, *prompt);
  if (!body) co_return std::unexpected(std::move(body.error()));
  co_return PromptGetOutput{.name = prompt->name,
                            .description = prompt->description,
                            .body = std::move(body->text),
                            .modified_at = content::format_time(body->mtime_ns),
                            .origin = origin_of(generation, *prompt)};
}

task::Task<Result<json::Raw>> list_now(Library& library, ListPromptsInput in,
                                       size_t max_answer_bytes) {
  const View view = co_await library.current(kPrompts);
  co_return list(view.generation(), in, max_answer_bytes);
}

}  // namespace

task::Task<Result<PromptGetOutput>> get_prompt(Library& library, std::string name,
                                               bool registered) {
  if (const Result<void> legal = content::check_name(name); !legal) {
    co_return std::unexpected(invalid_prompt_name(legal.error().message));
  }
  const ViewOptions options{.filtered = false, .registered = registered};
  co_return co_await library.answer_from(
      options, [&](const View& view) { return get(library, view, name); });
}

void add_prompt_functions(FunctionTable& table, Library& library, size_t max_answer_bytes) {
  table.add<ListPromptsInput, ListPromptsOutput>({.id = "directory::prompts::list",
                                                  .title = "List prompts",
                                                  .description = about::kPromptsList,
                                                  .hints = kReadOnly,
                                                  .published = true},
                                                 [&library, max_answer_bytes](ListPromptsInput in) {
                                                   return list_now(library, std::move(in),
                                                                   max_answer_bytes);
                                                 });
  table.add<PromptGetInput, PromptGetOutput>(
      {.id = "directory::prompts::get",
       .title = "Get prompt",
       .description = about::kPromptsGet,
       .hints = kReadOnly,
       .published = true},
      [&library](PromptGetInput in) { return get_prompt(library, std::move(in.name)); });
}

}  // namespace iii::directory
