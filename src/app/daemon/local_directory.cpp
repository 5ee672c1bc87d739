#include "app/daemon/local_directory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "app/daemon/backup.h"
#include "app/daemon/config_keys.h"
#include "app/daemon/local_transport.h"
#include "app/daemon/version.h"
#include "foundation/base/log.h"

namespace iii::daemon {

namespace {

// A folder that is gone when this is.
struct TemporaryFolder {
  TemporaryFolder() { made = ::mkdtemp(path.data()) != nullptr; }
  ~TemporaryFolder() {
    std::error_code ignored;
    if (made) std::filesystem::remove_all(path, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path = (std::filesystem::temp_directory_path() / "iii-directory-XXXXXX").string();
  bool made = false;
};

directory::BusUse bus_use(engine::Engine& engine) {
  return {.calls = engine.calls().calls(),
          .errors = engine.calls().errors(),
          .in_flight = engine.in_flight(),
          .connections = engine.workers().size()};
}

}  // namespace

sdk::WorkerOptions directory_worker_options() {
  sdk::WorkerOptions options;
  options.name = "iii-directory";
  options.description = "Skills and prompts for agents, and what is on this bus.";
  options.version = kVersion;
  return options;
}

LocalDirectory::LocalDirectory(net::Loop& loop, engine::Embedded& embedded,
                               const ServeOptions& options, Configuration& its_configuration,
                               std::function<directory::McpUse()> mcp)
    : configuration(its_configuration),
      worker(directory_worker_options(), loop,
             [&embedded](net::Loop& its_loop) {
               return std::make_unique<LocalTransport>(its_loop, embedded.engine());
             }),
      directory(configuration.now(),
                {.home = configuration.home(),
                 .folders_are_shown = options.on_terminal,
                 .trouble = [&embedded] { return embedded.trouble(); },
                 .mcp = std::move(mcp),
                 .bus = [&embedded] { return bus_use(embedded.engine()); }},
                worker, "serve") {
  mcp::add_sessions(directory.functions(), [this] { return mcp_clients(); });
  add_backup(directory.functions(), embedded, directory.library(), options.engine.data);
}

void LocalDirectory::reload() {
  configuration.reload();
  directory.reload(configuration.now());
}

Result<void> with_served_functions(
    const std::string& config, const std::function<void(const directory::FunctionTable&)>& use) {
  const TemporaryFolder folder;
  if (!folder.made) return fail("write", "a temporary folder cannot be made");
  const std::filesystem::path place = folder.path;
  std::ofstream(place / "config.yaml") << config;
  set_log_level(LogLevel::kOff);  // there is nothing to say about folders that nobody reads
  auto configuration = Configuration::start({.file = (place / "config.yaml").string(),
                                             .defaults = serve_defaults(),
                                             .home = folder.path,
                                             .environment = {},
                                             .skills = {},
                                             .extra_skills = {}});
  if (!configuration) return std::unexpected(configuration.error());
  ServeOptions options;
  options.engine.server.port = 0;
  options.engine.data = place / "data";
  net::Loop loop;
  auto embedded = engine::Embedded::start(loop, options.engine);
  if (!embedded) return std::unexpected(embedded.error());
  {
    LocalDirectory local(loop, **embedded, options, *configuration);
    use(local.directory.functions());
  }
  (*embedded)->stop();
  return {};
}

}  // namespace iii::daemon
