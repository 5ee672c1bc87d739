#include "faces/mcp/rpc.h"

#include <utility>

#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::mcp {

namespace {

std::unexpected<Unreadable> refuse(int code, std::string message, std::string id = {}) {
  return std::unexpected(Unreadable{bad_request(code, std::move(message)), std::move(id)});
}

bool is_id(const json::Value& value) {
  return value.as_string() != nullptr || value.as_int() != nullptr || value.as_uint() != nullptr;
}

// Of a text that does not fit into its own object.
size_t held_by(const std::string& text) { return text.size() > 15 ? text.size() + 1 : 0; }

std::optional<json::Raw> taken_arguments(json::Value& params) {
  leave_out_null(params, "arguments");
  json::Object& members = *params.as_object();
  const auto found = members.find("arguments");
  // Whoever answers the request refuses what is not an object.
  if (found == members.end() || found->second.as_object() == nullptr) return std::nullopt;
  const json::Value arguments = std::move(members.extract(found).mapped());
  return json::Raw{json::to_text(arguments)};
}

std::expected<Message, Unreadable> read_whole(json::Value value) {
  json::Object* object = value.as_object();
  if (object == nullptr) return refuse(kInvalidRequest, "Not a JSON-RPC message");
  Message out;
  const json::Value* id = value.find("id");
  if (id != nullptr && is_id(*id)) out.id = json::to_text(*id);
  if (out.id.size() > kMaxIdBytes) {
    return refuse(kInvalidRequest,
                  "Invalid request: `id` has more than " + std::to_string(kMaxIdBytes) + " bytes");
  }
  const std::string* version = text_of(value, "jsonrpc");
  if (version == nullptr || *version != "2.0") {
    return refuse(kInvalidRequest, "Invalid request: `jsonrpc` must be \"2.0\"", out.id);
  }
  const json::Value* method = value.find("method");
  if (method == nullptr) {
    if (value.find("result") == nullptr && value.find("error") == nullptr) {
      return refuse(kInvalidRequest, "Invalid request: `method` is missing", out.id);
    }
    out.kind = Message::Kind::kResponse;
    for (const auto& [key, to] :
         {std::pair("result", &out.result), std::pair("error", &out.error)}) {
      if (const auto found = object->find(key); found != object->end()) {
        *to = std::move(found->second);
      }
    }
    return out;
  }
  if (method->as_string() == nullptr) {
    return refuse(kInvalidRequest, "Invalid request: `method` must be a string", out.id);
  }
  if (id != nullptr && out.id.empty()) {
    return refuse(kInvalidRequest, "Invalid request: `id` must be a string or an integer");
  }
  out.kind = id != nullptr ? Message::Kind::kRequest : Message::Kind::kNotification;
  out.method = *method->as_string();
  if (const auto params = object->find("params"); params != object->end()) {
    if (params->second.as_object() == nullptr) {
      return refuse(kInvalidParams, "Invalid params: `params` must be an object", out.id);
    }
    out.params = std::move(params->second);
    if (out.method == "tools/call") out.arguments = taken_arguments(out.params);
  } else {
    out.params = json::Object();
  }
  return out;
}

std::expected<Message, Unreadable> read_message(json::Value value, size_t text_bytes) {
  std::expected<Message, Unreadable> out = read_whole(std::move(value));
  if (!out) return out;
  size_t held = 0;
  for (const json::Value* each : {&out->params, &out->result, &out->error}) {
    held += held_bytes(*each);
  }
  if (held > kMaxParamsBytes) {
    return refuse(kInvalidParams,
                  "Invalid params: they would take more than " +
                      std::to_string(kMaxParamsBytes / (1024 * 1024)) + " MiB of memory",
                  out->id);
  }
  out->text_bytes = text_bytes;
  out->held_bytes = sizeof(Message) + held + held_by(out->id) + held_by(out->method) +
                    (out->arguments ? held_by(out->arguments->text) : 0);
  return out;
}

}  // namespace

size_t held_bytes(const json::Value& value) {
  if (const std::string* text = value.as_string()) return held_by(*text);
  size_t out = 0;
  if (const json::Array* array = value.as_array()) {
    out = array->capacity() * sizeof(json::Value);
    for (const json::Value& each : *array) out += held_bytes(each);
  } else if (const json::Object* object = value.as_object()) {
    constexpr size_t kNode = sizeof(json::Object::value_type) + 48;  // with its place in the tree
    for (const auto& [key, member] : *object) out += kNode + held_by(key) + held_bytes(member);
  }
  return out;
}

RpcError invalid_params(std::string message) { return {kInvalidParams, std::move(message)}; }

RpcError unknown_method(std::string_view method) {
  constexpr size_t kMostShown = 200;
  return {.code = kMethodNotFound,
          .message = "Method not found: " + std::string(utf8_prefix(method, kMostShown)),
          .http_status = 404};
}

RpcError bad_request(int code, std::string message) {
  return {.code = code, .message = std::move(message), .http_status = 400};
}

std::expected<Incoming, Unreadable> read_text(std::string_view text, size_t max_batch) {
  Result<json::Value> value = json::parse(text);
  if (!value) return refuse(kParseError, "Parse error: " + value.error().message);
  Incoming out;
  json::Array* batch = value->as_array();
  if (batch == nullptr) {
    out.messages.push_back(read_message(std::move(*value), text.size()));
    return out;
  }
  out.is_batch = true;
  if (batch->size() > max_batch) return out;
  for (json::Value& each : *batch) {
    out.messages.push_back(read_message(std::move(each), text.size()));
  }
  return out;
}

std::string result_text(std::string_view id, std::string members) {
  std::string head = R"({"jsonrpc":"2.0","id":)";
  head += id;
  head += R"(,"result":{)";
  members.insert(0, head);
  members += "}}";
  return members;
}

std::string error_text(std::string_view id, const RpcError& error) {
  std::string out = R"({"jsonrpc":"2.0")";
  if (!id.empty()) append_member(out, "id", id);
  out += R"(,"error":{"code":)";
  json::append_number(out, static_cast<int64_t>(error.code));
  append_text_member(out, "message", error.message);
  if (!error.data.empty()) append_member(out, "data", error.data);
  out += "}}";
  return out;
}

std::string notification_text(std::string_view method, std::string_view params_members) {
  std::string out = R"({"jsonrpc":"2.0")";
  append_text_member(out, "method", method);
  if (!params_members.empty()) {
    out += R"(,"params":{)";
    out += params_members;
    out += '}';
  }
  out += '}';
  return out;
}

std::string quote(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

void append_member(std::string& out, std::string_view key, std::string_view json_text) {
  if (!out.empty() && out.back() != '{' && out.back() != '[') out += ',';
  out += '"';
  out += key;
  out += "\":";
  out += json_text;
}

void append_text_member(std::string& out, std::string_view key, std::string_view text) {
  append_member(out, key, "");
  json::append_string(out, text);
}

const std::string* text_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr ? value->as_string() : nullptr;
}

void leave_out_null(json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  if (value != nullptr && value->is_null()) object.as_object()->erase(std::string(key));
}

const json::Value* object_of(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->as_object() != nullptr ? value : nullptr;
}

}  // namespace iii::mcp
