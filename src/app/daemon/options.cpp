#include "app/daemon/options.h"

#include <cstdlib>
#include <functional>
#include <map>

#include "app/daemon/config_keys.h"
#include "app/daemon/version.h"
#include "bus/net/http_access.h"
#include "foundation/base/text.h"

namespace iii::daemon {

namespace {

using Millis = std::chrono::milliseconds;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Every limit by the name documented in docs/configuration.md.
const std::map<std::string, std::function<void(ServeOptions&, int64_t)>, std::less<>>& limits() {
  using Apply = std::function<void(ServeOptions&, int64_t)>;
  const auto size = [](auto member) -> Apply {
    return [member](ServeOptions& o, int64_t n) { member(o) = static_cast<size_t>(n); };
  };
  const auto time = [](auto member) -> Apply {
    return [member](ServeOptions& o, int64_t n) { member(o) = Millis(n); };
  };
  static const std::map<std::string, Apply, std::less<>> table{
      {"max_connections", size([](auto& o) -> size_t& { return o.engine.server.max_connections; })},
      {"max_frame_bytes",
       size([](auto& o) -> size_t& { return o.engine.server.connection.limits.max_frame; })},
      {"max_message_bytes",
       size([](auto& o) -> size_t& { return o.engine.server.connection.limits.max_message; })},
      {"max_queued_bytes",
       size([](auto& o) -> size_t& { return o.engine.server.connection.max_queued_bytes; })},
      {"stall_timeout_ms",
       time([](auto& o) -> Millis& { return o.engine.server.connection.stall_timeout; })},
      {"high_water_bytes",
       size([](auto& o) -> size_t& { return o.engine.server.connection.high_water; })},
      {"max_total_bytes", size([](auto& o) -> size_t& { return o.engine.server.max_total_bytes; })},
      {"dead_peer_timeout_ms",
       time([](auto& o) -> Millis& { return o.engine.server.connection.dead_peer_timeout; })},
      {"handshake_timeout_ms",
       time([](auto& o) -> Millis& { return o.engine.server.handshake_timeout; })},
      {"max_http_connections", size([](auto& o) -> size_t& { return o.http.max_connections; })},
      {"max_http_body_bytes", size([](auto& o) -> size_t& { return o.http.max_body_bytes; })},
      {"max_http_stream_bytes", size([](auto& o) -> size_t& { return o.http.max_stream_bytes; })},
      {"max_http_total_bytes", size([](auto& o) -> size_t& { return o.http.max_total_bytes; })},
      {"http_idle_timeout_ms", time([](auto& o) -> Millis& { return o.http.idle_timeout; })},
      {"max_calls_per_worker",
       size([](auto& o) -> size_t& { return o.engine.limits.max_calls_per_worker; })},
      {"max_call_bytes_per_worker",
       size([](auto& o) -> size_t& { return o.engine.limits.max_call_bytes_per_worker; })},
      {"max_stored_bytes_per_worker",
       size([](auto& o) -> size_t& { return o.engine.limits.max_stored_bytes_per_worker; })},
      {"max_events_per_owner",
       size([](auto& o) -> size_t& { return o.engine.limits.max_events_per_owner; })},
      {"max_event_bytes_per_owner",
       size([](auto& o) -> size_t& { return o.engine.limits.max_event_bytes_per_owner; })},
      {"max_cascade_depth",
       size([](auto& o) -> size_t& { return o.engine.limits.max_cascade_depth; })},
      {"max_cascade_calls",
       size([](auto& o) -> size_t& { return o.engine.limits.max_cascade_calls; })},
      {"max_buffered_bytes",
       size([](auto& o) -> size_t& { return o.engine.limits.max_buffered_bytes; })},
      {"registration_grace_ms",
       time([](auto& o) -> Millis& { return o.engine.limits.registration_grace; })},
      {"verdict_timeout_ms",
       time([](auto& o) -> Millis& { return o.engine.limits.verdict_timeout; })},
      {"functions_poll_ms",
       time([](auto& o) -> Millis& { return o.engine.limits.functions_poll; })},
      {"max_channels", size([](auto& o) -> size_t& { return o.engine.channels.max_channels; })},
      {"max_channels_per_worker",
       size([](auto& o) -> size_t& { return o.engine.channels.max_channels_per_worker; })},
      {"max_channel_bytes",
       size([](auto& o) -> size_t& { return o.engine.channels.max_held_bytes; })},
      {"max_state_bytes", size([](auto& o) -> size_t& { return o.engine.state.max_total_bytes; })},
      {"max_state_value_bytes",
       size([](auto& o) -> size_t& { return o.engine.state.max_value_bytes; })},
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

// Of a token that this server will require; empty: none.
Result<void> check_length(const std::string& token, std::string_view from) {
  if (token.empty() || utf8_length(token) >= kMinTokenCharacters) return {};
  return fail("usage", std::string(from) + " has fewer than " +
                           std::to_string(kMinTokenCharacters) +
                           " characters, so it could be guessed. Next: make a token with `openssl "
                           "rand -hex 32`.");
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

Result<void> apply_limit(std::string_view assignment, ServeOptions& options) {
  const size_t equals = assignment.find('=');
  const std::string_view name = assignment.substr(0, equals);
  const auto entry = limits().find(name);
  if (equals == std::string_view::npos && entry != limits().end()) {
    return fail("usage", "--limit " + std::string(name) + " has no value. Next: write --limit " +
                             std::string(name) + "=N.");
  }
  if (entry == limits().end()) {
    std::vector<std::string> names;
    for (const auto& [known, apply] : limits()) names.push_back(known);
    const std::string_view meant = nearest(name, names);
    return fail("usage", "--limit: there is no limit '" + std::string(name) + "'." +
                             (meant.empty() ? "" : " Did you mean " + std::string(meant) + "?") +
                             " Known: " + join(names, ", "));
  }
  // 0 leaves this one to the system; every other limit of 0 would stop the engine.
  const int64_t least = name == "dead_peer_timeout_ms" ? 0 : 1;
  const auto value = cli::number("limit " + std::string(name), assignment.substr(equals + 1), least,
                                 int64_t{1} << 40);
  if (!value) return std::unexpected(value.error());
  entry->second(options, *value);
  return {};
}

Result<std::filesystem::path> data_folder(const cli::Args& args) {
  if (const auto data = args.value("data")) return std::filesystem::path(*data);
  return default_data();
}

Error with_data_folder(Error error, const std::filesystem::path& data) {
  const bool about_data = error.code.starts_with("data_");
  if (about_data && error.message.find(data.string()) == std::string::npos) {
    error.message = "data folder " + data.string() + ": " + error.message;
  }
  return error;
}

ConfigSources worker_sources(const cli::Args& args) {
  ConfigSources out{.file = args.value("config"),
                    .defaults = {},
                    .home = home_folder(),
                    .environment = process_environment(),
                    .skills = {},
                    .extra_skills = {},
                    .rule = FileRule::kNeverPrevents};
  const std::string composed(trim(environment("III_CONFIG")));
  if (!out.file && !composed.empty()) {
    out.file = composed;
    out.generated = true;
  } else {
    // Engines write what their own file says about us to a temporary one.
    out.generated = !environment("III_ENGINE_PID").empty();
  }
  const std::string entry(trim(environment("III_CONFIG_NAME")));
  if (!entry.empty()) out.entry = entry;
  return out;
}

Result<ServeOptions> serve_options(const cli::Args& args) {
  ServeOptions out;
  engine::EmbeddedOptions& o = out.engine;
  o.version = kVersion;
  o.server.host = args.value("host").value_or("127.0.0.1");
  const auto port = cli::number("port", args.value("port").value_or("49134"), 0, 65'535);
  if (!port) return std::unexpected(port.error());
  o.server.port = static_cast<uint16_t>(*port);
  const auto http_port = args.value("http-port");
  const auto http_number = cli::number("http-port", http_port.value_or("3111"), 0, 65'535);
  if (!http_number) return std::unexpected(http_number.error());
  out.http_port_given = http_port.has_value();
  const auto token = token_option(args);
  if (!token) return std::unexpected(token.error());
  o.access.token = token->value_or(environment("III_TOKEN"));
  if (auto ok = check_length(o.access.token, *token ? "--token" : "III_TOKEN"); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto names = environment_names(args.all("expand-env")); names) {
    o.expand_env = std::move(*names);
  } else {
    return std::unexpected(names.error());
  }
  o.access.allowed_origins = args.all("allow-origin");
  if (!net::is_loopback(o.server.host) && o.access.token.empty()) {
    return fail("usage",
                "Listening on " + o.server.host +
                    " lets other machines in, so a token is required. Next: pass --token (or "
                    "set III_TOKEN), or leave --host out to stay on this machine.");
  }
  auto data = data_folder(args);
  if (!data) return std::unexpected(data.error());
  o.data = std::move(*data);
  // The public engine's variable for the same thing.
  if (const std::string grace = environment("III_NAMESPACE_GRACE_MS"); !grace.empty()) {
    if (auto ok = apply_limit("registration_grace_ms=" + grace, out); !ok) {
      return std::unexpected(ok.error());
    }
  }
  for (const std::string& limit : args.all("limit")) {
    if (auto ok = apply_limit(limit, out); !ok) return std::unexpected(ok.error());
  }
  out.http.host = o.server.host;
  out.http.port = static_cast<uint16_t>(*http_number);
  out.http.access.token = o.access.token;
  out.http.access.allowed_origins = o.access.allowed_origins;
  out.http.dead_peer_timeout = o.server.connection.dead_peer_timeout;
  out.engine_only = args.has("engine-only");
  out.console = !args.has("no-console");
  out.config = {.file = args.value("config"),
                .defaults = serve_defaults(),
                .home = home_folder(),
                .environment = process_environment(),
                .skills = args.value("skills"),
                .extra_skills = args.all("extra-skills"),
                .auto_download = args.has("auto-download")};
  out.engine.worker_manager = !args.has("no-worker-manager");
  out.engine.limits.local_dispatch = args.has("local-dispatch");
  out.engine.keeps_state = !args.has("no-state");
  return out;
}

}  // namespace iii::daemon
