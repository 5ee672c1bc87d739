// What the MCP server takes from the configuration and from the parts of this process.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "daemon/config.h"
#include "daemon/directory.h"
#include "mcp/server.h"
#include "sdk/worker.h"

namespace iii::daemon {

// `minimal`, `directory` or `all`.
Result<mcp::ToolsMode> tools_mode(std::string_view word);

mcp::ServerOptions mcp_options(const DirectoryConfig& config);

// What the directory offers, without a bus.
mcp::Host mcp_host(Directory& directory);

// Offers the function that passes messages of running functions to the server's clients. Before the
// worker starts. Gives its id; empty when it could not be registered.
std::string offer_tell(sdk::Worker& worker, mcp::Server& server);

}  // namespace iii::daemon
