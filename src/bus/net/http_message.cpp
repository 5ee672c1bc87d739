#include "bus/net/http_message.h"

#include <fmt/format.h>

#include "foundation/base/text.h"

namespace iii::net {
namespace {

constexpr std::string_view kEnvelope = R"({"error":)";

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

}  // namespace

const std::string* HttpRequest::header(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (iequals(header.name, name)) return &header.value;
  }
  return nullptr;
}

HttpAnswer http_json(int status, std::string body) {
  return {
      .status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

HttpAnswer flat_error(int status, std::string_view code, std::string_view message) {
  return http_json(status,
                   fmt::format(R"({{"code":{},"message":{}}})", quoted(code), quoted(message)));
}

HttpAnswer http_error(int status, std::string_view code, std::string_view message) {
  HttpAnswer answer = flat_error(status, code, message);
  answer.body = fmt::format("{}{}}}", kEnvelope, answer.body);
  return answer;
}

HttpAnswer flattened(HttpAnswer answer) {
  if (!answer.body.starts_with(kEnvelope)) return answer;
  answer.body.pop_back();
  answer.body.erase(0, kEnvelope.size());
  return answer;
}

}  // namespace iii::net
