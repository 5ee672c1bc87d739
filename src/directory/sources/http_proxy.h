// Which proxy the environment names for a server. Decided here and handed to libcurl and git as a
// decision, so that the rules for addresses and the real connection cannot disagree about it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iii::sources {

using EnvironmentReader = std::function<std::optional<std::string>(const char* name)>;
EnvironmentReader process_environment();

// The rules of curl: `https_proxy`, `HTTPS_PROXY`, `http_proxy` (in lower case only), then
// `all_proxy`, `ALL_PROXY`; `no_proxy`, `NO_PROXY` with names, suffixes, addresses, networks (`/8`)
// or `*`. Empty: a direct connection. `host` has no brackets.
std::string proxy_for(std::string_view scheme, std::string_view host,
                      const EnvironmentReader& environment);

}  // namespace iii::sources
