#include "directory/legacy/engine_lists.h"

#include <utility>

#include "directory/discovery/engine_info.h"
#include "directory/library/engine_rows.h"
#include "directory/library/nearby.h"

namespace iii::directory {

namespace {

using json::Object;
using json::Value;
using sdk::Pending;

constexpr std::string_view kNoSuchFunction = "function_not_found";

}  // namespace

uint64_t count_in(const Value& row, std::string_view key) {
  const Value* value = row.find(key);
  if (value == nullptr) return 0;
  if (value->as_uint() != nullptr) return *value->as_uint();
  return value->as_int() != nullptr && *value->as_int() > 0
             ? static_cast<uint64_t>(*value->as_int())
             : 0;
}

namespace {

Pending<json::Raw> start(const EngineCaller& caller, std::string_view function_id,
                         const Value& input) {
  return caller.engine.call(caller.context, function_id, input, kEngineTimeout);
}

Result<Value> settled(std::string_view function_id, const sdk::Reply<json::Raw>& reply) {
  if (!reply) return std::unexpected(engine_failed(function_id, reply.error()));
  return parsed_answer(reply->text);
}

// Engines before 0.13 list bindings where newer ones list types.
bool are_types(const Value& answer) {
  const json::Array& rows = rows_of(answer, "triggers");
  return !rows.empty() && rows.front().find("trigger_type") == nullptr;
}

const Value& everything() {
  static const Value kAll = Object{{"include_internal", true}};
  return kAll;
}

template <typename Row>
task::Task<Result<void>> take(std::string_view id, Pending<json::Raw> asked,
                              std::vector<Row> (*read)(const Value&), std::vector<Row>& out) {
  const sdk::Reply<json::Raw> reply = co_await asked;
  const Result<Value> answer = settled(id, reply);
  if (!answer) co_return std::unexpected(answer.error());
  out = read(*answer);
  co_return Result<void>();
}

task::Task<Result<void>> take_types(EngineCaller caller, Pending<json::Raw> asked,
                                    std::vector<EngineTriggerType>& out) {
  const sdk::Reply<json::Raw> reply = co_await asked;
  const Result<Value> listed = settled("engine::triggers::list", reply);
  if (!listed) co_return std::unexpected(listed.error());
  if (are_types(*listed)) {
    out = types_in(*listed, "triggers");
    co_return Result<void>();
  }
  const sdk::Reply<json::Raw> older =
      co_await start(caller, "engine::trigger-types::list", everything());
  if (!older && older.error().code == kNoSuchFunction) co_return Result<void>();
  const Result<Value> answer = settled("engine::trigger-types::list", older);
  if (!answer) co_return std::unexpected(answer.error());
  out = types_in(*answer, "trigger_types");
  co_return Result<void>();
}

task::Task<Result<void>> take_triggers(EngineCaller caller, Pending<json::Raw> asked,
                                       std::vector<EngineTrigger>& out) {
  sdk::Reply<json::Raw> reply = co_await asked;
  const bool old_engine = !reply && reply.error().code == kNoSuchFunction;
  if (old_engine) reply = co_await start(caller, "engine::triggers::list", everything());
  const Result<Value> answer =
      settled(old_engine ? "engine::triggers::list" : "engine::registered-triggers::list", reply);
  if (!answer) co_return std::unexpected(answer.error());
  out = triggers_in(*answer, old_engine ? "triggers" : "registered_triggers");
  co_return Result<void>();
}

}  // namespace

EngineFunction function_of(const Value& row) {
  return {.id = text_in(row, "function_id").value_or(""),
          .description = text_in(row, "description"),
          .request_schema = first_of(row, {"request_schema", "request_format"}),
          .response_schema = first_of(row, {"response_schema", "response_format"}),
          .metadata = first_of(row, {"metadata"}),
          .worker_name = text_in(row, "worker_name"),
          .name_space = text_in(row, "namespace")};
}

EngineTriggerType type_of(const Value& row) {
  return {.id = text_in(row, "id").value_or(""),
          .description = text_in(row, "description").value_or(""),
          .configuration_schema = first_of(row, {"configuration_schema", "trigger_request_format"}),
          .request_schema = first_of(row, {"request_schema", "call_request_format"}),
          .worker_name = text_in(row, "worker_name")};
}

namespace {

EngineWorker worker_of(const Value& row) {
  EngineWorker worker{.id = text_in(row, "id").value_or(""),
                      .name = text_in(row, "name"),
                      .description = text_in(row, "description"),
                      .version = text_in(row, "version"),
                      .runtime = text_in(row, "runtime"),
                      .os = text_in(row, "os"),
                      .status = text_in(row, "status").value_or("connected"),
                      .function_count = count_in(row, "function_count"),
                      .connected_at_ms = count_in(row, "connected_at_ms"),
                      .active_invocations = count_in(row, "active_invocations"),
                      .isolation = text_in(row, "isolation"),
                      .ip_address = text_in(row, "ip_address")};
  if (member_of(row, "functions").as_array() == nullptr) return worker;
  worker.functions.emplace();
  for (const Value& function : rows_of(row, "functions")) {
    if (function.as_string() != nullptr) worker.functions->push_back(*function.as_string());
  }
  return worker;
}

EngineTrigger trigger_of(const Value& row) {
  return {.id = text_in(row, "id").value_or(""),
          .trigger_type = text_in(row, "trigger_type").value_or(""),
          .function_id = text_in(row, "function_id").value_or(""),
          .config = row.find("config") != nullptr ? *row.find("config") : Value(Object{}),
          .metadata = first_of(row, {"metadata"})};
}

template <typename Row>
std::vector<Row> read_rows(const Value& answer, std::string_view key, std::string_view id_key,
                           Row (*read)(const Value& row)) {
  std::vector<Row> out;
  for (const Value& row : rows_of(answer, key)) {
    if (text_in(row, id_key)) out.push_back(read(row));
  }
  return out;
}

}  // namespace

std::vector<EngineFunction> functions_in(const Value& answer) {
  return read_rows(answer, "functions", "function_id", function_of);
}

std::vector<EngineWorker> workers_in(const Value& answer) {
  return read_rows(answer, "workers", "id", worker_of);
}

std::vector<EngineTriggerType> types_in(const Value& answer, std::string_view key) {
  return read_rows(answer, key, "id", type_of);
}

std::vector<EngineTrigger> triggers_in(const Value& answer, std::string_view key) {
  return read_rows(answer, key, "id", trigger_of);
}

task::Task<Result<EngineLists>> ask_engine(EngineCaller caller, WantedLists wanted) {
  // All are under way before the first is waited for.
  const auto begin = [&caller](bool is_wanted, std::string_view id, const Value& input) {
    return is_wanted ? std::optional(start(caller, id, input)) : std::nullopt;
  };
  const Value nothing = Object{};
  auto functions =
      begin(wanted.functions, "engine::functions::list", wanted.internal ? everything() : nothing);
  auto workers = begin(wanted.workers, "engine::workers::list", nothing);
  auto type_rows = begin(wanted.types, "engine::triggers::list", everything());
  auto trigger_rows = begin(wanted.triggers, "engine::registered-triggers::list", everything());
  EngineLists out;
  Result<void> done;
  if (functions) {
    done = co_await take("engine::functions::list", *functions, functions_in, out.functions);
  }
  if (done && workers) {
    done = co_await take("engine::workers::list", *workers, workers_in, out.workers);
  }
  if (done && type_rows) done = co_await take_types(caller, *type_rows, out.types);
  if (done && trigger_rows) done = co_await take_triggers(caller, *trigger_rows, out.triggers);
  if (!done) co_return std::unexpected(done.error());
  co_return out;
}

task::Task<Result<EngineAnswer>> ask_engine_about(EngineCaller caller, std::string function_id,
                                                  Value question) {
  const sdk::Reply<json::Raw> reply = co_await start(caller, function_id, question);
  EngineAnswer out;
  if (!reply && reply.error().code == "NOT_FOUND") {
    out.kind = EngineAnswer::Kind::kUnknown;
    co_return out;
  }
  if (!reply && reply.error().code == kNoSuchFunction) {
    out.kind = EngineAnswer::Kind::kOldEngine;
    co_return out;
  }
  Result<Value> answer = settled(function_id, reply);
  if (!answer) co_return std::unexpected(answer.error());
  out.value = std::move(*answer);
  co_return out;
}

}  // namespace iii::directory
