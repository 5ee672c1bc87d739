#include "faces/mcp/function_context.h"

#include <algorithm>
#include <utility>

#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

std::unexpected<RpcError> malformed(std::string_view what) {
  return std::unexpected(
      RpcError{.code = kInternalError, .message = "The function " + std::string(what)});
}

Outcome input_required(const json::Value& answer, const Call& call) {
  if (!is_stateless(call.version)) {
    return malformed("needs input from the client, which this version does not carry.");
  }
  Reply out{.members = {}, .result_type = "input_required"};
  if (const json::Value* requests = object_of(answer, "inputRequests")) {
    for (const auto& [key, request] : *requests->as_object()) {
      const std::string* method = text_of(request, "method");
      const std::string_view needed = method != nullptr ? capability_for(*method) : "";
      if (needed.empty()) return malformed("asked for something that is not known.");
      if (call.capabilities.find(needed) != nullptr) continue;
      RpcError missing = bad_request(kMissingCapability,
                                     "This needs a client with `" + std::string(needed) + "`.");
      missing.data = R"({"requiredCapabilities":{)" + quote(needed) + ":{}}}";
      return std::unexpected(std::move(missing));
    }
    append_member(out.members, "inputRequests", json::to_text(*requests));
  }
  if (const std::string* state = text_of(answer, "requestState")) {
    append_text_member(out.members, "requestState", *state);
  }
  if (out.members.empty()) return malformed("asked for input without saying which.");
  return out;
}

}  // namespace

json::Object request_context(const Call& call, const json::Value& params) {
  json::Object out{{"version", name_of(call.version)}, {"clientCapabilities", call.capabilities}};
  for (const std::string_view key : {"inputResponses", "requestState"}) {
    if (const json::Value* value = params.find(key)) out[std::string(key)] = *value;
  }
  return out;
}

std::string with_context(json::Value arguments, json::Object context) {
  (*arguments.as_object())["_mcp"] = std::move(context);
  return json::to_text(arguments);
}

std::optional<RpcError> wrong_input_responses(const json::Value& params) {
  const json::Value* state = params.find("requestState");
  if (state != nullptr && state->as_string() == nullptr) {
    return invalid_params("`requestState` must be a text.");
  }
  const json::Value* responses = params.find("inputResponses");
  if (responses == nullptr) return std::nullopt;
  const json::Object* all = responses->as_object();
  const auto is_object = [](const auto& each) { return each.second.as_object() != nullptr; };
  if (all != nullptr && std::ranges::all_of(*all, is_object)) return std::nullopt;
  return invalid_params("`inputResponses` must be an object of objects.");
}

std::optional<Outcome> special_result(const json::Value& answer, const Call& call) {
  const std::string* type = text_of(answer, "resultType");
  if (type == nullptr) return std::nullopt;
  if (*type == "input_required") return input_required(answer, call);
  if (*type != "invalid_params") return std::nullopt;
  const std::string* why = text_of(answer, "message");
  return refused(why != nullptr ? *why : "The function refused the parameters.");
}

}  // namespace iii::mcp
