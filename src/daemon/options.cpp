#include "daemon/options.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstdlib>
#include <functional>
#include <map>

#include "base/text.h"
#include "daemon/config_keys.h"
#include "daemon/version.h"

namespace iii::daemon {

namespace {

using engine::EmbeddedOptions;
using Millis = std::chrono::milliseconds;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Every limit by the name documented in docs/configuration.md.
const std::map<std::string, std::function<void(EmbeddedOptions&, int64_t)>, std::less<>>& limits() {
  using Apply = std::function<void(EmbeddedOptions&, int64_t)>;
  const auto size = [](auto member) -> Apply {
    return [member](EmbeddedOptions& o, int64_t n) { member(o) = static_cast<size_t>(n); };
  };
  const auto time = [](auto member) -> Apply {
    return [member](EmbeddedOptions& o, int64_t n) { member(o) = Millis(n); };
  };
  static const std::map<std::string, Apply, std::less<>> table{
      {"max_connections", size([](auto& o) -> size_t& { return o.server.max_connections; })},
      {"max_frame_bytes",
       size([](auto& o) -> size_t& { return o.server.connection.limits.max_frame; })},
      {"max_message_bytes",
       size([](auto& o) -> size_t& { return o.server.connection.limits.max_message; })},
      {"max_queued_bytes",
       size([](auto& o) -> size_t& { return o.server.connection.max_queued_bytes; })},
      {"stall_timeout_ms",
       time([](auto& o) -> Millis& { return o.server.connection.stall_timeout; })},
      {"high_water_bytes", size([](auto& o) -> size_t& { return o.server.connection.high_water; })},
      {"max_total_bytes", size([](auto& o) -> size_t& { return o.server.max_total_bytes; })},
      {"dead_peer_timeout_ms",
       time([](auto& o) -> Millis& { return o.server.connection.dead_peer_timeout; })},
      {"handshake_timeout_ms", time([](auto& o) -> Millis& { return o.server.handshake_timeout; })},
      {"max_calls_per_worker",
       size([](auto& o) -> size_t& { return o.limits.max_calls_per_worker; })},
      {"max_call_bytes_per_worker",
       size([](auto& o) -> size_t& { return o.limits.max_call_bytes_per_worker; })},
      {"max_functions_per_worker",
       size([](auto& o) -> size_t& { return o.limits.max_functions_per_worker; })},
      {"max_bindings_per_worker",
       size([](auto& o) -> size_t& { return o.limits.max_bindings_per_worker; })},
      {"max_types_per_worker",
       size([](auto& o) -> size_t& { return o.limits.max_types_per_worker; })},
      {"max_stored_bytes_per_worker",
       size([](auto& o) -> size_t& { return o.limits.max_stored_bytes_per_worker; })},
      {"max_function_binding_bytes",
       size([](auto& o) -> size_t& { return o.limits.max_function_binding_bytes; })},
      {"max_events_per_owner",
       size([](auto& o) -> size_t& { return o.limits.max_events_per_owner; })},
      {"max_event_bytes_per_owner",
       size([](auto& o) -> size_t& { return o.limits.max_event_bytes_per_owner; })},
      {"max_cascade_depth", size([](auto& o) -> size_t& { return o.limits.max_cascade_depth; })},
      {"max_cascade_calls", size([](auto& o) -> size_t& { return o.limits.max_cascade_calls; })},
      {"max_buffered_bytes", size([](auto& o) -> size_t& { return o.limits.max_buffered_bytes; })},
      {"max_large_bytes", size([](auto& o) -> size_t& { return o.limits.max_large_bytes; })},
      {"registration_grace_ms",
       time([](auto& o) -> Millis& { return o.limits.registration_grace; })},
      {"verdict_timeout_ms", time([](auto& o) -> Millis& { return o.limits.verdict_timeout; })},
      {"functions_poll_ms", time([](auto& o) -> Millis& { return o.limits.functions_poll; })},
      {"max_channels", size([](auto& o) -> size_t& { return o.channels.max_channels; })},
      {"max_channels_per_worker",
       size([](auto& o) -> size_t& { return o.channels.max_channels_per_worker; })},
      {"max_channel_bytes", size([](auto& o) -> size_t& { return o.channels.max_held_bytes; })},
      {"max_state_bytes", size([](auto& o) -> size_t& { return o.state.max_total_bytes; })},
      {"max_state_value_bytes", size([](auto& o) -> size_t& { return o.state.max_value_bytes; })},
  };
  return table;
}

// `A,B_*` in several options: names of variables, or their beginning.
Result<std::vector<std::string>> environment_names(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view part : split(list, ',')) {
      const std::string_view name = trim(part);
      if (name.empty() || name == "*") {
        return fail("usage",
                    "--expand-env: give the names of environment variables, such as HOST,APP_*; "
                    "every peer can read those that you name.");
      }
      names.emplace_back(name);
    }
  }
  return names;
}

