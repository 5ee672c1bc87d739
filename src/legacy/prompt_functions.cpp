#include "legacy/prompt_functions.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/files.h"
#include "functions/document.h"
#include "functions/errors.h"
#include "functions/limits.h"
#include "functions/resolve.h"
#include "legacy/descriptions.h"
#include "legacy/files.h"
#include "legacy/names.h"
#include "legacy/refusals.h"
#include "legacy/resource.h"
#include "legacy/skill_types.h"
#include "library/cause.h"

namespace iii::directory {

namespace {

using legacy::McpPrompt;
using legacy::McpPromptsOutput;
using legacy::PromptGetInput;
using legacy::PromptGetOutput;
using legacy::RegisterPromptInput;
using legacy::RegisterPromptOutput;
using legacy::UnregisterPromptInput;
using legacy::UnregisterPromptOutput;

class PromptFunctions {
 public:
  PromptFunctions(sdk::Worker& worker, const LegacyParts& parts) : worker_(worker), parts_(parts) {}

  sdk::Task<Result<RegisterPromptOutput>> add(RegisterPromptInput in) {
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

  sdk::Task<Result<UnregisterPromptOutput>> remove(UnregisterPromptInput in) {
    if (const Result<void> legal = check_registered_name("name", in.name); !legal) {
      co_return std::unexpected(refused_registration(Registry::kPrompts, legal.error()));
    }
    const Result<bool> removed = co_await parts_.library.unregister_prompt(in.name);
    if (!removed) co_return std::unexpected(failed_state(Registry::kPrompts, removed.error()));
    if (*removed) parts_.on_change.registered(ChangeKind::kPrompt, "unregister", in.name);
    co_return UnregisterPromptOutput{.name = std::move(in.name), .removed = *removed};
  }

  // When state is away, the files alone.
  sdk::Task<Result<json::Raw>> list() {
    Result<std::vector<RegisteredPrompt>> found = co_await parts_.registered().prompts();
    std::vector<McpPrompt> registered;
    if (found) {
      for (RegisteredPrompt& prompt : *found) {
        registered.push_back(
            {std::move(prompt.name), std::move(prompt.description), std::move(prompt.arguments)});
      }
    }
    std::vector<McpPrompt> files;
    const View view = co_await parts_.library.current(kAllFiles);
    for (const content::PromptPtr& prompt : view.generation().prompts) {
      files.push_back({prompt->name, prompt->description, {}});
    }
    McpPromptsOutput out;
    out.prompts = merge_rows(std::move(files), std::move(registered), &McpPrompt::name);
    co_return bounded(json::encode(out));
  }

  sdk::Task<Result<json::Raw>> get(PromptGetInput in) {
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
          prompt_not_found(in.name, suggest_prompts(view.generation(), in.name)));
    }
    co_return co_await render(**found, std::move(in.arguments));
  }

 private:
  sdk::Task<Result<std::optional<json::Raw>>> from_file(const View& view, const std::string& name) {
    const content::Prompt* prompt = view.generation().prompt(name);
    if (prompt == nullptr) co_return std::optional<json::Raw>();
    const Result<Body> body = read_prompt(parts_.library, view, *prompt);
    if (!body) co_return std::unexpected(body.error());
    PromptGetOutput out{.description = prompt->description, .messages = {}};
    out.messages.push_back(user_message(body->text));
    Result<json::Raw> text = bounded(json::encode(out));
    if (!text) co_return std::unexpected(std::move(text.error()));
    co_return std::optional(std::move(*text));
  }

  sdk::Task<Result<json::Raw>> render(RegisteredPrompt prompt, json::Raw arguments) {
    if (is_reserved_function(prompt.function_id)) {
      co_return std::unexpected(reserved_function(Registry::kPrompts, prompt.function_id));
    }
    if (arguments.is_null()) arguments.text = "{}";
    sdk::CallOptions options;
    options.timeout = parts_.registered().options().timeout;
    const sdk::Reply<json::Raw> output =
        co_await worker_.trigger(prompt.function_id, arguments, options);
    if (!output) {
      co_return std::unexpected(failed_call(Registry::kPrompts, prompt.function_id,
                                            cause_of(output.error(), *options.timeout)));
    }
    Result<std::vector<json::Raw>> messages = prompt_messages(output->text);
    if (!messages) {
      co_return std::unexpected(
          unsupported_output(prompt.name, prompt.function_id, messages.error()));
    }
    const PromptGetOutput out{.description = std::move(prompt.description),
                              .messages = std::move(*messages)};
    co_return bounded(json::encode(out));
  }

  static Result<json::Raw> bounded(std::string text) {
    if (text.size() > kMaxAnswerBytes) {
      return std::unexpected(
          answer_too_large(text.size(), kMaxAnswerBytes, "directory::prompts::list with `limit`"));
    }
    return json::Raw{std::move(text)};
  }

  sdk::Worker& worker_;
  const LegacyParts parts_;
};

}  // namespace

void add_registered_prompt_functions(sdk::Worker& worker, const LegacyParts& parts) {
  const auto prompts = std::make_shared<PromptFunctions>(worker, parts);
  const auto add = [prompts](RegisterPromptInput in) { return prompts->add(std::move(in)); };
  const auto remove = [prompts](UnregisterPromptInput in) {
    return prompts->remove(std::move(in));
  };
  const auto list = [prompts](legacy::EmptyInput) { return prompts->list(); };
  const auto get = [prompts](PromptGetInput in) { return prompts->get(std::move(in)); };
  static_cast<void>(worker.function("prompts::register", about::kPromptsRegister, add));
  static_cast<void>(worker.function("prompts::unregister", about::kPromptsUnregister, remove));
  static_cast<void>(worker.function_returning<McpPromptsOutput>(
      {.id = "prompts::mcp-list", .description = about::kMcpPromptsList}, list));
  static_cast<void>(worker.function_returning<PromptGetOutput>(
      {.id = "prompts::mcp-get", .description = about::kMcpPromptsGet}, get));
}

}  // namespace iii::directory
