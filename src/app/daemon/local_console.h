// The console of `serve`: what it takes from the parts of this process.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "app/daemon/bus_watch.h"
#include "app/daemon/local_directory.h"
#include "app/daemon/options.h"
#include "bus/engine/engine.h"
#include "bus/net/loop.h"
#include "faces/console/console.h"
#include "faces/mcp/http_endpoint.h"

namespace iii::daemon {

// Where this process listens, and whose files it reads.
struct Addresses {
  std::string home;
  std::string host;
  uint16_t port = 0;
  uint16_t http_port = 0;
};
// `127.0.0.1:3111`, `[::1]:3111`
std::string authority(const std::string& host, uint16_t port);

// The console of `serve`, from the parts that it shows.
class LocalConsole {
 public:
  // `watch` hears of the engine's workers.
  LocalConsole(net::Loop& loop, const ServeOptions& options, BusWatch& watch,
               std::shared_ptr<net::ClientMemory> memory);
  ~LocalConsole() { watch_.tell(nullptr, nullptr); }
  LocalConsole(const LocalConsole&) = delete;
  LocalConsole& operator=(const LocalConsole&) = delete;

  void add_to(net::HttpRouter& router) { console_.add_to(router); }
  // All of them outlive it.
  void open(LocalDirectory& local, engine::Engine& engine, const mcp::HttpEndpoint& mcp,
            const Addresses& addresses);
  void shut_down() { console_.shut_down(); }

 private:
  console::Console console_;
  BusWatch& watch_;
};

// A folder as people write it: `./.iii/skills`, `~/.iii/skills`, else only its name.
std::string shown_folder(const std::filesystem::path& path, const std::filesystem::path& working,
                         const std::filesystem::path& home);

}  // namespace iii::daemon
