#include "sources/git_command.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>

#include "sources/git_errors.h"

namespace iii::sources {

namespace {

constexpr uint64_t kMemoryBytes = 4ULL * 1024 * 1024 * 1024;

// For the shell that git hands GIT_SSH_COMMAND to.
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
std::string ssh_command() {
  const char* home = std::getenv("HOME");
  std::string command;
  if (home != nullptr && *home == '/') command = "HOME=" + shell_quoted(home) + ' ';
  command += "ssh";
  if (home != nullptr && *home == '/' && home_of_the_account() != home) {
    const std::string config = std::string(home) + "/.ssh/config";
    if (access(config.c_str(), R_OK) == 0) command += " -F " + shell_quoted(config);
  }
  // Nobody is there to be asked; nothing but git's own conversation goes through; and no helper of
  // ssh stays behind (ControlMaster).
  for (const char* option :
       {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=3",
        "ForwardAgent=no", "ForwardX11=no", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        "ControlMaster=no", "RequestTTY=no"}) {
    command += std::string(" -o ") + option;
  }
  return command;
}

void hand_on(std::vector<std::string>& environment, const char* name) {
  const char* value = std::getenv(name);
  if (value != nullptr) environment.push_back(std::string(name) + '=' + value);
}

}  // namespace

bool uses_ssh(std::string_view url) { return url.starts_with("ssh://") || url.starts_with("git@"); }

Git::Git(const RepoSource& source, const GitOptions& options, const Job& job,
         const Scratch& scratch)
    : options_(options),
      job_(job),
      scratch_(scratch),
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
    all.push_back("GIT_SSH_COMMAND=" + ssh_command());
    all.push_back("GIT_SSH_VARIANT=ssh");  // said, because it cannot be read off the command
    hand_on(all, "SSH_AUTH_SOCK");
  } else {
    for (const char* name : {"HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY",
                             "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR"}) {
      hand_on(all, name);
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
  set("credential.helper=");
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
