// Pure computations that are too large for the loop thread: parsing a large frame, changing a large
// value, checking a value against a schema.
//
// A job gets copies or immutable shared data and touches nothing else. Jobs run one at a time on
// one thread, so that what they need in memory is bounded; owners take turns, so that one owner's
// jobs do not keep another's waiting for longer than one job. `done` runs on the loop thread, never
// before run() has returned.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "bus/engine/owner.h"
#include "bus/engine/store/store.h"

namespace iii::engine {

class Background {
 public:
  using Action = std::move_only_function<void()>;

  // A thread of its own; it is started by the first job. At destruction the running job is awaited,
  // and neither waiting jobs nor any `done` run any more.
  static std::unique_ptr<Background> thread(Post post);
  virtual ~Background() = default;

  virtual void run(OwnerId owner, Action job, Action done) = 0;
  // Forgets the waiting jobs of an owner, with their `done`.
  virtual void drop(OwnerId owner) = 0;

  // What `job` returns is what `done` gets.
  template <typename Job, typename Done>
  void compute(OwnerId owner, Job job, Done done) {
    using Value = std::invoke_result_t<Job>;
    auto value = std::make_shared<std::optional<Value>>();
    run(
        owner, [value, job = std::move(job)]() mutable { value->emplace(job()); },
        [value, done = std::move(done)]() mutable { done(std::move(**value)); });
  }
};

}  // namespace iii::engine
