// state::* — values under (scope, key), durable, with a trigger that tells about every change.
//
// Values are kept as the JSON text that was sent. Reads come from memory and see writes in the
// order in which they were accepted; a write is answered, and its event fired, after it is on disk.
// Everything runs on the loop thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "engine/builtin.h"
#include "engine/configuration/configuration.h"
#include "engine/fanout.h"
#include "engine/state/memory.h"
#include "engine/state/schemas.h"
#include "engine/store/store.h"

namespace iii::engine {

struct StateLimits {
  // Compact bytes of one value given to state::set, unless configuration entry `iii-state` says
  // otherwise (`max_value_bytes`).
  size_t max_value_bytes = 16 * 1024 * 1024;
  // Scopes, keys and values together, with the bookkeeping for each.
  size_t max_total_bytes = 1024UL * 1024 * 1024;
  // A value after state::update (never less than the limit for state::set): bytes, levels.
  size_t max_updated_bytes = 16 * 1024 * 1024;
  size_t max_depth = 125;  // with the two levels around it in an answer: those of a frame
  // Answer of state::list and state::list_groups: it must fit in one message.
  size_t max_list_bytes = 60 * 1024 * 1024;
  // Ops in one state::update.
  size_t max_ops = 10'000;
};

class State final : public TriggerProvider {
 public:
  static constexpr std::string_view kOwner = "iii-state";
  static constexpr std::string_view kTriggerType = "state";
  static constexpr std::string_view kConfigurationId = "iii-state";

  // What it is given outlives it. `configuration` may be null: then the knobs keep their defaults.
  State(Store& store, Bus& bus, Configuration* configuration, StateLimits limits = {});
  ~State() override;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Reads what was stored, registers the configuration entry `iii-state` if it is not there, and
  // follows its changes. Call once, after Configuration::start and before any call is served.
  Result<void> start();

  std::vector<BuiltinFunction> functions();
  BuiltinTriggerType trigger_type();

  Result<void> bind(const Binding& binding) override;
  void unbind(std::string_view id) override;

  // Reads the knobs again.
  void reload();

  size_t bytes() const { return memory_.bytes(); }

 private:
  struct Bound {
    std::string id;
    StateTriggerConfig config;
    FanoutTarget target;
  };
  // What a write in flight needs to be answered, told about, or taken back.
  struct Pending;

  void set(StateSetInput in, Reply reply);
  void erase(StateDeleteInput in, Reply reply);
  void update(StateUpdateInput in, Reply reply);
  Outcome get(const StateGetInput& in) const;
  Outcome list(const StateListInput& in) const;
  Outcome list_groups() const;

  void submit(std::shared_ptr<Pending> pending);
  void finish(Pending& pending, Result<void> stored);
  void take_back(const Pending& pending);
  void fire(const Pending& pending);
  bool make_room(std::string_view scope, std::string_view key, size_t value_bytes);

  Store& store_;
  Bus& bus_;
  Configuration* configuration_;
  StateLimits limits_;
  StateMemory memory_;
  std::vector<Bound> bindings_;  // in the order of binding
  EventBudget budget_;
  LogOnce dropped_;
  bool triggers_enabled_ = true;
  size_t max_value_bytes_;
};

}  // namespace iii::engine
