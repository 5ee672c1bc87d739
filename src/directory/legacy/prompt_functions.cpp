#include "directory/legacy/skills_015.h"

#include <memory>
#include <optional>
#include <utility>

#include "directory/legacy/add_read.h"
#include "directory/legacy/descriptions.h"
#include "directory/legacy/names.h"
#include "directory/legacy/refusals.h"
#include "directory/legacy/resource.h"
#include "directory/legacy/skill_types.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/table/errors.h"
#include "directory/table/handler_calls.h"
#include "directory/table/limits.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

using legacy::McpPrompt;
using legacy::McpPromptsOutput;
using legacy::PromptGetInput;
using legacy::PromptGetMeta;

constexpr std::string_view kAskForLess = "directory::prompts::list with `limit`";
// Files; what was registered is asked for by name.
constexpr ViewOptions kAllFiles{.filtered = false, .registered = false};

// The published worker calls the function whatever is missing, so this does; the answer says so.
std::optional<PromptGetMeta> missing_from(const RegisteredDocument& prompt,
                                          const json::Raw& arguments) {
  const Result<json::Value> given = json::parse(arguments.text);
  PromptGetMeta out;
  for (const PromptArgument& each : prompt.arguments) {
    const json::Value* value = given ? given->find(each.name) : nullptr;
    if (each.required && (value == nullptr || value->is_null())) {
      out.missing_arguments.push_back(each.name);
    }
  }
  if (out.missing_arguments.empty()) return std::nullopt;
  out.warning = "`" + prompt.function_id + "` was called without the required " +
                (out.missing_arguments.size() == 1 ? "argument `" : "arguments `") +
                join(out.missing_arguments, "`, `") + "`. Next: call again with " +
                (out.missing_arguments.size() == 1 ? "it" : "them") + " in `arguments`.";
  return out;
}

// When state is away, the files alone.
Result<json::Raw> mcp_prompts(const LegacyView& view) {
  McpPromptsOutput out;
  for (LegacyDocument& row : prompts_in(view)) out.prompts.push_back({std::move(row)});
  return bounded(json::encode(out), kAskForLess);
}

class PromptFunctions015 {
 public:
  explicit PromptFunctions015(const LegacyParts& parts) : parts_(parts), handlers_(parts.engine) {}

  task::Task<Result<json::Raw>> get(Context context, PromptGetInput in) {
    if (const Result<void> legal = check_key(ChangeKind::kPrompt, in.name); !legal) {
      co_return std::unexpected(refused_registration(ChangeKind::kPrompt, legal.error()));
    }
    Result<std::optional<json::Raw>> file = co_await parts_.library.answer_from(
        kAllFiles, [&](const View& view) { return from_file(view, in.name); });
    if (!file) co_return std::unexpected(std::move(file.error()));
    if (*file) co_return std::move(**file);
    const Result<RegisteredPtr> found =
        co_await parts_.registered().refresh(ChangeKind::kPrompt, in.name);
    if (!found) co_return std::unexpected(failed_state(ChangeKind::kPrompt, found.error()));
    if (*found == nullptr) {
      const View view = co_await parts_.library.current(kAllFiles);
      co_return std::unexpected(
          prompt_not_found(in.name, co_await suggest_prompts(parts_.library, view, in.name)));
    }
    co_return co_await render(std::move(context), *found, std::move(in.arguments));
  }

 private:
  task::Task<Result<std::optional<json::Raw>>> from_file(const View& view,
                                                         const std::string& name) {
    const content::Prompt* prompt = view.generation().prompt(name);
    if (prompt == nullptr) co_return std::optional<json::Raw>();
    const Result<Body> body = read_prompt(parts_.library, view, *prompt);
    if (!body) co_return std::unexpected(body.error());
    legacy::PromptGetOutput out{.description = prompt->description};
    out.messages.push_back(user_message(body->text));
    Result<json::Raw> text = bounded(json::encode(out), kAskForLess);
    if (!text) co_return std::unexpected(std::move(text.error()));
    co_return std::optional(std::move(*text));
  }

  task::Task<Result<json::Raw>> render(Context context, RegisteredPtr document,
                                       json::Raw arguments) {
    const RegisteredDocument& prompt = *document;
    if (is_reserved_function(prompt.function_id)) {
      co_return std::unexpected(reserved_function(ChangeKind::kPrompt, prompt.function_id));
    }
    if (arguments.is_null()) arguments.text = "{}";
    const Result<json::Raw> output =
        co_await handlers_.call(std::move(context), prompt.function_id, arguments.text,
                                parts_.registered().options().timeout);
    if (!output) {
      co_return std::unexpected(
          failed_call(ChangeKind::kPrompt, prompt.function_id, output.error().message));
    }
    Result<std::vector<json::Raw>> messages = prompt_messages(output->text);
    if (!messages) {
      co_return std::unexpected(
          unsupported_output(prompt.key, prompt.function_id, messages.error()));
    }
    const legacy::PromptGetOutput out{.description = prompt.description,
                                      .messages = std::move(*messages),
                                      .meta = missing_from(prompt, arguments)};
    co_return bounded(json::encode(out), kAskForLess);
  }

  const LegacyParts parts_;
  HandlerCalls handlers_;
};

}  // namespace

void add_prompt_functions_015(FunctionTable& table, const LegacyParts& parts) {
  const auto prompts = std::make_shared<PromptFunctions015>(parts);
  add_read<legacy::EmptyInput, McpPromptsOutput>(
      table, "prompts::mcp-list", "List prompts for a bridge", about::kMcpPromptsList,
      [&library = parts.library](legacy::EmptyInput) {
        return legacy_answer(library, ChangeKind::kPrompt, mcp_prompts);
      });
  table.add<PromptGetInput, legacy::PromptGetOutput>(
      {.id = "prompts::mcp-get",
       .title = "Run a prompt for a bridge",
       .description = about::kMcpPromptsGet,
       .max_input_bytes = kMaxLargeInputBytes,
       .published = true},
      [prompts](const Context& context, PromptGetInput in) {
        return prompts->get(context, std::move(in));
      });
}

}  // namespace iii::directory
