// What the MCP server takes from the configuration and from the parts of this process.
#pragma once

#include <string>
#include <string_view>

#include "faces/mcp/server.h"
#include "foundation/base/result.h"

namespace iii::sdk {
class Worker;
}

namespace iii::daemon {

class Directory;
struct DirectoryConfig;

// `minimal`, `directory` or `all`.
Result<mcp::ToolsMode> tools_mode(std::string_view word);

mcp::ServerOptions mcp_options(const DirectoryConfig& config);

// What the directory offers, without a bus.
mcp::Host mcp_host(Directory& directory);

// Offers the function that passes messages of running functions to the server's clients. Before the
// worker starts. Gives its id; empty when it could not be registered.
std::string offer_tell(sdk::Worker& worker, mcp::Server& server);

}  // namespace iii::daemon
