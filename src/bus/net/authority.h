// `host[:port]`, as in a Host header and in a URL. The one place that reads it: two readers that
// disagree about which part is the host let a name in that is not ours.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace iii::net {

struct Authority {
  std::string host = {};  // an IPv6 address is without brackets
  std::optional<uint16_t> port = {};
};

// A name, an IPv4 address or an IPv6 address in brackets; the port may be left out after the colon.
// Anything else, such as a user name, is an Error with code `bad_url`.
Result<Authority> parse_authority(std::string_view text);

}  // namespace iii::net
