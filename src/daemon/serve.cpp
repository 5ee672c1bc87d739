#include "daemon/serve.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/log.h"
#include "cli/args.h"
#include "cli/output.h"
#include "daemon/directory.h"
#include "daemon/local_attach.h"
#include "daemon/options.h"
#include "daemon/version.h"
#include "engine/embedded.h"
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

void print_ready(const std::string& host, uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  cli::print("ready ws=ws://{}:{}\n", bare_ipv6 ? "[" + host + "]" : host, port);
  std::fflush(stdout);
}

bool set_level(const cli::Args& args) {
  const auto word = args.value("log-level");
  if (!word) return true;
  const auto level = parse_log_level(*word);
  if (level) set_log_level(*level);
  return level.has_value();
}

sdk::WorkerOptions worker_options() {
  sdk::WorkerOptions options;
  options.name = "iii-directory";
  options.description = "Skills and prompts for agents, and what is on this bus.";
  options.version = kVersion;
  return options;
}

std::string home_folder() {
  const char* home = std::getenv("HOME");
  return home != nullptr ? home : "";
}

// What `serve` adds to its engine, unless it was asked for the engine alone.
struct LocalDirectory {
  LocalDirectory(net::Loop& loop, engine::Engine& engine, const ServeOptions& its_options)
      : options(its_options),
        worker(worker_options(), loop,
               [&engine](net::Loop& its_loop) {
                 return std::make_unique<sdk::InProcessTransport>(its_loop, attach_to(engine));
               }),
        directory(configuration(),
                  {.home = home_folder(), .cache_file = *options.engine.data / "index.cache"},
                  worker, "serve") {}

  DirectoryConfig configuration() const {
    DirectoryConfig defaults;
    // The embedded engine lists connected workers, not installed ones: whoever put a folder here
    // wants to see it.
    defaults.filter_unregistered = false;
    // A local server tells no registry which workers connect to it, unless it is asked to.
    defaults.auto_download = false;
    DirectoryConfig config = read_configuration(options.config, defaults);
    if (options.skills) config.skills_folder = *options.skills;
    if (options.auto_download) config.auto_download = true;
    return config;
  }

  const ServeOptions& options;
  sdk::Worker worker;
  Directory directory;
};

}  // namespace

int run_serve(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(serve_command(), words);
  if (!args) return cli::complain(args.error());
  if (args->has("help")) {
    cli::print_text(cli::help_text(serve_command()));
    return 0;
  }
  if (!set_level(*args))
    return cli::complain({"usage", "--log-level: debug, info, warn, error or off"});
  const Result<ServeOptions> options = serve_options(*args);
  if (!options) return cli::complain(options.error());

  net::Loop loop;
  auto embedded = engine::Embedded::start(loop, options->engine);
  if (!embedded) return cli::complain(explain(embedded.error(), options->engine.server));
  const std::string& host = options->engine.server.host;
  const uint16_t port = (*embedded)->port();

  std::unique_ptr<LocalDirectory> local;
  if (options->engine_only) {
    loop.post([&] { print_ready(host, port); });
  } else {
    local = std::make_unique<LocalDirectory>(loop, (*embedded)->engine(), *options);
    local->worker.on_ready([&, said = false]() mutable {
      if (!std::exchange(said, true)) print_ready(host, port);
    });
    if (auto started = local->worker.start(); !started) return cli::complain(started.error());
  }
  // Always taken: the default action of SIGHUP would end the process.
  loop.on_reload_signal([&] {
    if (local == nullptr) return log_info("SIGHUP: nothing to reload, the engine runs alone");
    local->directory.reload(local->configuration());
  });
  loop.on_stop_signals([&] {
    log_info("stopping");
    const auto stop_engine = [&] {
      (*embedded)->stop();
      loop.stop();
    };
    if (local == nullptr) return stop_engine();
    local->worker.stop(stop_engine);
  });
  log_info("iii-directory {} listens on {} port {}", kVersion, host, port);
  loop.run();
  return 0;
}

int run_worker(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(worker_command(), words);
  if (!args) return cli::complain(args.error());
  if (args->has("help")) {
    cli::print_text(cli::help_text(worker_command()));
    return 0;
  }
  if (!set_level(*args))
    return cli::complain({"usage", "--log-level: debug, info, warn, error or off"});
  const std::string home = home_folder();
  const auto config_file = args->value("config");
  const Result<std::optional<std::string>> token = token_option(*args);
  if (!token) return cli::complain(token.error());
  const DirectoryConfig config = read_configuration(config_file, {});
  sdk::WorkerOptions options = worker_options();
  options.url = args->value("url").value_or("");
  options.token = token->value_or("");
  // A second directory on one engine would serve nothing.
  options.indispensable = "directory::";
  options.answer_repeat = std::chrono::milliseconds(config.answer_repeat_ms);
  if (const char* name = std::getenv("III_WORKER_NAME"); name != nullptr && *name != '\0') {
    options.name = name;
  }
  sdk::Worker worker(options);
  // From here on a signal means an orderly end, also while the folders are read for the first time.
  net::Loop& loop = worker.core().loop;
  loop.on_stop_signals([&worker] { worker.stop(); });
  std::optional<std::filesystem::path> cache;
  if (!home.empty())
    cache = std::filesystem::path(home) / ".iii" / "directory" / "worker-index.cache";
  Directory directory(config, {.home = home, .cache_file = cache}, worker, "worker");
  json::Value entered;  // what an operator set through the engine
  const auto reload = [&] { directory.reload(read_configuration(config_file, {}, entered)); };
  loop.on_reload_signal(reload);
  std::optional<directory::ConfigurationEntry> entry;
  if (config.configuration_entry) {
    const auto changed = [&](const json::Value& value) {
      if (entered == value) return;
      entered = value;
      reload();
    };
    entry.emplace(worker, entry_options(), changed);
  }
  if (auto started = worker.start(); !started) return cli::complain(started.error());
  loop.run();
  return worker.fatal_error() ? 1 : 0;
}

}  // namespace iii::daemon