Result<std::filesystem::path> default_data() {
  const std::string home = home_folder();
  if (home.empty()) {
    return fail("usage",
                "HOME is not set and this user has no home folder, so there is no default place "
                "for durable data. Next: pass --data DIR.");
  }
  return std::filesystem::path(home) / ".iii" / "directory";
}

}  // namespace

Result<std::optional<std::string>> token_option(const cli::Args& args) {
  std::optional<std::string> token = args.value("token");
  if (token && token->empty()) {
    return fail("usage",
                "--token is empty. Next: give it a value, or leave --token out to use III_TOKEN "
                "(or no token, where none is needed).");
  }
  return token;
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "[::1]") return true;
  const std::string text(host);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

const cli::Command& serve_command() {
  static const cli::Command command{
      .usage = "iii-directory serve [options]",
      .summary =
          "Starts an engine with durable state and the directory worker, in one process.\n"
          "Prints `ready ws=ws://HOST:PORT` on stdout when it can be used.",
      .options = {
          {"host", "HOST", "Address to listen on (127.0.0.1). Others need a token."},
          {"port", "N", "Port of the bus (49134); 0 lets the system choose."},
          {"http-port", "N", "Accepted and ignored; reserved for an HTTP interface."},
          {"data", "DIR", "Folder of durable data (~/.iii/directory)."},
          {"repair-data", "",
           "Copy a damaged log of the data folder aside and go on with what can be read of it."},
          {"config", "FILE",
           "Configuration file (./config.yaml); `iii-directory config --help` lists its keys."},
          {"skills", "DIR", "Folder of skills to serve; overrides `skills_folder` of the file."},
          {"extra-skills", "DIR",
           "Another folder to serve, read-only, of lower precedence; may be repeated."},
          {"auto-download", "",
           "Download the documents of workers that connect; their names are sent to the registry."},
          {"token", "TOKEN", "Require this bearer token on every path (III_TOKEN)."},
          {"allow-origin", "ORIGIN", "Allow web pages of this origin to connect; may be repeated."},
          {"expand-env", "NAME[,NAME]",
           "Environment variables that ${NAME} in configuration values may read; NAME* allows all "
           "that start so. May be repeated; none by default."},
          {"engine-only", "", "Start the engine without the directory worker."},
          {"no-worker-manager", "",
           "Leave worker::list and the `worker` trigger type to a worker."},
          {"no-state", "", "Leave state::* and the `state` trigger type to a worker."},
          {"limit", "NAME=N", "Change a limit; may be repeated. See docs/configuration.md."},
          {"log-level", "LEVEL", "debug, info, warn, error or off (info)."},
          {"help", "", "This text.", 'h'}}};
  return command;
}

