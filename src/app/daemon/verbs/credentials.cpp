#include "app/daemon/verbs/credentials.h"

#include <chrono>
#include <cstdlib>

#include "directory/sources/git_route.h"
#include "directory/sources/process.h"
#include "foundation/base/text.h"

namespace iii::daemon {

namespace {

// What git's configuration of this user or of this machine has; empty: nothing. Not that of the
// folder where this runs: a repository could name a program there.
std::string git_settings(const char* scope, const char* pattern) {
  sources::Command command;
  command.argv = {"git", "config", scope, "--get-regexp", pattern};
  for (const char* name : {"HOME", "PATH", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) command.environment.push_back(std::string(name) + "=" + value);
  }
  sources::Job job;
  job.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const sources::Ran ran = sources::run(command, job);
  return ran.ok() ? std::string(trim(ran.output)) : "";
}

}  // namespace

std::string own_credential_helper() {
  constexpr const char* kHelpers = R"(^credential\.(.*\.)?helper$)";
  if (git_settings("--global", kHelpers).empty() && git_settings("--system", kHelpers).empty()) {
    return "";
  }
  std::string command = "env";
  // The settings of the git that asks must not reach the one that is asked.
  for (const char* name : {"GIT_DIR", "GIT_CONFIG_NOSYSTEM", "GIT_CONFIG_SYSTEM",
                           "GIT_CONFIG_GLOBAL", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"}) {
    command += std::string(" -u ") + name;
  }
  for (const char* name : {"XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) command += " " + std::string(name) + "=" + sources::shell_quoted(value);
  }
  return "!f() { " + command + " git -C / -c core.askPass= credential fill; }; f";
}

}  // namespace iii::daemon
