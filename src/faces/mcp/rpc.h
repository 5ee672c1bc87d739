// JSON-RPC 2.0 as MCP uses it: text to messages, and answers to text. Pure.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/json/value.h"

namespace iii::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
// Of the handshake dialect only.
inline constexpr int kServerError = -32000;
inline constexpr int kSessionNotFound = -32001;
inline constexpr int kResourceNotFound = -32002;
// Of the stateless dialect only.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

// Of `id`, which is repeated in answers, and of a progress token, which is in every notice.
inline constexpr size_t kMaxIdBytes = 1'024;
// What the parameters of a message may take in memory, the arguments of tools/call left out. Texts
// take what they have in the message; a list of a million empty lists would take 20 times that.
inline constexpr size_t kMaxParamsBytes = 8 * 1024 * 1024;

struct RpcError {
  int code = kInternalError;
  std::string message = {};
  std::string data = {};  // JSON text; empty: none
  int http_status = 200;  // of the answer over HTTP in the stateless dialect
};

RpcError invalid_params(std::string message);
RpcError unknown_method(std::string_view method);
// Defects of the message itself, as opposed to its parameters.
RpcError bad_request(int code, std::string message);

struct Message {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kRequest;
  std::string id = {};  // JSON text of a request's id, `7` or `"a"`; empty for a notification
  std::string method = {};
  json::Value params = {};  // an object; empty when absent
  // Of tools/call: `arguments` of `params`, which does not have them then. A function takes them as
  // text.
  std::optional<json::Raw> arguments = {};
  // Of a response: what it answers with. One of them is null.
  json::Value result = {};
  json::Value error = {};
  size_t text_bytes = 0;  // of the text that it came in
  size_t held_bytes = 0;  // what it takes in memory, about
};

// What a value takes in memory besides itself, about.
size_t held_bytes(const json::Value& value);

// Why a text is not a message. `id` is empty unless it could be read.
struct Unreadable {
  RpcError error;
  std::string id = {};
};

using ReadMessage = std::expected<Message, Unreadable>;

// What a client sent at once: a message, or a batch.
struct Incoming {
  bool is_batch = false;
  std::vector<ReadMessage> messages = {};  // none: a batch that is empty or longer than allowed
};
std::expected<Incoming, Unreadable> read_text(std::string_view text, size_t max_batch);

// `members` are those of the result object: `"tools":[],"nextCursor":"x"`.
std::string result_text(std::string_view id, std::string members);
// Without `id` when it is empty: null is outside the schema, and official clients refuse it.
std::string error_text(std::string_view id, const RpcError& error);
std::string notification_text(std::string_view method, std::string_view params_members = {});

// `"text"` with escapes.
std::string quote(std::string_view text);
// Appends `"key":` and the value, after a comma unless `out` is empty or ends with `{` or `[`.
void append_member(std::string& out, std::string_view key, std::string_view json_text);
void append_text_member(std::string& out, std::string_view key, std::string_view text);

// Members of an object of parameters; null or nothing when they are absent or of another type.
const std::string* text_of(const json::Value& object, std::string_view key);
// Some clients write null for what they leave out.
void leave_out_null(json::Value& object, std::string_view key);
const json::Value* object_of(const json::Value& object, std::string_view key);

}  // namespace iii::mcp
