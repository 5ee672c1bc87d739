// What kind of network an address belongs to, and which proxy leads to it: neither redirects nor
// addresses of repositories may lead into somebody's own network.
#pragma once

#include <sys/socket.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iii::sources {

// kSpecial: multicast, broadcast, reserved, unspecified; never a place to go to.
enum class AddressKind { kPublic, kLoopback, kPrivate, kLinkLocal, kSpecial };

// IPv4 inside IPv6 (mapped, NAT64, 6to4) is judged as the IPv4 address. Other families: kSpecial.
AddressKind kind_of_address(const sockaddr* address, socklen_t length);
// The text form that curl gives, without a port.
AddressKind kind_of_address(const char* text);

// What a host in a URL says by itself, without asking a name server: an address in any spelling
// that resolvers accept (`127.1`, `0x7f000001`, `[::1]`), or a name of this machine. Nothing for
// other names.
std::optional<AddressKind> kind_of_host_name(std::string_view host);

// Which proxy the environment names for a server. Decided here and handed to libcurl and git as a
// decision, so that the rules for addresses and the real connection cannot disagree about it.
using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
EnvironmentReader process_environment();

// The rules of curl: `https_proxy`, `HTTPS_PROXY`, `http_proxy` (in lower case only), then
// `all_proxy`, `ALL_PROXY`; `no_proxy`, `NO_PROXY` with names, suffixes, addresses, networks (`/8`)
// or `*`. Empty: a direct connection. `host` has no brackets.
std::string proxy_for(std::string_view scheme, std::string_view host,
                      const EnvironmentReader& environment);

}  // namespace iii::sources
