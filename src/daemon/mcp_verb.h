// `iii-directory mcp`: an MCP server on stdin and stdout.
#pragma once

#include <span>
#include <string>

namespace iii::daemon {

int run_mcp(std::span<const std::string> words);

}  // namespace iii::daemon
