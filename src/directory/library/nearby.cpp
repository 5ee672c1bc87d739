#include "directory/library/nearby.h"

#include <algorithm>
#include <utility>

#include "directory/library/engine_rows.h"

namespace iii::directory {

namespace {

constexpr const char* kComposeStatus = "compose::status";
constexpr size_t kMostDaemons = 16;

// Only engines that say where else an id is registered have namespaces at all (wire §7.4).
bool is_elsewhere(const sdk::RemoteError& error) {
  return error.code == sdk::kFunctionNotFound &&
         error.message.find("registered in namespace") != std::string::npos;
}

task::Task<std::vector<std::string>> compose_namespaces(sdk::Worker& worker, Millis timeout) {
  const json::Value question = json::Object{{"prefix", kComposeStatus}, {"include_internal", true}};
  const sdk::CallOptions options{.timeout = timeout};
  const sdk::Reply<json::Raw> reply =
      co_await worker.trigger("engine::functions::list", question, options);
  std::vector<std::string> out;
  if (reply) out = namespaces_in(parsed_answer(reply->text), kComposeStatus);
  if (out.size() > kMostDaemons) out.resize(kMostDaemons);
  co_return out;
}

void take_containers(const sdk::Reply<json::Raw>& reply,
                     std::optional<std::vector<std::string>>& found) {
  const json::Value answer = reply ? parsed_answer(reply->text) : json::Value();
  if (member_of(answer, "containers").as_array() == nullptr) return;
  if (!found) found.emplace();
  for (const json::Value& row : rows_of(answer, "containers")) {
    if (auto name = text_in(row, "container")) found->push_back(std::move(*name));
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
  const std::vector<std::string> daemons = co_await compose_namespaces(worker, timeout);
  for (const std::string& daemon : daemons) {
    const sdk::CallOptions options{.timeout = timeout, .name_space = daemon};
    const json::Raw nothing{"{}"};
    const sdk::Reply<json::Raw> reply = co_await worker.trigger(kComposeStatus, nothing, options);
    take_containers(reply, found);
  }
  co_return found;
}

std::vector<std::string> namespaces_in(const json::Value& answer, std::string_view function_id) {
  std::vector<std::string> out;
  for (const json::Value& row : rows_of(answer, "functions")) {
    std::optional<std::string> name_space = text_in(row, "namespace");
    if (name_space && text_in(row, "function_id") == function_id) {
      out.push_back(std::move(*name_space));
    }
  }
  std::ranges::sort(out);
  const auto [first, last] = std::ranges::unique(out);
  out.erase(first, last);
  return out;
}

}  // namespace iii::directory
