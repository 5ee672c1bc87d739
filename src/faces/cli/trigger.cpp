#include "faces/cli/trigger.h"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <iterator>

#include "faces/cli/engine_link.h"
#include "faces/cli/output.h"
#include "faces/cli/terminal.h"
#include "faces/cli/verbs.h"
#include "faces/cli/width.h"
#include "foundation/base/text.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::cli {

namespace {

std::string pretty(const std::string& json_text) {
  const auto value = json::parse(json_text);
  return value ? json::to_pretty_text(*value) : json_text;
}

// `type` of a property as a word: "string", "string|null", the name of what it refers to.
std::string type_word(const json::Value& property) {
  if (const json::Value* type = property.find("type")) {
    if (const std::string* one = type->as_string()) return *one;
    std::string words;
    if (const json::Array* several = type->as_array()) {
      for (const json::Value& word : *several) {
        if (word.as_string() == nullptr) continue;
        words += (words.empty() ? "" : "|") + *word.as_string();
      }
    }
    return words;
  }
  return "any";
}

// Lines that fit the terminal; one line for a pipe.
std::string for_screen(std::string_view text, size_t indent) {
  const size_t width = ::isatty(STDOUT_FILENO) == 1 ? terminal_width(STDOUT_FILENO) : 0;
  std::string out;
  for (const std::string& line :
       width > indent + 20 ? wrapped(text, width - indent) : std::vector{std::string(text)}) {
    out += std::string(indent, ' ') + line + "\n";
  }
  return out;
}

std::string parameter_table(const json::Value& info) {
  const json::Value* schema = info.find("request_schema");
  if (schema == nullptr) schema = info.find("request_format");
  const json::Value* properties = schema != nullptr ? schema->find("properties") : nullptr;
  if (properties == nullptr || properties->as_object() == nullptr ||
      properties->as_object()->empty()) {
    return "It takes no documented parameters.\n";
  }
  const json::Value* required = schema->find("required");
  std::string out = "Parameters:\n";
  for (const auto& [name, property] : *properties->as_object()) {
    bool must = false;
    if (required != nullptr && required->as_array() != nullptr) {
      for (const json::Value& word : *required->as_array()) must |= word == json::Value(name);
    }
    out += "  " + name + " (" + type_word(property) + (must ? ", required" : "") + ")";
    out += '\n';
    if (const json::Value* text = property.find("description"); text && text->as_string()) {
      out += for_screen(*text->as_string(), 6);
    }
  }
  return out;
}

const Verb& trigger_verb() { return *find_verb("trigger"); }

// Ids of functions that are near the one that does not exist.
std::string function_hint(EngineLink& link, const std::string& function_id) {
  const auto answer = link.call({.function_id = "engine::functions::list",
                                 .payload = R"({"include_internal":true})",
                                 .timeout = std::chrono::milliseconds(5'000)});
  const auto value = answer ? json::parse(*answer) : fail("", "");
  const json::Value* list = value ? value->find("functions") : nullptr;
  std::vector<std::string> ids;
  if (list != nullptr && list->as_array() != nullptr) {
    for (const json::Value& row : *list->as_array()) {
      const json::Value* id = row.find("function_id");
      if (id != nullptr && id->as_string() != nullptr) ids.push_back(*id->as_string());
    }
  }
  return did_you_mean(function_id, ids) + " Next: list them with `iii-directory functions`.";
}

// `trigger FN --help`: what that function takes. Without an engine, the general help.
int show_function_help(const EngineAddress& address, const EngineLink::Call& wanted) {
  const auto link = EngineLink::open(address, std::chrono::milliseconds(5'000));
  if (!link) {
    print_text(help_text(trigger_verb()));
    return 0;
  }
  json::Object question{{"function_id", wanted.function_id}};
  if (wanted.name_space) question.emplace("namespace", *wanted.name_space);
  const auto answer = (*link)->call({.function_id = "engine::functions::info",
                                     .payload = json::to_text(question),
                                     .timeout = std::chrono::milliseconds(5'000)});
  if (!answer) {
    return complain({"function_not_found", "the engine has no function " + wanted.function_id +
                                               "." + function_hint(**link, wanted.function_id)});
  }
  const auto info = json::parse(*answer);
  if (!info) return 1;
  std::string out = wanted.function_id + "\n";
  if (const json::Value* text = info->find("description"); text && text->as_string()) {
    out += for_screen(*text->as_string(), 0);
  }
  out += "\n" + parameter_table(*info);
  print_text(out);
  return 0;
}

// The code of an error is shown unless its text begins with one (`D110 not_found: …`).
std::string error_text(const Error& error) {
  const bool has_code = error.message.size() > 4 && error.message[0] == 'D' &&
                        error.message.find_first_not_of("0123456789", 1) == 4;
  const bool ours = error.code == "timed_out" || error.code == "unreachable";
  if (has_code || ours || error.code.empty()) return error.message;
  return error.code + ": " + error.message;
}

int show_error(EngineLink& link, const EngineLink::Call& call, const Error& error, bool stack) {
  std::string text = error_text(error);
  const std::string trace = link.stack();
  if (error.code == "function_not_found") {
    if (!text.ends_with('.')) text += '.';
    text += function_hint(link, call.function_id);
  }
  const int code = complain({"remote", text});
  if (trace.empty()) return code;
  note_text(stack ? trace + (trace.ends_with('\n') ? "" : "\n")
                  : "Next: --stack shows where it happened.\n");
  return code;
}

// The payload itself, from stdin or from a file.
Result<std::string> read_payload(const std::string& text) {
  if (text == "-") {
    return std::string(std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>());
  }
  if (!text.starts_with('@')) return text;
  std::ifstream file(text.substr(1), std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    return fail("usage", "--json: the file " + text.substr(1) + " cannot be read");
  }
  return content;
}

// Text that was meant to be JSON is sent as text; that should not go unnoticed.
void warn_of_text(std::span<const std::string> pairs) {
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    const std::string value = equals == std::string::npos ? "" : pair.substr(equals + 1);
    const bool looks_like_json =
        value.starts_with('{') || value.starts_with('[') || value.starts_with('"');
    if (!looks_like_json || json::parse(value)) continue;
    note("Warning: {} is not valid JSON and is sent as text: {}\n", pair.substr(0, equals), value);
  }
}

Result<EngineLink::Call> call_of(const Args& args, std::span<const std::string>& pairs) {
  EngineLink::Call call;
  call.name_space = args.value("namespace");
  if (const auto timeout = args.value("timeout-ms")) {
    const auto parsed = number("timeout-ms", *timeout, 1, 86'400'000);
    if (!parsed) return std::unexpected(parsed.error());
    call.timeout = std::chrono::milliseconds(*parsed);
  }
  call.function_id = args.value("function-id").value_or("");
  if (call.function_id.empty() && !pairs.empty()) {
    call.function_id = pairs.front();
    pairs = pairs.subspan(1);
  }
  return call;
}

}  // namespace

Result<std::string> build_payload(const std::optional<std::string>& json_text,
                                  std::span<const std::string> pairs) {
  json::Value base = json::Object{};
  if (json_text) {
    auto parsed = json::parse(*json_text);
    if (!parsed) {
      return fail("usage", "--json: invalid JSON `" + *json_text + "`: " + parsed.error().message);
    }
    if (pairs.empty()) return *json_text;
    base = std::move(*parsed);
    if (base.as_object() == nullptr) {
      return fail("usage", "--json must be an object when combined with kv pairs");
    }
  }
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return fail("usage", "expected key=value, got `" + pair + "`");
    }
    if (equals == 0) return fail("usage", "payload key must not be empty (got `" + pair + "`)");
    const std::string text = pair.substr(equals + 1);
    auto parsed = json::parse(text);
    base.as_object()->insert_or_assign(pair.substr(0, equals),
                                       parsed ? std::move(*parsed) : json::Value(text));
  }
  return json::to_text(base);
}

int run_trigger(const Args& args) {
  const Result<EngineAddress> address = engine_address(args);
  if (!address) return complain(address.error());
  std::span<const std::string> pairs = args.positionals();
  Result<EngineLink::Call> call = call_of(args, pairs);
  if (!call) return complain(call.error());
  if (args.has("help")) {
    if (!call->function_id.empty()) return show_function_help(*address, *call);
    print_text(help_text(trigger_verb()));
    return 0;
  }
  if (call->function_id.empty()) {
    return complain({"usage",
                     "FUNCTION_PATH is missing. Next: name a function, for example "
                     "`iii-directory trigger directory::health`; `iii-directory functions` lists "
                     "them."});
  }
  auto json_text = args.value("json");
  if (!json_text) json_text = args.value("payload");
  if (json_text) {
    Result<std::string> read = read_payload(*json_text);
    if (!read) return complain(read.error());
    json_text = std::move(*read);
  }
  Result<std::string> payload = build_payload(json_text, pairs);
  if (!payload) return complain(payload.error());
  warn_of_text(pairs);
  call->payload = std::move(*payload);
  const auto timeout = std::min(std::chrono::milliseconds(10'000), call->timeout);
  const auto link = EngineLink::open(*address, timeout);
  if (!link) return complain(link.error());
  const Result<std::string> answer = (*link)->call(*call);
  if (!answer) return show_error(**link, *call, answer.error(), args.has("stack"));
  print_json(pretty(*answer));
  return 0;
}

}  // namespace iii::cli
