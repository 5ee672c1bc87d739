#include "directory/reading/prompts.h"

#include "directory/content/ids.h"
#include "directory/library/library.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/reading/skill_types.h"
#include "directory/table/descriptions.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "foundation/base/utf8.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

struct ListPromptsInput {
  std::optional<uint64_t> limit;
  std::optional<std::string> cursor;
  std::optional<bool> details;
};
struct PromptEntry {
  std::string name;
  std::string description;
  std::string modified_at;
  std::string kind = kPromptKind;
  std::optional<std::string> origin;
  // With `details`:
  std::optional<std::string> root = {};
  std::optional<std::string> path = {};
  std::optional<std::string> handler = {};
  std::optional<std::string> worker = {};
  std::optional<std::vector<PromptArgumentRow>> arguments = {};
  std::optional<bool> finding = {};
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

static auto describe(json::Type<PromptArgumentRow>) {
  using T = PromptArgumentRow;
  return json::object<T>("PromptArgumentRow", "",
                         json::field("name", &T::name, "Key of `arguments` of prompts::mcp-get."),
                         json::field("description", &T::description, "What to give."),
                         json::field("required", &T::required, "Must be given."),
                         json::field("values", &T::values, "What it may be, where that is known."));
}

namespace {

auto describe(json::Type<ListPromptsInput>) {
  using T = ListPromptsInput;
  return json::object<T>("ListPromptsInput", "",
                         json::field("limit", &T::limit, kLimitHelp).null_default(),
                         json::field("cursor", &T::cursor, kCursorHelp).null_default(),
                         json::field("details", &T::details,
                                     "true adds to each row where the prompt comes from and which "
                                     "arguments it takes. Default false.")
                             .null_default());
}
auto describe(json::Type<PromptEntry>) {
  using T = PromptEntry;
  return json::object<T>(
      "PromptEntry", "", json::field("name", &T::name, "Pass it to directory::prompts::get."),
      json::field("description", &T::description, kDescriptionHelp),
      json::field("modified_at", &T::modified_at, kModifiedHelp),
      json::field("kind", &T::kind, kKindOfPromptHelp).optional(),
      json::field("origin", &T::origin, kOriginHelp),
      json::field("root", &T::root, "With `details`, of a file: label of the folder it is in."),
      json::field("path", &T::path, "With `details`, of a file: its path below that folder."),
      json::field("handler", &T::handler,
                  "With `details`: the function that makes a registered prompt."),
      json::field("worker", &T::worker, "With `details`: the first part of the handler's id."),
      json::field("arguments", &T::arguments, "With `details`: what it takes."),
      json::field("finding", &T::finding,
                  "With `details`: true when directory::doctor has a finding "
                  "about the file."));
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

void add_registered(PromptEntry& row, const RegisteredDocument& document) {
  row.handler = document.function_id;
  const size_t colons = document.function_id.find("::");
  if (colons != std::string::npos) row.worker = document.function_id.substr(0, colons);
  for (const PromptArgument& each : document.arguments) {
    row.arguments->push_back(
        {.name = each.name, .description = each.description, .required = each.required});
  }
}

// Reads the file.
void add_details(PromptEntry& row, const View& view, const content::Prompt& prompt,
                 const ArgumentsOf& arguments_of) {
  row.arguments.emplace();
  if (const RegisteredDocument* registered = view.registration(prompt.file)) {
    return add_registered(row, *registered);
  }
  const content::Generation& generation = view.generation();
  row.root = generation.roots[prompt.file.root].label;
  row.path = prompt.file.path;
  const auto bytes = view.snapshot().folders->content->read(generation, prompt.file);
  if (bytes && arguments_of && is_utf8(bytes->bytes)) row.arguments = arguments_of(bytes->bytes);
  if (findings_of(generation, prompt.file) != nullptr) row.finding = true;
}

Result<json::Raw> list(const View& view, const ListPromptsInput& in,
                       const ArgumentsOf& arguments_of, size_t max_answer_bytes) {
  if (in.limit == 0U) return std::unexpected(empty_page("directory::prompts::list"));
  const content::Generation& generation = view.generation();
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
    if (in.details.value_or(false)) add_details(out.prompts.back(), view, *prompt, arguments_of);
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
                                       ArgumentsOf arguments_of, size_t max_answer_bytes) {
  const View view = co_await library.current(kPrompts);
  const bool reads_files = in.details.value_or(false);
  auto work = [view, in = std::move(in), arguments_of = std::move(arguments_of), max_answer_bytes] {
    return list(view, in, arguments_of, max_answer_bytes);
  };
  if (!reads_files) co_return work();
  co_return co_await library.on_answer_thread(std::move(work));
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

void add_prompt_functions(FunctionTable& table, Library& library, ArgumentsOf arguments_of,
                          size_t max_answer_bytes) {
  table.add<ListPromptsInput, ListPromptsOutput>(
      {.id = "directory::prompts::list",
       .title = "List prompts",
       .description = about::kPromptsList,
       .hints = kReadOnly,
       .published = true},
      [&library, arguments_of = std::move(arguments_of), max_answer_bytes](ListPromptsInput in) {
        return list_now(library, std::move(in), arguments_of, max_answer_bytes);
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
