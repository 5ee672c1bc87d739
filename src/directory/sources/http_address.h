// What kind of network an address belongs to: neither redirects nor addresses of repositories may
// lead into somebody's own network.
#pragma once

#include <sys/socket.h>

#include <optional>
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

}  // namespace iii::sources
