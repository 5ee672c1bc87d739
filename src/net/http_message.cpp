#include "net/http_message.h"

#include <fmt/format.h>

#include "base/text.h"

namespace iii::net {
namespace {

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

HttpAnswer http_error(int status, std::string_view code, std::string_view message) {
  return http_json(status, fmt::format(R"({{"error":{{"code":{},"message":{}}}}})", quoted(code),
                                       quoted(message)));
}

}  // namespace iii::net
