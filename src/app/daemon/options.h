// What `serve` and worker mode were asked to do, from command line and environment.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "app/daemon/config_read.h"
#include "bus/engine/embedded.h"
#include "bus/net/http_server.h"
#include "faces/cli/args.h"
#include "foundation/base/result.h"

namespace iii::daemon {

struct ServeOptions {
  engine::EmbeddedOptions engine;
  net::HttpServerOptions http;
  bool http_port_given = false;  // by the user: then it has to be free
  bool engine_only = false;
  bool console = true;
  bool on_terminal = false;  // a person reads what it says
  ConfigSources config;
};

// Refuses what would be unsafe, such as listening beyond this machine without a token.
Result<ServeOptions> serve_options(const cli::Args& args);

// `--data`, else the folder of the user who runs this.
Result<std::filesystem::path> data_folder(const cli::Args& args);

// An error about the data folder, for the person who started this: with the folder's name.
Error with_data_folder(Error error, const std::filesystem::path& data);

// Where worker mode reads its configuration: `--config`, else what `iii compose` names in
// III_CONFIG. Neither prevents the start.
ConfigSources worker_sources(const cli::Args& args);

// A token is the only thing between a server and everybody who reaches it.
inline constexpr size_t kMinTokenCharacters = 16;

// `--limit name=value`, several times.
Result<void> apply_limit(std::string_view assignment, ServeOptions& options);

// `--token`. An empty one is refused: a script whose variable is unset would otherwise switch
// authentication off.
Result<std::optional<std::string>> token_option(const cli::Args& args);

}  // namespace iii::daemon
