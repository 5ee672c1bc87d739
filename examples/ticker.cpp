// A trigger provider: whoever binds a function to `ticker::tick` gets it called every `every_ms`.
// It binds its own `ticker::show`, which asks another function of this worker for the time to
// print.
#include <cstdint>
#include <cstdio>
#include <string>

#include <iii/sdk/worker.h>

namespace sdk = iii::sdk;
namespace json = iii::json;

struct TickConfig {
  int64_t every_ms = 1000;
};
auto describe(json::Type<TickConfig>) {
  return json::object<TickConfig>(
      "TickConfig", "How often to tick.",
      json::field("every_ms", &TickConfig::every_ms, "Milliseconds between two ticks.")
          .optional()
          .range(100, 86'400'000));
}

struct Tick {
  int64_t number = 0;
};
auto describe(json::Type<Tick>) {
  return json::object<Tick>("Tick", "One tick.",
                            json::field("number", &Tick::number, "Counted from one."));
}

// One of these per binding, until the binding goes.
sdk::Task<void> tick(sdk::Worker* worker, sdk::TriggerType<TickConfig> type, std::string id) {
  for (Tick now{.number = 1};; ++now.number) {
    const auto binding = type.bindings().find(id);
    if (binding == type.bindings().end()) co_return;
    worker->fire_void(binding->second, now);
    co_await worker->sleep(iii::Millis(binding->second.config.every_ms));
  }
}

sdk::Task<iii::Result<std::string>> show(sdk::Call call, Tick tick) {
  const sdk::Reply<std::string> word = co_await call.trigger<std::string>("ticker::word", tick);
  if (!word) co_return std::unexpected(word.error());
  std::puts(word->c_str());
  co_return *word;
}

int main() {
  sdk::Worker worker;
  std::optional<sdk::TriggerType<TickConfig>> type;
  auto on_bind = [&](const sdk::Binding<TickConfig>& binding) {
    // Posted: the binding is in the table once this returns.
    worker.post([&, id = binding.id] { worker.spawn(tick(&worker, *type, id)); });
  };
  auto on_unbind = [](const sdk::Binding<TickConfig>&) {};
  type = worker
             .trigger_type<TickConfig, Tick>("ticker::tick", "Ticks at an interval.", on_bind,
                                             on_unbind)
             .value();
  worker.function("ticker::word", "Puts a tick into words.",
                  [](const Tick& now) { return "tick " + std::to_string(now.number); });
  worker.function("ticker::show", "Prints a tick.", show);
  worker.bind("ticker::tick", "ticker::show", TickConfig{.every_ms = 1000});
  return worker.run();
}
