#include "faces/mcp/feature.h"

#include <utility>

#include "directory/table/errors.h"
#include "faces/mcp/cursor.h"
#include "foundation/base/text.h"

namespace iii::mcp {

namespace {

using directory::kMaxTextLength;

// Each byte of an encoded address takes up to three letters, and each character up to four bytes.
constexpr size_t kMaxEncoded = 3 * 4 * kMaxTextLength;

size_t length_of(std::string_view text) {
  return text.size() <= kMaxTextLength ? text.size() : utf8_length(text);
}

size_t address_length(std::string_view uri) {
  const size_t scheme = uri.substr(0, kMaxTextLength).find("://");
  const std::string_view rest =
      scheme == std::string_view::npos ? uri : uri.substr(scheme + std::string_view("://").size());
  if (rest.size() <= kMaxTextLength || rest.size() > kMaxEncoded) return rest.size();
  return utf8_length(percent_decode(rest));
}

class LongNames {
 public:
  explicit LongNames(std::string_view method) : method_(method) {}

  void name(std::string_view field, const std::string* text) {
    if (text != nullptr) check(field, length_of(*text));
  }
  void address(std::string_view field, const std::string* text) {
    if (text != nullptr) check(field, address_length(*text));
  }
  std::optional<RpcError> first() && { return std::move(first_); }

 private:
  void check(std::string_view field, size_t length) {
    if (first_ || length <= kMaxTextLength) return;
    first_ = invalid_params(
        directory::text_too_long(
            method_, {.field = std::string(field), .length = length, .most = kMaxTextLength})
            .message);
  }

  std::string_view method_;
  std::optional<RpcError> first_;
};

}  // namespace

std::optional<RpcError> long_name(std::string_view method, const json::Value& params) {
  LongNames out(method);
  out.name("name", text_of(params, "name"));
  out.address("uri", text_of(params, "uri"));
  if (const json::Value* ref = object_of(params, "ref")) {
    out.name("ref.type", text_of(*ref, "type"));
    out.name("ref.name", text_of(*ref, "name"));
    out.address("ref.uri", text_of(*ref, "uri"));
  }
  if (const json::Value* argument = object_of(params, "argument")) {
    out.name("argument.name", text_of(*argument, "name"));
    out.name("argument.value", text_of(*argument, "value"));
  }
  const json::Value* wanted = object_of(params, "notifications");
  const json::Value* uris = wanted != nullptr ? wanted->find("resourceSubscriptions") : nullptr;
  if (uris != nullptr && uris->as_array() != nullptr) {
    for (const json::Value& uri : *uris->as_array()) {
      out.address("resourceSubscriptions", uri.as_string());
    }
  }
  return std::move(out).first();
}

Reply PageWriter::finish(bool more) {
  out_ += ']';
  if (more) append_text_member(out_, "nextCursor", make_cursor(list_, last_));
  return {.members = std::move(out_), .cache = Cache::kList};
}

}  // namespace iii::mcp
