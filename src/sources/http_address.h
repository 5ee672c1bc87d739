// What kind of network an address belongs to: redirects must not lead from a public server into
// somebody's own network.
#pragma once

#include <sys/socket.h>

namespace iii::sources {

// kSpecial: multicast, broadcast, reserved, unspecified; never a place to go to.
enum class AddressKind { kPublic, kLoopback, kPrivate, kLinkLocal, kSpecial };

// IPv4 inside IPv6 (mapped, NAT64, 6to4) is judged as the IPv4 address. Other families: kSpecial.
AddressKind kind_of_address(const sockaddr* address, socklen_t length);
// The text form that curl gives, without a port.
AddressKind kind_of_address(const char* text);

}  // namespace iii::sources
