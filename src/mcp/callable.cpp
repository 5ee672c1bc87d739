#include "mcp/callable.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "functions/bus_hints.h"
#include "functions/bus_namespaces.h"
#include "json/write.h"
#include "mcp/rpc.h"

namespace iii::mcp {

namespace {

constexpr std::array<std::string_view, 10> kGuarded = {
    "engine::", "configuration::", "state::", "stream::", "iii.",
    "iii::",    "mcp::",           "a2a::",   "skills::", "prompts::"};
constexpr std::string_view kDirectory = "directory::";

constexpr std::chrono::milliseconds kAnswerTimeout{5'000};
constexpr std::chrono::milliseconds kCallTimeout{300'000};
constexpr std::chrono::seconds kListLife{2};
constexpr size_t kInfoBatch = 32;
constexpr size_t kMaxFunctions = 10'000;

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

bool by_id(const CallablePtr& a, const CallablePtr& b) { return a->id < b->id; }

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

Callables::Callables(const Host& host, std::vector<std::string> hidden)
    : host_(host), hidden_(std::move(hidden)) {
  for (const directory::FunctionPtr& function : host_.functions->functions()) {
    const std::string& id = function->info.id;
    const bool usable = std::ranges::none_of(
        host_.unusable, [&](const std::string& prefix) { return id.starts_with(prefix); });
    if (!id.starts_with(kDirectory) || function->info.hints.internal || !usable) continue;
    if (!is_hidden(id)) own_.push_back(own_function(*function));
  }
  std::ranges::sort(own_, by_id);
}

bool Callables::is_hidden(std::string_view id) const {
  return is_guarded(id) || std::ranges::any_of(hidden_, [&](const std::string& prefix) {
           return id.starts_with(prefix);
         });
}

sdk::Task<std::optional<json::Value>> Callables::ask(std::string function, std::string input) {
  const directory::Context context{.caller = "mcp"};
  sdk::Reply<json::Raw> reply =
      co_await host_.engine->call(context, function, std::string_view(input), kAnswerTimeout);
  if (!reply) co_return std::nullopt;
  co_return parsed(reply->text);
}

sdk::Task<std::optional<CallableList>> Callables::ask_list() {
  std::optional<json::Value> answer = co_await ask("engine::functions::list", "{}");
  const json::Value* rows = answer ? answer->find("functions") : nullptr;
  if (rows == nullptr || rows->as_array() == nullptr) co_return std::nullopt;
  // The same id in several namespaces: `default` counts, else the first.
  std::map<std::string, CallablePtr> found;
  for (const json::Value& row : *rows->as_array()) {
    std::string id = member_text(row, "function_id");
    if (id.empty() || is_hidden(id) || is_callback(id)) continue;
    if (found.size() >= kMaxFunctions) continue;
    const bool ours = std::ranges::any_of(own_, [&](const CallablePtr& f) { return f->id == id; });
    if (ours) continue;
    auto function = std::make_shared<CallableFunction>();
    function->id = id;
    function->description = member_text(row, "description");
    function->hints = directory::hints_of_row(row);
    function->wants_context = mcp_flag(row, "context");
    function->has_headers = mcp_flag(row, "headers");
    function->resource = resource_of(row);
    const bool is_default = member_text(row, "namespace") == protocol::kDefaultNamespace;
    if (is_default) {
      found.insert_or_assign(std::move(id), std::move(function));
    } else {
      found.try_emplace(std::move(id), std::move(function));
    }
  }
  CallableList out;
  for (auto& [id, function] : found) out.push_back(std::move(function));
  co_return out;
}

sdk::Task<void> Callables::ask_schemas(CallableList& rows) {
  for (size_t begin = 0; begin < rows.size(); begin += kInfoBatch) {
    const size_t end = std::min(rows.size(), begin + kInfoBatch);
    json::Array ids;
    for (size_t i = begin; i < end; ++i) ids.emplace_back(rows[i]->id);
    std::optional<json::Value> answer = co_await ask(
        "engine::functions::info", json::to_text(json::Object{{"function_ids", std::move(ids)}}));
    const json::Value* details = answer ? answer->find("functions") : nullptr;
    if (details == nullptr || details->as_array() == nullptr) co_return;
    for (const json::Value& detail : *details->as_array()) {
      const std::string id = member_text(detail, "function_id");
      const auto row = std::ranges::find(rows, id, [](const CallablePtr& f) { return f->id; });
      if (row == rows.end()) continue;
      auto full = std::make_shared<CallableFunction>(**row);
      if (const json::Value* schema = object_of(detail, "request_schema")) {
        full->request_schema = *schema;
      }
      if (const json::Value* schema = object_of(detail, "response_schema")) {
        full->response_schema = *schema;
      }
      *row = std::move(full);
    }
  }
}

sdk::Task<CallableList> Callables::engine(bool with_schemas) {
  if (!has_engine()) co_return known_;
  const auto now = std::chrono::steady_clock::now();
  if (now < known_until_ && (known_schemas_ || !with_schemas)) co_return known_;
  std::optional<CallableList> rows = co_await ask_list();
  if (!rows) co_return known_;
  if (with_schemas) co_await ask_schemas(*rows);
  known_ = std::move(*rows);
  known_schemas_ = with_schemas;
  known_until_ = now + kListLife;
  co_return known_;
}

sdk::Task<CallablePtr> Callables::find(std::string id) {
  for (const CallablePtr& function : own_) {
    if (function->id == id) co_return function;
  }
  if (is_hidden(id) || !has_engine()) co_return nullptr;
  std::optional<json::Value> detail =
      co_await ask("engine::functions::info", json::to_text(json::Object{{"function_id", id}}));
  if (!detail || member_text(*detail, "function_id") != id) co_return nullptr;
  auto out = std::make_shared<CallableFunction>();
  out->id = id;
  out->description = member_text(*detail, "description");
  out->hints = directory::hints_of_row(*detail);
  out->wants_context = mcp_flag(*detail, "context");
  out->has_headers = mcp_flag(*detail, "headers");
  if (const json::Value* schema = object_of(*detail, "request_schema")) {
    out->request_schema = *schema;
  }
  if (const json::Value* schema = object_of(*detail, "response_schema")) {
    out->response_schema = *schema;
  }
  co_return out;
}

sdk::Task<sdk::Reply<json::Raw>> Callables::call_in(directory::Context context, std::string id,
                                                    json::Raw input, std::string name_space) {
  co_return co_await host_.engine->call(context, id, std::string_view(input.text), kCallTimeout,
                                        name_space);
}

sdk::Task<directory::Answer> Callables::call(directory::Context context, std::string id,
                                             json::Raw input, std::string name_space) {
  if (is_hidden(id)) {
    co_return fail("hidden", "'" + id +
                                 "' belongs to an internal namespace, which MCP clients cannot "
                                 "call. Next: choose another function with `find`.");
  }
  for (const CallablePtr& function : own_) {
    if (function->id == id && name_space.empty()) {
      co_return co_await host_.functions->call(std::move(id), std::move(context), std::move(input));
    }
  }
  if (host_.engine == nullptr) {
    co_return fail("no_engine", "There is no function '" + id +
                                    "' here, and this server is not connected to an engine. Next: "
                                    "start it with --url to reach the functions of an engine.");
  }
  if (!has_engine()) {
    co_return fail("no_engine", "The engine cannot be reached at the moment, so '" + id +
                                    "' cannot be called. Next: try again shortly.");
  }
  sdk::Reply<json::Raw> reply =
      co_await (name_space.empty() ? directory::call_by_id(*host_.engine, std::move(context), id,
                                                           std::move(input.text), kCallTimeout)
                                   : call_in(std::move(context), id, std::move(input), name_space));
  if (!reply) co_return std::unexpected(Error{reply.error().code, reply.error().message});
  co_return std::move(*reply);
}

}  // namespace iii::mcp
