// ssh as git runs it: with the user's keys, known hosts and configuration, and without questions.
#pragma once

#include <string>
#include <vector>

#include "directory/sources/progress.h"
#include "directory/sources/source.h"

namespace iii::sources {

// For GIT_SSH_COMMAND; `options` are further `-o` options.
std::string ssh_command(const std::vector<std::string>& options);

// Where ssh would connect to, by the user's configuration (`ssh -G`).
struct SshTarget {
  std::string host;
  std::string port;
  bool through_proxy = false;  // ProxyCommand or ProxyJump
  bool has_key_alias = false;
};
SshTarget ssh_target(const RepoHost& to, const Job& job);

// For a shell.
std::string shell_quoted(std::string_view text);

}  // namespace iii::sources
