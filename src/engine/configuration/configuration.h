// configuration::* — named entries with a JSON Schema and a value, durable, with a trigger for
// changes.
//
// A value may hold `${NAME:default}`; it is expanded from the environment when read, and validated
// in its expanded form. Everything runs on the loop thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/log.h"
#include "engine/builtin.h"
#include "engine/configuration/expand.h"
#include "engine/configuration/schemas.h"
#include "engine/fanout.h"
#include "engine/store/store.h"
#include "json/value.h"

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

class Configuration final : public TriggerProvider {
 public:
  static constexpr std::string_view kOwner = "configuration";
  static constexpr std::string_view kTriggerType = "configuration";

  // What it is given outlives it.
  Configuration(Store& store, Bus& bus, Environment environment = process_environment(),
                ConfigurationLimits limits = {});
  ~Configuration() override;
  Configuration(const Configuration&) = delete;
  Configuration& operator=(const Configuration&) = delete;

  // Reads what was stored. Call once, before any call is served.
  Result<void> start();

  std::vector<BuiltinFunction> functions();
  BuiltinTriggerType trigger_type();

  Result<void> bind(const Binding& binding) override;
  void unbind(std::string_view id) override;

  // For the engine's own modules.

  // Registers an entry with its `initial_value`, or, when there is one already, brings everything
  // but the value up to date. Fires no event.
  void ensure(ConfigurationRegisterInput entry);
  // The expanded value, or nothing when there is no such entry or a variable is unset.
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
  struct Bound {
    std::string id;
    ConfigurationTriggerConfig config;
    FanoutTarget target;
  };
  struct Pending;

  void register_entry(ConfigurationRegisterInput in, Reply reply);
  void set(ConfigurationSetInput in, Reply reply);
  Outcome get(const ConfigurationGetInput& in) const;
  Outcome list() const;
  Outcome schema(const ConfigurationSchemaInput& in) const;

  Result<void> validate(std::string_view schema, std::string_view value) const;
  static Result<void> validate_expanded(std::string_view schema, const json::Value& value);
  Result<void> check_limits(const std::string& id, const Entry& next) const;
  void submit_registration(ConfigurationRegisterInput in, std::shared_ptr<Pending> pending);
  void submit(std::shared_ptr<Pending> pending, Entry next);
  void take_back(const Pending& pending);
  void finish(Pending& pending, Result<void> stored);
  void fire(const Pending& pending);
  static std::string row(std::string_view id, const Entry& entry, bool with_value);

  Store& store_;
  Bus& bus_;
  Environment environment_;
  ConfigurationLimits limits_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::vector<Bound> bindings_;  // in the order of binding
  std::vector<std::function<void(const std::string&)>> listeners_;
  EventBudget budget_;
  LogOnce dropped_;
};

}  // namespace iii::engine
