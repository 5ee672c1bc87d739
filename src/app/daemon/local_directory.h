// The directory that `serve` attaches to its own engine, with the functions that only `serve` has.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/daemon/configuration.h"
#include "app/daemon/directory.h"
#include "app/daemon/options.h"
#include "bus/engine/embedded.h"
#include "bus/net/loop.h"
#include "bus/sdk/worker.h"
#include "faces/mcp/client_list.h"

namespace iii::daemon {

// What the worker of this process says about itself.
sdk::WorkerOptions directory_worker_options();

struct LocalDirectory {
  // All of them outlive it.
  LocalDirectory(net::Loop& loop, engine::Embedded& embedded, const ServeOptions& options,
                 Configuration& its_configuration, std::function<directory::McpUse()> mcp = {});

  void reload();

  // Who is connected over MCP; set before the worker starts.
  std::function<std::vector<mcp::ClientUse>()> mcp_clients = [] {
    return std::vector<mcp::ClientUse>();
  };
  Configuration& configuration;
  sdk::Worker worker;
  Directory directory;
};

// The functions that `serve` offers, without serving anything: for generated documentation.
// `config` is the text of a configuration file. The table is valid while `use` runs.
Result<void> with_served_functions(const std::string& config,
                                   const std::function<void(const directory::FunctionTable&)>& use);

}  // namespace iii::daemon
