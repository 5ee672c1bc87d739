#include "bus/engine/builtins/events.h"

#include <algorithm>

#include "bus/engine/builtins/in_process.h"
#include "foundation/json/write.h"

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
                         json::field("operations", &T::operations,
                                     "Operations to deliver, such as `add` or `remove`."),
                         json::field("stages", &T::stages, "Stages to deliver, such as `done`."),
                         json::field("workers", &T::workers, "Workers to deliver, by exact name."));
}
auto describe(json::Type<WorkerListInput>) {
  using T = WorkerListInput;
  return json::object<T>("WorkerListInput", "",
                         json::field("running_only", &T::running_only,
                                     "Accepted and ignored: every listed worker is running.")
                             .optional());
}
auto describe(json::Type<WorkerListRow>) {
  using T = WorkerListRow;
  return json::object<T>(
      "WorkerListRow", "", json::field("name", &T::name, "Name of the worker."),
      json::field("version", &T::version, "Version it announced."),
      json::field("running", &T::running, "Always true."),
      json::field("status", &T::status, "Always `running`."),
      json::field("pid", &T::pid, "Process id; null if not announced.").nullable());
}
auto describe(json::Type<WorkerListOutput>) {
  return json::object<WorkerListOutput>(
      "WorkerListOutput", "",
      json::field("workers", &WorkerListOutput::workers, "One row per named worker."));
}
auto describe(json::Type<WorkerEvent>) {
  using T = WorkerEvent;
  return json::object<T>("WorkerEvent", "",
                         json::field("operation", &T::operation, "`add` or `remove`."),
                         json::field("stage", &T::stage, "Always `done`."),
                         json::field("worker", &T::worker, "Name of the worker."),
                         json::field("caller_mode", &T::caller_mode, "Always `trigger`."),
                         json::field("timestamp_ms", &T::timestamp_ms, "Milliseconds since 1970."),
                         json::field("version", &T::version, "Version it announced."));
}

// `worker` events: operation, stage and name of the worker (engine-functions §6.1). An empty list
// means all.
Result<Subscription> read_worker_config(const std::string& text) {
  if (text == "null") return Subscription{};
  auto config = json::decode<WorkerTriggerConfig>(text);
  if (!config) return fail("invalid", "Failed to parse trigger config: " + config.error().message);
  Subscription out;
  for (auto* words : {&config->operations, &config->stages, &config->workers}) {
    if (*words && (*words)->empty()) words->reset();
    out.wanted.push_back(std::move(*words));
  }
  return out;
}

Event small_event(std::string payload) {
  return {.subjects = {},
          .bytes = payload.size(),
          .write = [payload = std::move(payload)]() mutable { return std::move(payload); }};
}

// Runs on any thread.
Outcome named_workers(const std::vector<WorkerDetail>& named) {
  WorkerListOutput out;
  for (const WorkerDetail& w : named) {
    out.workers.push_back({.name = *w.row.name,
                           .version = w.row.version,
                           .running = true,
                           .status = "running",
                           .pid = w.pid});
  }
  std::sort(out.workers.begin(), out.workers.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return json::encode(out);
}

Task<Outcome> list_named(const Catalog& catalog, Turns& turns) {
  const std::vector<WorkerDetail> named =
      co_await catalog.workers(turns, [](const Worker& w) { return w.name.has_value(); });
  co_return co_await Catalog::written(turns, named.size(), [&] { return named_workers(named); });
}

// Runs on another thread.
std::string listing_event(const std::vector<ListedFunction>& functions, size_t most) {
  std::string out = R"({"event":"functions_changed","functions":[)";
  for (const ListedFunction& listed : functions) {
    const size_t before = out.size();
    if (out.back() != '[') out += ',';
    json::encode_to(out, row_of(listed));
    if (out.size() <= most) continue;
    out.resize(before);
    return out += R"(],"truncated":true})";
  }
  return out += "]}";
}

}  // namespace

struct BusEvents::Listing {
  std::shared_ptr<const std::vector<std::string>> ids;
  std::string event;  // empty when nothing has changed or nothing is subscribed
};

BusEvents::BusEvents(Engine& engine, const Catalog& catalog, std::chrono::milliseconds poll)
    : engine_(engine),
      catalog_(catalog),
      poll_interval_(poll),
      seen_ids_(std::make_shared<const std::vector<std::string>>()),
      workers_available_(engine, "engine::workers-available"),
      functions_available_(engine, "engine::functions-available"),
      worker_(engine, "worker", read_worker_config),
      alive_(std::make_shared<BusEvents*>(this)) {
  engine.listen(*this);
  poll_timer_ = engine_.timers().after(poll_interval_, [this] { poll_functions(); });
}

