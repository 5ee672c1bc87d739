#include "engine/builtins/events.h"

#include <algorithm>

#include "engine/builtins/in_process.h"
#include "json/slice.h"
#include "json/write.h"

namespace iii::engine {

namespace {

struct WorkerTriggerConfig {
  std::optional<std::vector<std::string>> operations;
  std::optional<std::vector<std::string>> stages;
  std::optional<std::vector<std::string>> workers;
};
struct WorkerListInput {
  bool running_only = false;
};
struct WorkerListRow {
  std::string name;
  std::optional<std::string> version;
  bool running = true;
  std::optional<std::string> status;
  std::optional<uint32_t> pid;
};
struct WorkerListOutput {
  std::vector<WorkerListRow> workers;
};
struct WorkerEvent {
  std::string operation;
  std::string stage;
  std::string worker;
  std::string caller_mode;
  int64_t timestamp_ms = 0;
  std::optional<std::string> version;
};

auto describe(json::Type<WorkerTriggerConfig>) {
  using T = WorkerTriggerConfig;
  return json::object<T>("WorkerTriggerConfig",
                         "Which events to deliver; an empty or absent list means all.",
                         json::field("operations", &T::operations, "Such as `add` or `remove`."),
                         json::field("stages", &T::stages, "Such as `done`."),
                         json::field("workers", &T::workers, "Exact names."));
}
auto describe(json::Type<WorkerListInput>) {
  using T = WorkerListInput;
  return json::object<T>(
      "WorkerListInput", "",
      json::field("running_only", &T::running_only, "Accepted; every listed worker is running.")
          .optional());
}
auto describe(json::Type<WorkerListRow>) {
  using T = WorkerListRow;
  return json::object<T>(
      "WorkerListRow", "", json::field("name", &T::name, ""),
      json::field("version", &T::version, ""), json::field("running", &T::running, ""),
      json::field("status", &T::status, ""), json::field("pid", &T::pid, "").nullable());
}
auto describe(json::Type<WorkerListOutput>) {
  return json::object<WorkerListOutput>("WorkerListOutput", "",
                                        json::field("workers", &WorkerListOutput::workers, ""));
}
auto describe(json::Type<WorkerEvent>) {
  using T = WorkerEvent;
  return json::object<T>("WorkerEvent", "", json::field("operation", &T::operation, ""),
                         json::field("stage", &T::stage, ""), json::field("worker", &T::worker, ""),
                         json::field("caller_mode", &T::caller_mode, ""),
                         json::field("timestamp_ms", &T::timestamp_ms, ""),
                         json::field("version", &T::version, ""));
}

bool admits(const std::optional<std::vector<std::string>>& filter, const std::string& value) {
  return !filter || filter->empty() ||
         std::find(filter->begin(), filter->end(), value) != filter->end();
}

Result<WorkerTriggerConfig> config_of(const std::string& text) {
  if (text == "null") return WorkerTriggerConfig{};
  return json::decode<WorkerTriggerConfig>(text);
}

}  // namespace

Result<void> BroadcastTrigger::bind(const Binding& binding) {
  bindings_.insert_or_assign(binding.id, binding);
  return {};
}

void BroadcastTrigger::unbind(std::string_view id) {
  if (const auto it = bindings_.find(id); it != bindings_.end()) bindings_.erase(it);
}

void BroadcastTrigger::fire(const std::string& payload) {
  // A copy: what is called may be one of the engine's own functions, and unbind.
  std::vector<Binding> targets;
  for (const auto& [id, binding] : bindings_) {
    if (wants(binding, payload)) targets.push_back(binding);
  }
  for (Binding& target : targets) {
    bus_.call({.function_id = std::move(target.function_id),
               .name_space = std::move(target.name_space),
               .data = payload,
               .metadata = std::move(target.metadata)},
              nullptr);  // nobody waits: a target that never answers costs nothing
  }
}

Result<void> WorkerTrigger::bind(const Binding& binding) {
  const auto config = config_of(binding.config);
  if (!config) return fail("invalid", "Failed to parse trigger config: " + config.error().message);
  return BroadcastTrigger::bind(binding);
}

bool WorkerTrigger::wants(const Binding& binding, const std::string& payload) const {
  const auto config = config_of(binding.config);
  const auto event = json::decode<WorkerEvent>(payload);
  return config && event && admits(config->operations, event->operation) &&
         admits(config->stages, event->stage) && admits(config->workers, event->worker);
}

BusEvents::BusEvents(Engine& engine, const Catalog& catalog, std::chrono::milliseconds poll)
    : engine_(engine),
      catalog_(catalog),
      poll_interval_(poll),
      workers_available_(engine),
      functions_available_(engine),
      worker_(engine) {
  engine.listen(*this);
  poll_timer_ = engine_.timers().after(poll_interval_, [this] { poll_functions(); });
}

BusEvents::~BusEvents() { engine_.timers().cancel(poll_timer_); }

std::vector<BuiltinFunction> BusEvents::functions() {
  std::vector<BuiltinFunction> out;
  out.push_back(builtin<WorkerListInput, WorkerListOutput>(
      std::string(kWorkerManager), "worker::list",
      "Lists the named workers that are connected to this engine.",
      [this](const CallInfo&, const WorkerListInput&) -> Result<WorkerListOutput> {
        WorkerListOutput rows;
        for (const auto& [id, w] : engine_.workers()) {
          if (!w->name) continue;
          rows.workers.push_back({.name = *w->name,
                                  .version = w->version,
                                  .running = true,
                                  .status = "running",
                                  .pid = w->pid});
        }
        std::sort(rows.workers.begin(), rows.workers.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        return rows;
      }));
  // A null payload counts as an empty one here (engine-functions §6).
  auto strict = std::move(out.back().handler);
  out.back().handler = [strict](const CallInfo& info, std::string_view data, Reply reply) {
    strict(info, data == "null" ? "{}" : data, std::move(reply));
  };
  return out;
}

std::vector<BuiltinTriggerType> BusEvents::trigger_types() {
  std::vector<BuiltinTriggerType> out;
  out.push_back({.id = "engine::workers-available",
                 .owner = "engine",
                 .description = "Fires when a worker connects, announces itself or leaves.",
                 .configuration_schema = {},
                 .request_schema = {},
                 .provider = &workers_available_});
  out.push_back({.id = "engine::functions-available",
                 .owner = "engine",
                 .description = "Fires when functions have appeared or disappeared.",
                 .configuration_schema = {},
                 .request_schema = {},
                 .provider = &functions_available_});
  out.push_back({.id = "worker",
                 .owner = std::string(kWorkerManager),
                 .description = "Fires when a worker is added to or removed from the bus; filters: "
                                "operations, stages, workers.",
                 .configuration_schema = json::schema<WorkerTriggerConfig>(),
                 .request_schema = json::schema<WorkerEvent>(),
                 .provider = &worker_});
  return out;
}

void BusEvents::on_worker(std::string_view event, const Worker& worker, bool first_announce) {
  if (!workers_available_.empty()) {
    workers_available_.fire("{\"event\":\"" + std::string(event) + "\",\"worker_id\":\"" +
                            worker.id_text + "\"}");
  }
  const bool left = event == "worker_disconnected" && worker.name;
  if ((!first_announce && !left) || worker_.empty()) return;
  worker_.fire(json::encode(WorkerEvent{.operation = left ? "remove" : "add",
                                        .stage = "done",
                                        .worker = *worker.name,
                                        .caller_mode = "trigger",
                                        .timestamp_ms = engine_.timers().wall_ms(),
                                        .version = worker.version}));
}

void BusEvents::poll_functions() {
  poll_timer_ = engine_.timers().after(poll_interval_, [this] { poll_functions(); });
  if (engine_.functions().changes() == seen_changes_) return;
  seen_changes_ = engine_.functions().changes();
  const std::vector<FunctionPtr> functions = catalog_.all_functions();
  std::set<std::string> ids;
  for (const FunctionPtr& f : functions) ids.insert(f->id);
  // An id that went and came back within one interval is no change.
  if (ids == seen_ids_) return;
  seen_ids_ = std::move(ids);
  if (functions_available_.empty()) return;
  std::vector<FunctionRow> rows;
  for (const FunctionPtr& f : functions) rows.push_back(catalog_.row(*f));
  functions_available_.fire("{\"event\":\"functions_changed\",\"functions\":" + json::encode(rows) +
                            "}");
}

}  // namespace iii::engine
