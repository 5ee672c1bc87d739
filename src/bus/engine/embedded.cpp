#include "bus/engine/embedded.h"

#include <utility>

#include "bus/engine/builtins/catalog.h"
#include "bus/engine/builtins/events.h"
#include "bus/engine/builtins/in_process.h"
#include "bus/engine/builtins/introspection.h"
#include "bus/engine/builtins/management.h"
#include "bus/engine/builtins/observability.h"
#include "bus/engine/builtins/stats.h"
#include "bus/engine/worker_log.h"

namespace iii::engine {

// In the order of construction; each may refer to those above it.
struct Embedded::Parts {
  Parts(net::Loop& its_loop, const EmbeddedOptions& options, std::unique_ptr<Store> opened,
        Post post)
      : loop(its_loop),
        store(std::move(opened)),
        background(Background::thread(std::move(post))),
        engine(loop, ids, *background, options.limits),
        memory(std::make_shared<net::MemoryBudget>(options.server.max_total_bytes)),
        channels(loop, ids, options.channels, memory),
        catalog(engine, options.version),
        observability(engine, options.version, store.get()),
        events(engine, catalog, options.limits.functions_poll),
        configuration(*store, engine, allowed_environment(options.expand_env)),
        state(*store, engine, &configuration, options.state) {}

  Result<void> prepare(bool worker_manager, bool keeps_state) {
    if (auto ready = configuration.start(); !ready) return ready;
    if (auto ready = state.start(); !ready) return ready;
    catalog.set_started(loop.wall_ms());
    engine.listen(channels);
    engine.listen(worker_log);
    add(function_introspection(catalog));
    add(trigger_introspection(catalog));
    add(worker_introspection(catalog));
    add(observer_introspection(engine));
    add(stats_functions(engine));
    add(management(engine, channels));
    add(observability.functions());
    add(events.sources());
    if (worker_manager) add(events.functions());
    add(configuration.functions());
    if (keeps_state) add(state.functions());
    for (BuiltinTriggerType& type : events.trigger_types()) {
      if (worker_manager || type.owner != kWorkerManager) engine.add(std::move(type));
    }
    engine.add(observability.trigger_type());
    engine.add(configuration.trigger_type());
    if (keeps_state) engine.add(state.trigger_type());
    return {};
  }

  void add(std::vector<BuiltinFunction> functions) {
    for (BuiltinFunction& function : functions) engine.add(std::move(function));
  }

  net::Loop& loop;
  RandomIds ids;
  std::unique_ptr<Store> store;
  std::unique_ptr<Background> background;
  WorkerLog worker_log;
  Engine engine;
  const std::shared_ptr<net::MemoryBudget> memory;  // of the server, which channels share
  ChannelTable channels;
  Catalog catalog;
  Observability observability;
  BusEvents events;
  Configuration configuration;
  State state;
  std::unique_ptr<net::Server> server;
};

Embedded::Embedded(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Embedded::~Embedded() { stop(); }

Result<std::unique_ptr<Embedded>> Embedded::start(net::Loop& loop, EmbeddedOptions options) {
  options.limits.max_message_bytes = options.server.connection.limits.max_message;
  Post post = [&loop](std::move_only_function<void()> action) { loop.post(std::move(action)); };
  std::unique_ptr<Store> store;
  if (options.data) {
    auto opened = Store::open(*options.data, post, options.store);
    if (!opened) return std::unexpected(std::move(opened.error()));
    store = std::move(*opened);
  } else {
    store = Store::in_memory(post);
  }
  auto parts = std::make_unique<Parts>(loop, options, std::move(store), std::move(post));
  if (auto ready = parts->prepare(options.worker_manager, options.keeps_state); !ready)
    return std::unexpected(std::move(ready.error()));
  options.server.memory = parts->memory;
  auto server = serve_engine(loop, options.server, options.access, parts->engine, parts->channels);
  if (!server) return std::unexpected(std::move(server.error()));
  parts->server = std::move(*server);
  return std::unique_ptr<Embedded>(new Embedded(std::move(parts)));
}

Engine& Embedded::engine() { return parts_->engine; }

uint16_t Embedded::port() const { return parts_->server->port(); }

size_t Embedded::held_bytes() const { return parts_->memory->total(); }

size_t Embedded::waiting_writes() const { return parts_->store->waiting_writes(); }

std::optional<std::string> Embedded::trouble() const { return parts_->store->trouble(); }

Result<void> Embedded::backup(std::filesystem::path to, Store::BackupDone done) {
  return parts_->store->backup(std::move(to), std::move(done));
}

void Embedded::stop() {
  parts_->server->stop();
  parts_->store->close();
}

}  // namespace iii::engine
