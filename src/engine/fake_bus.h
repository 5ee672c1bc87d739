// A bus for tests: calls are recorded, and answered at once or when the test says so.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/fake_timers.h"
#include "engine/builtin.h"
#include "engine/fake_background.h"

namespace iii::engine {

class FakeBus final : public Bus {
 public:
  void call(OutgoingCall call, Reply reply) override {
    const std::string id = call.function_id;
    calls.push_back(std::move(call));
    if (hold) {
      held.push_back(std::move(reply));
      return;
    }
    const auto found = answers.find(id);
    reply(found == answers.end() ? Outcome(std::nullopt) : found->second);
  }

  bool accepts(std::string_view, std::string_view) const override { return true; }
  void when_accepts(OwnerId owner, std::string, std::string,
                    std::move_only_function<void()> action) override {
    slices_.add(owner, [action = std::move(action)]() mutable {
      action();
      return false;
    });
  }
  Slices& slices() override { return slices_; }
  Background& background() override { return background_; }
  // Runs what waits for the loop's next turn.
  void turn() { timers.advance(Millis(0)); }

  // Answers the oldest call that is held.
  void answer(Outcome outcome = std::nullopt) {
    Reply reply = std::move(held.front());
    held.pop_front();
    reply(std::move(outcome));
  }

  std::vector<std::string> called() const {
    std::vector<std::string> ids;
    for (const OutgoingCall& call : calls) ids.push_back(call.function_id);
    return ids;
  }

  std::vector<OutgoingCall> calls;
  std::map<std::string, Outcome> answers;  // by function id; others give no value
  bool hold = false;
  std::deque<Reply> held;
  FakeTimers timers;

 private:
  Slices slices_{timers};
  FakeBackground background_{timers};
};

// Calls a module's function and gives the answer, or nothing when it has not come by the end of the
// loop's turn, which `turn` plays.
inline std::optional<Outcome> call_builtin(const std::vector<BuiltinFunction>& functions,
                                           std::string_view id, std::string_view data,
                                           const std::function<void()>& turn) {
  auto answer = std::make_shared<std::optional<Outcome>>();
  for (const BuiltinFunction& function : functions) {
    if (function.id != id) continue;
    function.handler(CallInfo{}, data, [answer](Outcome outcome) { *answer = std::move(outcome); });
  }
  turn();
  return *answer;
}

// The answer in one line: the result's JSON, `-` for none, `CODE: message` for an error, `...` for
// later.
inline std::string shown(const std::optional<Outcome>& answer) {
  if (!answer) return "...";
  if (!*answer) return (*answer).error().code + ": " + (*answer).error().message;
  return **answer ? std::string((**answer)->view()) : "-";
}

}  // namespace iii::engine
