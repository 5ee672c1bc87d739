// Calls of functions that make a document: handlers of prompts and sections of skills.
//
// The public engine records a call after it has forwarded it, and drops an answer that comes
// sooner: about one in several thousand. Nothing reports it. So a handler that has not answered for
// a moment is called once more, when its function says that this does no harm.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "directory/table/engine_client.h"
#include "foundation/base/result.h"
#include "foundation/json/value.h"
#include "foundation/task/task_group.h"

namespace iii::directory {

// How long a handler has before it is called again; a quarter of the time-out when that is shorter.
inline constexpr std::chrono::milliseconds kAskAgainAfter{1'000};

// On the loop thread.
class HandlerCalls {
 public:
  explicit HandlerCalls(EngineClient& engine) : engine_(engine) {}
  HandlerCalls(const HandlerCalls&) = delete;
  HandlerCalls& operator=(const HandlerCalls&) = delete;

  // The message of an error says why, in words that may be passed on.
  task::Task<Result<json::Raw>> call(Context context, std::string function_id, std::string payload,
                                     std::chrono::milliseconds timeout);

 private:
  struct Attempts;
  using AttemptsPtr = std::shared_ptr<Attempts>;

  task::Task<void> attempt(AttemptsPtr attempts, std::chrono::milliseconds timeout);
  task::Task<void> attempt_again(AttemptsPtr attempts);
  task::Task<bool> may_repeat(AttemptsPtr attempts);

  EngineClient& engine_;
  task::TaskGroup tasks_;
};

}  // namespace iii::directory
