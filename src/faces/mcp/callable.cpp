#include "faces/mcp/callable.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <span>
#include <utility>

#include "directory/discovery/function_catalog.h"
#include "directory/table/bus_hints.h"
#include "directory/table/bus_namespaces.h"
#include "directory/table/engine_client.h"
#include "directory/table/errors.h"
#include "directory/table/function_table.h"
#include "faces/mcp/hidden_rows.h"
#include "faces/mcp/limits.h"
#include "faces/mcp/rpc.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

// `skill::` and `skills::` call functions that their input names.
constexpr std::array<std::string_view, 11> kGuarded = {
    "engine::", "configuration::", "state::", "stream::", "iii.",     "iii::",
    "mcp::",    "a2a::",           "skill::", "skills::", "prompts::"};
constexpr std::string_view kDirectory = "directory::";
constexpr std::string_view kPrompts = "directory::prompts::";

constexpr std::chrono::milliseconds kAnswerTimeout{5'000};
constexpr size_t kInfoBatch = 32;

std::optional<json::Value> parsed(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  Result<json::Value> value = json::parse(*text);
  if (!value) return std::nullopt;
  return std::move(*value);
}

std::string member_text(const json::Value& row, std::string_view key) {
  const std::string* text = text_of(row, key);
  return text != nullptr ? *text : std::string();
}

const json::Value* mcp_metadata(const json::Value& row) {
  const json::Value* metadata = row.find("metadata");
  return metadata != nullptr ? metadata->find("mcp") : nullptr;
}

std::optional<OfferedResource> resource_of(const json::Value& row) {
  const json::Value* mcp = mcp_metadata(row);
  const json::Value* resource = mcp != nullptr ? object_of(*mcp, "resource") : nullptr;
  if (resource == nullptr) return std::nullopt;
  OfferedResource out{.uri = member_text(*resource, "uri"),
                      .name = member_text(*resource, "name"),
                      .description = member_text(*resource, "description"),
                      .mime_type = member_text(*resource, "mimeType")};
  // Our own schemes cannot be taken over.
  if (out.uri.find("://") == std::string::npos || out.uri.starts_with("iii:") ||
      out.uri.starts_with("skill:")) {
    return std::nullopt;
  }
  if (out.name.empty()) out.name = out.uri;
  return out;
}

bool mcp_flag(const json::Value& row, std::string_view key) {
  const json::Value* mcp = mcp_metadata(row);
  const json::Value* flag = mcp != nullptr ? mcp->find(key) : nullptr;
  return flag != nullptr && *flag == json::Value(true);
}

// Only an engine calls these; engines of others list them all the same.
bool is_callback(std::string_view id) { return id.ends_with("::on-config-change"); }

CallablePtr own_function(const directory::Function& function) {
  auto out = std::make_shared<CallableFunction>();
  out->id = function.info.id;
  out->title = function.info.title;
  out->description = function.info.description;
  out->request_schema = parsed(function.request_schema);
  out->response_schema = parsed(function.response_schema);
  out->hints = function.info.hints;
  out->of_directory = true;
  return out;
}

// What a row of the list, or an answer about one function, says.
std::shared_ptr<CallableFunction> engine_function(std::string id, const json::Value& row) {
  auto out = std::make_shared<CallableFunction>();
  out->id = std::move(id);
  out->description = member_text(row, "description");
  out->worker = member_text(row, "worker_name");
  out->hints = directory::hints_of_row(row);
  out->wants_context = mcp_flag(row, "context");
  out->has_headers = mcp_flag(row, "headers");
  out->resource = resource_of(row);
  return out;
}

void add_schemas(CallableFunction& function, const json::Value& detail) {
  if (const json::Value* schema = object_of(detail, "request_schema")) {
    function.request_schema = *schema;
  }
  if (const json::Value* schema = object_of(detail, "response_schema")) {
    function.response_schema = *schema;
  }
}

bool is_for_operators(const CallableFunction& function) {
  return function.hints && function.hints->operators_only;
}

// Those of the engine that clients may see. On any thread.
CallableListPtr visible_rows(const directory::FunctionIndex& index, const CallRules& rules,
                             const CallableList& own) {
  auto out = std::make_shared<CallableList>();
  for (const directory::KnownFunction& each : index.functions()) {
    if (each.own || each.internal || is_callback(each.id) || find_in(own, each.id)) continue;
    json::Object row{{"description", each.description}, {"worker_name", each.worker}};
    if (auto mcp = each.mcp.empty() ? std::nullopt : parsed(each.mcp)) {
      row["metadata"] = json::Object{{"mcp", std::move(*mcp)}};
    }
    auto function = engine_function(each.id, row);
    if (!rules.hides(each.id, is_for_operators(*function))) out->push_back(std::move(function));
  }
  return out;
}

Error hidden_function(std::string_view id) {
  return {"hidden",
          "'" + echoed(id) +
              "' is internal or belongs to an internal namespace, which MCP clients cannot "
              "call. Next: choose another function with `find`."};
}

Error function_for_operators(std::string_view id) {
  return {"operators_only",
          "'" + echoed(id) +
              "' is for those who run this server, so MCP clients cannot call it. Next: call it on "
              "the bus (`iii-directory trigger`), or name it in `mcp_allow` of the configuration."};
}

bool has_beginning(const std::vector<std::string>& beginnings, std::string_view id) {
  return std::ranges::any_of(beginnings,
                             [&](const std::string& each) { return id.starts_with(each); });
}

}  // namespace

