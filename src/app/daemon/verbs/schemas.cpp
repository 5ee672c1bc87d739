#include "app/daemon/verbs/schemas.h"

#include <map>

#include "app/daemon/directory.h"
#include "app/daemon/local_folders.h"
#include "app/daemon/verbs/shapes.h"
#include "bus/net/loop.h"
#include "bus/sdk/handler.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"

namespace iii::daemon {

namespace {

using Schemas = std::map<std::string, json::Value, std::less<>>;

template <typename T>
json::Value schema_of() {
  return json::parse(*sdk::handler_detail::schema_text<T>()).value();
}

json::Value parsed(const char* text) { return json::parse(text).value(); }

// What a verb prints is the answer of a function of the table.
Schemas of_functions() {
  set_log_level(LogLevel::kOff);  // there is nothing to say about folders that nobody reads
  net::Loop loop;
  sdk::Worker worker(without_bus_worker(), loop);
  DirectoryConfig config = without_bus({});
  config.skills_folder = config.local_skills_folder = "/nonexistent";
  Directory directory(config, {.home = "/nonexistent"}, worker, "schemas");
  Schemas out;
  for (const directory::FunctionPtr& function : directory.functions().functions()) {
    if (function->response_schema) {
      out.emplace(function->info.id, json::parse(*function->response_schema).value());
    }
  }
  return out;
}

// References are to the top of a document, so the definitions of all go there.
json::Value either(std::vector<json::Value> schemas, const char* what) {
  json::Array all;
  json::Object definitions;
  for (json::Value& each : schemas) {
    json::Object* schema = each.as_object();
    const auto found = schema->find("definitions");
    if (found != schema->end()) {
      definitions.merge(*found->second.as_object());
      schema->erase(found);
    }
    schema->erase("$schema");
    all.push_back(std::move(each));
  }
  return json::Object{{"$schema", "http://json-schema.org/draft-07/schema#"},
                      {"description", what},
                      {"anyOf", std::move(all)},
                      {"definitions", std::move(definitions)}};
}

json::Value config_schema() {
  return parsed(
      R"({"description": "All keys; with `get` one of them, with `path` and `set` the file, with `check` the problems.",
    "anyOf": [
      {"type": "object", "minProperties": 10, "additionalProperties": {"type": "object",
        "properties": {"value": {"description": "Value in force."}, "origin": {"type": "string", "description": "Where it was set."}},
        "required": ["value", "origin"], "additionalProperties": false}},
      {"type": "object", "properties": {"key": {"type": "string"}, "value": {}, "origin": {"type": "string"}},
        "required": ["key", "value", "origin"], "additionalProperties": false},
      {"type": "object", "properties": {"path": {"type": "string", "description": "The file."}, "exists": {"type": "boolean"}},
        "required": ["path", "exists"], "additionalProperties": false},
      {"type": "object", "properties": {"path": {"type": "string"}, "ok": {"type": "boolean"},
        "errors": {"type": "array", "items": {"type": "string"}}, "warnings": {"type": "array", "items": {"type": "string"}}},
        "required": ["path", "ok", "errors", "warnings"], "additionalProperties": false}]})");
}

Schemas all_schemas() {
  const Schemas functions = of_functions();
  const auto answer = [&](const char* id) {
    const auto found = functions.find(id);
    return found == functions.end() ? parsed(R"({"type":"object"})") : found->second;
  };
  const json::Value installed = answer("directory::skills::download");
  const json::Value several = answer("directory::lock::update");
  Schemas out;
  out["list"] = answer("directory::skills::list");
  out["show"] = either({answer("directory::skills::get"), answer("directory::skills::file")},
                       "The document; with --file one part of that file.");
  out["why"] = answer("directory::skills::explain");
  out["index"] = answer("directory::skills::index");
  out["search"] = answer("directory::skills::search");
  out["prompts"] = answer("directory::prompts::list");
  out["prompt"] = answer("directory::prompts::get");
  out["registry"] = either(
      {answer("directory::registry::workers::list"), answer("directory::registry::workers::info")},
      "`search`: a page of workers. `info`: one worker.");
  out["watch"] = parsed(R"({"description": "One object per line.", "type": "object", "properties": {
      "generation": {"type": "integer"}, "kind": {"enum": ["skill", "prompt"]}, "change": {"enum": ["added", "changed", "removed"]},
      "id": {"type": "string"}, "namespace": {"type": "string"}, "op": {"type": "string"}, "source": {"type": "string"}},
      "required": ["generation", "kind", "change", "id", "namespace", "op", "source"]})");
  out["doctor"] = answer("directory::doctor");
  out["add"] =
      either({installed, several, answer("directory::repo::skills")},
             "One namespace; with --all or --frozen several; with --list what the repository has.");
  out["remove"] = schema_of<RemoveShape>();
  out["update"] = several;
  out["restore"] = answer("directory::lock::restore");
  out["outdated"] = answer("directory::lock::outdated");
  out["verify"] = answer("directory::lock::verify");
  out["diff"] = answer("directory::lock::diff");
  out["new"] = schema_of<NewShape>();
  out["workers"] = schema_of<WorkersShape>();
  out["functions"] = schema_of<FunctionsShape>();
  out["triggers"] = schema_of<TriggersShape>();
  out["backup"] = schema_of<BackupShape>();
  out["config"] = config_schema();
  out["version"] = schema_of<VersionShape>();
  return out;
}

}  // namespace

std::string verb_schema(const cli::Verb& verb) {
  static const Schemas kSchemas = all_schemas();
  const auto found = kSchemas.find(verb.name);
  return found == kSchemas.end() ? "" : json::to_pretty_text(found->second);
}

}  // namespace iii::daemon
