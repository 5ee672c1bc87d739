// A complete engine without sockets for fuzzing: bus, built-ins, state and configuration, with
// peers that read everything.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/configuration/configuration.h"
#include "bus/engine/state/state.h"
#include "bus/engine/store/store.h"
#include "bus/engine/testing.h"

namespace iii::fuzz {

// Small enough that a short run meets every limit, and that memory is full early.
inline engine::EngineLimits small_engine_limits() {
  engine::EngineLimits limits;
  limits.max_calls_per_worker = 200;
  limits.max_call_bytes_per_worker = 64 * 1024;
  limits.max_stored_bytes_per_worker = 256 * 1024;
  limits.max_buffered_bytes = 256 * 1024;
  return limits;
}

inline engine::StateLimits small_state_limits() {
  engine::StateLimits limits;
  limits.max_value_bytes = 64 * 1024;
  limits.max_updated_bytes = 64 * 1024;
  limits.max_total_bytes = 1024 * 1024;
  limits.max_list_bytes = 256 * 1024;
  return limits;
}

inline engine::ConfigurationLimits small_configuration_limits() {
  engine::ConfigurationLimits limits;
  limits.max_entries = 20;
  limits.max_entry_bytes = 64 * 1024;
  limits.max_total_bytes = 512 * 1024;
  limits.max_list_bytes = 256 * 1024;
  return limits;
}

class EngineBus : public engine::TestBus {
 public:
  EngineBus() : TestBus(small_engine_limits(), {.max_channels = 50}) {
    EXPECT_TRUE(configuration.start());
    EXPECT_TRUE(state.start());
    for (auto& list : {configuration.functions(), state.functions()}) {
      for (const engine::BuiltinFunction& function : list) engine.add(function);
    }
    engine.add(configuration.trigger_type());
    engine.add(state.trigger_type());
  }

  // What the loop would do before it reads the next frame, up to `turns` turns of it.
  void run_loop(size_t turns) {
    for (size_t i = 0; i < turns; ++i) {
      timers.advance(Millis(0));
      if (posted.empty()) return;
      auto action = std::move(posted.front());
      posted.pop_front();
      action();
    }
  }

  std::deque<std::move_only_function<void()>> posted;
  std::unique_ptr<engine::Store> store = engine::Store::in_memory(
      [this](std::move_only_function<void()> action) { posted.push_back(std::move(action)); });
  engine::Configuration configuration{
      *store, engine, [](std::string_view) -> std::optional<std::string> { return std::nullopt; },
      small_configuration_limits()};
  engine::State state{*store, engine, &configuration, small_state_limits()};
};

}  // namespace iii::fuzz
