#include "directory/sources/http_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <vector>

#include "foundation/base/text.h"

namespace iii::sources {

namespace {

using Bytes16 = std::array<uint8_t, 16>;

struct Range {
  uint32_t network;
  int bits;
  AddressKind kind;
};

// RFC 6890 and what followed it; the first match counts.
constexpr std::array<Range, 16> kRanges4{{
    {0x00000000, 8, AddressKind::kSpecial},     // this host
    {0x7f000000, 8, AddressKind::kLoopback},    //
    {0x0a000000, 8, AddressKind::kPrivate},     //
    {0xac100000, 12, AddressKind::kPrivate},    //
    {0xc0a80000, 16, AddressKind::kPrivate},    //
    {0x64400000, 10, AddressKind::kPrivate},    // behind carriers
    {0xa9fe0000, 16, AddressKind::kLinkLocal},  // also cloud metadata
    {0xc0000000, 24, AddressKind::kSpecial},    // protocol assignments
    {0xc0000200, 24, AddressKind::kSpecial},    // documentation
    {0xc6336400, 24, AddressKind::kSpecial},    // documentation
    {0xcb007100, 24, AddressKind::kSpecial},    // documentation
    {0xc0586300, 24, AddressKind::kSpecial},    // 6to4 relays
    {0xc6120000, 15, AddressKind::kSpecial},    // measurements
    {0xe0000000, 4, AddressKind::kSpecial},     // multicast
    {0xf0000000, 4, AddressKind::kSpecial},     // reserved, broadcast
    {0x00000000, 0, AddressKind::kPublic},
}};

AddressKind kind_of_4(uint32_t address) {
  for (const Range& range : kRanges4) {
    const uint32_t mask = range.bits == 0 ? 0 : ~uint32_t{0} << (32 - range.bits);
    if ((address & mask) == range.network) return range.kind;
  }
  return AddressKind::kPublic;
}

uint32_t four_at(const Bytes16& bytes, size_t at) {
  return uint32_t{bytes[at]} << 24 | uint32_t{bytes[at + 1]} << 16 | uint32_t{bytes[at + 2]} << 8 |
         uint32_t{bytes[at + 3]};
}

bool starts_with(const Bytes16& bytes, std::initializer_list<uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

AddressKind kind_of_6(const Bytes16& bytes) {
  if (starts_with(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) {
    return kind_of_4(four_at(bytes, 12));
  }
  if (starts_with(bytes, {0x00, 0x64, 0xff, 0x9b})) return kind_of_4(four_at(bytes, 12));
  if (starts_with(bytes, {0x20, 0x02})) return kind_of_4(four_at(bytes, 2));
  if (bytes == Bytes16{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}) {
    return AddressKind::kLoopback;
  }
  if ((bytes[0] & 0xfe) == 0xfc) return AddressKind::kPrivate;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80) return AddressKind::kLinkLocal;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0xc0) return AddressKind::kPrivate;  // site-local
  if (starts_with(bytes, {0x20, 0x01, 0x0d, 0xb8})) return AddressKind::kSpecial;
  // Global unicast is 2000::/3; the rest is unspecified, multicast or unassigned.
  return (bytes[0] & 0xe0) == 0x20 ? AddressKind::kPublic : AddressKind::kSpecial;
}

std::string first_of(const EnvironmentReader& environment,
                     std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto value = environment(name); value && !value->empty()) return *value;
  }
  return {};
}

// The bytes of an address; empty for anything else.
std::vector<uint8_t> address_bytes(std::string_view text) {
  const std::string copy(text);
  std::vector<uint8_t> bytes(16);
  if (inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) return bytes;
  bytes.resize(4);
  if (inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) return bytes;
  return {};
}

bool same_prefix(const std::vector<uint8_t>& a, const std::vector<uint8_t>& b, size_t bits) {
  const auto bit = [](const std::vector<uint8_t>& bytes, size_t at) {
    return (bytes[at / 8] >> (7 - at % 8)) & 1;
  };
  for (size_t at = 0; at < bits; ++at) {
    if (bit(a, at) != bit(b, at)) return false;
  }
  return true;
}

