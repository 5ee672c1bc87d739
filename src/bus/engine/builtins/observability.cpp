#include "bus/engine/builtins/observability.h"

#include <array>

#include "bus/engine/builtins/in_process.h"
#include "bus/protocol/trace.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

struct OtelLogInput {
  std::string message;
  std::optional<std::string> trace_id;
  std::optional<std::string> span_id;
  std::optional<json::Raw> data;
  std::optional<std::string> service_name;
};
struct LogTriggerConfig {
  std::optional<std::string> level;
};
struct BaggageGetInput {
  std::string key;
};
struct BaggageGetOutput {
  std::optional<std::string> value;
};
struct BaggageGetAllInput {};
struct BaggageGetAllOutput {
  std::map<std::string, std::string> baggage;
};
struct BaggageSetInput {
  std::string key;
  std::string value;
};
struct BaggageSetOutput {
  bool success = true;
  std::string note;
};
struct HealthCheckInput {};

auto describe(json::Type<OtelLogInput>) {
  using T = OtelLogInput;
  return json::object<T>("OtelLogInput", "One log line.",
                         json::field("message", &T::message, "Text of the line. Required."),
                         json::field("trace_id", &T::trace_id, "Trace it belongs to."),
                         json::field("span_id", &T::span_id, "Span it belongs to."),
                         json::field("data", &T::data, "Structured data of any shape."),
                         json::field("service_name", &T::service_name, "Service that logs."));
}
auto describe(json::Type<LogTriggerConfig>) {
  using T = LogTriggerConfig;
  return json::object<T>(
      "LogTriggerConfig", "",
      json::field("level", &T::level,
                  "Lowest level to deliver: `all`, `debug`, `info`, `warn` or `error`."));
}
auto describe(json::Type<BaggageGetInput>) {
  return json::object<BaggageGetInput>(
      "BaggageGetInput", "",
      json::field("key", &BaggageGetInput::key, "Name of the entry. Required."));
}
auto describe(json::Type<BaggageGetOutput>) {
  return json::object<BaggageGetOutput>(
      "BaggageGetOutput", "",
      json::field("value", &BaggageGetOutput::value, "Its value; null if there is none.")
          .nullable());
}
auto describe(json::Type<BaggageGetAllInput>) {
  return json::object<BaggageGetAllInput>("BaggageGetAllInput", "");
}
auto describe(json::Type<BaggageGetAllOutput>) {
  return json::object<BaggageGetAllOutput>(
      "BaggageGetAllOutput", "",
      json::field("baggage", &BaggageGetAllOutput::baggage, "Every entry, by name."));
}
auto describe(json::Type<BaggageSetInput>) {
  using T = BaggageSetInput;
  return json::object<T>("BaggageSetInput", "",
                         json::field("key", &T::key, "Name of the entry. Required."),
                         json::field("value", &T::value, "Its value. Required."));
}
auto describe(json::Type<BaggageSetOutput>) {
  using T = BaggageSetOutput;
  return json::object<T>("BaggageSetOutput", "",
                         json::field("success", &T::success, "Always true."),
                         json::field("note", &T::note, "Where the entry has effect."));
}
auto describe(json::Type<HealthCheckInput>) {
  return json::object<HealthCheckInput>("HealthCheckInput", "");
}

int severity_of(std::string_view level) {
  if (level == "error") return 17;
  if (level == "warn") return 13;
  if (level == "info") return 9;
  if (level == "debug") return 5;
  return 1;
}

constexpr std::array kLevels{"info", "warn", "error", "debug", "trace"};
// Of a message and of its data in our own log.
constexpr size_t kMostLogged = 8'000;
constexpr size_t kMostDataLogged = 2'000;
constexpr size_t kMaxLogInput = 1024 * 1024;  // message and data stay text

// The levels from the one that is asked for upwards.
Result<Subscription> read_log_config(const std::string& text) {
  if (text == "null") return Subscription{};
  const auto config = json::decode<LogTriggerConfig>(text);
  if (!config) return fail("invalid", "Failed to parse trigger config: " + config.error().message);
  if (!config->level || *config->level == "all") return Subscription{};
  std::vector<std::string> levels;
  for (const char* level : kLevels) {
    if (severity_of(level) >= severity_of(*config->level)) levels.emplace_back(level);
  }
  return Subscription{{std::move(levels)}, std::nullopt};
}

LogLevel our_level(int severity) {
  if (severity >= 17) return LogLevel::kError;
  if (severity >= 13) return LogLevel::kWarn;
  return severity >= 9 ? LogLevel::kInfo : LogLevel::kDebug;
}

std::string log_event(const OtelLogInput& in, const std::string& level, int severity,
                      int64_t wall_ms) {
  const std::string nanos = std::to_string(wall_ms) + "000000";
  std::string out = "{\"timestamp_unix_nano\":" + nanos +
                    ",\"observed_timestamp_unix_nano\":" + nanos +
                    ",\"severity_number\":" + std::to_string(severity) + ",\"severity_text\":";
  std::string upper = level;
  for (char& c : upper) c = static_cast<char>(c - 32);
  json::append_string(out, upper);
  out += ",\"body\":";
  json::append_string(out, in.message);
  out += ",\"attributes\":" + (in.data ? "{\"data\":" + in.data->text + "}" : std::string("{}"));
  const auto text = [&out](std::string_view key, const std::optional<std::string>& value) {
    out += ",\"" + std::string(key) + "\":";
    json::encode_to(out, value);
  };
  text("trace_id", in.trace_id);
  text("span_id", in.span_id);
  text("service_name", in.service_name);
  out +=
      ",\"resource\":{},\"instrumentation_scope_name\":null,\"instrumentation_scope_version\":"
      "null}";
  return out;
}

}  // namespace

