#include "app/daemon/mcp_options.h"

#include <string>
#include <utility>

#include "app/daemon/config.h"
#include "app/daemon/directory.h"
#include "app/daemon/version.h"
#include "bus/sdk/worker.h"
#include "foundation/base/uuid.h"

namespace iii::daemon {

Result<mcp::ToolsMode> tools_mode(std::string_view word) {
  if (word == "minimal") return mcp::ToolsMode::kMinimal;
  if (word == "directory") return mcp::ToolsMode::kDirectory;
  if (word == "all") return mcp::ToolsMode::kAll;
  return fail("usage", "tools: minimal, directory or all, not '" + std::string(word) + "'");
}

mcp::ServerOptions mcp_options(const DirectoryConfig& config) {
  mcp::ServerOptions out;
  out.version = kVersion;
  out.hidden = config.mcp_hidden;
  out.allowed = config.mcp_allow;
  out.tools = tools_mode(config.mcp_tools).value_or(mcp::ToolsMode::kMinimal);
  return out;
}

mcp::Host mcp_host(Directory& directory) {
  return {.library = &directory.library(),
          .functions = &directory.functions(),
          .search = &directory.skill_search(),
          .catalog = &directory.catalog()};
}

std::string offer_tell(sdk::Worker& worker, mcp::Server& server) {
  RandomIds ids;
  // One per process: several may be connected to the same engine.
  std::string id = "mcp::tell::" + ids.next().to_string();
  const Result<void> added = worker.function(
      {.id = id,
       .description = "Passes progress and log messages of a running function to its MCP client.",
       .metadata = json::Raw{R"({"internal":true})"}},
      [&server](const json::Raw& message) {
        return server.tell(json::parse(message.text).value_or(json::Value()));
      });
  return added ? id : std::string();
}

}  // namespace iii::daemon
