#include "app/daemon/verbs/verbs.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/daemon/config_keys.h"
#include "app/daemon/configuration.h"
#include "app/daemon/directory.h"
#include "app/daemon/local_folders.h"
#include "app/daemon/mcp_options.h"
#include "app/daemon/options.h"
#include "app/daemon/version.h"
#include "bus/net/loop.h"
#include "bus/sdk/worker.h"
#include "faces/cli/args.h"
#include "faces/cli/output.h"
#include "faces/mcp/connect.h"
#include "faces/mcp/server.h"
#include "faces/mcp/stdio.h"
#include "foundation/base/log.h"

namespace iii::daemon {

namespace {

using std::chrono::milliseconds;

// For requests that are running when the client closes its end.
constexpr milliseconds kLastAnswers{700};
constexpr milliseconds kLastLines{200};

sdk::WorkerOptions bridge_options(const std::string& url, const std::string& token) {
  sdk::WorkerOptions options;
  options.url = url;
  options.token = token;
  options.name = "iii-directory-mcp:" + std::to_string(::getpid());
  options.description = "Functions of this engine for an MCP client.";
  options.version = kVersion;
  return options;
}

// The engine of --url.
struct Bridge {
  Bridge(net::Loop& loop, const std::string& url, const std::string& token)
      : worker(bridge_options(url, token), loop), client(worker) {}

  sdk::Worker worker;
  directory::BusClient client;
};

// Everything of one run. The worker of the directory is never started: there is nothing to connect
// it to.
class McpProcess {
 public:
  McpProcess(Configuration configuration, mcp::ServerOptions options)
      : configuration_(std::move(configuration)),
        local_(without_bus_worker(), loop_),
        server_(loop_, std::move(options)) {}

  Result<void> bridge_to(const std::string& url, const std::string& token) {
    bridge_.emplace(loop_, url, token);
    if (server_.options().tools == mcp::ToolsMode::kAll) {
      tell_function_ = offer_tell(bridge_->worker, server_);
    }
    return bridge_->worker.start();
  }

  int run() {
    loop_.on_stop_signals([this] { finish(milliseconds(0)); });
    loop_.on_reload_signal([this] { reload(); });
    stdio_ = std::make_unique<mcp::Stdio>(loop_, server_, STDIN_FILENO, STDOUT_FILENO,
                                          [this] { finish(kLastAnswers); });
    opener_ = std::thread([this] { open_folders(); });
    loop_.run();
    stdio_->flush(kLastLines);
    // The folders may still be read for the first time. Nothing that has to be kept is in this
    // process: the client must not wait for that.
    if (directory_ == nullptr) std::_Exit(0);
    opener_.join();
    stdio_.reset();
    return 0;
  }

 private:
  void open_folders() {
    auto content = content::Content::open(
        content_options(without_bus(configuration_.now()), configuration_.home()));
    loop_.post([this, content = std::move(content)]() mutable { opened(std::move(content)); });
  }

  void opened(std::unique_ptr<content::Content> content) {
    directory_ = std::make_unique<Directory>(without_bus(configuration_.now()),
                                             DirectoryPlaces{.home = configuration_.home()}, local_,
                                             "mcp", std::move(content));
    mcp::Host host = mcp_host(*directory_);
    host.unusable = {"directory::engine::"};
    if (bridge_) {
      // Changes are noticed when the list is asked for again: this worker offers no function that
      // the engine could call.
      catalog_.emplace(bridge_->worker, bridge_->client, directory_->functions(),
                       directory_->library().answer_threads());
      host.catalog = &*catalog_;
      host.engine = &bridge_->client;
      host.tell_function = tell_function_;
      host.engine_is_there = [this] {
        return bridge_->worker.state() == sdk::SessionState::kReady;
      };
    }
    server_.open(host);
  }

  void reload() {
    if (directory_ == nullptr) return;
    configuration_.reload();
    directory_->reload(without_bus(configuration_.now()));
  }

  // Running requests may still be answered for so long.
  void finish(milliseconds patience) {
    if (std::exchange(finishing_, true)) return loop_.stop();
    stdio_->client().end_of_input();
    if (patience == milliseconds(0) || stdio_->client().running() == 0) return loop_.stop();
    stdio_->client().on_idle([this] { loop_.stop(); });
    loop_.after(patience, [this] { loop_.stop(); });
  }

  Configuration configuration_;
  net::Loop loop_;
  sdk::Worker local_;
  std::optional<Bridge> bridge_;
  std::unique_ptr<Directory> directory_;
  std::optional<directory::FunctionCatalog> catalog_;  // of the bridge
  mcp::Server server_;
  std::unique_ptr<mcp::Stdio> stdio_;
  std::thread opener_;
  std::string tell_function_;
  bool finishing_ = false;
};

// What a harness starts this program with: the options of this command line. It does so in a folder
// of its own, so paths are whole.
std::vector<std::string> words_for_harness(const cli::Args& args) {
  std::vector<std::string> out{"mcp"};
  const auto add = [&](const char* option, const auto& change) {
    for (const std::string& value : args.all(option)) {
      out.push_back("--" + std::string(option));
      out.push_back(change(value));
    }
  };
  for (const char* option : {"config", "skills", "extra-skills"}) {
    add(option, [](const std::string& path) {
      std::error_code ignored;
      return path.starts_with('~')
                 ? path
                 : std::filesystem::absolute(path, ignored).lexically_normal().string();
    });
  }
  for (const char* option : {"url", "token", "tools", "log-level"}) add(option, std::identity());
  return out;
}

int print_config(const std::string& harness, const cli::Args& args) {
  std::error_code ignored;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const Result<std::string> text = mcp::connect_snippet(
      harness, ignored ? "iii-directory" : self.string(), words_for_harness(args));
  if (!text) return cli::complain(text.error());
  cli::print_text(*text);
  return 0;
}

}  // namespace

int run_mcp(const cli::Args& args) {
  const std::string level_word = args.value("log-level").value_or("warn");
  const auto level = parse_log_level(level_word);
  if (!level) {
    return cli::complain({"usage", "--log-level: '" + level_word +
                                       "' is not one of debug, info, warn, error, off."});
  }
  set_log_level(*level);
  const Result<std::optional<std::string>> token = token_option(args);
  if (!token) return cli::complain(token.error());
  std::optional<mcp::ToolsMode> tools;
  if (const auto word = args.value("tools")) {
    const Result<mcp::ToolsMode> mode = tools_mode(*word);
    if (!mode) return cli::complain({"usage", "--" + mode.error().message});
    tools = *mode;
  }
  if (const auto harness = args.value("print-config")) return print_config(*harness, args);
  Result<Configuration> configuration =
      Configuration::start({.file = args.value("config"),
                            .defaults = serve_defaults(),
                            .home = home_folder(),
                            .environment = process_environment(),
                            .skills = args.value("skills"),
                            .extra_skills = args.all("extra-skills")});
  if (!configuration) return cli::complain(configuration.error());
  mcp::ServerOptions options = mcp_options(configuration->now());
  options.tools = tools.value_or(options.tools);
  McpProcess process(std::move(*configuration), std::move(options));
  if (const auto url = args.value("url")) {
    if (auto started = process.bridge_to(*url, token->value_or("")); !started) {
      return cli::complain(started.error());
    }
  }
  return process.run();
}

}  // namespace iii::daemon
