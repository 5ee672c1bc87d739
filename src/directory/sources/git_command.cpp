#include "directory/sources/git_command.h"

#include <cstdlib>
#include <filesystem>

#include "directory/sources/git_errors.h"
#include "directory/sources/git_ssh.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMemoryBytes = 4ULL * 1024 * 1024 * 1024;

void hand_on(std::vector<std::string>& environment, const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) environment.push_back(std::string(name) + '=' + value);
}

// Only ever asked for a password: what a server does not take must not be erased from the user's
// store. The helper finds the user's home; git itself does not.
std::string credential_helper(const std::string& helper) {
  std::string command = helper;
  if (helper.starts_with('!')) {
    command = helper.substr(1);
  } else if (!helper.starts_with('/')) {
    command = "git credential-" + helper;
  }
  const char* home = std::getenv("HOME");
  const std::string place =
      home == nullptr ? std::string() : "HOME=" + shell_quoted(home) + "; export HOME; ";
  return R"(!iii_credential() { test "$1" = get || exit 0; )" + place + command +
         R"( "$@"; }; iii_credential)";
}

}  // namespace

bool uses_ssh(std::string_view url) { return url.starts_with("ssh://") || url.starts_with("git@"); }

Git::Git(const RepoSource& source, const GitOptions& options, const Job& job,
         const Scratch& scratch, Route route)
    : options_(options),
      job_(job),
      scratch_(scratch),
      route_(std::move(route)),
      url_(source.repo),
      allowed_(job.allowed.count() > 0 ? job.allowed : job.left()) {
  set_store("store");
}

std::vector<std::string> Git::environment() const {
  std::vector<std::string> all = {
      "LC_ALL=C",                                        // its messages are looked at
      "HOME=" + (scratch_.path() / "no-home").native(),  // no .gitconfig, no .netrc
      "TMPDIR=" + scratch_.path().native(),
      "GIT_DIR=" + store_,
      "GIT_CONFIG_NOSYSTEM=1",
      "GIT_CONFIG_SYSTEM=/dev/null",
      "GIT_CONFIG_GLOBAL=/dev/null",
      "GIT_ATTR_NOSYSTEM=1",
      "GIT_NO_REPLACE_OBJECTS=1",
      "GIT_OPTIONAL_LOCKS=0",
      "GIT_TERMINAL_PROMPT=0",
      "GIT_LFS_SKIP_SMUDGE=1",
      std::string("GIT_ALLOW_PROTOCOL=https:ssh") + (options_.allow_local ? ":file" : ""),
  };
  hand_on(all, "PATH");
  if (uses_ssh(url_)) {
    all.push_back("GIT_SSH_COMMAND=" + ssh_command(route_.ssh_options));
    all.push_back("GIT_SSH_VARIANT=ssh");  // said, because it cannot be read off the command
    hand_on(all, "SSH_AUTH_SOCK");
  } else {
    // The decision about a proxy, not what it was made of.
    if (!route_.proxy.empty()) all.push_back("HTTPS_PROXY=" + route_.proxy);
    hand_on(all, "SSL_CERT_FILE");
    hand_on(all, "SSL_CERT_DIR");
    if (!options_.credential_helper.empty()) {
      hand_on(all, "DBUS_SESSION_BUS_ADDRESS");  // where desktops keep passwords
      hand_on(all, "XDG_RUNTIME_DIR");
      all.emplace_back("GCM_INTERACTIVE=never");
    }
  }
  return all;
}

std::vector<std::string> Git::arguments(const std::vector<std::string>& args) const {
  std::vector<std::string> all = {options_.program};
  const auto set = [&all](std::string setting) {
    all.emplace_back("-c");
    all.push_back(std::move(setting));
  };
  // The URL is a setting and never an argument, so nothing in it can be an option.
  set("remote.origin.url=" + url_);
  set("protocol.version=2");
  set("http.followRedirects=false");
  set("http.sslVerify=true");
  set("http.lowSpeedLimit=1");  // ends helpers that a killed process of ours left behind
  set("http.lowSpeedTime=60");
  set("credential.helper=");  // whatever else is configured
  if (!options_.credential_helper.empty()) {
    set("credential.helper=" + credential_helper(options_.credential_helper));
  }
  if (!route_.resolve.empty()) set("http.curloptResolve=" + route_.resolve);
  set("core.askPass=");
  set("core.hooksPath=/dev/null");
  set("core.fsmonitor=false");
  set("core.bigFileThreshold=16m");  // larger objects are streamed, not held in memory
  set("pack.threads=1");
  set("gc.auto=0");
  set("maintenance.auto=false");
  set("fetch.unpackLimit=1");
  set("fetch.recurseSubmodules=no");
  set("fetch.writeCommitGraph=false");
  set("transfer.bundleURI=false");
  if (!options_.ca_file.empty()) set("http.sslCAInfo=" + options_.ca_file);
  all.insert(all.end(), args.begin(), args.end());
  return all;
}

Ran Git::run(const std::vector<std::string>& args, const Call& call) const {
  job_.tell({.step = call.step});
  Command command{.argv = arguments(args),
                  .environment = environment(),
                  .folder = scratch_.path().native(),
                  .input = call.input,
                  .max_output = call.max_output,
                  .max_file_bytes = options_.limits.max_clone_bytes,
                  .max_memory_bytes = kMemoryBytes};
  command.go_on = [this, &call] {
    const uint64_t bytes = scratch_.bytes();
    job_.tell({.step = call.step, .done = bytes});
    return bytes <= options_.limits.max_clone_bytes;
  };
  return sources::run(command, job_);
}

Result<std::string> Git::output(const std::vector<std::string>& args, const Call& call) const {
  Ran ran = run(args, call);
  if (!ran.ok()) return std::unexpected(explain(ran));
  return std::move(ran.output);
}

Error Git::explain(const Ran& ran) const {
  return explain_git(ran, {.url = url_,
                           .scratch = scratch_.path().native(),
                           .allowed = allowed_,
                           .max_clone_bytes = options_.limits.max_clone_bytes});
}

}  // namespace iii::sources
