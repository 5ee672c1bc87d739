// `show` and `prompt`: one document.
#include <algorithm>
#include <iostream>
#include <iterator>

#include "app/daemon/verbs/caller.h"
#include "app/daemon/verbs/rows.h"
#include "app/daemon/verbs/verbs.h"
#include "faces/cli/markdown.h"
#include "faces/cli/output.h"
#include "faces/cli/table.h"
#include "faces/mcp/template.h"
#include "foundation/base/counted.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::daemon {

namespace {

using cli::Style;

void show_body(const std::string& body, const cli::Args& args) {
  const cli::Screen screen = cli::screen_of(args);
  if (screen.terminal && !args.has("raw")) {
    cli::print_styled(cli::render_markdown(body, screen.width), screen);
  } else {
    cli::print_document(body, screen);
  }
}

// A large document comes in parts.
Result<json::Value> whole_document(Caller& caller, json::Object input) {
  Result<json::Value> document = caller.ask("directory::skills::get", input);
  if (!document) return document;
  std::string body = text_at(*document, "body");
  Result<json::Value> part = document;
  while (const int64_t next = number_at(*part, "next_offset")) {
    input.insert_or_assign("offset", next);
    input.insert_or_assign("include_files", false);
    part = caller.ask("directory::skills::get", input);
    if (!part) return part;
    body += text_at(*part, "body");
  }
  json::Object& out = *document->as_object();
  for (const char* key : {"offset", "next_offset", "more"}) out.erase(key);
  out.insert_or_assign("body", std::move(body));
  return document;
}

void show_head(const json::Value& document, const cli::Args& args) {
  const cli::Screen screen = cli::screen_of(args);
  if (!screen.terminal || args.has("raw")) return;
  cli::Styled head;
  head.add(printable(text_at(document, "id")), Style::kName);
  const std::string function = text_at(document, "function_id");
  if (!function.empty()) head.add("  " + printable(function), Style::kDim);
  // `2026-11-17T14:11:07.071812420+00:00`: to the minute.
  std::string when = text_at(document, "modified_at");
  if (when.size() >= 16 && when[10] == 'T' && when.ends_with("+00:00")) {
    when = when.substr(0, 10) + " " + when.substr(11, 5) + " UTC";
  }
  if (!when.empty()) head.add("  " + printable(when), Style::kDim);
  cli::print_styled(head.add("\n\n"), screen);
}

void show_risks(const json::Value& document) {
  for (const json::Value& risk : rows_at(document, "risks")) {
    cli::note("{}: {} (line {}) {}\n", text_at(risk, "severity"), text_at(risk, "code"),
              number_at(risk, "line"), text_at(risk, "message"));
  }
}

int show_files(const json::Value& document, const cli::Args& args) {
  const cli::Screen screen = cli::screen_of(args);
  cli::Table table({{"PATH", Style::kName}, {"BYTES"}, {"KIND", Style::kDim}});
  for (const json::Value& file : rows_at(document, "files")) {
    table.add(
        {text_at(file, "path"), std::to_string(number_at(file, "size")), text_at(file, "kind")});
  }
  cli::print_styled(table.text(screen), screen);
  if (table.size() == 0) cli::note("No other files belong to {}.\n", text_at(document, "id"));
  return 0;
}

// The list of files is another option of this verb.
Error with_files_option(Error error, const std::string& id) {
  const size_t next = error.message.find(" Next: call directory::skills::get ");
  if (next == std::string::npos) return error;
  error.message.replace(next, std::string::npos,
                        " Next: `iii-directory show " + id + " --files` lists what it has.");
  return error;
}

int show_file(Caller& caller, const std::string& id, const cli::Args& args) {
  json::Object input{{"id", id}, {"path", *args.value("file")}};
  std::string content;
  for (;;) {
    const auto part = caller.ask("directory::skills::file", input);
    if (!part) return cli::complain(with_files_option(part.error(), id));
    if (args.has("json")) {
      cli::print_json(json::to_pretty_text(*part));
      return 0;
    }
    if (text_at(*part, "encoding") == "base64") {
      return cli::complain({"binary", "this file is not text. Next: --json prints it in base64."});
    }
    content += text_at(*part, "content");
    const int64_t next = number_at(*part, "next_offset");
    if (next == 0) break;
    input.insert_or_assign("offset", next);
  }
  cli::print_document(content, cli::screen_of(args));
  return 0;
}

}  // namespace

