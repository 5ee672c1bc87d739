// The part of HTTP/1.1 that requests and responses share: a start line and header fields. Strict:
// what RFC 9112 lets a recipient tolerate (bare LF, folded lines, space before the colon) is
// refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/ws/handshake.h"

namespace iii::ws {

struct HttpHead {
  std::string_view start_line;
  std::vector<Header> headers;
};

// Looks for the empty line that ends a head, in pieces that arrive one after the other: `head`
// holds the earlier pieces and receives this one up to and including the empty line.
enum class HeadStatus { kNeedMore, kWhole, kTooLong };
HeadStatus gather_head(std::string& head, std::string_view bytes, size_t limit, size_t& consumed);

// `text` ends with the empty line. Nothing when a line is malformed or there are too many.
std::optional<HttpHead> parse_head(std::string_view text);

bool is_token(std::string_view text);  // RFC 9110 §5.6.2
bool is_token_char(char c);
bool is_field_value(std::string_view text);  // no control characters but tab

// Is `token` in the comma-separated list, compared without case?
bool list_has(std::string_view list, std::string_view token);
const std::string* find_header(const std::vector<Header>& headers, std::string_view name);

}  // namespace iii::ws
