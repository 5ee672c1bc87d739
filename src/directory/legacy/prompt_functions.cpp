#include "directory/legacy/prompt_functions.h"

#include <memory>
#include <optional>
#include <utility>

#include "directory/legacy/descriptions.h"
#include "directory/legacy/names.h"
#include "directory/legacy/refusals.h"
#include "directory/legacy/resource.h"
#include "directory/legacy/skill_types.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "directory/table/handler_calls.h"
#include "directory/table/limits.h"
#include "foundation/base/files.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

using legacy::McpPrompt;
using legacy::McpPromptsOutput;
using legacy::PromptGetInput;
using legacy::PromptGetMeta;
using legacy::RegisterPromptInput;
using legacy::RegisterPromptOutput;
using legacy::UnregisterPromptInput;
using legacy::UnregisterPromptOutput;

constexpr std::string_view kAskForLess = "directory::prompts::list with `limit`";
// Files; what was registered is asked for by name.
constexpr ViewOptions kAllFiles{.filtered = false, .registered = false};

// The published worker calls the function whatever is missing, so this does; the answer says so.
std::optional<PromptGetMeta> missing_from(const RegisteredPrompt& prompt,
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

class PromptFunctions {
 public:
  explicit PromptFunctions(const LegacyParts& parts) : parts_(parts), handlers_(parts.engine) {}

  task::Task<Result<RegisterPromptOutput>> add(RegisterPromptInput in) {
    RegisteredPrompt prompt{.name = std::move(in.name),
                            .description = std::move(in.description),
                            .arguments = std::move(in.arguments),
                            .function_id = std::move(in.function_id),
                            .registered_at = content::format_time(file_clock_ns())};
    Result<void> legal = check_registered_name("name", prompt.name);
    if (legal) legal = check_prompt(prompt);
    if (!legal) co_return std::unexpected(refused_registration(Registry::kPrompts, legal.error()));
    RegisterPromptOutput out{.name = prompt.name, .registered_at = prompt.registered_at};
    const Result<void> stored = co_await parts_.library.register_prompt(std::move(prompt));
    if (!stored) co_return std::unexpected(failed_state(Registry::kPrompts, stored.error()));
    parts_.on_change.registered(ChangeKind::kPrompt, "register", out.name);
    co_return out;
  }

  task::Task<Result<UnregisterPromptOutput>> remove(UnregisterPromptInput in) {
    if (const Result<void> legal = check_registered_name("name", in.name); !legal) {
      co_return std::unexpected(refused_registration(Registry::kPrompts, legal.error()));
    }
    const Result<bool> removed = co_await parts_.library.unregister_prompt(in.name);
    if (!removed) co_return std::unexpected(failed_state(Registry::kPrompts, removed.error()));
    if (*removed) parts_.on_change.registered(ChangeKind::kPrompt, "unregister", in.name);
    co_return UnregisterPromptOutput{.name = std::move(in.name), .removed = *removed};
  }

  // When state is away, the files alone.
  task::Task<Result<json::Raw>> list() {
    const Library::Asked asked =
        co_await parts_.library.ask_registrations(ChangeKind::kPrompt, {.filtered = false});
    McpPromptsOutput out;
    for (const content::PromptPtr& prompt : asked.view.generation().prompts) {
      const RegisteredDocument* registered = asked.view.registration(prompt->file);
      out.prompts.push_back(
          {prompt->name, prompt->description,
           registered != nullptr ? registered->arguments : std::vector<PromptArgument>()});
    }
    co_return bounded(json::encode(out), kAskForLess);
  }

  task::Task<Result<json::Raw>> get(Context context, PromptGetInput in) {
    if (const Result<void> legal = check_registered_name("name", in.name); !legal) {
      co_return std::unexpected(refused_registration(Registry::kPrompts, legal.error()));
    }
    Result<std::optional<json::Raw>> file = co_await parts_.library.answer_from(
        kAllFiles, [&](const View& view) { return from_file(view, in.name); });
    if (!file) co_return std::unexpected(std::move(file.error()));
    if (*file) co_return std::move(**file);
    const Result<std::optional<RegisteredPrompt>> found =
        co_await parts_.registered().prompt(in.name);
    if (!found) co_return std::unexpected(failed_state(Registry::kPrompts, found.error()));
    if (!*found) {
      const View view = co_await parts_.library.current(kAllFiles);
      co_return std::unexpected(
          prompt_not_found(in.name, co_await suggest_prompts(parts_.library, view, in.name)));
    }
    co_return co_await render(std::move(context), **found, std::move(in.arguments));
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

  task::Task<Result<json::Raw>> render(Context context, RegisteredPrompt prompt,
                                       json::Raw arguments) {
    if (is_reserved_function(prompt.function_id)) {
      co_return std::unexpected(reserved_function(Registry::kPrompts, prompt.function_id));
    }
    if (arguments.is_null()) arguments.text = "{}";
    const Result<json::Raw> output =
        co_await handlers_.call(std::move(context), prompt.function_id, arguments.text,
                                parts_.registered().options().timeout);
    if (!output) {
      co_return std::unexpected(
          failed_call(Registry::kPrompts, prompt.function_id, output.error().message));
    }
    Result<std::vector<json::Raw>> messages = prompt_messages(output->text);
    if (!messages) {
      co_return std::unexpected(
          unsupported_output(prompt.name, prompt.function_id, messages.error()));
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

void add_registered_prompt_functions(FunctionTable& table, const LegacyParts& parts) {
  const auto prompts = std::make_shared<PromptFunctions>(parts);
  table.add<RegisterPromptInput, RegisterPromptOutput>(
      {.id = "prompts::register",
       .title = "Register a prompt",
       .description = about::kPromptsRegister,
       .hints = {.idempotent = true},
       .max_input_bytes = kMaxLargeInputBytes,
       .published = true},
      [prompts](RegisterPromptInput in) { return prompts->add(std::move(in)); });
  table.add<UnregisterPromptInput, UnregisterPromptOutput>(
      {.id = "prompts::unregister",
       .title = "Unregister a prompt",
       .description = about::kPromptsUnregister,
       .hints = {.destructive = true, .idempotent = true},
       .published = true},
      [prompts](UnregisterPromptInput in) { return prompts->remove(std::move(in)); });
  table.add<legacy::EmptyInput, McpPromptsOutput>(
      {.id = "prompts::mcp-list",
       .title = "List prompts for a bridge",
       .description = about::kMcpPromptsList,
       .hints = kReadOnly,
       .published = true},
      [prompts](legacy::EmptyInput) { return prompts->list(); });
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