Observability::Observability(Engine& engine, std::string version, const Store* store)
    : engine_(engine),
      version_(std::move(version)),
      store_(store),
      log_(engine, "log", read_log_config) {}

BuiltinFunction Observability::log_function(const std::string& level, int severity) {
  BuiltinFunction function = deferred_builtin<OtelLogInput>(
      std::string(kObservability), "engine::log::" + level,
      "Writes a line of level " + level + " to the log of the engine.",
      [this, level, severity](const CallInfo& info, OtelLogInput in, Reply reply) {
        const Worker* from = info.caller ? engine_.worker(*info.caller) : nullptr;
        const std::string& who = in.service_name   ? *in.service_name
                                 : from != nullptr ? from->label()
                                                   : "engine";
        log_at(our_level(severity), "[{}] {}{}", utf8_prefix(who, kMostDataLogged),
               utf8_prefix(in.message, kMostLogged),
               in.data ? " " + std::string(utf8_prefix(in.data->text, kMostDataLogged)) : "");
        reply(std::nullopt);
        if (log_.empty()) return;
        log_.publish({.subjects = {level},
                      .bytes = in.message.size() + (in.data ? in.data->text.size() : 0),
                      .write =
                          [in = std::move(in), level, severity, now = engine_.timers().wall_ms()] {
                            return log_event(in, level, severity, now);
                          },
                      .cause = info.cause()});
      });
  function.max_input_bytes = kMaxLogInput;
  return function;
}

std::vector<BuiltinFunction> Observability::functions() {
  const std::string owner(kObservability);
  std::vector<BuiltinFunction> out;
  for (const char* level : kLevels) {
    out.push_back(log_function(level, severity_of(level)));
  }
  out.push_back(builtin<BaggageGetInput, BaggageGetOutput>(
      owner, "engine::baggage::get", "Reads one entry of the baggage that this call carries.",
      [](const CallInfo& info, const BaggageGetInput& in) -> Result<BaggageGetOutput> {
        const auto entries = protocol::baggage_entries(info.baggage);
        const auto it = entries.find(in.key);
        if (it == entries.end()) return BaggageGetOutput{};
        return BaggageGetOutput{it->second};
      }));
  out.push_back(builtin<BaggageGetAllInput, BaggageGetAllOutput>(
      owner, "engine::baggage::get_all", "Lists all entries of the baggage that this call carries.",
      [](const CallInfo& info, const BaggageGetAllInput&) -> Result<BaggageGetAllOutput> {
        return BaggageGetAllOutput{protocol::baggage_entries(info.baggage)};
      }));
  out.push_back(builtin<BaggageSetInput, BaggageSetOutput>(
      owner, "engine::baggage::set", "Has no effect beyond this call; baggage is sent in headers.",
      [](const CallInfo&, const BaggageSetInput&) -> Result<BaggageSetOutput> {
        return BaggageSetOutput{
            true, "Baggage set in new context. For propagation, use SDK-level baggage headers."};
      }));
  out.push_back(log_.source(owner, "observability::on-log",
                            "Observe it to hear of lines written through engine::log::*."));
  out.push_back(deferred_builtin<HealthCheckInput>(
      owner, "engine::health::check", "Reports whether the engine and its components are healthy.",
      [this](const CallInfo&, const HealthCheckInput&, Reply reply) {
        // Telemetry is accepted and discarded, so there is nothing to store and nothing to fail.
        // Durable data is shown only when it does: the public engine has no such component.
        const auto trouble = store_ != nullptr ? store_->trouble() : std::nullopt;
        const std::string store = trouble
                                      ? R"("store":{"status":"unhealthy","details":{"reason":)" +
                                            json::to_text(*trouble) + "}},"
                                      : "";
        reply(
            std::string(R"({"status":")") + (trouble ? "unhealthy" : "healthy") +
            R"(","components":{)" + store +
            R"("otel":{"status":"healthy","details":{"enabled":false,"exporter":"none",)"
            R"("service_name":"iii-directory"}},)"
            R"("metrics":{"status":"healthy","details":{"stored_metrics":0}},)"
            R"("logs":{"status":"healthy","details":{"stored_logs":0}},)"
            R"("spans":{"status":"healthy","details":{"archive":null,"hot_bytes":0,"stored_spans":0}}},)"
            R"("timestamp":)" +
            std::to_string(engine_.timers().wall_ms()) + R"(,"version":")" + version_ + R"("})");
      }));
  return out;
}

BuiltinTriggerType Observability::trigger_type() {
  return {.id = "log",
          .owner = std::string(kObservability),
          .description = "Fires for log lines written through engine::log::*.",
          .configuration_schema = json::schema<LogTriggerConfig>(),
          .request_schema = {},
          .provider = &log_};
}

}  // namespace iii::engine
