#include "app/daemon/verbs/verbs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "app/daemon/configuration.h"
#include "app/daemon/descriptors.h"
#include "app/daemon/directory.h"
#include "app/daemon/first_entry.h"
#include "app/daemon/folders.h"
#include "app/daemon/local_console.h"
#include "app/daemon/local_directory.h"
#include "app/daemon/mcp_options.h"
#include "app/daemon/operations.h"
#include "app/daemon/options.h"
#include "app/daemon/service_manager.h"
#include "app/daemon/version.h"
#include "bus/engine/embedded.h"
#include "bus/net/http_server.h"
#include "bus/net/loop.h"
#include "bus/sdk/worker.h"
#include "faces/cli/args.h"
#include "faces/cli/engine_link.h"
#include "faces/cli/output.h"
#include "faces/mcp/http_endpoint.h"
#include "faces/mcp/server.h"
#include "foundation/base/log_format.h"
#include "foundation/base/saturate.h"

namespace iii::daemon {

namespace {

// Where an engine answers at the address that this one was to have.
std::optional<std::string> server_at_address(const engine::EmbeddedOptions& options) {
  cli::EngineAddress address;
  address.url = {.host = options.server.host, .port = options.server.port};
  address.token = options.access.token;
  if (address.url.port == 0) return std::nullopt;
  const auto link = cli::EngineLink::open(address, std::chrono::milliseconds(1'000));
  if (!link && link.error().code != "unauthorized") return std::nullopt;
  return address.text();
}

Error explain(const Error& error, const engine::EmbeddedOptions& options) {
  const net::ServerOptions& server = options.server;
  if (error.code == "address_in_use" || error.code == "data_in_use") {
    // A second start is seldom meant: the server that runs can be used.
    if (const auto address = server_at_address(options)) {
      return {error.code, "A server already runs at " + *address +
                              ". Next: use it, or stop it, or start another one with other values "
                              "of --data, --port and --http-port."};
    }
  }
  if (error.code != "address_in_use") return with_data_folder(error, options.data.value_or(""));
  return {"address_in_use",
          "Port " + std::to_string(server.port) + " on " + server.host +
              " is taken by another program. Next: stop that program, or pass --port N "
              "(--port 0 lets the system choose)."};
}

// `http` is null when HTTP is not served.
void print_ready(const std::string& host, uint16_t port, const net::HttpServer* http) {
  cli::print("ready ws=ws://{}", authority(host, port));
  if (http != nullptr) cli::print(" http=http://{}", authority(host, http->port()));
  cli::print("\n");
  std::fflush(stdout);
}

// For a person who started it: what is served, and what to do next.
void print_first_steps(const Directory& directory, const ConfigReading& reading,
                       const net::HttpServer* http, const ServeOptions& options) {
  cli::note_text("\n");
  for (const Folder& folder : folders_of(reading.config, reading.home, directory.files())) {
    cli::note("  {}\n", folder_line(folder));
  }
  if (http != nullptr && options.console) {
    cli::note("\n  Look at it: http://127.0.0.1:{}/console/\n", http->port());
  }
  cli::note_text("\n  Connect an agent:\n");
  if (http != nullptr) {
    // By the name of its variable: a secret does not belong on a screen.
    const bool token = !options.http.access.token.empty();
    cli::note("    claude mcp add --transport http iii-directory http://127.0.0.1:{}/mcp{}\n",
              http->port(), token ? R"( --header "Authorization: Bearer $III_TOKEN")" : "");
    cli::note("    Other clients: http://127.0.0.1:{}/mcp (Streamable HTTP; docs/connect.md)\n",
              http->port());
  } else {
    cli::note_text("    iii-directory mcp --print-config HARNESS     (stdio; docs/connect.md)\n");
  }
  cli::note_text(
      "  Skills: iii-directory add SOURCE, or new skill NAME. Ctrl-C ends the server.\n\n");
}

// On a terminal, a worker that waits for an engine says so at once, and what else could be meant.
void say_if_nobody_is_there(const cli::Args& args) {
  if (::isatty(STDERR_FILENO) != 1) return;
  const auto address = cli::engine_address(args);
  if (!address || cli::EngineLink::open(*address, std::chrono::milliseconds(1'000))) return;
  cli::note(
      "No engine answers at {}. This process waits for one; Ctrl-C ends it.\n"
      "Next: `iii-directory serve` starts an engine with the directory in one process, "
      "`iii-directory help` lists what else there is.\n",
      address->text());
}

// The words were checked with the command line.
void set_up_log(const cli::Args& args) {
  if (const auto level = parse_log_level(args.value("log-level").value_or(""))) {
    set_log_level(*level);
  }
  if (const auto format = parse_log_format(args.value("log-format").value_or(""))) {
    set_log_format(*format);
  }
}

// The key `log_level`, unless the command line has said something else.
void use_configured_log_level(const cli::Args& args, const DirectoryConfig& config) {
  if (args.value("log-level")) return;
  if (const auto level = parse_log_level(config.log_level)) set_log_level(*level);
}

// A folder that was named on the command line and can never be read is a mistake to correct now.
Result<void> check_named_folder(const ConfigReading& reading) {
  const auto origin = reading.origins.find("skills_folder");
  if (origin == reading.origins.end() || origin->second != "--skills") return {};
  for (const Folder& folder : folders_of(reading.config, reading.home)) {
    if (folder.label != "global" || folder.state != FolderState::kUnusable) continue;
    return fail("usage", "--skills: " + folder.path.string() + " " + folder.problem +
                             ". Next: name a folder that can be read.");
  }
  return {};
}

Result<Configuration> start_configuration(ConfigSources sources) {
  Result<Configuration> configuration = Configuration::start(std::move(sources));
  if (!configuration) return configuration;
  if (auto ok = check_named_folder(configuration->reading()); !ok) {
    return std::unexpected(ok.error());
  }
  return configuration;
}

// Beyond what fits connections are refused at once, instead of waiting for a descriptor.
void fit_connections(ServeOptions& options) {
  const Result<uint64_t> descriptors = raise_descriptor_limit();
  if (!descriptors) return;  // main() has refused to start
  size_t& http = options.http.max_connections;
  http = std::min(http, saturated_size(*descriptors / 8));
  size_t& most = options.engine.server.max_connections;
  const size_t fit = connections_that_fit(*descriptors, most);
  if (fit == most) return;
  log_info("{} connections fit into the limit of {} open files (max_connections is {})", fit,
           *descriptors, most);
  most = fit;
}

// The MCP side of `serve`. It answers from the start; what needs documents waits for open().
struct LocalMcp {
  LocalMcp(net::Loop& loop, const ServeOptions& options, const DirectoryConfig& config,
           std::shared_ptr<net::ClientMemory> memory)
      : server(loop, server_options(options, config)),
        endpoint(loop, server, {.memory = std::move(memory)}) {}

  void open(LocalDirectory& local) {
    mcp::Host host = mcp_host(local.directory);
    host.engine = &local.directory.engine();
    host.engine_is_there = [&local] { return local.worker.state() == sdk::SessionState::kReady; };
    // Only tools of their own are told about their requests.
    if (server.options().tools == mcp::ToolsMode::kAll) {
      host.tell_function = offer_tell(local.worker, server);
    }
    local.mcp_clients = [this] { return endpoint.clients(); };
    server.open(host);
  }

  static mcp::ServerOptions server_options(const ServeOptions& options,
                                           const DirectoryConfig& config) {
    mcp::ServerOptions out = mcp_options(config);
    out.private_cache = !options.http.access.token.empty();
    return out;
  }

  directory::McpUse use() const {
    return {.sessions = endpoint.sessions(), .requests = server.requests()};
  }

  mcp::Server server;
  mcp::HttpEndpoint endpoint;
};

net::HttpRouter http_routes(LocalMcp* mcp, LocalConsole* console, Operations& operations) {
  net::HttpRouter router;
  if (mcp != nullptr) mcp->endpoint.add_to(router);
  if (console != nullptr) console->add_to(router);
  operations.add_to(router);
  return router;
}

// Null when the default port is taken: a second `serve` on this machine with another --port is not
// a mistake.
Result<std::unique_ptr<net::HttpServer>> start_http(net::Loop& loop, const ServeOptions& options,
                                                    net::HttpRouter routes) {
  auto server = net::HttpServer::listen(loop, options.http, std::move(routes));
  if (server || server.error().code != "address_in_use") return server;
  const std::string taken = "Port " + std::to_string(options.http.port) + " on " +
                            options.http.host + " is taken by another program";
  constexpr std::string_view kNext = "pass --http-port N (--http-port 0 lets the system choose)";
  if (options.http_port_given) {
    return fail("address_in_use", fmt::format("{}. Next: stop that program, or {}.", taken, kNext));
  }
  log_warn("{}, so HTTP is not served. Next: {}", taken, kNext);
  return nullptr;
}

// How long the requests that are running may take when the server stops.
constexpr std::chrono::milliseconds kHttpPatience{1'000};

}  // namespace

int run_serve(const cli::Args& args) {
  set_up_log(args);
  Result<ServeOptions> options = serve_options(args);
  if (!options) return cli::complain(options.error());
  options->on_terminal = ::isatty(STDERR_FILENO) == 1;
  fit_connections(*options);
  std::optional<Configuration> configuration;
  if (!options->engine_only) {
    Result<Configuration> read = start_configuration(options->config);
    if (!read) return cli::complain(read.error());
    configuration = std::move(*read);
    use_configured_log_level(args, configuration->now());
  }

  net::Loop loop;
  const auto wrong_tokens = std::make_shared<net::WrongTokens>(loop);
  options->engine.server.wrong_tokens = options->http.wrong_tokens = wrong_tokens;
  BusWatch watch(loop);
  auto embedded = engine::Embedded::start(loop, options->engine);
  if (!embedded) return cli::complain(explain(embedded.error(), options->engine));
  (*embedded)->engine().listen(watch);
  const std::string& host = options->engine.server.host;
  const uint16_t port = (*embedded)->port();

  Operations operations(**embedded, kVersion, options->engine_only ? "engine" : "serve");
  std::unique_ptr<LocalDirectory> local;
  std::unique_ptr<LocalMcp> mcp;
  std::unique_ptr<LocalConsole> console;
  // What is kept for clients of HTTP counts where their connections count.
  options->http.memory = std::make_shared<net::MemoryBudget>(options->http.max_total_bytes);
  const auto kept = std::make_shared<net::ClientMemory>(options->http.memory);
  if (configuration) {
    mcp = std::make_unique<LocalMcp>(loop, *options, configuration->now(), kept);
    if (options->console) console = std::make_unique<LocalConsole>(loop, *options, watch, kept);
  }
  Result<std::unique_ptr<net::HttpServer>> http =
      start_http(loop, *options, http_routes(mcp.get(), console.get(), operations));
  if (!http) return cli::complain(http.error());
  if (*http != nullptr) operations.measure(**http);
  ServiceManager service(loop);
  const auto ready = [&] {
    operations.ready();
    print_ready(host, port, http->get());
    if (local && options->on_terminal) {
      print_first_steps(local->directory, configuration->reading(), http->get(), *options);
    }
    service.ready(fmt::format("listening on port {}", port));
  };
  if (options->engine_only) {
    loop.post(ready);
  } else {
    local = std::make_unique<LocalDirectory>(loop, **embedded, *options, *configuration,
                                             [&mcp] { return mcp->use(); });
    operations.measure([&local] { return local->directory.stats(); });
    operations.look_at_folders(
        [&local](Operations::Told told) { local->directory.check_folders(std::move(told)); });
    local->worker.on_ready([&, said = false]() mutable {
      if (!std::exchange(said, true)) ready();
    });
    local->directory.serve();
    mcp->open(*local);
    if (console != nullptr && *http != nullptr) {
      const Addresses addresses{
          .home = configuration->home(), .host = host, .port = port, .http_port = (*http)->port()};
      console->open(*local, (*embedded)->engine(), mcp->endpoint, addresses);
    }
    if (auto started = local->worker.start(); !started) return cli::complain(started.error());
  }
  // Always taken: the default action of SIGHUP would end the process.
  loop.on_reload_signal([&] {
    if (local == nullptr) return log_info("SIGHUP: nothing to reload, the engine runs alone");
    service.reloading();
    local->reload();
    service.ready(fmt::format("listening on port {}", port));
  });
  loop.on_stop_signals([&] {
    log_info("stopping");
    service.stopping();
    operations.stopping();
    const auto stop_engine = [&] {
      (*embedded)->stop();
      loop.stop();
    };
    const auto stop_bus = [&, stop_engine] {
      if (local == nullptr) return stop_engine();
      local->worker.stop(stop_engine);
    };
    if (mcp != nullptr) mcp->endpoint.shut_down();
    if (console != nullptr) console->shut_down();
    if (*http == nullptr) return stop_bus();
    (*http)->drain(kHttpPatience, stop_bus);
  });
  log_info("iii-directory {} listens on {} port {}", kVersion, host, port);
  loop.run();
  return 0;
}

int run_worker(const cli::Args& args) {
  set_up_log(args);
  const Result<std::optional<std::string>> token = token_option(args);
  if (!token) return cli::complain(token.error());
  Result<Configuration> configuration = start_configuration(worker_sources(args));
  if (!configuration) return cli::complain(configuration.error());
  use_configured_log_level(args, configuration->now());
  const std::string& home = configuration->home();
  sdk::WorkerOptions options = directory_worker_options();
  options.url = args.value("url").value_or("");
  options.token = token->value_or("");
  options.name_space = args.value("namespace").value_or("");
  say_if_nobody_is_there(args);
  if (configuration->now().configuration_entry) {
    const std::optional<json::Value> entry = first_entry(options, configuration->entry_id());
    if (!entry) return 0;
    configuration->start_with(*entry);
    use_configured_log_level(args, configuration->now());
  }
  // A second directory on one engine would serve nothing.
  options.indispensable = "directory::";
  options.answer_repeat = std::chrono::milliseconds(configuration->now().answer_repeat_ms);
  if (const char* name = std::getenv("III_WORKER_NAME"); name != nullptr && *name != '\0') {
    options.name = name;
  }
  sdk::Worker worker(options);
  // From here on a signal means an orderly end, also while the folders are read for the first time.
  net::Loop& loop = worker.core().loop;
  loop.on_stop_signals([&worker] {
    log_info("stopping");
    worker.stop();
  });
  Directory directory(configuration->now(), {.home = home}, worker, "worker");
  const auto address = cli::engine_address(args);
  const std::string engine = address ? "the engine at " + address->text() : "the engine";
  worker.on_ready([&, said = false]() mutable {
    log_info("connected to {}{}", engine, said ? " again" : "");
    if (!std::exchange(said, true)) directory.log_hidden();
  });
  if (configuration->now().auto_download) {
    log_info(
        "the names of connected workers are sent to {} to download their documents; "
        "`auto_download: false` stops that",
        configuration->now().registry_url);
  }
  loop.on_reload_signal([&] {
    configuration->reload();
    directory.reload(configuration->now());
  });
  std::optional<directory::ConfigurationEntry> entry;
  if (configuration->now().configuration_entry) {
    directory::EntryOptions how = entry_options(configuration->entry_id());
    how.known = configuration->entry();
    how.settings = [&] { return configuration->named_settings(); };
    entry.emplace(worker, directory.functions(), std::move(how), [&](const json::Value& value) {
      configuration->use_entry(value);
      directory.reload(configuration->now());
    });
  }
  directory.serve();
  if (auto started = worker.start(); !started) return cli::complain(started.error());
  loop.run();
  return worker.fatal_error() ? 1 : 0;
}

}  // namespace iii::daemon