bool covers(std::string_view pattern, std::string_view host) {
  if (pattern == "*") return true;
  const size_t slash = pattern.find('/');
  const std::vector<uint8_t> address = address_bytes(host);
  if (!address.empty()) {
    const std::vector<uint8_t> network = address_bytes(pattern.substr(0, slash));
    if (network.size() != address.size()) return false;
    size_t bits = address.size() * 8;
    if (slash != std::string_view::npos) {
      const std::string_view digits = pattern.substr(slash + 1);
      size_t given = 0;
      const auto [end, error] =
          std::from_chars(digits.data(), digits.data() + digits.size(), given);
      if (error != std::errc{} || end != digits.data() + digits.size()) return false;
      bits = std::min(bits, given);
    }
    return same_prefix(address, network, bits);
  }
  while (pattern.starts_with('.')) pattern.remove_prefix(1);
  if (pattern.empty() || !host.ends_with(pattern)) return false;
  return host.size() == pattern.size() || host[host.size() - pattern.size() - 1] == '.';
}

}  // namespace

AddressKind kind_of_address(const sockaddr* address, socklen_t length) {
  if (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) {
    sockaddr_in in{};
    std::memcpy(&in, address, sizeof(in));
    return kind_of_4(ntohl(in.sin_addr.s_addr));
  }
  if (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6)) {
    sockaddr_in6 in{};
    std::memcpy(&in, address, sizeof(in));
    Bytes16 bytes{};
    std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
    return kind_of_6(bytes);
  }
  return AddressKind::kSpecial;
}

AddressKind kind_of_address(const char* text) {
  if (text == nullptr) return AddressKind::kSpecial;
  const std::string address(text);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  if (inet_pton(AF_INET, address.c_str(), &in.sin_addr) == 1) {
    return kind_of_address(reinterpret_cast<const sockaddr*>(&in), sizeof(in));
  }
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  // `fe80::1%eth0`: the zone says nothing about the kind.
  if (inet_pton(AF_INET6, address.substr(0, address.find('%')).c_str(), &in6.sin6_addr) == 1) {
    return kind_of_address(reinterpret_cast<const sockaddr*>(&in6), sizeof(in6));
  }
  return AddressKind::kSpecial;
}

std::optional<AddressKind> kind_of_host_name(std::string_view host) {
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  while (host.ends_with('.')) host.remove_suffix(1);
  const std::string name = ascii_lower(host);
  if (name == "localhost" || name.ends_with(".localhost") || name == "ip6-localhost" ||
      name == "ip6-loopback") {
    return AddressKind::kLoopback;
  }
  if (name.find(':') != std::string::npos) return kind_of_address(name.c_str());
  sockaddr_in in{};
  in.sin_family = AF_INET;
  if (inet_aton(name.c_str(), &in.sin_addr) == 0) return std::nullopt;
  return kind_of_address(reinterpret_cast<const sockaddr*>(&in), sizeof(in));
}

EnvironmentReader process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string proxy_for(std::string_view scheme, std::string_view host,
                      const EnvironmentReader& environment) {
  std::string proxy = scheme == "https" ? first_of(environment, {"https_proxy", "HTTPS_PROXY"})
                                        : first_of(environment, {"http_proxy"});
  if (proxy.empty()) proxy = first_of(environment, {"all_proxy", "ALL_PROXY"});
  if (proxy.empty()) return proxy;
  std::string exceptions = ascii_lower(first_of(environment, {"no_proxy", "NO_PROXY"}));
  std::ranges::replace(exceptions, ' ', ',');
  const std::string name = ascii_lower(host);
  for (const std::string_view pattern : split(exceptions, ',')) {
    if (!pattern.empty() && covers(pattern, name)) return {};
  }
  return proxy;
}

}  // namespace iii::sources
