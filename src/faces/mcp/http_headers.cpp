#include "faces/mcp/http_headers.h"

#include <algorithm>

#include "faces/mcp/base64.h"
#include "faces/mcp/dialect.h"
#include "foundation/base/text.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kMethodHeader = "Mcp-Method";
constexpr std::string_view kNameHeader = "Mcp-Name";

std::string_view without_blanks(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

RpcError mismatch(std::string_view header, std::string_view what) {
  return bad_request(kHeaderMismatch, std::string(header) + ' ' + std::string(what));
}

// The value, or why there is not exactly one.
std::expected<std::string, RpcError> the_value(const net::HttpHeaders& headers,
                                               std::string_view name) {
  std::optional<std::string> found;
  for (const net::HttpHeader& header : headers) {
    if (!iequals(header.name, name)) continue;
    if (found) return std::unexpected(mismatch(name, "is there twice."));
    found = without_blanks(header.value);
  }
  if (!found || found->empty()) return std::unexpected(mismatch(name, "is missing."));
  return *found;
}

// Which parameter the name header repeats; empty: the method has none.
std::string_view named_parameter(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  return "";
}

}  // namespace

std::optional<std::string> header_value(const net::HttpRequest& request, std::string_view name) {
  const std::string* value = request.header(name);
  if (value == nullptr) return std::nullopt;
  return std::string(without_blanks(*value));
}

bool has_json_body(const net::HttpRequest& request) {
  const std::string type = header_value(request, "Content-Type").value_or("");
  return iequals(without_blanks(type.substr(0, type.find(';'))), "application/json");
}

Accepts accepted_by(const net::HttpRequest& request) {
  const std::optional<std::string> value = header_value(request, "Accept");
  if (!value || value->empty()) return {};
  Accepts out{.json = false, .events = false};
  for (const std::string_view part : split(*value, ',')) {
    const std::string_view type = without_blanks(part.substr(0, part.find(';')));
    out.json = out.json || type == "*/*" || iequals(type, "application/json") ||
               iequals(type, "application/*");
    out.events = out.events || type == "*/*" || iequals(type, "text/event-stream") ||
                 iequals(type, "text/*");
  }
  return out;
}

bool names_stateless(const std::optional<std::string>& version) {
  return version && *version >= name_of(Version::k2026_07_28);
}

std::optional<std::string> decoded_value(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
      value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  return base64_decode(value);
}

std::optional<RpcError> check_version_header(const net::HttpRequest& request,
                                             std::string_view version) {
  const std::expected<std::string, RpcError> header = the_value(request.headers, kVersionHeader);
  if (!header) return header.error();
  if (*header == version) return std::nullopt;
  return mismatch(kVersionHeader, "is not the version in params._meta.");
}

std::optional<RpcError> check_method_headers(const net::HttpRequest& request,
                                             std::string_view method, const json::Value& params) {
  const std::expected<std::string, RpcError> header = the_value(request.headers, kMethodHeader);
  if (!header) return header.error();
  if (*header != method) return mismatch(kMethodHeader, "is not the method of the request.");
  const std::string_view parameter = named_parameter(method);
  if (parameter.empty()) return std::nullopt;
  const std::expected<std::string, RpcError> name = the_value(request.headers, kNameHeader);
  if (!name) return name.error();
  const std::optional<std::string> decoded = decoded_value(*name);
  if (!decoded) return mismatch(kNameHeader, "is not valid base64.");
  const std::string* expected = text_of(params, parameter);
  // A parameter that is missing is an error of its own, after the headers.
  if (expected == nullptr || *expected == *decoded) return std::nullopt;
  return mismatch(kNameHeader, "is not `" + std::string(parameter) + "` of the request.");
}

std::optional<RpcError> check_parameter_header(const net::HttpHeaders& headers,
                                               std::string_view name, const json::Value* value) {
  if (value == nullptr) return std::nullopt;
  const std::expected<std::string, RpcError> header = the_value(headers, name);
  if (!header) return header.error();
  const std::optional<std::string> decoded = decoded_value(*header);
  if (!decoded) return mismatch(name, "is not valid base64.");
  bool equal = false;
  if (value->as_string() != nullptr) equal = *decoded == *value->as_string();
  if (value->as_bool() != nullptr) equal = *decoded == (*value->as_bool() ? "true" : "false");
  if (value->is_number()) {
    const Result<json::Value> number = json::parse(*decoded);
    const auto as_double = [](const json::Value& v) {
      if (v.as_int() != nullptr) return static_cast<double>(*v.as_int());
      if (v.as_uint() != nullptr) return static_cast<double>(*v.as_uint());
      return v.as_double() != nullptr ? *v.as_double() : 0.0;
    };
    equal = number && number->is_number() && as_double(*number) == as_double(*value);
  }
  return equal ? std::nullopt : std::optional(mismatch(name, "is not the value of its argument."));
}

}  // namespace iii::mcp