bool OfferedResource::matches(std::string_view address,
                              std::pair<std::string, std::string>& variable) const {
  const size_t begin = uri.find('{');
  const size_t end = uri.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return address == uri;
  const std::string_view head = std::string_view(uri).substr(0, begin);
  const std::string_view tail = std::string_view(uri).substr(end + 1);
  if (address.size() <= head.size() + tail.size()) return false;
  if (!address.starts_with(head) || !address.ends_with(tail)) return false;
  std::string_view word = std::string_view(uri).substr(begin + 1, end - begin - 1);
  const bool reserved = word.starts_with('+');
  if (reserved) word.remove_prefix(1);
  const std::string_view value =
      address.substr(head.size(), address.size() - head.size() - tail.size());
  if (!reserved && value.find('/') != std::string_view::npos) return false;
  variable = {std::string(word), std::string(value)};
  return true;
}

bool is_guarded(std::string_view function_id) {
  return std::ranges::any_of(
      kGuarded, [&](std::string_view prefix) { return function_id.starts_with(prefix); });
}

CallablePtr find_in(const CallableList& functions, std::string_view id) {
  const auto found = std::ranges::lower_bound(
      functions, id, {}, [](const CallablePtr& each) { return std::string_view(each->id); });
  return found != functions.end() && (*found)->id == id ? *found : nullptr;
}

bool CallRules::is_internal(std::string_view id) const {
  return is_guarded(id) || has_beginning(hidden, id) || internal.contains(id);
}

bool CallRules::hides(std::string_view id, bool operators) const {
  if (is_internal(id)) return true;
  return (operators || operators_only.contains(id)) && !has_beginning(allowed, id);
}

Callables::Callables(const Host& host, std::vector<std::string> hidden,
                     std::vector<std::string> allowed)
    : host_(host) {
  CallRules rules{.hidden = std::move(hidden), .allowed = std::move(allowed)};
  for (const directory::FunctionPtr& function : host_.functions->functions()) {
    if (function->info.hints.operators_only) rules.operators_only.insert(function->info.id);
    if (function->info.hints.internal) rules.internal.insert(function->info.id);
  }
  rules_ = std::make_shared<const CallRules>(std::move(rules));
  CallableList own;
  for (const directory::FunctionPtr& function : host_.functions->functions()) {
    const std::string& id = function->info.id;
    const bool usable = id.starts_with(kDirectory) && !has_beginning(host_.unusable, id);
    if (usable && !is_hidden(id)) own.push_back(own_function(*function));
  }
  std::ranges::sort(own, {}, [](const CallablePtr& f) -> const std::string& { return f->id; });
  own_ = std::make_shared<const CallableList>(std::move(own));
}

