#include "daemon/serve.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/log.h"
#include "cli/args.h"
#include "daemon/local_attach.h"
#include "daemon/options.h"
#include "daemon/version.h"
#include "engine/embedded.h"
#include "functions/health.h"
#include "net/loop.h"
#include "sdk/worker.h"

namespace iii::daemon {

namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "Error: %s\n", error.message.c_str());
  return error.code == "usage" ? 2 : 1;
}

Error explain(const Error& error, const net::ServerOptions& server) {
  if (error.code != "address_in_use") return error;
  return {"address_in_use",
          "Port " + std::to_string(server.port) + " on " + server.host +
              " is taken by another program. Next: stop that program, or pass --port N "
              "(--port 0 lets the system choose)."};
}

void print_ready(const std::string& host, uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  std::printf("ready ws=ws://%s:%u\n", (bare_ipv6 ? "[" + host + "]" : host).c_str(), port);
  std::fflush(stdout);
}

bool set_level(const cli::Args& args) {
  const auto word = args.value("log-level");
  if (!word) return true;
  const auto level = parse_log_level(*word);
  if (level) set_log_level(*level);
  return level.has_value();
}

std::unique_ptr<sdk::Worker> make_directory(net::Loop& loop, engine::Engine& engine) {
  sdk::WorkerOptions options;
  options.name = "iii-directory";
  options.description = "Skills and prompts for agents, and what is on this bus.";
  options.version = kVersion;
  auto worker = std::make_unique<sdk::Worker>(options, loop, [&engine](net::Loop& its_loop) {
    return std::make_unique<sdk::InProcessTransport>(its_loop, attach_to(engine));
  });
  functions::add_health(
      *worker, {.version = kVersion, .mode = "serve", .started = std::chrono::steady_clock::now()});
  return worker;
}

}  // namespace

int run_serve(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(serve_command(), words);
  if (!args) return complain(args.error());
  if (args->has("help")) {
    std::printf("%s", cli::help_text(serve_command()).c_str());
    return 0;
  }
  if (!set_level(*args)) return complain({"usage", "--log-level: debug, info, warn, error or off"});
  const Result<ServeOptions> options = serve_options(*args);
  if (!options) return complain(options.error());
  if (options->skills && !std::filesystem::is_directory(*options->skills)) {
    log_warn("the skills folder {} does not exist (yet)", *options->skills);
  }

  net::Loop loop;
  auto embedded = engine::Embedded::start(loop, options->engine);
  if (!embedded) return complain(explain(embedded.error(), options->engine.server));
  const std::string& host = options->engine.server.host;
  const uint16_t port = (*embedded)->port();

  std::unique_ptr<sdk::Worker> directory;
  if (options->engine_only) {
    loop.post([&] { print_ready(host, port); });
  } else {
    directory = make_directory(loop, (*embedded)->engine());
    directory->on_ready([&, said = false]() mutable {
      if (!std::exchange(said, true)) print_ready(host, port);
    });
    if (auto started = directory->start(); !started) return complain(started.error());
  }
  loop.on_stop_signals([&] {
    log_info("stopping");
    const auto stop_engine = [&] {
      (*embedded)->stop();
      loop.stop();
    };
    if (directory == nullptr) return stop_engine();
    directory->stop(stop_engine);
  });
  log_info("iii-directory {} listens on {} port {}", kVersion, host, port);
  loop.run();
  return 0;
}

int run_worker(std::span<const std::string> words) {
  const Result<cli::Args> args = cli::parse_args(worker_command(), words);
  if (!args) return complain(args.error());
  if (args->has("help")) {
    std::printf("%s", cli::help_text(worker_command()).c_str());
    return 0;
  }
  if (!set_level(*args)) return complain({"usage", "--log-level: debug, info, warn, error or off"});
  sdk::WorkerOptions options;
  options.url = args->value("url").value_or("");
  options.token = args->value("token").value_or("");
  options.description = "Skills and prompts for agents, and what is on this bus.";
  options.version = kVersion;
  const char* name = std::getenv("III_WORKER_NAME");
  options.name = name != nullptr && *name != '\0' ? name : "iii-directory";
  sdk::Worker worker(options);
  functions::add_health(
      worker, {.version = kVersion, .mode = "worker", .started = std::chrono::steady_clock::now()});
  return worker.run();
}

}  // namespace iii::daemon
