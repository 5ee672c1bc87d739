// The headers of MCP over HTTP: what they must be, and what they say. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bus/net/http_message.h"
#include "faces/mcp/rpc.h"

namespace iii::mcp {

inline constexpr std::string_view kVersionHeader = "MCP-Protocol-Version";

// Without blanks around it; nothing when it is absent.
std::optional<std::string> header_value(const net::HttpRequest& request, std::string_view name);

// Whether the media type of the body is JSON.
bool has_json_body(const net::HttpRequest& request);

// What the client takes. Without an Accept header everything.
struct Accepts {
  bool json = true;
  bool events = true;
};
Accepts accepted_by(const net::HttpRequest& request);

// `MCP-Protocol-Version` names the stateless dialect or something newer.
bool names_stateless(const std::optional<std::string>& version);

// `=?base64?…?=` decoded strictly; other values as they are. Nothing when it is malformed.
std::optional<std::string> decoded_value(std::string_view value);

// -32020 when the headers of a stateless request are missing, repeated, or contradict its body.
std::optional<RpcError> check_version_header(const net::HttpRequest& request,
                                             std::string_view version);
std::optional<RpcError> check_method_headers(const net::HttpRequest& request,
                                             std::string_view method, const json::Value& params);

// The header that repeats a parameter; null: it is not to be expected. Integers are compared by
// value.
std::optional<RpcError> check_parameter_header(const net::HttpHeaders& headers,
                                               std::string_view name, const json::Value* value);

}  // namespace iii::mcp
