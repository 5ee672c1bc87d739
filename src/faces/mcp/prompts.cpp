#include "faces/mcp/prompts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "directory/content/parse.h"
#include "directory/reading/document.h"
#include "directory/reading/resolve.h"
#include "directory/table/bus_namespaces.h"
#include "directory/table/errors.h"
#include "faces/mcp/cursor.h"
#include "faces/mcp/function_context.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"
#include "foundation/json/yaml.h"

namespace iii::mcp {

namespace {

constexpr directory::ViewOptions kAll{.filtered = false};  // prompts are not filtered
constexpr std::chrono::milliseconds kHandlerTimeout{30'000};

std::vector<TemplateArgument> registered_arguments(const directory::RegisteredDocument& prompt) {
  std::vector<TemplateArgument> out;
  for (const directory::PromptArgument& each : prompt.arguments) {
    out.push_back({.name = each.name,
                   .description = each.description.value_or(""),
                   .required = each.required,
                   .declared = true});
  }
  return out;
}

std::string prompt_row(const content::Prompt& prompt,
                       const std::vector<TemplateArgument>& arguments) {
  std::string out = "{";
  append_text_member(out, "name", prompt.name);
  append_text_member(out, "description",
                     prompt.description.empty() ? prompt.name : prompt.description);
  if (!arguments.empty()) {
    out += R"(,"arguments":[)";
    for (const TemplateArgument& each : arguments) {
      if (&each != &arguments.front()) out += ',';
      out += '{';
      append_text_member(out, "name", each.name);
      if (!each.description.empty()) append_text_member(out, "description", each.description);
      append_member(out, "required", each.required ? "true" : "false");
      out += '}';
    }
    out += ']';
  }
  return out + "}";
}

std::string user_message(std::string_view text) {
  return R"({"role":"user","content":{"type":"text","text":)" + quote(text) + "}}";
}

std::expected<ArgumentValues, RpcError> values_of(const json::Value& params) {
  ArgumentValues out;
  const json::Value* arguments = params.find("arguments");
  if (arguments == nullptr || arguments->is_null()) return out;
  if (arguments->as_object() == nullptr) return refused("`arguments` must be an object of texts.");
  for (const auto& [name, value] : *arguments->as_object()) {
    if (value.as_string() == nullptr) {
      return refused("The argument `" + echoed(name) + "` must be a text.");
    }
    out.emplace(name, *value.as_string());
  }
  return out;
}

std::optional<RpcError> missing_argument(const std::vector<TemplateArgument>& arguments,
                                         const ArgumentValues& values) {
  for (const TemplateArgument& each : arguments) {
    if (each.required && !values.contains(each.name)) {
      return invalid_params("The argument `" + each.name + "` is required.");
    }
  }
  return std::nullopt;
}

bool is_message(const json::Value& message) {
  const std::string* role = text_of(message, "role");
  const json::Value* content = object_of(message, "content");
  return role != nullptr && (*role == "user" || *role == "assistant") && content != nullptr &&
         text_of(*content, "type") != nullptr;
}

// Handlers give a text, {content: text}, or {messages: […]}, as in skills 0.1.
Result<std::string> messages_of(const json::Value& output) {
  if (output.as_string() != nullptr) return user_message(*output.as_string());
  if (const std::string* text = text_of(output, "content")) return user_message(*text);
  const json::Value* messages = output.find("messages");
  if (messages == nullptr || messages->as_array() == nullptr) {
    return fail("unsupported", "its function must give a text, {content} or {messages}");
  }
  std::string out;
  for (const json::Value& message : *messages->as_array()) {
    if (!is_message(message)) return fail("unsupported", "its function gave a malformed message");
    if (!out.empty()) out += ',';
    out += json::to_text(message);
  }
  return out;
}

Reply messages_reply(std::string_view description, std::string_view messages) {
  Reply out;
  if (!description.empty()) append_text_member(out.members, "description", description);
  append_member(out.members, "messages", "[");
  out.members += messages;
  out.members += ']';
  return out;
}

Result<std::vector<TemplateArgument>> arguments_in(directory::Library& library,
                                                   const directory::View& view,
                                                   const content::Prompt& prompt) {
  if (const auto* registered = view.registration(prompt.file)) {
    return registered_arguments(*registered);
  }
  const Result<FileBytes> file = library.read_file(view, prompt);
  if (!file) return std::unexpected(file.error());
  return file_arguments(file->bytes);
}

// Reads the files of one page.
Reply prompts_page(directory::Library& library, const directory::View& view,
                   const std::string& after, const std::set<std::string>& hidden) {
  PageWriter page("prompts");
  for (const content::PromptPtr& prompt : view.generation().prompts) {
    if (prompt->name <= after || hidden.contains(prompt->name)) continue;
    if (page.is_full()) return page.finish(true);
    // A file that cannot be read now is listed all the same.
    const auto arguments = arguments_in(library, view, *prompt);
    page.add(prompt_row(*prompt, arguments.value_or(std::vector<TemplateArgument>())),
             prompt->name);
  }
  return page.finish(false);
}

}  // namespace

std::vector<TemplateArgument> file_arguments(std::string_view bytes) {
  const auto frontmatter = json::parse_yaml(content::frontmatter_of(bytes, {}));
  return template_arguments(frontmatter.value_or(json::Value()),
                            bytes.substr(content::body_offset(bytes, {})));
}

bool Prompts::shows(const directory::View& view, const content::Prompt& prompt) const {
  const auto* registered = view.registration(prompt.file);
  return registered == nullptr || !callables_.is_hidden(registered->function_id);
}

content::PromptPtr Prompts::find(const directory::View& view, std::string_view name) const {
  const auto& rows = view.generation().prompts;
  const auto row = std::ranges::find(
      rows, name, [](const content::PromptPtr& p) { return std::string_view(p->name); });
  return row != rows.end() && shows(view, **row) ? *row : nullptr;
}

task::Task<Result<std::vector<TemplateArgument>>> Prompts::arguments_of(const directory::View& view,
                                                                        content::PromptPtr row) {
  auto work = [&library = library_, view, row] { return arguments_in(library, view, *row); };
  co_return co_await encode_where_fit(library_, row->bytes, std::move(work));
}

task::Task<RpcError> Prompts::no_such_prompt(directory::View view, std::string name) {
  std::vector<std::string> near = co_await directory::suggest_prompts(library_, view, name);
  std::erase_if(near, [&](const std::string& each) { return find(view, each) == nullptr; });
  co_return invalid_params(directory::prompt_not_found(name, near).message);
}

task::Task<Outcome> Prompts::list(json::Value params) {
  const auto cursor = read_cursor("prompts", params);
  if (!cursor) co_return std::unexpected(cursor.error());
  const std::string after = cursor->value_or("");
  const directory::View view = co_await library_.current(kAll);
  std::set<std::string> hidden;
  for (const content::PromptPtr& prompt : view.generation().prompts) {
    if (!shows(view, *prompt)) hidden.insert(prompt->name);
  }
  auto work = [&library = library_, view, after, hidden = std::move(hidden)] {
    return prompts_page(library, view, after, hidden);
  };
  co_return co_await library_.on_reading_thread(std::move(work));
}

task::Task<std::expected<std::vector<TemplateArgument>, RpcError>> Prompts::arguments(
    std::string name) {
  const directory::View view = co_await library_.current(kAll);
  const content::PromptPtr row = find(view, name);
  if (row == nullptr) co_return std::unexpected(co_await no_such_prompt(view, name));
  const Result<std::vector<TemplateArgument>> found = co_await arguments_of(view, row);
  co_return found.value_or(std::vector<TemplateArgument>());
}

task::Task<Outcome> Prompts::get(Call call, json::Value params) {
  const std::string* name = text_of(params, "name");
  if (name == nullptr) co_return refused("prompts/get needs `name`.");
  const std::expected<ArgumentValues, RpcError> values = values_of(params);
  if (!values) co_return std::unexpected(values.error());
  const directory::View view = co_await library_.current(kAll);
  const content::Prompt* prompt = view.generation().prompt(*name);
  if (prompt == nullptr) co_return std::unexpected(co_await no_such_prompt(view, *name));
  if (const auto* registered = view.registration(prompt->file)) {
    co_return co_await run_registered(std::move(call), *registered, *values, params);
  }
  const std::expected<std::vector<TemplateArgument>, RpcError> wanted = co_await arguments(*name);
  if (!wanted) co_return std::unexpected(wanted.error());
  if (auto missing = missing_argument(*wanted, *values)) co_return std::unexpected(*missing);
  const std::string description = prompt->description;
  Result<std::string> text = co_await library_.answer_from(
      kAll, [&](const directory::View& now) { return file_messages(now, *name, *values); });
  if (!text) co_return std::unexpected(invalid_params(text.error().message));
  co_return messages_reply(description, *text);
}

task::Task<Result<std::string>> Prompts::file_messages(const directory::View& view,
                                                       std::string name,
                                                       const ArgumentValues& values) {
  const content::PromptPtr row = find(view, name);
  if (row == nullptr) co_return std::unexpected(directory::prompt_not_found(name, {}));
  const Result<std::vector<TemplateArgument>> arguments = co_await arguments_of(view, row);
  if (!arguments) co_return std::unexpected(arguments.error());
  auto work = [&library = library_, view, row, arguments = *arguments,
               values]() -> Result<std::string> {
    const Result<directory::Body> body = directory::read_prompt(library, view, *row);
    if (!body) return std::unexpected(body.error());
    return user_message(render_template(body->text, arguments, values));
  };
  co_return co_await encode_where_fit(library_, row->bytes, std::move(work));
}

task::Task<Outcome> Prompts::run_registered(Call call, directory::RegisteredDocument prompt,
                                            const ArgumentValues& values,
                                            const json::Value& params) {
  if (auto wrong = wrong_input_responses(params)) co_return std::unexpected(*wrong);
  if (auto missing = missing_argument(registered_arguments(prompt), values)) {
    co_return std::unexpected(*missing);
  }
  if (host_.engine == nullptr || callables_.is_hidden(prompt.function_id)) {
    co_return refused("The function of the prompt `" + prompt.key + "` cannot be called here.");
  }
  json::Object input;
  for (const auto& [key, value] : values) input.emplace(key, value);
  CallablePtr function = co_await callables_.find(prompt.function_id);
  const bool told = function != nullptr && function->wants_context;
  const std::string text =
      told ? with_context(std::move(input), request_context(call, params)) : json::to_text(input);
  directory::Answer output = co_await callables_.call(
      call.context, prompt.function_id, {text}, {.name_space = {}, .timeout = kHandlerTimeout});
  if (!output) {
    co_return std::unexpected(RpcError{.code = kInternalError,
                                       .message = "The function of the prompt `" + prompt.key +
                                                  "` failed: " + output.error().message});
  }
  struct Read {
    Result<json::Value> value;
    Result<std::string> messages;
  };
  const size_t bytes = output->text.size();
  const Read read = co_await encode_where_fit(library_, bytes, [text = std::move(output->text)] {
    Result<json::Value> value = json::parse(text);
    Result<std::string> messages = value ? messages_of(*value) : std::unexpected(value.error());
    return Read{std::move(value), std::move(messages)};
  });
  if (told && read.value) {
    if (auto special = special_result(*read.value, call)) co_return std::move(*special);
  }
  const Result<std::string>& messages = read.messages;
  if (!messages) {
    co_return std::unexpected(RpcError{
        .code = kInternalError,
        .message = "The prompt `" + prompt.key + "` cannot be shown: " + messages.error().message});
  }
  co_return messages_reply(prompt.description, *messages);
}

}  // namespace iii::mcp
