#include "bus/net/authority.h"
#include "bus/net/client.h"
#include "foundation/base/text.h"

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
  const std::string_view authority = text.substr(0, authority_end);
  if (authority_end != std::string_view::npos) {
    // A fragment is never sent.
    const std::string_view rest = text.substr(authority_end);
    url.target = rest.substr(0, rest.find('#'));
    if (!url.target.starts_with('/')) url.target.insert(0, "/");
  }
  Result<Authority> read = parse_authority(authority);
  if (!read) return std::unexpected(std::move(read.error()));
  url.host = std::move(read->host);
  url.port = read->port.value_or(url.port);
  return url;
}

std::string Url::authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (secure ? kSecurePort : kPlainPort)) text += ":" + std::to_string(port);
  return text;
}

}  // namespace iii::net
