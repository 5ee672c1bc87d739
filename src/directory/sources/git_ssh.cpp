#include "directory/sources/git_ssh.h"

#include <pwd.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "directory/sources/process.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

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

SshTarget ssh_target(const RepoHost& to, const Job& job) {
  SshTarget target{.host = to.host, .port = to.port};
  const SshHome home;
  Command command{.argv = {"ssh", "-G"}, .environment = {"LC_ALL=C"}, .folder = {}, .input = {}};
  if (const char* path = std::getenv("PATH")) {
    command.environment.push_back(std::string("PATH=") + path);
  }
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

}  // namespace iii::sources
