#include "directory/sources/git_route.h"

#include <algorithm>
#include <optional>

#include "directory/sources/git_errors.h"
#include "directory/sources/git_ssh.h"
#include "directory/sources/http_address.h"
#include "directory/sources/http_proxy.h"
#include "directory/sources/process.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

constexpr size_t kMaxAddresses = 8;

// The same for a name that nobody knows and for one of the network here: a caller does not learn
// which names there are.
std::unexpected<Error> not_allowed() {
  return fail("D313",
              "D313 host_not_allowed: the host of the repository was not found, or is not a public "
              "address. Next: check the repo URL, and that this machine can look up names; the "
              "operator can allow private hosts with `git_private_hosts` in the configuration.");
}

bool is_local_url(std::string_view url) {
  return url.starts_with("file://") || url.starts_with('/');
}

std::string in_url(const std::string& address) {
  return address.find(':') == std::string::npos ? address : '[' + address + ']';
}

class RouteFinder {
 public:
  RouteFinder(const GitOptions& options, const Job& job) : options_(options), job_(job) {}

  Result<Route> https(const RepoHost& to) const {
    Route route{.proxy = proxy_for("https", to.host, process_environment()),
                .resolve = {},
                .ssh_options = {}};
    if (is_private_host_allowed(options_.private_hosts, to.host)) return route;
    if (const auto kind = kind_of_host_name(to.host)) {
      if (*kind != AddressKind::kPublic) return not_allowed();
      return route;
    }
    // The proxy resolves the name, by its own rules.
    if (!route.proxy.empty()) return route;
    const Result<std::vector<std::string>> addresses = public_addresses(to.host);
    if (!addresses) return std::unexpected(addresses.error());
    std::vector<std::string> shown;
    for (const std::string& address : *addresses) shown.push_back(in_url(address));
    route.resolve = to.host + ":" + (to.port.empty() ? "443" : to.port) + ":" + join(shown, ",");
    return route;
  }

  // The user's ssh configuration may give a host another name, port or way; what it says in the end
  // is what is checked.
  Result<Route> ssh(const RepoHost& to) const {
    if (is_private_host_allowed(options_.private_hosts, to.host)) return Route{};
    const SshTarget target = ssh_target(to, job_);
    if (is_private_host_allowed(options_.private_hosts, target.host)) return Route{};
    if (const auto kind = kind_of_host_name(target.host)) {
      if (*kind != AddressKind::kPublic) return not_allowed();
      return Route{};
    }
    if (target.through_proxy) return Route{};
    const Result<std::vector<std::string>> addresses = public_addresses(target.host);
    if (!addresses) return std::unexpected(addresses.error());
    Route route;
    route.ssh_options.push_back("HostName=" + addresses->front());
    // Known hosts are kept by name; the address is only the way there.
    if (!target.has_key_alias) {
      const bool usual = target.port.empty() || target.port == "22";
      route.ssh_options.push_back("HostKeyAlias=" +
                                  (usual ? target.host : "[" + target.host + "]:" + target.port));
    }
    return route;
  }

 private:
  // In a program of its own, because a name server that is silent would hold this thread beyond
  // its deadline.
  Result<std::vector<std::string>> public_addresses(const std::string& host) const {
    if (host.empty() || host.starts_with('-')) return not_allowed();
    Command command{.argv = {options_.resolver, "ahosts", host},
                    .environment = {"LC_ALL=C"},
                    .folder = {},
                    .input = {}};
    if (const auto path = process_environment()("PATH")) {
      command.environment.push_back("PATH=" + *path);
    }
    const Ran ran = run(command, job_);
    if (ran.ending == Ending::kNotStarted) {
      return fail("D321",
                  "D321 git_error: the program getent, which looks up host names, could not be "
                  "started. Next: install it (Debian: libc-bin), or put it into PATH.");
    }
    if (ran.ending != Ending::kExited) {
      return std::unexpected(explain_git(ran, {.url = {}, .scratch = {}, .allowed = job_.allowed}));
    }
    std::vector<std::string> addresses;
    for (const std::string_view line : split(ran.output, '\n')) {
      const std::string address(line.substr(0, line.find(' ')));
      const bool fits = !address.empty() &&
                        kind_of_address(address.c_str()) == AddressKind::kPublic &&
                        std::ranges::find(addresses, address) == addresses.end();
      if (fits && addresses.size() < kMaxAddresses) addresses.push_back(address);
    }
    if (addresses.empty()) return not_allowed();
    return addresses;
  }

  const GitOptions& options_;
  const Job& job_;
};

}  // namespace

bool is_private_host_allowed(const std::vector<std::string>& allowed, std::string_view host) {
  return std::ranges::any_of(allowed, [host](const std::string& pattern) {
    if (pattern == "*") return true;
    const std::string lower = ascii_lower(pattern);
    if (lower.starts_with("*.")) return host.ends_with(std::string_view(lower).substr(1));
    return host == lower;
  });
}

Result<Route> find_route(const RepoSource& source, const GitOptions& options, const Job& job) {
  if (is_local_url(source.repo)) {
    if (options.allow_local) return Route{};
    return fail(
        "D311",
        "D311 invalid_input: a local folder is not a repository that git connects to. Next: "
        "check the repository's address");
  }
  if (auto ok = check_source(source); !ok) return std::unexpected(ok.error());
  const RouteFinder finder(options, job);
  const RepoHost to = repo_host(source.repo).value();
  return to.ssh ? finder.ssh(to) : finder.https(to);
}

}  // namespace iii::sources
