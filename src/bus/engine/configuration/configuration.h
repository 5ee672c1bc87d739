// configuration::* — named entries with a JSON Schema and a value, durable, with a trigger for
// changes.
//
// A value may hold `${NAME:default}`; it is expanded from the environment when read, and validated
// in its expanded form. Everything runs on the loop thread, except that values are expanded and
// checked elsewhere. Calls about one entry take place in order.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/engine/builtin.h"
#include "bus/engine/configuration/expand.h"
#include "bus/engine/configuration/schemas.h"
#include "bus/engine/durable.h"
#include "bus/engine/store/store.h"
#include "bus/engine/subscriptions.h"
#include "foundation/json/value.h"

namespace iii::engine {

struct ConfigurationLimits {
  size_t max_entries = 4'096;
  // Name, description, schema, value and metadata of one entry together.
  size_t max_entry_bytes = 1024 * 1024;
  // All entries together.
  size_t max_total_bytes = 64 * 1024 * 1024;
  // Answer of configuration::list: it must fit in one message.
  size_t max_list_bytes = 60 * 1024 * 1024;
};

class Configuration {
 public:
  static constexpr std::string_view kOwner = "configuration";
  static constexpr std::string_view kTriggerType = "configuration";
  // The engine's own modules read their entries on the loop, up to this size.
  static constexpr size_t kMostOwnBytes = 16 * 1024;

  // What it is given outlives it.
  Configuration(Store& store, Bus& bus, Environment environment = allowed_environment({}),
                ConfigurationLimits limits = {});
  ~Configuration();
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  // Reads what was stored. Call once, before any call is served.
  Result<void> start();

  std::vector<BuiltinFunction> functions();
  BuiltinTriggerType trigger_type();

  // For the engine's own modules.

  // Registers an entry with its `initial_value`, or, when there is one already, brings everything
  // but the value up to date. Fires no event.
  void ensure(ConfigurationRegisterInput entry);
  // The expanded value, or nothing when there is no such entry, it is larger than kMostOwnBytes, or
  // a variable is unset.
  std::optional<json::Value> value_of(std::string_view id) const;
  // Called after an entry has changed durably, by whichever way.
  void on_change(std::function<void(const std::string& id)> listener);

 private:
  struct Entry {
    int64_t record_id = 0;
    std::string name;
    std::string description;
    SharedText schema;  // JSON text, as the others
    SharedText value;
    SharedText metadata;  // null pointer: none

    size_t bytes() const;  // that count against the limits
  };
  using EntryPtr = std::shared_ptr<const Entry>;
  struct Pending;
  using PendingPtr = std::shared_ptr<Pending>;

  void register_entry(const CallInfo& info, ConfigurationRegisterInput in, Reply reply);
  void set(const CallInfo& info, ConfigurationSetInput in, Reply reply);
  void get(const CallInfo& info, ConfigurationGetInput in, Reply reply);
  void list(const CallInfo& info, Reply reply) const;
  Outcome schema(const ConfigurationSchemaInput& in) const;

  EntryPtr find(std::string_view id) const;
  void place(const std::string& id, EntryPtr entry);
  Entry registered(ConfigurationRegisterInput& in) const;
  void start_set(PendingPtr pending, std::string value);
  void start_get(const std::string& id, OwnerId owner, Reply reply);
  Result<void> check_limits(const std::string& id, const Entry& next) const;
  void change(PendingPtr pending, bool validated);
  void submit(PendingPtr pending);
  void finish(Pending& pending, Result<void> stored);
  void fire(const Pending& pending);
  static std::string row(std::string_view id, const Entry& entry, bool with_value);

  Bus& bus_;
  Environment environment_;
  ConfigurationLimits limits_;
  Durable durable_;
  Subscriptions subscriptions_;
  std::map<std::string, EntryPtr, std::less<>> entries_;
  size_t total_bytes_ = 0;  // of all entries
  std::vector<std::function<void(const std::string&)>> listeners_;
};

}  // namespace iii::engine
