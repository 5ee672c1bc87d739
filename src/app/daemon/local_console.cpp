#include "app/daemon/local_console.h"

#include <cstdlib>
#include <utility>

#include "app/daemon/version.h"
#include "bus/engine/builtins/stats.h"

namespace iii::daemon {

namespace {

// `path` below `folder`, or nothing.
std::string below(const std::filesystem::path& path, const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  const std::filesystem::path relative = path.lexically_relative(folder);
  if (relative.empty() || *relative.begin() == "..") return {};
  return relative.generic_string();
}

std::vector<console::RootFolder> roots_of(const Directory& directory) {
  const directory::View files = directory.files();
  const std::vector<content::RootInfo>& roots = files.generation().roots;
  const std::vector<directory::RootPlace> places = directory.root_places(files.generation());
  std::vector<console::RootFolder> out;
  for (size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].kind != content::RootKind::kRegistered) {
      out.push_back({roots[i].label, places[i].name});
    }
  }
  return out;
}

// How many functions an engine lists; counted again when one came or went.
class ListedFunctions {
 public:
  uint64_t count(const engine::FunctionTable& table) {
    if (changes_ == table.changes()) return count_;
    changes_ = table.changes();
    count_ = 0;
    table.each([this](const engine::FunctionPtr& function) {
      if (function->listed() && !function->internal() && !function->gone()) ++count_;
    });
    return count_;
  }

 private:
  std::optional<uint64_t> changes_;
  uint64_t count_ = 0;
};

console::Sample sample_of(const engine::BusSample& sample) {
  return {.second = sample.second,
          .at = sample.at,
          .calls = sample.calls,
          .errors = sample.errors,
          .p50_ms = sample.p50_ms,
          .p99_ms = sample.p99_ms,
          .in_flight = sample.in_flight,
          .connections = sample.connections};
}

console::ConsoleOptions console_options(const ServeOptions& options,
                                        std::shared_ptr<net::ClientMemory> memory) {
  const char* folder = std::getenv("III_CONSOLE_DIR");
  return {.token = options.http.access.token,
          .folder = folder != nullptr ? folder : "",
          .memory = std::move(memory)};
}

}  // namespace

std::string authority(const std::string& host, uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return (bare_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string shown_folder(const std::filesystem::path& path, const std::filesystem::path& working,
                         const std::filesystem::path& home) {
  const std::filesystem::path absolute =
      (path.is_absolute() ? path : working / path).lexically_normal();
  if (const std::string inside = below(absolute, home); !inside.empty()) {
    // The working folder of a project usually is below the home folder.
    const std::string near = working == home ? "" : below(absolute, working);
    return near.empty() ? "~/" + inside : "./" + near;
  }
  if (const std::string near = below(absolute, working); !near.empty()) return "./" + near;
  return "…/" + absolute.filename().string();
}

LocalConsole::LocalConsole(net::Loop& loop, const ServeOptions& options, BusWatch& watch,
                           std::shared_ptr<net::ClientMemory> memory)
    : console_(loop, console_options(options, std::move(memory))), watch_(watch) {}

void LocalConsole::open(LocalDirectory& local, engine::Engine& engine, const mcp::HttpEndpoint& mcp,
                        const Addresses& addresses) {
  Directory& directory = local.directory;
  console_.open(
      {.library = &directory.library(),
       .functions = &directory.functions(),
       .engine = &directory.engine(),
       .engine_is_there = [&local] { return local.worker.state() == sdk::SessionState::kReady; },
       .facts = {.version = kVersion,
                 .commit = kCommit,
                 .address = authority(addresses.host, addresses.http_port),
                 .ws = "ws://" + authority(addresses.host, addresses.port),
                 .epoch = directory.changes().epoch()},
       .roots = [&directory] { return roots_of(directory); },
       .bus =
           [&engine, functions = ListedFunctions()] mutable {
             return console::BusCounts{.functions = functions.count(engine.functions()),
                                       .workers = engine.workers().size()};
           },
       .samples =
           [&engine](std::optional<uint64_t> from) {
             std::vector<console::Sample> out;
             for (const auto& each : engine::bus_samples(engine, from)) {
               out.push_back(sample_of(each));
             }
             return out;
           },
       .mcp_sessions = [&mcp] { return uint64_t{mcp.client_count()}; },
       .look_at_functions = [this](bool first) { watch_.look_at_functions(first); }});
  watch_.tell(&console_, &engine);
}

}  // namespace iii::daemon
