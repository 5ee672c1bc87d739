#include "directory/library/nearby.h"

#include <set>
#include <utility>

namespace iii::directory {

namespace {

constexpr const char* kComposeStatus = "compose::status";
constexpr size_t kMostDaemons = 16;

const json::Array* compose_rows(const Result<json::Value>& answer, std::string_view key) {
  const json::Value* rows = answer ? answer->find(key) : nullptr;
  return rows != nullptr ? rows->as_array() : nullptr;
}

const std::string* compose_text(const json::Value& row, std::string_view key) {
  const json::Value* value = row.find(key);
  return value != nullptr ? value->as_string() : nullptr;
}

// Only engines that say where else an id is registered have namespaces at all (wire §7.4).
bool is_elsewhere(const sdk::RemoteError& error) {
  return error.code == sdk::kFunctionNotFound &&
         error.message.find("registered in namespace") != std::string::npos;
}

task::Task<std::set<std::string>> compose_namespaces(sdk::Worker& worker, Millis timeout) {
  const json::Value question = json::Object{{"prefix", kComposeStatus}, {"include_internal", true}};
  const sdk::CallOptions options{.timeout = timeout};
  const sdk::Reply<json::Raw> reply =
      co_await worker.trigger("engine::functions::list", question, options);
  std::set<std::string> out;
  const Result<json::Value> answer = reply ? json::parse(reply->text) : Result<json::Value>();
  const json::Array* rows = compose_rows(answer, "functions");
  if (rows == nullptr) co_return out;
  for (const json::Value& row : *rows) {
    const std::string* id = compose_text(row, "function_id");
    const std::string* name_space = compose_text(row, "namespace");
    if (id == nullptr || *id != kComposeStatus || name_space == nullptr) continue;
    if (out.size() < kMostDaemons) out.insert(*name_space);
  }
  co_return out;
}

void take_containers(const sdk::Reply<json::Raw>& reply,
                     std::optional<std::vector<std::string>>& found) {
  if (!reply) return;
  const Result<json::Value> answer = json::parse(reply->text);
  const json::Array* rows = compose_rows(answer, "containers");
  if (rows == nullptr) return;
  if (!found) found.emplace();
  for (const json::Value& row : *rows) {
    if (const std::string* name = compose_text(row, "container")) found->push_back(*name);
  }
}

}  // namespace

task::Task<sdk::Reply<json::Raw>> ask_nearby(sdk::Worker& worker, std::string function_id,
                                             json::Raw payload, Millis timeout) {
  sdk::CallOptions options{.timeout = timeout};
  sdk::Reply<json::Raw> reply = co_await worker.trigger(function_id, payload, options);
  const std::string& own = worker.name_space();
  const bool is_default = own.empty() || own == protocol::kDefaultNamespace;
  if (reply || is_default || reply.error().code != sdk::kFunctionNotFound) co_return reply;
  options.name_space = protocol::kDefaultNamespace;
  co_return co_await worker.trigger(function_id, payload, options);
}

task::Task<std::optional<std::vector<std::string>>> compose_containers(sdk::Worker& worker,
                                                                       Millis timeout) {
  std::optional<std::vector<std::string>> found;
  const sdk::Reply<json::Raw> near =
      co_await ask_nearby(worker, kComposeStatus, json::Raw{"{}"}, timeout);
  take_containers(near, found);
  if (near || !is_elsewhere(near.error())) co_return found;
  const std::set<std::string> daemons = co_await compose_namespaces(worker, timeout);
  for (const std::string& daemon : daemons) {
    const sdk::CallOptions options{.timeout = timeout, .name_space = daemon};
    const json::Raw nothing{"{}"};
    const sdk::Reply<json::Raw> reply = co_await worker.trigger(kComposeStatus, nothing, options);
    take_containers(reply, found);
  }
  co_return found;
}

}  // namespace iii::directory
