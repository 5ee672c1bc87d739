#include "daemon/verbs/verbs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/log_format.h"
#include "cli/args.h"
#include "cli/engine_link.h"
#include "cli/output.h"
#include "daemon/backup.h"
#include "daemon/configuration.h"
#include "daemon/descriptors.h"
#include "daemon/directory.h"
#include "daemon/folders.h"
#include "daemon/local_attach.h"
#include "daemon/mcp_options.h"
#include "daemon/options.h"
#include "daemon/service_manager.h"
#include "daemon/version.h"
#include "engine/embedded.h"
#include "mcp/http_endpoint.h"
#include "mcp/server.h"
#include "net/http_server.h"
#include "net/loop.h"
#include "sdk/worker.h"

namespace iii::daemon {

namespace {

Error explain(const Error& error, const net::ServerOptions& server) {
  if (error.code != "address_in_use") return error;
  return {"address_in_use",
          "Port " + std::to_string(server.port) + " on " + server.host +
              " is taken by another program. Next: stop that program, or pass --port N "
              "(--port 0 lets the system choose)."};
}

// `http` is null when HTTP is not served.
void print_ready(const std::string& host, uint16_t port, const net::HttpServer* http) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  const std::string name = bare_ipv6 ? "[" + host + "]" : host;
  cli::print("ready ws=ws://{}:{}", name, port);
  if (http != nullptr) cli::print(" http=http://{}:{}", name, http->port());
  cli::print("\n");
  std::fflush(stdout);
}

// For a person who started it: what is served, and what to do next.
void print_first_steps(const Directory& directory, const ConfigReading& reading,
                       const net::HttpServer* http) {
  if (::isatty(STDERR_FILENO) != 1) return;
  cli::note_text("\n");
  for (const Folder& folder :
       folders_of(reading.config, reading.home, *directory.library_latest())) {
    cli::note("  {}\n", folder_line(folder));
  }
  cli::note_text("\n  Connect an agent:\n");
  if (http != nullptr) {
    cli::note("    claude mcp add --transport http directory http://127.0.0.1:{}/mcp\n",
              http->port());
  }
  cli::note_text(
      "    iii-directory mcp --print-config HARNESS     (for others; docs/connect.md)\n"
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

Result<void> set_up_log(const cli::Args& args) {
  if (const auto word = args.value("log-level")) {
    const auto level = parse_log_level(*word);
    if (!level) return fail("usage", "--log-level: debug, info, warn, error or off");
    set_log_level(*level);
  }
  if (const auto word = args.value("log-format")) {
    const auto format = parse_log_format(*word);
    if (!format) return fail("usage", "--log-format: text or json");
    set_log_format(*format);
  }
  return {};
}

sdk::WorkerOptions worker_options() {
  sdk::WorkerOptions options;
  options.name = "iii-directory";
  options.description = "Skills and prompts for agents, and what is on this bus.";
  options.version = kVersion;
  return options;
}

// A folder that was named on the command line and can never be read is a mistake to correct now.
Result<void> check_named_folder(const ConfigReading& reading) {
  const auto origin = reading.origins.find("skills_folder");
  if (origin == reading.origins.end() || origin->second != "--skills") return {};
  for (const Folder& folder : folders_of(reading.config, reading.home, {})) {
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

// What `serve` adds to its engine, unless it was asked for the engine alone.
struct LocalDirectory {
  LocalDirectory(net::Loop& loop, engine::Embedded& embedded, const ServeOptions& options,
                 Configuration& its_configuration)
      : configuration(its_configuration),
        worker(worker_options(), loop,
               [&embedded](net::Loop& its_loop) {
                 return std::make_unique<sdk::InProcessTransport>(its_loop,
                                                                  attach_to(embedded.engine()));
               }),
        directory(configuration.now(),
                  {.home = configuration.home(),
                   .cache_file = *options.engine.data / "index.cache",
                   .trouble = [&embedded] { return embedded.trouble(); }},
                  worker, "serve") {
    add_backup(directory.functions(), embedded, directory.library(), options.engine.data);
  }

  void reload() {
    configuration.reload();
    directory.reload(configuration.now());
  }

  Configuration& configuration;
  sdk::Worker worker;
  Directory directory;
};

// Beyond what fits connections are refused at once, instead of waiting for a descriptor.
void fit_connections(ServeOptions& options) {
  const Result<uint64_t> descriptors = raise_descriptor_limit();
  if (!descriptors) return;  // main() has refused to start
  size_t& http = options.http.max_connections;
  http = std::min<size_t>(http, *descriptors / 8);
  size_t& most = options.engine.server.max_connections;
  const size_t fit = connections_that_fit(*descriptors, most);
  if (fit == most) return;
  log_info("{} connections fit into the limit of {} open files (max_connections is {})", fit,
           *descriptors, most);
  most = fit;
}

// The MCP side of `serve`. It answers from the start; what needs documents waits for open().
struct LocalMcp {
  LocalMcp(net::Loop& loop, const ServeOptions& options, const DirectoryConfig& config)
      : server(loop, server_options(options, config)), endpoint(loop, server) {}

  void open(LocalDirectory& local) {
    mcp::Host host = mcp_host(local.directory);
    host.engine = &local.directory.engine();
    host.engine_is_there = [&local] { return local.worker.state() == sdk::SessionState::kReady; };
    // Only tools of their own are told about their requests.
    if (server.options().tools == mcp::ToolsMode::kAll) {
      host.tell_function = offer_tell(local.worker, server);
    }
    server.open(host);
  }

  static mcp::ServerOptions server_options(const ServeOptions& options,
                                           const DirectoryConfig& config) {
    mcp::ServerOptions out = mcp_options(config);
    out.private_cache = !options.http.access.token.empty();
    return out;
  }

  mcp::Server server;
  mcp::HttpEndpoint endpoint;
};

net::HttpRouter http_routes(LocalMcp* mcp) {
  net::HttpRouter router;
  if (mcp != nullptr) mcp->endpoint.add_to(router);
  router.get("/healthz",
             [](const auto&, const auto& response) {
               response->send(net::http_json(200, R"({"status":"ok"})"));
             },
             {.needs_token = false});
  return router;
}

// Null when the default port is taken: a second `serve` on this machine with another --port is not
// a mistake.
Result<std::unique_ptr<net::HttpServer>> start_http(net::Loop& loop, const ServeOptions& options,
                                                    LocalMcp* mcp) {
  auto server = net::HttpServer::listen(loop, options.http, http_routes(mcp));
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
  if (const Result<void> log = set_up_log(args); !log) return cli::complain(log.error());
  Result<ServeOptions> options = serve_options(args);
  if (!options) return cli::complain(options.error());
  fit_connections(*options);
  std::optional<Configuration> configuration;
  if (!options->engine_only) {
    Result<Configuration> read = start_configuration(options->config);
    if (!read) return cli::complain(read.error());
    configuration = std::move(*read);
  }

  net::Loop loop;
  auto embedded = engine::Embedded::start(loop, options->engine);
  if (!embedded) return cli::complain(explain(embedded.error(), options->engine.server));
  const std::string& host = options->engine.server.host;
  const uint16_t port = (*embedded)->port();

  std::unique_ptr<LocalDirectory> local;
  std::unique_ptr<LocalMcp> mcp;
  if (configuration) mcp = std::make_unique<LocalMcp>(loop, *options, configuration->now());
  Result<std::unique_ptr<net::HttpServer>> http = start_http(loop, *options, mcp.get());
  if (!http) return cli::complain(http.error());
  ServiceManager service(loop);
  const auto ready = [&] {
    print_ready(host, port, http->get());
    if (local) print_first_steps(local->directory, configuration->reading(), http->get());
    service.ready(fmt::format("listening on port {}", port));
  };
  if (options->engine_only) {
    loop.post(ready);
  } else {
    local = std::make_unique<LocalDirectory>(loop, **embedded, *options, *configuration);
    local->worker.on_ready([&, said = false]() mutable {
      if (!std::exchange(said, true)) ready();
    });
    local->directory.serve();
    mcp->open(*local);
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
    const auto stop_engine = [&] {
      (*embedded)->stop();
      loop.stop();
    };
    const auto stop_bus = [&, stop_engine] {
      if (local == nullptr) return stop_engine();
      local->worker.stop(stop_engine);
    };
    if (mcp != nullptr) mcp->endpoint.shut_down();
    if (*http == nullptr) return stop_bus();
    (*http)->drain(kHttpPatience, stop_bus);
  });
  log_info("iii-directory {} listens on {} port {}", kVersion, host, port);
  loop.run();
  return 0;
}

int run_worker(const cli::Args& args) {
  if (const Result<void> log = set_up_log(args); !log) return cli::complain(log.error());
  const Result<std::optional<std::string>> token = token_option(args);
  if (!token) return cli::complain(token.error());
  Result<Configuration> configuration = start_configuration({.file = args.value("config"),
                                                             .defaults = {},
                                                             .home = home_folder(),
                                                             .environment = process_environment(),
                                                             .skills = {},
                                                             .extra_skills = {}});
  if (!configuration) return cli::complain(configuration.error());
  const std::string& home = configuration->home();
  sdk::WorkerOptions options = worker_options();
  options.url = args.value("url").value_or("");
  options.token = token->value_or("");
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
  say_if_nobody_is_there(args);
  std::optional<std::filesystem::path> cache;
  if (!home.empty())
    cache = std::filesystem::path(home) / ".iii" / "directory" / "worker-index.cache";
  Directory directory(configuration->now(), {.home = home, .cache_file = cache}, worker, "worker");
  worker.on_ready([&, said = false]() mutable {
    log_info("connected to the engine{}", said ? " again" : "");
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
    entry.emplace(worker, directory.functions(), entry_options(), [&](const json::Value& value) {
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
