#include "directory/sources/git_route.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "directory/sources/git_errors.h"
#include "directory/sources/http_address.h"
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

// A helper program, with nothing of our environment but where programs are.
Command command_of(std::vector<std::string> argv) {
  Command command{.argv = std::move(argv), .environment = {"LC_ALL=C"}, .folder = {}, .input = {}};
  if (const auto path = process_environment()("PATH")) {
    command.environment.push_back("PATH=" + *path);
  }
  return command;
}

std::string home_of_the_account() {
  std::array<char, 16'384> space{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, space.data(), space.size(), &found) != 0 || found == nullptr) {
    return {};
  }
  return found->pw_dir;
}

// ssh reads keys, known hosts and its configuration from the account's home, whatever HOME says.
// Where HOME is another place (containers, service accounts, tests), the configuration there counts
// instead. git itself never sees HOME.
struct SshHome {
  std::string home;    // empty: none
  std::string config;  // to be named; empty: the one that ssh finds by itself

  SshHome() {
    const char* value = std::getenv("HOME");
    if (value == nullptr || *value != '/') return;
    home = value;
    const std::string there = home + "/.ssh/config";
    if (home_of_the_account() != home && access(there.c_str(), R_OK) == 0) config = there;
  }
};

// Where ssh would connect to, by the user's configuration (`ssh -G`).
struct SshTarget {
  std::string host;
  std::string port;
  bool through_proxy = false;  // ProxyCommand or ProxyJump
  bool has_key_alias = false;
};
SshTarget ssh_target(const RepoHost& to, const Job& job) {
  SshTarget target{.host = to.host, .port = to.port};
  const SshHome home;
  Command command = command_of({"ssh", "-G"});
  if (!home.home.empty()) command.environment.push_back("HOME=" + home.home);
  if (!home.config.empty()) command.argv.insert(command.argv.end(), {"-F", home.config});
  if (!to.port.empty()) command.argv.insert(command.argv.end(), {"-p", to.port});
  command.argv.push_back(to.host);
  const Ran ran = run(command, job);
  if (!ran.ok()) return target;  // git will tell what is wrong with ssh
  for (const std::string_view line : split(ran.output, '\n')) {
    const size_t space = std::min(line.find(' '), line.size());
    const std::string_view key = line.substr(0, space);
    const std::string_view value = trim(line.substr(space));
    if (key == "hostname" && !value.empty()) target.host = ascii_lower(value);
    if (key == "port") target.port = value;
    const bool set = !value.empty() && value != "none";
    if (set && (key == "proxycommand" || key == "proxyjump")) target.through_proxy = true;
    if (set && key == "hostkeyalias") target.has_key_alias = true;
  }
  return target;
}

using Addresses = std::vector<std::string>;

// In a program of its own, because a name server that is silent would hold this thread beyond its
// deadline.
Result<Addresses> public_addresses(const std::string& host, const GitOptions& options,
                                   const Job& job) {
  if (host.empty() || host.starts_with('-')) return not_allowed();
  const Ran ran = run(command_of({options.resolver, "ahosts", host}), job);
  if (ran.ending == Ending::kNotStarted) {
    return fail("D321",
                "D321 git_error: the program getent, which looks up host names, could not be "
                "started. Next: install it (Debian: libc-bin), or put it into PATH.");
  }
  if (ran.ending != Ending::kExited) {
    return std::unexpected(explain_git(ran, {.url = {}, .scratch = {}, .allowed = job.allowed}));
  }
  Addresses addresses;
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

// The addresses that a connection is held to; none: wherever the host leads is allowed.
Result<Addresses> addresses_of(const std::string& host, bool through_proxy,
                               const GitOptions& options, const Job& job) {
  if (is_private_host_allowed(options.private_hosts, host)) return Addresses();
  if (const auto kind = kind_of_host_name(host)) {
    return *kind == AddressKind::kPublic ? Result<Addresses>(Addresses()) : not_allowed();
  }
  // The proxy resolves the name, by its own rules.
  return through_proxy ? Addresses() : public_addresses(host, options, job);
}

Result<Route> route_by_https(const RepoHost& to, const GitOptions& options, const Job& job) {
  Route route{.proxy = proxy_for("https", to.host, process_environment()),
              .resolve = {},
              .ssh_options = {}};
  const auto addresses = addresses_of(to.host, !route.proxy.empty(), options, job);
  if (!addresses) return std::unexpected(addresses.error());
  if (addresses->empty()) return route;
  Addresses shown;
  for (const std::string& address : *addresses) shown.push_back(in_url(address));
  route.resolve = to.host + ":" + (to.port.empty() ? "443" : to.port) + ":" + join(shown, ",");
  return route;
}

// The user's ssh configuration may give a host another name, port or way; what it says in the end
// is what is checked.
Result<Route> route_by_ssh(const RepoHost& to, const GitOptions& options, const Job& job) {
  if (is_private_host_allowed(options.private_hosts, to.host)) return Route{};
  const SshTarget target = ssh_target(to, job);
  const auto addresses = addresses_of(target.host, target.through_proxy, options, job);
  if (!addresses) return std::unexpected(addresses.error());
  Route route;
  if (addresses->empty()) return route;
  route.ssh_options.push_back("HostName=" + addresses->front());
  // Known hosts are kept by name; the address is only the way there.
  if (!target.has_key_alias) {
    const bool usual = target.port.empty() || target.port == "22";
    route.ssh_options.push_back("HostKeyAlias=" +
                                (usual ? target.host : "[" + target.host + "]:" + target.port));
  }
  return route;
}

}  // namespace

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + '\'';
}

std::string ssh_command(const std::vector<std::string>& options) {
  const SshHome home;
  std::string command;
  if (!home.home.empty()) command = "HOME=" + shell_quoted(home.home) + ' ';
  command += "ssh";
  if (!home.config.empty()) command += " -F " + shell_quoted(home.config);
  // Nobody is there to be asked; nothing but git's own conversation goes through; and no helper of
  // ssh stays behind (ControlMaster).
  for (const char* option :
       {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3",
        "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        "ControlMaster=no", "RequestTTY=no"}) {
    command += std::string(" -o ") + option;
  }
  for (const std::string& option : options) command += " -o " + shell_quoted(option);
  return command;
}

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
  const RepoHost to = repo_host(source.repo).value();
  return to.ssh ? route_by_ssh(to, options, job) : route_by_https(to, options, job);
}

}  // namespace iii::sources
