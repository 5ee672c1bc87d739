#include "cli/trigger.h"

#include <cstdlib>

#include "base/text.h"
#include "cli/one_call.h"
#include "cli/output.h"
#include "json/value.h"
#include "json/write.h"
#include "protocol/limits.h"

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
    if (const json::Value* text = property.find("description"); text && text->as_string()) {
      out += "  " + *text->as_string();
    }
    out += '\n';
  }
  return out;
}

OneCall call_from(const Args& args) {
  OneCall call;
  call.address = args.value("address").value_or("localhost");
  call.port = protocol::kDefaultPort;
  if (const char* token = std::getenv("III_TOKEN")) call.token = token;
  if (auto token = args.value("token")) call.token = *token;
  call.name_space = args.value("namespace");
  return call;
}

// `trigger FN --help`: what that function takes. Without an engine, the general help.
int show_function_help(const std::string& function_id, OneCall call) {
  call.function_id = "engine::functions::info";
  json::Object question{{"function_id", function_id}};
  if (call.name_space) question.emplace("namespace", *call.name_space);
  call.name_space.reset();
  call.payload = json::to_text(question);
  call.timeout = std::chrono::milliseconds(5'000);
  const CallOutcome outcome = call_once(call);
  if (outcome.kind == CallOutcome::Kind::kRemoteError) {
    return complain(
        {"function_not_found",
         "the engine has no function " + function_id +
             ". Next: list them with `iii-directory trigger engine::functions::list`."});
  }
  if (outcome.kind != CallOutcome::Kind::kResult) {
    print_text(help_text(trigger_command()));
    return 0;
  }
  const auto info = json::parse(outcome.text);
  if (!info) return 1;
  std::string out = function_id + "\n";
  if (const json::Value* text = info->find("description"); text && text->as_string()) {
    out += *text->as_string() + "\n";
  }
  out += "\n" + parameter_table(*info);
  print_text(out);
  return 0;
}

int show(const CallOutcome& outcome) {
  switch (outcome.kind) {
    case CallOutcome::Kind::kResult:
      if (outcome.text != "null") print_text(pretty(outcome.text) + "\n");
      return 0;
    case CallOutcome::Kind::kRemoteError:
      return complain({"remote", pretty(outcome.text)});
    case CallOutcome::Kind::kUnreachable:
    case CallOutcome::Kind::kTimedOut:
      return complain({"unreachable", outcome.text});
  }
  return 1;
}

}  // namespace

const Command& trigger_command() {
  static const Command command{
      .usage = "iii-directory trigger FUNCTION_PATH [KEY=VALUE ...] [options]",
      .summary =
          "Calls a function on a running engine and prints its result as JSON.\n"
          "A VALUE is read as JSON, else taken as text.",
      .options = {{"json", "JSON", "The payload; with KEY=VALUE pairs it must be an object."},
                  {"address", "HOST", "Where the engine listens (localhost)."},
                  {"port", "N", "Its port (49134)."},
                  {"timeout-ms", "N", "How long to wait for the answer (30000)."},
                  {"namespace", "NS", "Of the function.", 'n'},
                  {"token", "TOKEN", "Bearer token of the engine (III_TOKEN)."},
                  {"function-id", "ID", "Same as FUNCTION_PATH (older spelling)."},
                  {"payload", "JSON", "Same as --json (older spelling)."},
                  {"help", "", "This text; behind FUNCTION_PATH, what that function takes.", 'h'}},
      .positionals = true};
  return command;
}

Result<std::string> build_payload(const std::optional<std::string>& json_text,
                                  std::span<const std::string> pairs) {
  json::Value base = json::Object{};
  if (json_text) {
    auto parsed = json::parse(*json_text);
    if (!parsed) {
      return fail("payload",
                  "--json: invalid JSON `" + *json_text + "`: " + parsed.error().message);
    }
    if (pairs.empty()) return *json_text;
    base = std::move(*parsed);
    if (base.as_object() == nullptr) {
      return fail("payload", "--json must be an object when combined with kv pairs");
    }
  }
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return fail("payload", "expected key=value, got `" + pair + "`");
    }
    if (equals == 0) return fail("payload", "payload key must not be empty (got `" + pair + "`)");
    const std::string text = pair.substr(equals + 1);
    auto parsed = json::parse(text);
    base.as_object()->insert_or_assign(pair.substr(0, equals),
                                       parsed ? std::move(*parsed) : json::Value(text));
  }
  return json::to_text(base);
}

int run_trigger(std::span<const std::string> words) {
  const Result<Args> args = parse_args(trigger_command(), words);
  if (!args) return complain(args.error());
  OneCall call = call_from(*args);
  if (const auto port = args->value("port")) {
    const auto parsed = number("port", *port, 1, 65'535);
    if (!parsed) return complain(parsed.error());
    call.port = static_cast<uint16_t>(*parsed);
  }
  if (const auto timeout = args->value("timeout-ms")) {
    const auto parsed = number("timeout-ms", *timeout, 0, 86'400'000);
    if (!parsed) return complain(parsed.error());
    call.timeout = std::chrono::milliseconds(*parsed);
  }
  std::span<const std::string> rest = args->positionals();
  std::string function_id = args->value("function-id").value_or("");
  if (function_id.empty() && !rest.empty()) {
    function_id = rest.front();
    rest = rest.subspan(1);
  }
  if (args->has("help")) {
    if (!function_id.empty()) return show_function_help(function_id, std::move(call));
    print_text(help_text(trigger_command()));
    return 0;
  }
  if (function_id.empty()) {
    return complain({"missing_function",
                     "iii trigger: missing FUNCTION_PATH. Next: name a function, for example "
                     "`iii-directory trigger engine::functions::list`."});
  }
  auto json_text = args->value("json");
  if (!json_text) json_text = args->value("payload");
  Result<std::string> payload = build_payload(json_text, rest);
  if (!payload) return complain(payload.error());
  call.function_id = std::move(function_id);
  call.payload = std::move(*payload);
  return show(call_once(call));
}

}  // namespace iii::cli