BusEvents::~BusEvents() { engine_.timers().cancel(poll_timer_); }

std::vector<BuiltinFunction> BusEvents::functions() {
  std::vector<BuiltinFunction> out;
  out.push_back(task_builtin<WorkerListInput>(
      engine_, std::string(kWorkerManager), "worker::list",
      "Lists the named workers that are connected to this engine.",
      [this](Turns& turns, const WorkerListInput&) { return list_named(catalog_, turns); }));
  out.back().response_schema = json::schema<WorkerListOutput>();
  // A null payload counts as an empty one here (engine-functions §6).
  auto strict = std::move(out.back().handler);
  out.back().handler = [strict](const CallInfo& info, std::string_view data, Reply reply) {
    strict(info, data == "null" ? "{}" : data, std::move(reply));
  };
  return out;
}

std::vector<BuiltinFunction> BusEvents::sources() {
  const std::string owner(kEngineFunctions);
  return {
      workers_available_.source(
          owner, "engine::on-workers-changed",
          "Observe it to hear of workers that connect, announce themselves or leave."),
      functions_available_.source(owner, "engine::on-functions-changed",
                                  "Observe it to hear of functions that are registered or gone.")};
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
                 .description = "Fires when functions have been registered or have gone.",
                 .configuration_schema = {},
                 .request_schema = {},
                 .provider = &functions_available_});
  out.push_back({.id = "worker",
                 .owner = std::string(kWorkerManager),
                 .description = "Fires when a named worker joins or leaves the bus. Filters: "
                                "operations, stages, workers.",
                 .configuration_schema = json::schema<WorkerTriggerConfig>(),
                 .request_schema = json::schema<WorkerEvent>(),
                 .provider = &worker_});
  return out;
}

void BusEvents::on_worker(std::string_view event, const Worker& worker, bool first_announce) {
  if (!workers_available_.empty()) {
    workers_available_.publish(small_event("{\"event\":\"" + std::string(event) +
                                           "\",\"worker_id\":\"" + worker.id_text + "\"}"));
  }
  const bool left = event == "worker_disconnected" && worker.name;
  if ((!first_announce && !left) || worker_.empty()) return;
  WorkerEvent told{.operation = left ? "remove" : "add",
                   .stage = "done",
                   .worker = *worker.name,
                   .caller_mode = "trigger",
                   .timestamp_ms = engine_.timers().wall_ms(),
                   .version = worker.version};
  Event out = small_event(json::encode(told));
  out.subjects = {told.operation, told.stage, told.worker};
  worker_.publish(std::move(out));
}

// ---- engine::functions-available ----

void BusEvents::poll_functions() {
  poll_timer_ = engine_.timers().after(poll_interval_, [this] { poll_functions(); });
  if (polling_ || engine_.functions().changes() == seen_changes_) return;
  seen_changes_ = engine_.functions().changes();
  polling_ = true;
  Turns::start(engine_.slices(), engine_.background(), kEngineOwner,
               [this](Turns& turns) { return tell_changes(turns, alive_); });
}

Task<void> BusEvents::tell_changes(Turns& turns, std::weak_ptr<BusEvents*> alive) {
  std::vector<ListedFunction> functions = co_await catalog_.functions(turns);
  if (alive.expired()) co_return;
  Listing listing = co_await turns.elsewhere([all = std::move(functions), seen = seen_ids_,
                                              wanted = !functions_available_.empty()]() mutable {
    const std::vector<ListedFunction> now = std::move(all);
    auto ids = std::make_shared<std::vector<std::string>>();
    for (const ListedFunction& listed : now) {
      if (ids->empty() || ids->back() != listed.function->id) ids->push_back(listed.function->id);
    }
    Listing made;
    // An id that went and came back within one interval is not a change.
    if (*ids != *seen && wanted) made.event = listing_event(now, kMostListingBytes);
    made.ids = std::move(ids);
    return made;
  });
  if (alive.expired()) co_return;
  polling_ = false;
  discard(std::exchange(seen_ids_, std::move(listing.ids)));
  if (listing.event.empty()) co_return;
  Event event = small_event(std::move(listing.event));
  event.snapshot = true;
  functions_available_.publish(std::move(event));
}

}  // namespace iii::engine
