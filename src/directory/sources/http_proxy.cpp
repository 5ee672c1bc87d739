#include "directory/sources/http_proxy.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <vector>

#include "foundation/base/text.h"

namespace iii::sources {

namespace {

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
