#include "directory/discovery/engine_info.h"

#include <chrono>
#include <utility>
#include <vector>

#include "directory/content/ids.h"
#include "directory/discovery/function_catalog.h"
#include "directory/discovery/function_parts.h"
#include "directory/discovery/guides.h"
#include "directory/library/engine_rows.h"
#include "directory/table/bus_namespaces.h"
#include "directory/table/descriptions.h"
#include "directory/table/engine_client.h"
#include "directory/table/function_table.h"
#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::directory {

namespace {

using json::Value;

constexpr std::chrono::milliseconds kInfoTimeout{10'000};
constexpr std::chrono::milliseconds kSuggestionTimeout{2'000};
constexpr size_t kMaxPassedOn = 200;  // characters of an engine's own message

struct FunctionInfoInput {
  std::string function_id;
  std::optional<std::string> name_space;
};
struct FunctionInfoOutput {
  std::string function_id;
  std::optional<std::string> worker_name;
  std::optional<std::string> name_space;
  std::optional<std::string> description;
  std::optional<Value> request_schema;
  std::optional<Value> response_schema;
  std::optional<Value> metadata;
  std::vector<TriggerSummary> registered_triggers;
  std::optional<HowGuide> how_guide;
  std::optional<std::vector<RelatedSkill>> related_skills;
};

auto describe(json::Type<FunctionInfoInput>) {
  using T = FunctionInfoInput;
  return json::object<T>(
      "FunctionInfoInput", "",
      json::field("function_id", &T::function_id,
                  "Full id of a function on the bus, for example `sandbox::create`. Required."),
      json::field("namespace", &T::name_space, kWhichNamespaceText));
}
auto describe(json::Type<FunctionInfoOutput>) {
  using T = FunctionInfoOutput;
  return json::object<T>(
      "FunctionInfoOutput", "", json::field("function_id", &T::function_id, kFunctionText),
      json::field("worker_name", &T::worker_name, kOwnerText).nullable(),
      json::field("namespace", &T::name_space, kNamespaceText),
      json::field("description", &T::description, kDescriptionText).nullable(),
      json::field("request_schema", &T::request_schema, kRequestText).nullable(),
      json::field("response_schema", &T::response_schema, kResponseText).nullable(),
      json::field("metadata", &T::metadata, kMetadataText).nullable(),
      json::field("registered_triggers", &T::registered_triggers, kCallersText),
      json::field("how_guide", &T::how_guide, kGuideText),
      json::field("related_skills", &T::related_skills, kRelatedText));
}

std::vector<TriggerSummary> triggers_in(const Value& answer) {
  std::vector<TriggerSummary> out;
  for (const Value& row : rows_of(answer, "registered_triggers")) {
    auto id = text_in(row, "id");
    auto type = text_in(row, "trigger_type");
    if (!id || !type) continue;
    const Value* config = row.find("config");
    out.push_back({.id = std::move(*id),
                   .trigger_type = std::move(*type),
                   .config = config != nullptr ? *config : Value(json::Object{})});
  }
  return out;
}

// An empty `*_format` does not hide the schema beside it (DW24).
FunctionInfoOutput output_of(const std::string& id, const Value& answer) {
  FunctionInfoOutput out{
      .function_id = id,
      .worker_name = text_in(answer, "worker_name"),
      .name_space = text_in(answer, "namespace"),
      .description = text_in(answer, "description"),
      .request_schema = first_of(answer, {"request_format", "request_schema"}),
      .response_schema = first_of(answer, {"response_format", "response_schema"}),
      .metadata = first_of(answer, {"metadata"}),
      .registered_triggers = triggers_in(answer)};
  if (!out.worker_name) out.worker_name = first_part(id);
  return out;
}

Error failed(std::string text) { return {"invocation_failed", std::move(text)}; }

Error not_found(const std::string& id, std::string_view near) {
  return failed("D340 not_found: function " + content::quoted(id) + " was not found." +
                (near.empty() ? "" : " Did you mean: " + std::string(near) + "?") +
                " Next: call engine::functions::list to see the functions there are.");
}

task::Task<Result<FunctionInfoOutput>> info(Context context, EngineClient& engine, task::Pool& pool,
                                            Guides* guides, FunctionInfoInput in) {
  const std::string id(trim(in.function_id));
  if (id.empty()) {
    co_return std::unexpected(
        failed("D341 invalid_input: function_id must be non-empty. Next: call "
               "engine::functions::list to see the functions there are."));
  }
  json::Object question{{"function_id", id}};
  if (in.name_space) question["namespace"] = *in.name_space;
  sdk::Reply<json::Raw> reply =
      co_await engine.call(context, "engine::functions::info", Value(question), kInfoTimeout);
  if (!reply && reply.error().code == "NOT_FOUND") {
    const std::vector<std::string> places = co_await namespaces_of(engine, context, id);
    if (!in.name_space && places.size() == 1) {
      question["namespace"] = places.front();
      reply =
          co_await engine.call(context, "engine::functions::info", Value(question), kInfoTimeout);
    } else if (!places.empty()) {
      co_return std::unexpected(function_elsewhere(id, in.name_space, places));
    }
  }
  if (reply) {
    FunctionInfoOutput out = output_of(id, parsed_answer(reply->text));
    if (guides != nullptr) {
      FoundGuides found = co_await guides->about(id);
      out.how_guide = std::move(found.guide);
      out.related_skills = std::move(found.related);
    }
    co_return out;
  }
  if (reply.error().code != "NOT_FOUND")
    co_return std::unexpected(engine_failed("engine::functions::info", reply.error()));
  const Value everything = json::Object{};
  const sdk::Reply<json::Raw> list =
      co_await engine.call(context, "engine::functions::list", everything, kSuggestionTimeout);
  if (!list) co_return std::unexpected(not_found(id, {}));
  // An engine may have any number of functions.
  const std::string near = co_await pool.run([id, text = list->text] {
    const std::vector<std::string> ids = function_ids_in(text);
    return std::string(nearest(id, ids));
  });
  co_return std::unexpected(not_found(id, near));
}

}  // namespace

std::optional<std::string> first_part(std::string_view id) {
  const size_t end = id.find("::");
  if (end == std::string_view::npos || end == 0) return std::nullopt;
  return std::string(id.substr(0, end));
}

Error engine_failed(std::string_view function_id, const sdk::RemoteError& error) {
  const std::string id(function_id);
  if (error.code == sdk::kTimeout) {
    return failed("D342 engine_error: " + id + " did not answer in time. Next: retry shortly.");
  }
  return failed("D342 engine_error: " + id + " failed (" + error.code +
                "): " + std::string(utf8_prefix(error.message, kMaxPassedOn)) +
                ". Next: retry shortly, or call " + id + " itself.");
}

void add_engine_info(FunctionTable& table, EngineClient& engine, task::Pool& pool, Guides* guides) {
  table.add<FunctionInfoInput, FunctionInfoOutput>(
      {.id = "directory::engine::functions::info",
       .title = "Show a function of the engine",
       .description = about::kFunctionInfo,
       .hints = kReadOnly,
       .published = true},
      [&engine, &pool, guides](const Context& context, FunctionInfoInput in) {
        return info(context, engine, pool, guides, std::move(in));
      });
}

}  // namespace iii::directory