task::Task<std::optional<json::Value>> Callables::ask(std::string function, std::string input) {
  const directory::Context context{.caller = "mcp"};
  sdk::Reply<json::Raw> reply =
      co_await host_.engine->call(context, function, std::string_view(input), kAnswerTimeout);
  if (!reply) co_return std::nullopt;
  const size_t bytes = reply->text.size();
  co_return co_await encode_where_fit(*host_.library, bytes,
                                      [text = std::move(reply->text)] { return parsed(text); });
}

task::Task<CallableListPtr> Callables::engine() {
  if (host_.catalog == nullptr || !has_engine()) co_return known_;
  directory::FunctionCatalog::Now now;
  if (std::exchange(forgotten_, false)) {
    now = co_await host_.catalog->current({.caller = "mcp"});
  } else {
    now = co_await host_.catalog->recent({.caller = "mcp"});
  }
  if (!now.live || now.functions == index_) co_return known_;
  CallableListPtr rows =
      co_await host_.library->on_answer_thread([index = now.functions, rules = rules_, own = own_] {
        return visible_rows(*index, *rules, *own);
      });
  known_ = std::move(rows);
  index_ = now.functions;
  co_return known_;
}

task::Task<Callables::Searchable> Callables::searchable() {
  CallableListPtr rows = co_await engine();
  Searchable out{.index = index_, .own = own_, .engine = std::move(rows)};
  // Without an engine so far: those of the directory.
  if (out.index == nullptr) {
    directory::FunctionCatalog::Now now = co_await host_.catalog->recent({.caller = "mcp"});
    out.index = std::move(now.functions);
  }
  co_return out;
}

task::Task<CallableList> Callables::with_schemas(CallableList rows) {
  for (size_t begin = 0; begin < rows.size() && has_engine(); begin += kInfoBatch) {
    const std::span batch =
        std::span(rows).subspan(begin, std::min(kInfoBatch, rows.size() - begin));
    json::Array ids;
    for (const CallablePtr& each : batch) ids.emplace_back(each->id);
    std::optional<json::Value> answer = co_await ask(
        "engine::functions::info", json::to_text(json::Object{{"function_ids", std::move(ids)}}));
    const json::Value* details = answer ? answer->find("functions") : nullptr;
    if (details == nullptr || details->as_array() == nullptr) co_return rows;
    for (const json::Value& detail : *details->as_array()) {
      const std::string id = member_text(detail, "function_id");
      const auto row = std::ranges::find(
          batch, id, [](const CallablePtr& f) -> const std::string& { return f->id; });
      if (row == batch.end()) continue;
      auto full = std::make_shared<CallableFunction>(**row);
      add_schemas(*full, detail);
      *row = std::move(full);
    }
  }
  co_return rows;
}

// What the engine says about one function at this moment, hidden or not.
task::Task<CallablePtr> Callables::look_up(std::string id, std::string name_space) {
  json::Object question{{"function_id", id}};
  if (!name_space.empty()) question["namespace"] = std::move(name_space);
  std::optional<json::Value> detail =
      co_await ask("engine::functions::info", json::to_text(question));
  if (!detail || member_text(*detail, "function_id") != id) co_return nullptr;
  auto out = engine_function(std::move(id), *detail);
  add_schemas(*out, *detail);
  co_return out;
}

task::Task<CallablePtr> Callables::find(std::string id) {
  if (CallablePtr own = find_in(*own_, id)) co_return own;
  if (is_hidden(id) || !has_engine()) co_return nullptr;
  CallablePtr found = co_await look_up(std::move(id), {});
  if (found != nullptr && rules_->hides(found->id, is_for_operators(*found))) co_return nullptr;
  co_return found;
}

