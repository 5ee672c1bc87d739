// An event of the engine that the directory hears as a trigger, on engines that have only
// observers.
//
// Those ignore a binding without a word, so they are asked whether they have triggers at all. An
// engine that has them is not observed: nothing is reported twice, and no feature is named.
#pragma once

#include <string>

#include "foundation/task/task.h"
#include "foundation/task/task_group.h"

namespace iii::sdk {
class Worker;
}

namespace iii::directory {

// On the worker's loop. The worker outlives it, and does not run after its end.
class EngineEvent {
 public:
  // Before the worker starts. `function_id` is called with the event, as a binding would call it;
  // `source` is the function of the engine that took the place of the trigger type.
  EngineEvent(sdk::Worker& worker, std::string source, std::string function_id);
  EngineEvent(const EngineEvent&) = delete;
  EngineEvent& operator=(const EngineEvent&) = delete;

  // Whether the event comes to us through an observer.
  bool is_observed() const { return !observer_.empty(); }

 private:
  // Observes if the engine has no triggers.
  task::Task<void> choose();
  void observe();
  void end();

  sdk::Worker& worker_;
  const std::string source_;
  const std::string function_id_;
  std::string observer_;   // its id; empty: none
  task::TaskGroup tasks_;  // not the worker's: its end does not wait for an answer
};

}  // namespace iii::directory
