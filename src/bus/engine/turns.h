// Coroutines that answer a call and let others have their turn.
//
// One that waits belongs to what it waits for, a slice or a job of its owner. When that is dropped,
// because the owner has left or the engine ends, the coroutine and its locals are destroyed.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "bus/engine/background.h"
#include "bus/engine/builtin.h"
#include "bus/engine/slices.h"
#include "foundation/task/task.h"

namespace iii::engine {

class Turns {
 public:
  // Runs the coroutine that `make(Turns&)` returns, a Task<void>, up to where it first waits.
  template <typename Make>
  static void start(Slices& slices, Background& background, OwnerId owner, Make make) {
    const auto frame = std::make_shared<Frame>();
    frame->handle = drive(Turns(slices, background, owner, frame), std::move(make)).handle;
    frame->handle.resume();
  }

  // co_await turns.yield(): goes on when others have had their turn.
  auto yield() {
    struct Awaiter {
      Turns& turns;

      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiting) const {
        turns.slices_.add(turns.owner_, [frame = turns.frame_.lock(), waiting] {
          waiting.resume();
          return false;
        });
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  // co_await turns.elsewhere(work): what `work()` returns, which runs on another thread. It may
  // use the locals of the coroutine.
  template <typename Work>
  auto elsewhere(Work work) {
    struct Awaiter {
      Turns& turns;
      Work work;
      std::optional<std::invoke_result_t<Work&>> value = {};

      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiting) {
        turns.background_.compute(
            turns.owner_, [this] { return work(); },
            [this, frame = turns.frame_.lock(), waiting](auto result) {
              value = std::move(result);
              waiting.resume();
            });
      }
      auto await_resume() { return std::move(*value); }
    };
    return Awaiter{*this, std::move(work)};
  }

 private:
  // The outermost coroutine, which owns those that it awaits.
  struct Frame {
    Frame() = default;
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;
    ~Frame() {
      if (handle) handle.destroy();
    }
    std::coroutine_handle<> handle;
  };
  struct Driver {
    struct promise_type {
      Driver get_return_object() {
        return {std::coroutine_handle<promise_type>::from_promise(*this)};
      }
      std::suspend_always initial_suspend() const noexcept { return {}; }
      std::suspend_always final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      void unhandled_exception() const noexcept { std::terminate(); }
    };
    std::coroutine_handle<> handle;
  };

  Turns(Slices& slices, Background& background, OwnerId owner, std::weak_ptr<Frame> frame)
      : slices_(slices), background_(background), owner_(owner), frame_(std::move(frame)) {}

  template <typename Make>
  static Driver drive(Turns turns, Make make) {
    co_await make(turns);
  }

  Slices& slices_;
  Background& background_;
  const OwnerId owner_;
  std::weak_ptr<Frame> frame_;
};

// Wraps `handle(Turns&, In) -> Task<Outcome>`. The bus outlives it.
template <typename In, typename Handle>
BuiltinFunction task_builtin(Bus& bus, std::string owner, std::string id, std::string description,
                             Handle handle) {
  return deferred_builtin<In>(std::move(owner), std::move(id), std::move(description),
                              [&bus, handle](const CallInfo& info, In in, Reply reply) {
                                Turns::start(bus.slices(), bus.background(), info.owner,
                                             [handle, in = std::move(in), reply = std::move(reply)](
                                                 Turns& turns) mutable -> task::Task<void> {
                                               reply(co_await handle(turns, std::move(in)));
                                             });
                              });
}

}  // namespace iii::engine
