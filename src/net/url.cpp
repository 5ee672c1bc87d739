#include <charconv>

#include "base/text.h"
#include "net/client.h"

namespace iii::net {
namespace {

constexpr uint16_t kPlainPort = 80;
constexpr uint16_t kSecurePort = 443;

std::unexpected<Error> bad(std::string message) { return fail("bad_url", std::move(message)); }

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  const size_t scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos) {
    return bad("the address must look like ws://host:port");
  }
  const std::string scheme = ascii_lower(text.substr(0, scheme_end));
  if (scheme != "ws" && scheme != "wss") return bad("the address must begin with ws:// or wss://");
  for (const char c : text) {
    if (c <= 0x20 || c >= 0x7f) {
      return bad("the address has a character that must be percent-encoded");
    }
  }
  text.remove_prefix(scheme_end + 3);

  Url url;
  url.secure = scheme == "wss";
  if (url.secure) url.port = kSecurePort;
  const size_t authority_end = text.find_first_of("/?#");
  std::string_view authority = text.substr(0, authority_end);
  if (authority_end != std::string_view::npos) {
    // A fragment is never sent.
    const std::string_view rest = text.substr(authority_end);
    url.target = rest.substr(0, rest.find('#'));
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
  }
  if (authority.find('@') != std::string_view::npos) {
    return bad("a user name in the address is not supported: send a token in a header");
  }
  if (authority.starts_with('[')) {
    const size_t close = authority.find(']');
    if (close == std::string_view::npos) return bad("the address has no closing ]");
    url.host = authority.substr(1, close - 1);
    authority.remove_prefix(close + 1);
  } else {
    const size_t colon = authority.find(':');
    url.host = authority.substr(0, colon);
    authority.remove_prefix(colon == std::string_view::npos ? authority.size() : colon);
  }
  if (url.host.empty()) return bad("the address has no host");
  if (authority.empty() || authority == ":") return url;
  const char* end = authority.data() + authority.size();
  const auto [at, error] = std::from_chars(authority.data() + 1, end, url.port);
  if (authority.front() != ':' || error != std::errc() || at != end || url.port == 0) {
    return bad("the port must be a number from 1 to 65535");
  }
  return url;
}

std::string Url::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (secure ? kSecurePort : kPlainPort)) text += ":" + std::to_string(port);
  return text;
}

}  // namespace iii::net
