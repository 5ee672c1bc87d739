#include "directory/table/bus_namespaces.h"

#include <algorithm>
#include <utility>

#include "directory/content/ids.h"
#include "directory/library/engine_rows.h"
#include "directory/library/nearby.h"
#include "foundation/base/text.h"

namespace iii::directory {

namespace {

constexpr std::chrono::milliseconds kNamespacesTimeout{2'000};

}  // namespace

task::Task<std::vector<std::string>> namespaces_of(EngineClient& engine, Context context,
                                                   std::string function_id) {
  const json::Value question = json::Object{{"prefix", function_id}, {"include_internal", true}};
  const sdk::Reply<json::Raw> reply =
      co_await engine.call(context, "engine::functions::list", question, kNamespacesTimeout);
  if (!reply) co_return std::vector<std::string>();
  std::vector<std::string> out = namespaces_in(parsed_answer(reply->text), function_id);
  const auto first = std::ranges::find(out, protocol::kDefaultNamespace);
  if (first != out.end()) std::rotate(out.begin(), first, first + 1);
  co_return out;
}

Error function_elsewhere(const std::string& function_id, const std::optional<std::string>& asked,
                         const std::vector<std::string>& places) {
  const std::string what = "D340 not_found: function " + content::quoted(function_id);
  const std::string next = join(places, ", ") + ". Next: call again with `namespace`.";
  if (!asked) return {"invocation_failed", what + " is in several namespaces: " + next};
  return {"invocation_failed",
          what + " is not in namespace " + content::quoted(*asked) + ", but in " + next};
}

task::Task<sdk::Reply<json::Raw>> call_by_id(EngineClient& engine, Context context,
                                             std::string function_id, std::string payload,
                                             std::chrono::milliseconds timeout) {
  sdk::Reply<json::Raw> reply =
      co_await engine.call(context, function_id, std::string_view(payload), timeout);
  if (reply || reply.error().code != sdk::kFunctionNotFound) co_return reply;
  const std::vector<std::string> places = co_await namespaces_of(engine, context, function_id);
  if (places.empty()) co_return reply;
  const bool certain = places.size() == 1 || places.front() == protocol::kDefaultNamespace;
  if (!certain) {
    co_return std::unexpected(sdk::remote_error(
        kAmbiguousFunction, "`" + function_id + "` is registered in several namespaces (" +
                                join(places, ", ") + "), and none of them is `default`"));
  }
  co_return co_await engine.call(context, function_id, std::string_view(payload), timeout,
                                 places.front());
}

}  // namespace iii::directory
