// A bus for tests: calls are recorded, and answered at once or when the test says so.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/fake_background.h"
#include "foundation/base/fake_timers.h"

namespace iii::engine {

class FakeBus final : public Bus {
 public:
  // Replies come in a later turn, as slices of the call's owner.
  void call(OutgoingCall call, Reply reply) override {
    const auto found = answers.find(call.function_id);
    const OwnerId owner = call.owner;
    calls.push_back(std::move(call));
    if (!reply) return;
    if (hold) {
      held.push_back(std::move(reply));
      return;
    }
    Outcome outcome = found == answers.end() ? Outcome(std::nullopt) : found->second;
    slices_.add(owner, [reply = std::move(reply), outcome = std::move(outcome)]() mutable {
      reply(std::move(outcome));
      return false;
    });
  }

  bool accepts(std::string_view, std::string_view function_id) const override {
    return !full.contains(function_id);
  }
  void when_accepts(OwnerId owner, std::string name_space, std::string function_id,
                    std::move_only_function<void()> action) override {
    clock.after(
        Millis(1), [this, owner, name_space = std::move(name_space),
                    function_id = std::move(function_id), action = std::move(action)]() mutable {
          if (accepts(name_space, function_id)) return action();
          when_accepts(owner, std::move(name_space), std::move(function_id), std::move(action));
        });
  }
  bool is_builtin(std::string_view, std::string_view function_id) const override {
    return builtins.contains(function_id);
  }
  bool is_observed(std::string_view source) const override { return observed.contains(source); }
  void happened(std::string_view source, JsonText event, const Cause&) override {
    events.emplace_back(source, event.view());
  }
  Timers& timers() override { return clock; }
  const EngineLimits& limits() const override { return its_limits; }
  Slices& slices() override { return slices_; }
  Background& background() override { return background_; }
  // Runs what waits for the loop's next turn.
  void turn() { clock.advance(Millis(0)); }

  // Answers the oldest call that is held.
  void answer(Outcome outcome = std::nullopt) {
    Reply reply = std::move(held.front());
    held.pop_front();
    reply(std::move(outcome));
    turn();
  }

  // A binding that owner 1 has made, or the owner that is named.
  BindingPtr binding(std::string id, std::string function_id, std::string config = "{}",
                     std::optional<std::string> metadata = std::nullopt, OwnerId owner = 1) {
    return std::make_shared<const Binding>(Binding{.id = std::move(id),
                                                   .function_id = std::move(function_id),
                                                   .config = std::move(config),
                                                   .metadata = std::move(metadata),
                                                   .owner = owner});
  }
  Result<void> bind(TriggerProvider& provider, const BindingPtr& binding) {
    auto& ledger = ledgers[binding->owner];
    if (!ledger) ledger = std::make_shared<Ledger>(binding->owner, its_limits);
    return provider.bind(binding, ledger);
  }

  std::vector<std::string> called() const {
    std::vector<std::string> ids;
    for (const OutgoingCall& call : calls) ids.push_back(call.function_id);
    return ids;
  }

  std::vector<OutgoingCall> calls;
  std::map<std::string, Outcome> answers;       // by function id; others give no value
  std::set<std::string, std::less<>> builtins;  // functions that the engine answers itself
  std::set<std::string, std::less<>> full;      // functions whose connection has much to read
  std::set<std::string, std::less<>> observed;  // event sources
  std::vector<std::pair<std::string, std::string>> events;  // of event sources
  bool hold = false;
  std::deque<Reply> held;
  FakeTimers clock;
  EngineLimits its_limits;
  std::map<OwnerId, std::shared_ptr<Ledger>> ledgers;

 private:
  Slices slices_{clock};
  FakeBackground background_{clock};
};

// Calls a module's function and gives the answer, or nothing when it has not come by the end of the
// loop's turn, which `turn` plays.
inline std::optional<Outcome> call_builtin(const std::vector<BuiltinFunction>& functions,
                                           std::string_view id, std::string_view data,
                                           const std::function<void()>& turn,
                                           const CallInfo& info = {}) {
  auto answer = std::make_shared<std::optional<Outcome>>();
  for (const BuiltinFunction& function : functions) {
    if (function.id != id) continue;
    if (const auto fits = function.admits(data.size()); !fits) {
      *answer = std::unexpected(fits.error());
      continue;
    }
    function.handler(info, data, [answer](Outcome outcome) { *answer = std::move(outcome); });
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
