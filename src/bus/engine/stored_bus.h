// For tests: the whole engine without sockets, with state::* and configuration::*. Writes are done
// in the next turn of the loop.
#pragma once

#include <memory>
#include <utility>

#include "bus/engine/configuration/configuration.h"
#include "bus/engine/state/state.h"
#include "bus/engine/store/store.h"
#include "bus/engine/testing.h"

namespace iii::engine {

struct StoredBus : TestBus {
  explicit StoredBus(EngineLimits limits = {}) : TestBus(limits) {
    EXPECT_TRUE(configuration.start());
    EXPECT_TRUE(state.start());
    for (BuiltinFunction& function : configuration.functions()) engine.add(std::move(function));
    for (BuiltinFunction& function : state.functions()) engine.add(std::move(function));
    engine.add(configuration.trigger_type());
    engine.add(state.trigger_type());
    turn();
  }

  std::unique_ptr<Store> store = Store::in_memory([this](std::move_only_function<void()> action) {
    timers.after(std::chrono::microseconds{0}, std::move(action));
  });
  Configuration configuration{*store, engine};
  State state{*store, engine, &configuration};
};

}  // namespace iii::engine
