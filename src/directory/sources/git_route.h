// Whether a repository's server may be connected to, and by which address. Any peer on the bus may
// name a repository; without these rules git would be its way into the operator's network.
//
// The rules are those of the registry's redirects (http_address.h): only public addresses. Names
// are resolved here and git is held to the addresses that were checked, so that a second answer of
// the name server cannot lead elsewhere. Hosts that the operator lists (`git_private_hosts`) are
// taken as they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "directory/sources/git.h"
#include "foundation/base/result.h"

namespace iii::sources {

struct Route {
  std::string proxy;                     // https, by the environment; empty: none
  std::string resolve;                   // https: `host:port:address,…`; empty: nothing to pin
  std::vector<std::string> ssh_options;  // `HostName=…`

  bool operator==(const Route&) const = default;
};

// Blocking, within the job. D311 for a URL that is refused, D313 for a server that may not be
// connected to; the text is the same for names that do not exist and for private addresses, so it
// tells nothing about the network. D321 when the time is up.
Result<Route> find_route(const RepoSource& source, const GitOptions& options, const Job& job);

// Whether a host is in `git_private_hosts`: names, `*.suffix`, or `*` for all.
bool is_private_host_allowed(const std::vector<std::string>& allowed, std::string_view host);

// ssh as git runs it: with the user's keys, known hosts and configuration, and without questions.
// For GIT_SSH_COMMAND; `options` are further `-o` options.
std::string ssh_command(const std::vector<std::string>& options);

// For a shell.
std::string shell_quoted(std::string_view text);

}  // namespace iii::sources
