#include "directory/discovery/function_catalog.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include "bus/sdk/worker.h"
#include "directory/table/descriptions.h"
#include "directory/table/engine_rows.h"
#include "directory/table/function_table.h"
#include "foundation/base/log.h"
#include "foundation/json/write.h"

namespace iii::directory {

namespace {

using Clock = std::chrono::steady_clock;
using json::Value;

constexpr std::chrono::milliseconds kCatalogTimeout{5'000};
constexpr std::chrono::milliseconds kListTimeout{1'000};
// How old a list may be: of few functions, of many.
constexpr size_t kFewFunctions = 2'000;
constexpr std::chrono::milliseconds kLifeOfMany{1'000};
// A worker that registers a function again with another schema is noticed after this time.
constexpr std::chrono::seconds kLifeOfSchemas{60};
constexpr std::chrono::seconds kLifeOfBindings{2};
constexpr std::chrono::seconds kRecent{2};
constexpr size_t kMaxFunctions = 20'000;
constexpr size_t kMaxBindings = 20'000;
constexpr size_t kInfoBatch = 32;  // what the engine answers at once
constexpr size_t kBatchesAtOnce = 8;

std::string mcp_of(const Value& metadata) {
  const Value& mcp = member_of(metadata, "mcp");
  return mcp.as_object() != nullptr ? json::to_text(mcp) : std::string();
}

// Of an id in several namespaces the row of `default` comes first.
std::vector<KnownFunction> functions_in(const std::string& list) {
  std::vector<KnownFunction> out;
  const Value answer = parsed_answer(list);
  for (const Value& row : rows_of(answer, "functions")) {
    if (out.size() >= kMaxFunctions) break;
    std::string id = json::string_at(row, "function_id");
    if (id.empty()) continue;
    const Value& metadata = member_of(row, "metadata");
    out.push_back({.id = std::move(id),
                   .description = json::string_at(row, "description"),
                   .worker = json::string_at(row, "worker_name"),
                   .name_space = json::string_at(row, "namespace"),
                   .internal = member_of(metadata, "internal") == Value(true),
                   .mcp = mcp_of(metadata)});
    std::string& name_space = out.back().name_space;
    if (name_space == protocol::kDefaultNamespace) name_space.clear();
  }
  std::ranges::sort(out, {},
                    [](const KnownFunction& each) { return std::tie(each.id, each.name_space); });
  return out;
}

std::vector<FoundTrigger> bindings_in(const std::string& list) {
  std::vector<FoundTrigger> out;
  const Value answer = parsed_answer(list);
  for (const Value& row : rows_of(answer, "registered_triggers")) {
    if (out.size() >= kMaxBindings) break;
    out.push_back({.id = json::string_at(row, "id"),
                   .trigger_type = json::string_at(row, "trigger_type"),
                   .function_id = json::string_at(row, "function_id"),
                   .config = json::string_at(row, "config_summary")});
  }
  return out;
}

// Adds the parameters from an answer of engine::functions::info.
void take_schemas(const std::string& text, std::vector<KnownFunction>& functions) {
  const Value answer = parsed_answer(text);
  for (const Value& row : rows_of(answer, "functions")) {
    const std::string id = json::string_at(row, "function_id");
    const auto found = std::ranges::lower_bound(functions, id, {}, &KnownFunction::id);
    if (found == functions.end() || found->id != id) continue;
    found->parameters = parameters_of(member_of(row, "request_schema"));
  }
}

// Whether a row of the engine's list is as it was; its parameters are not in the list.
bool is_same_row(const KnownFunction& a, const KnownFunction& b) {
  return a.id == b.id && a.description == b.description && a.worker == b.worker &&
         a.name_space == b.name_space && a.internal == b.internal && a.mcp == b.mcp;
}

// The rows of a list and of `own`, and those whose schemas must be requested. The parameters of
// the others are taken from `before`; null: all must be requested.
struct ReadList {
  std::vector<KnownFunction> functions;                      // by id
  std::vector<std::pair<std::string, std::string>> unknown;  // namespace, id
};
ReadList read_list(const std::string& text, const FunctionIndex* before, const FunctionIndex& own) {
  ReadList out{.functions = by_id(functions_in(text)), .unknown = {}};
  for (KnownFunction& each : out.functions) {
    if (each.internal || each.id.starts_with("engine::")) continue;
    const KnownFunction* known = before != nullptr ? before->find(each.id) : nullptr;
    if (known != nullptr && is_same_row(*known, each)) {
      each.parameters = known->parameters;
    } else {
      out.unknown.emplace_back(each.name_space, each.id);
    }
  }
  out.functions.insert(out.functions.end(), own.functions().begin(), own.functions().end());
  out.functions = by_id(std::move(out.functions));
  return out;
}

FunctionIndexPtr shared_index_of(std::vector<KnownFunction> functions) {
  return std::make_shared<const FunctionIndex>(std::move(functions));
}

}  // namespace

std::vector<std::string> function_ids_in(const std::string& list) {
  std::vector<std::string> out;
  const Value answer = parsed_answer(list);
  for (const Value& row : rows_of(answer, "functions")) {
    if (std::string id = json::string_at(row, "function_id"); !id.empty()) {
      out.push_back(std::move(id));
    }
  }
  return out;
}

FunctionCatalog::FunctionCatalog(sdk::Worker& worker, EngineClient& engine,
                                 const FunctionTable& table, task::Pool& pool,
                                 std::function<bool()> is_there)
    : worker_(worker),
      engine_(engine),
      table_(table),
      pool_(pool),
      is_there_(std::move(is_there)) {}

void FunctionCatalog::follow_events(FunctionTable& table) {
  table.add<json::Raw, json::Raw>({.id = std::string(kOnFunctionsChange),
                                   .title = "Functions changed",
                                   .description = about::kOnFunctionsChange,
                                   .hints = {.idempotent = true, .internal = true},
                                   .max_input_bytes = kAnyInputBytes},
                                  [this](const json::Raw&) {
                                    ++changes_;
                                    return json::Raw{"null"};
                                  });
  event_.emplace(worker_, "engine::on-functions-changed", std::string(kOnFunctionsChange));
  bind();
}

void FunctionCatalog::bind() {
  const auto rejected = [](const sdk::RemoteError& error) {
    log_debug("search: `engine::functions-available` is not available ({})", error.code);
  };
  static_cast<void>(worker_.bind(sdk::TriggerSpec{.trigger_type = "engine::functions-available",
                                                  .function_id = std::string(kOnFunctionsChange),
                                                  .config = "{}",
                                                  .metadata = {},
                                                  .name_space = {},
                                                  .trigger_namespace = {},
                                                  .on_rejected = rejected}));
}

bool FunctionCatalog::has_engine() const {
  return is_there_ ? is_there_() : worker_.state() == sdk::SessionState::kReady;
}

task::Task<FunctionCatalog::Now> FunctionCatalog::current(Context context) {
  if (has_engine()) {
    const bool many = now_ != nullptr && now_->functions().size() > kFewFunctions;
    const bool old = !many || Clock::now() - asked_ >= kLifeOfMany;
    if (asking_.is_under_way()) {
      const Latch end = asking_.end();
      co_await end;
    } else if (old || has_changed()) {
      co_await refresh(std::move(context));
    }
  }
  if (now_ != nullptr) co_return Now{now_, live_ && has_engine()};
  co_return Now{co_await own_functions(), false};
}

task::Task<FunctionCatalog::Now> FunctionCatalog::recent(Context context) {
  const bool young = Clock::now() - asked_ < kRecent;
  if (now_ != nullptr && live_ && has_engine() && !has_changed() && young)
    co_return Now{now_, true};
  co_return co_await current(std::move(context));
}

sdk::Pending<json::Raw> FunctionCatalog::ask_list(const Context& context,
                                                  std::chrono::milliseconds timeout) {
  return engine_.call(context, "engine::functions::list",
                      std::string_view(R"({"include_internal":true})"), timeout);
}

task::Task<FunctionCatalog::Ids> FunctionCatalog::ids() {
  const auto now = Clock::now();
  const uint64_t changes = changes_;
  if (ids_.live && ids_changes_ == changes && now - ids_asked_ < kRecent) co_return ids_;
  std::string list;
  ids_.live = false;
  if (has_engine()) {
    sdk::Reply<json::Raw> reply = co_await ask_list({}, kListTimeout);
    ids_.live = reply.has_value();
    if (reply) list = std::move(reply->text);
  }
  if (!ids_.live && ids_.all != nullptr) co_return ids_;
  std::vector<std::string> own;
  for (const FunctionPtr& each : table_.functions()) own.push_back(each->info.id);
  const bool live = ids_.live;
  // An engine may have any number of functions.
  auto all = co_await pool_.run([list = std::move(list), own = std::move(own)] {
    std::set<std::string> out(own.begin(), own.end());
    for (std::string& id : function_ids_in(list)) out.insert(std::move(id));
    return std::make_shared<const std::set<std::string>>(std::move(out));
  });
  ids_ = {.all = std::move(all), .live = live};
  ids_asked_ = now;
  ids_changes_ = changes;
  co_return ids_;
}

task::Task<void> FunctionCatalog::refresh(Context context) {
  const SingleFlight::Flight flight = asking_.begin();
  const uint64_t changes = changes_;
  const FunctionIndexPtr own = co_await own_functions();
  sdk::Reply<json::Raw> reply = co_await ask_list(context, kCatalogTimeout);
  live_ = reply.has_value();
  if (!reply) {
    known_changes_ = 0;
    co_return;
  }
  asked_ = Clock::now();
  const bool same = now_ != nullptr && reply->text == *list_text_;
  const bool all = known_changes_ != changes || asked_ - schemas_asked_ >= kLifeOfSchemas;
  if (same && !all) co_return;
  const auto text = std::make_shared<const std::string>(std::move(reply->text));
  ReadList list = co_await pool_.run(
      [text, before = all ? nullptr : now_, own] { return read_list(*text, before.get(), *own); });
  co_await ask_schemas(context, list.functions, std::move(list.unknown));
  now_ = co_await pool_.run([before = now_, functions = std::move(list.functions)]() mutable {
    const bool equal = before != nullptr && before->functions() == functions;
    return equal ? before : shared_index_of(std::move(functions));
  });
  list_text_ = text;
  known_changes_ = changes;
  if (all) schemas_asked_ = asked_;
}

// Several batches are under way at a time; `functions` is sorted.
task::Task<void> FunctionCatalog::ask_schemas(Context context,
                                              std::vector<KnownFunction>& functions,
                                              std::vector<FunctionPlace> wanted) {
  // A request is about one namespace; without one the engine searches `default` first.
  std::ranges::sort(wanted);
  std::deque<sdk::Pending<json::Raw>> under_way;
  size_t next = 0;
  while (next < wanted.size() || !under_way.empty()) {
    while (next < wanted.size() && under_way.size() < kBatchesAtOnce) {
      const std::string name_space = wanted[next].first;
      json::Array batch;
      while (next < wanted.size() && batch.size() < kInfoBatch &&
             wanted[next].first == name_space) {
        batch.emplace_back(wanted[next++].second);
      }
      json::Object question{{"function_ids", std::move(batch)}};
      if (!name_space.empty()) question["namespace"] = name_space;
      under_way.push_back(engine_.call(context, "engine::functions::info",
                                       Value(std::move(question)), kCatalogTimeout));
    }
    const sdk::Reply<json::Raw> reply = co_await under_way.front();
    under_way.pop_front();
    if (!reply) co_return;  // an engine that does not answer for several ids
    take_schemas(reply->text, functions);
  }
}

task::Task<FunctionIndexPtr> FunctionCatalog::own_functions() {
  if (own_ != nullptr) co_return own_;
  std::vector<KnownFunction> functions;
  for (const FunctionPtr& each : table_.functions()) {
    KnownFunction known{.id = each->info.id,
                        .description = each->info.description,
                        .internal = each->info.hints.internal,
                        .own = true};
    if (each->request_schema) {
      const Result<Value> schema = json::parse(*each->request_schema);
      if (schema) known.parameters = parameters_of(*schema);
    }
    functions.push_back(std::move(known));
  }
  own_ = co_await pool_.run([functions = std::move(functions)]() mutable {
    return shared_index_of(std::move(functions));
  });
  co_return own_;
}

task::Task<std::shared_ptr<const std::vector<FoundTrigger>>> FunctionCatalog::bindings(
    Context context) {
  if (bindings_ == nullptr) bindings_ = std::make_shared<const std::vector<FoundTrigger>>();
  if (!has_engine() || Clock::now() - bindings_asked_ < kLifeOfBindings) co_return bindings_;
  bindings_asked_ = Clock::now();
  const sdk::Reply<json::Raw> reply = co_await engine_.call(
      context, "engine::registered-triggers::list", std::string_view("{}"), kCatalogTimeout);
  if (reply) {
    bindings_ = co_await pool_.run([text = reply->text] {
      return std::make_shared<const std::vector<FoundTrigger>>(bindings_in(text));
    });
  }
  co_return bindings_;
}

}  // namespace iii::directory
