// state::* — values under (scope, key), durable, with a trigger that fires on every change.
//
// Values are kept as the JSON text that was sent. Reads come from memory and see writes in the
// order in which they were accepted; a write is answered, and its event fired, after it is on disk.
// Everything runs on the loop thread, except that large texts are put together elsewhere. Calls
// about one scope take place in order; a large state::update keeps only its own scope waiting.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/configuration/configuration.h"
#include "bus/engine/durable.h"
#include "bus/engine/state/memory.h"
#include "bus/engine/state/schemas.h"
#include "bus/engine/state/update_ops.h"
#include "bus/engine/store/store.h"
#include "bus/engine/subscriptions.h"

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
  // A scope or a key.
  size_t max_name_bytes = 64 * 1024;
};

class State {
 public:
  static constexpr std::string_view kOwner = "iii-state";
  static constexpr std::string_view kTriggerType = "state";
  static constexpr std::string_view kConfigurationId = "iii-state";
  // Input of state::update, whose ops are decoded.
  static constexpr size_t kMaxUpdateInput = 4 * 1024 * 1024;
  // The rows of a list that are written on the loop.
  static constexpr size_t kSmallRows = 256;

  // What it is given outlives it. `configuration` may be null: then the knobs keep their defaults.
  State(Store& store, Bus& bus, Configuration* configuration, StateLimits limits = {});
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // Reads what was stored, registers the configuration entry `iii-state` if it is not there, and
  // follows its changes. Call once, after Configuration::start and before any call is served.
  Result<void> start();

  std::vector<BuiltinFunction> functions();
  BuiltinTriggerType trigger_type();

  // Reads the knobs again.
  void reload();

  size_t bytes() const { return memory_.bytes(); }

 private:
  // What a write in flight needs to be answered, published, or undone.
  struct Pending;
  using PendingPtr = std::shared_ptr<Pending>;

  void set(const CallInfo& info, StateSetInput in, Reply reply);
  void erase(const CallInfo& info, StateDeleteInput in, Reply reply);
  void update(const CallInfo& info, StateUpdateInput in, Reply reply);
  void get(const CallInfo& info, StateGetInput in, Reply reply);
  void list(const CallInfo& info, StateListInput in, Reply reply);
  void list_groups(const CallInfo& info, Reply reply);

  bool names_fit(const Pending& pending) const;
  void apply(PendingPtr pending, SharedText ops);
  void applied(PendingPtr pending, SharedText ops, const SharedText& stored,
               Result<UpdatedText> updated);
  void collect(const std::string& scope, OwnerId owner, Reply reply);
  void answer_later(OwnerId owner, size_t bytes, std::move_only_function<std::string()> write,
                    Reply reply);
  void submit(PendingPtr pending);
  void finish(Pending& pending, Result<void> stored);
  void take_back(const Pending& pending);
  void fire(const Pending& pending);
  bool make_room(std::string_view scope, std::string_view key, size_t value_bytes);

  Bus& bus_;
  Configuration* configuration_;
  StateLimits limits_;
  Durable durable_;
  Subscriptions subscriptions_;
  StateMemory memory_;
  bool triggers_enabled_ = true;
  size_t max_value_bytes_;
};

}  // namespace iii::engine