int run_show(const cli::Args& args) {
  Result<std::unique_ptr<Caller>> caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  const std::string& id = args.positionals().front();
  if (args.has("file")) return show_file(**caller, id, args);
  json::Object input{{"id", id}};
  if (args.has("risks")) input.emplace("risks", true);
  const Result<json::Value> document = whole_document(**caller, std::move(input));
  if (!document) return cli::complain(document.error());
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(*document));
    return 0;
  }
  say_where(**caller, args);
  if (args.has("files")) return show_files(*document, args);
  show_head(*document, args);
  show_body(text_at(*document, "body"), args);
  show_risks(*document);
  return 0;
}

namespace {

// `key=value`; `key=-` reads the value from stdin.
Result<mcp::ArgumentValues> argument_values(const std::vector<std::string>& words) {
  mcp::ArgumentValues out;
  for (size_t i = 1; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail("usage", "expected KEY=VALUE, got `" + words[i] + "`");
    }
    std::string value = words[i].substr(equals + 1);
    if (value == "-") {
      value.assign(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
    }
    out.insert_or_assign(words[i].substr(0, equals), std::move(value));
  }
  return out;
}

// Names that were given although the prompt does not mention them.
Result<void> check_names(const std::vector<mcp::TemplateArgument>& arguments,
                         const mcp::ArgumentValues& values) {
  std::vector<std::string> known;
  for (const mcp::TemplateArgument& argument : arguments) known.push_back(argument.name);
  for (const auto& [name, value] : values) {
    if (std::ranges::find(known, name) != known.end()) continue;
    return fail(
        "usage",
        "the prompt has no argument '" + name + "'." + cli::did_you_mean(name, known) +
            (known.empty() ? " It has none." : " Its arguments: " + join(known, ", ") + "."));
  }
  return {};
}

// The messages of a prompt that a worker registered: its function writes them.
Result<std::string> registered_prompt(Caller& caller, const std::string& name,
                                      const mcp::ArgumentValues& values) {
  json::Object arguments;
  for (const auto& [key, value] : values) arguments.emplace(key, value);
  const Result<json::Value> answer =
      caller.ask("prompts::mcp-get", json::Object{{"name", name}, {"arguments", arguments}});
  if (!answer) return std::unexpected(answer.error());
  if (const json::Value* meta = answer->find("_meta")) {
    if (const std::string warning = text_at(*meta, "warning"); !warning.empty()) {
      cli::note("Warning: {}\n", warning);
    }
  }
  std::vector<std::string> texts;
  for (const json::Value& message : rows_at(*answer, "messages")) {
    if (const json::Value* content = message.find("content")) {
      texts.push_back(text_at(*content, "text"));
    }
  }
  return join(texts, "\n\n");
}

// The template with the values filled in.
Result<std::string> filled_in(const std::string& body, const mcp::ArgumentValues& values) {
  const auto arguments = mcp::template_arguments({}, body);
  if (auto known = check_names(arguments, values); !known) return std::unexpected(known.error());
  return mcp::render_template(body, arguments, values);
}

// Arguments that have no value stay in the text as they are written there. What follows the name
// of a prompt (`$ARGUMENTS`) may be nothing.
void tell_missing(const std::string& name, const std::string& body,
                  const mcp::ArgumentValues& values) {
  std::vector<std::string> missing;
  std::string words;
  for (const mcp::TemplateArgument& argument : mcp::template_arguments({}, body)) {
    if (argument.name == "arguments" || values.contains(argument.name)) continue;
    missing.push_back(argument.name);
    words += " " + argument.name + "=…";
  }
  if (missing.empty()) return;
  cli::note("Warning: no value for {}. Next: `iii-directory prompt {}{}`\n", join(missing, ", "),
            name, words);
}

}  // namespace

int run_prompt(const cli::Args& args) {
  const Result<mcp::ArgumentValues> values = argument_values(args.positionals());
  if (!values) return cli::complain(values.error());
  Result<std::unique_ptr<Caller>> caller = caller_of(args);
  if (!caller) return cli::complain(caller.error());
  Result<json::Value> prompt =
      (*caller)->ask("directory::prompts::get", json::Object{{"name", args.positionals().front()}});
  if (!prompt) return cli::complain(prompt.error());
  std::string body = text_at(*prompt, "body");
  const bool registered = text_at(*prompt, "origin") == "registered";
  if (!registered) tell_missing(args.positionals().front(), body, *values);
  if (!values->empty()) {
    Result<std::string> made = registered
                                   ? registered_prompt(**caller, text_at(*prompt, "name"), *values)
                                   : filled_in(body, *values);
    if (!made) return cli::complain(made.error());
    body = std::move(*made);
    prompt->as_object()->insert_or_assign("body", body);
  }
  if (args.has("json")) {
    cli::print_json(json::to_pretty_text(*prompt));
    return 0;
  }
  say_where(**caller, args);
  show_body(body, args);
  return 0;
}

}  // namespace iii::daemon