const cli::Command& worker_command() {
  static const cli::Command command{
      .usage =
          "iii-directory [options]\n       iii-directory serve [options]\n"
          "       iii-directory trigger FUNCTION_PATH [KEY=VALUE ...] [options]\n"
          "       iii-directory doctor [--fix] [--json] [options]\n"
          "       iii-directory install (add) | verify | outdated | diff | update [options]\n"
          "       iii-directory config [options]",
      .summary =
          "The directory of skills and prompts for agents on the iii bus.\n"
          "Without a verb it connects to an engine that is running, and waits until there is one.\n"
          "`serve` starts an engine as well; `trigger` calls a function. Every verb has its own "
          "--help.",
      .options = {{"url", "URL", "Engine to connect to (III_URL, else ws://127.0.0.1:49134)."},
                  {"config", "FILE",
                   "Configuration file (./config.yaml); `iii-directory config --help` lists its "
                   "keys."},
                  {"token", "TOKEN", "Bearer token of the engine (III_TOKEN)."},
                  {"log-level", "LEVEL", "debug, info, warn, error or off (info)."},
                  {"manifest", "", "Print what this worker is, as JSON."},
                  {"version", "", "Print the version.", 'V'},
                  {"help", "", "This text.", 'h'}}};
  return command;
}

Result<void> apply_limit(std::string_view assignment, EmbeddedOptions& options) {
  const size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const auto entry = limits().find(name);
  if (equals == std::string_view::npos || entry == limits().end()) {
    std::vector<std::string> names;
    for (const auto& [known, apply] : limits()) names.push_back(known);
    const std::string_view meant = nearest(name, names);
    return fail("usage", "--limit: there is no limit '" + std::string(name) + "'." +
                             (meant.empty() ? "" : " Did you mean " + std::string(meant) + "?") +
                             " Known: " + join(names, ", "));
  }
  const auto value =
      cli::number("limit " + std::string(name), assignment.substr(equals + 1), 1, int64_t{1} << 40);
  if (!value) return std::unexpected(value.error());
  entry->second(options, *value);
  return {};
}

Result<ServeOptions> serve_options(const cli::Args& args) {
  ServeOptions out;
  engine::EmbeddedOptions& o = out.engine;
  o.version = kVersion;
  o.server.host = args.value("host").value_or("127.0.0.1");
  const auto port = cli::number("port", args.value("port").value_or("49134"), 0, 65'535);
  if (!port) return std::unexpected(port.error());
  o.server.port = static_cast<uint16_t>(*port);
  const auto http_port = cli::number("http-port", args.value("http-port").value_or("0"), 0, 65'535);
  if (!http_port) return std::unexpected(http_port.error());
  const auto token = token_option(args);
  if (!token) return std::unexpected(token.error());
  o.access.token = token->value_or(environment("III_TOKEN"));
  if (auto names = environment_names(args.all("expand-env")); names) {
    o.expand_env = std::move(*names);
  } else {
    return std::unexpected(names.error());
  }
  o.access.allowed_origins = args.all("allow-origin");
  if (!is_loopback(o.server.host) && o.access.token.empty()) {
    return fail("usage",
                "Listening on " + o.server.host +
                    " lets other machines in, so a token is required. Next: pass --token (or "
                    "set III_TOKEN), or leave --host out to stay on this machine.");
  }
  if (const auto data = args.value("data")) {
    o.data = *data;
  } else {
    auto home = default_data();
    if (!home) return std::unexpected(home.error());
    o.data = std::move(*home);
  }
  // The public engine's variable for the same thing.
  if (const std::string grace = environment("III_NAMESPACE_GRACE_MS"); !grace.empty()) {
    if (auto ok = apply_limit("registration_grace_ms=" + grace, o); !ok) {
      return std::unexpected(ok.error());
    }
  }
  for (const std::string& limit : args.all("limit")) {
    if (auto ok = apply_limit(limit, o); !ok) return std::unexpected(ok.error());
  }
  out.engine_only = args.has("engine-only");
  out.engine.repair_data = args.has("repair-data");
  out.config = {.file = args.value("config"),
                .defaults = serve_defaults(),
                .home = home_folder(),
                .environment = process_environment(),
                .skills = args.value("skills"),
                .extra_skills = args.all("extra-skills"),
                .auto_download = args.has("auto-download")};
  out.engine.worker_manager = !args.has("no-worker-manager");
  out.engine.keeps_state = !args.has("no-state");
  return out;
}

}  // namespace iii::daemon
