#include "bus/net/authority.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>

namespace iii::net {
namespace {

std::unexpected<Error> not_authority(std::string message) {
  return fail("bad_url", std::move(message));
}

// `_` is not legal in a name, but people have such names in their hosts files.
bool is_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool is_name(std::string_view text) { return std::ranges::all_of(text, is_of_name); }

// `fe80::1%eth0` names an interface as well.
bool is_ipv6(std::string_view text) {
  const size_t zone = std::min(text.find('%'), text.size());
  in6_addr ignored{};
  return ::inet_pton(AF_INET6, std::string(text.substr(0, zone)).c_str(), &ignored) == 1 &&
         is_name(text.substr(std::min(zone + 1, text.size())));
}

}  // namespace

Result<Authority> parse_authority(std::string_view text) {
  if (text.find('@') != std::string_view::npos) {
    return not_authority("a user name in the address is not supported: send a token in a header");
  }
  Authority out;
  if (text.starts_with('[')) {
    const size_t close = text.find(']');
    if (close == std::string_view::npos) return not_authority("the address has no closing ]");
    out.host = text.substr(1, close - 1);
    if (!is_ipv6(out.host)) return not_authority("what is between [ and ] must be an IPv6 address");
    text.remove_prefix(close + 1);
  } else {
    out.host = text.substr(0, text.find(':'));
    if (out.host.empty()) return not_authority("the address has no host");
    if (!is_name(out.host)) return not_authority("the host has a character that names do not have");
    text.remove_prefix(out.host.size());
  }
  if (text.empty() || text == ":") return out;
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + 1, end, port);
  if (text.front() != ':' || error != std::errc() || at != end || port == 0) {
    return not_authority("the port must be a number from 1 to 65535");
  }
  out.port = port;
  return out;
}

}  // namespace iii::net