task::Task<directory::Answer> Callables::call(directory::Context context, std::string id,
                                              json::Raw input, CallOptions how) {
  if (is_hidden(id)) {
    co_return std::unexpected(rules_->is_internal(id) ? hidden_function(id)
                                                      : function_for_operators(id));
  }
  if (how.name_space.empty() && find_in(*own_, id) != nullptr) {
    co_return co_await fit_for_clients(
        id, co_await host_.functions->call(id, std::move(context), std::move(input)));
  }
  co_return co_await fit_for_clients(
      id, co_await call_engine(std::move(context), id, std::move(input), std::move(how)));
}

task::Task<directory::Answer> Callables::call_engine(directory::Context context, std::string id,
                                                     json::Raw input, CallOptions how) {
  if (host_.engine == nullptr) {
    co_return fail("no_engine", "There is no function '" + echoed(id) +
                                    "' here, and this server is not connected to an engine. Next: "
                                    "start it with --url to reach the functions of an engine.");
  }
  if (!has_engine()) {
    co_return fail("no_engine", "The engine cannot be reached at the moment, so '" + echoed(id) +
                                    "' cannot be called. Next: try again shortly.");
  }
  const CallablePtr known = co_await look_up(id, how.name_space);
  if (known != nullptr && rules_->hides(id, is_for_operators(*known))) {
    co_return std::unexpected(function_for_operators(id));
  }
  sdk::Reply<json::Raw> reply =
      how.name_space.empty()
          ? co_await directory::call_by_id(*host_.engine, std::move(context), id,
                                           std::move(input.text), how.timeout)
          : co_await host_.engine->call(context, id, std::string_view(input.text), how.timeout,
                                        how.name_space);
  if (!reply) co_return std::unexpected(Error{reply.error().code, reply.error().message});
  co_return std::move(*reply);
}

task::Task<directory::Answer> Callables::fit_for_clients(std::string id, directory::Answer answer) {
  HiddenThings hidden{
      .function = [rules = rules_](std::string_view each) { return rules->hides(each); }};
  const bool of_directory = id.starts_with(kDirectory);
  if (!answer) {
    std::string& message = answer.error().message;
    if (of_directory) message = without_hidden_suggestions(std::move(message), hidden.function);
    co_return answer;
  }
  const size_t bytes = answer->text.size();
  if (bytes > kMaxFunctionAnswerBytes) {
    co_return std::unexpected(directory::answer_too_large(
        bytes, kMaxFunctionAnswerBytes,
        "'" + id + "' with arguments that ask for less, for example a `limit`"));
  }
  // Only the directory's functions tell about those of others.
  if (!of_directory) co_return answer;
  const directory::RegistrationsPtr registered = host_.library->latest()->registrations;
  if (id.starts_with(kPrompts) && registered != nullptr) {
    for (const directory::RegisteredPtr& prompt : registered->prompts) {
      if (is_hidden(prompt->function_id)) hidden.prompts.insert(prompt->key);
    }
  }
  const bool about_one =
      id.ends_with("::info") || id.ends_with("-info") || id == "directory::prompts::get";
  Result<std::string> shown = co_await encode_where_fit(
      *host_.library, bytes,
      [text = std::move(answer->text), about_one, hidden = std::move(hidden)]() mutable {
        return without_hidden(std::move(text), about_one, hidden);
      });
  if (!shown) co_return std::unexpected(std::move(shown.error()));
  co_return json::Raw{std::move(*shown)};
}

task::Task<bool> Callables::registered_by_owner(std::string worker, CallablePtr function) {
  if (worker.empty() || function->worker.empty() || !has_engine()) co_return false;
  std::optional<json::Value> answer = co_await ask("engine::workers::list", "{}");
  const json::Value* rows = answer ? answer->find("workers") : nullptr;
  if (rows == nullptr || rows->as_array() == nullptr) co_return false;
  for (const json::Value& row : *rows->as_array()) {
    if (member_text(row, "id") == worker) co_return member_text(row, "name") == function->worker;
  }
  co_return false;
}

}  // namespace iii::mcp
