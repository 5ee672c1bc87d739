#include "bus/engine/configuration/configuration.h"

#include <algorithm>
#include <utility>

#include "foundation/base/text.h"
#include "foundation/json/schema_check.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

constexpr std::string_view kConfigurationSpace = "configuration";
constexpr size_t kMaxIdBytes = 64;

bool is_valid_id(std::string_view id) {
  return !id.empty() && id.size() <= kMaxIdBytes && std::ranges::all_of(id, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::unexpected<Error> invalid_id(const std::string& id) {
  return fail("INVALID_ID", "invalid configuration id '" + std::string(utf8_prefix(id, 200)) +
                                "': must match [a-z0-9_-]{1,64}");
}

std::unexpected<Error> not_found(const std::string& id) {
  return fail("NOT_FOUND", "configuration '" + std::string(utf8_prefix(id, 200)) + "' not found");
}

std::unexpected<Error> adapter_error(std::string message) {
  return fail("ADAPTER_ERROR", std::move(message));
}

// These run on another thread.

Result<void> validate_expanded(const std::string& schema, const json::Value& value) {
  Result<json::Value> parsed = json::parse(schema);
  if (!parsed) return fail("SCHEMA_INVALID", parsed.error().message);
  Result<json::Schema> compiled = json::Schema::compile(std::move(*parsed));
  if (!compiled) {
    return fail("SCHEMA_INVALID", "schema validation failed: " + compiled.error().message);
  }
  const std::vector<std::string> violations = compiled->check(value);
  if (violations.empty()) return {};
  return fail("SCHEMA_INVALID", "schema validation failed: " + join(violations, "; "));
}

// A value with variables that are not set yet cannot be checked, and is accepted.
Result<void> validate(const std::string& schema, const std::string& value,
                      const Environment& environment) {
  Result<json::Value> parsed = json::parse(value);
  if (!parsed) return fail("SCHEMA_INVALID", parsed.error().message);
  Result<Expansion> expanded = expand(*parsed, environment);
  if (!expanded) return std::unexpected(std::move(expanded.error()));
  if (!expanded->unset.empty()) return {};
  return validate_expanded(schema, expanded->value);
}

Result<std::string> expanded_and_checked(const std::string& id, const std::string& schema,
                                         const std::string& value, const Environment& environment) {
  Result<json::Value> parsed = json::parse(value);
  if (!parsed) return fail("EXPAND_FAILED", parsed.error().message);
  Result<Expansion> expanded = expand(*parsed, environment);
  if (!expanded) return std::unexpected(std::move(expanded.error()));
  if (!expanded->unset.empty()) {
    return fail("EXPAND_FAILED",
                "configuration '" + id +
                    "' references unset environment variable(s) with no default: " +
                    join(expanded->unset, ", "));
  }
  if (schema != "null") {
    if (auto valid = validate_expanded(schema, expanded->value); !valid) {
      return std::unexpected(std::move(valid.error()));
    }
  }
  return json::to_text(expanded->value);
}

// As far as it can be expanded: what is unset stays as written.
json::Raw shown(const std::string& value, const Environment& environment) {
  Result<json::Value> parsed = json::parse(value);
  if (!parsed) return {value};
  Result<Expansion> expanded = expand(*parsed, environment);
  return {expanded ? json::to_text(expanded->value) : value};
}

std::string answer_to_get(std::string_view id, std::string_view value) {
  std::string out = R"({"id":)";
  json::append_string(out, id);
  return out.append(R"(,"value":)").append(value).append("}");
}

Result<Subscription> read_config(const std::string& text) {
  auto config = json::decode<ConfigurationTriggerConfig>(text);
  if (!config) {
    return fail(config.error().code,
                "Failed to parse configuration trigger config: " + config.error().message);
  }
  Subscription out;
  out.wanted.resize(2);
  if (config->configuration_id) out.wanted[0] = std::vector{std::move(*config->configuration_id)};
  out.wanted[1] = std::move(config->event_types);
  out.condition_function_id = std::move(config->condition_function_id);
  return out;
}

}  // namespace

struct Configuration::Pending {
  std::string id;
  EntryPtr before;  // null: the entry is new
  Entry after;
  bool quiet = false;      // no event: the engine's own doing
  bool registers = false;  // answered with the entry instead of the two values
  Cause cause;
  Reply reply;
};

Configuration::Configuration(Store& store, Bus& bus, Environment environment,
                             ConfigurationLimits limits)
    : bus_(bus),
      environment_(std::move(environment)),
      limits_(limits),
      durable_(store, bus),
      subscriptions_(bus, std::string(kTriggerType), read_config) {}

Configuration::~Configuration() = default;

Result<void> Configuration::start() {
  return durable_.store().load(kConfigurationSpace, [this](Record&& record) {
    // Written by us and guarded by a checksum: what does not decode was not ours.
    auto stored = json::decode<ConfigurationEntry>(*record.value);
    if (!stored) return;
    Entry entry;
    entry.record_id = record.id;
    entry.name = std::move(stored->name);
    entry.description = std::move(stored->description);
    entry.schema = share(std::move(stored->schema.text));
    entry.value = share(std::move(stored->value.text));
    if (stored->metadata) entry.metadata = share(std::move(stored->metadata->text));
    place(record.key, std::make_shared<const Entry>(std::move(entry)));
  });
}

std::vector<BuiltinFunction> Configuration::functions() {
  const std::string owner(kOwner);
  // An escape takes at most six bytes for one.
  const size_t most_input = 8 * limits_.max_entry_bytes + 64 * 1024;
  std::vector<BuiltinFunction> out;
  out.push_back(subscriptions_.source(
      owner, "configuration::on-updated",
      "Observe it to hear of configuration entries that are registered or updated."));
  out.push_back(deferred_builtin<ConfigurationRegisterInput>(
      owner, "configuration::register",
      "Create an entry with a JSON Schema, or update it. A stored value stays unless "
      "`initial_value` is given.",
      [this](const CallInfo& info, ConfigurationRegisterInput in, Reply reply) {
        register_entry(info, std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<ConfigurationEntry>();
  out.back().max_input_bytes = most_input;
  out.push_back(deferred_builtin<ConfigurationSetInput>(
      owner, "configuration::set", "Give an entry a new value, checked against its schema.",
      [this](const CallInfo& info, ConfigurationSetInput in, Reply reply) {
        set(info, std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<ConfigurationSetResult>();
  out.back().max_input_bytes = most_input;
  out.push_back(deferred_builtin<ConfigurationGetInput>(
      owner, "configuration::get", "Read the value of an entry, placeholders expanded.",
      [this](const CallInfo& info, ConfigurationGetInput in, Reply reply) {
        get(info, std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<ConfigurationGetResult>();
  out.push_back(deferred_builtin<ConfigurationListInput>(
      owner, "configuration::list", "List every entry with its schema, without values.",
      [this](const CallInfo& info, const ConfigurationListInput&, Reply reply) {
        list(info, std::move(reply));
      }));
  out.back().response_schema = json::schema<ConfigurationListResult>();
  out.push_back(deferred_builtin<ConfigurationSchemaInput>(
      owner, "configuration::schema",
      "Describe one entry: name, description and JSON Schema, without its value.",
      [this](const CallInfo&, const ConfigurationSchemaInput& in, Reply reply) {
        reply(schema(in));
      }));
  out.back().response_schema = json::schema<ConfigurationRow>();
  return out;
}

Configuration::EntryPtr Configuration::find(std::string_view id) const {
  const auto known = entries_.find(id);
  return known == entries_.end() ? nullptr : known->second;
}

// Puts an entry in the place of whatever is there; null removes it.
void Configuration::place(const std::string& id, EntryPtr entry) {
  if (const EntryPtr earlier = find(id)) total_bytes_ -= earlier->bytes();
  if (!entry) {
    entries_.erase(id);
    return;
  }
  total_bytes_ += entry->bytes();
  entries_.insert_or_assign(id, std::move(entry));
}

// ---- writing ----

void Configuration::register_entry(const CallInfo& info, ConfigurationRegisterInput in,
                                   Reply reply) {
  if (!is_valid_id(in.id)) return reply(invalid_id(in.id));
  auto pending = std::make_shared<Pending>();
  pending->id = in.id;
  pending->registers = true;
  pending->cause = info.cause();
  pending->reply = std::move(reply);
  const size_t bytes =
      in.schema.text.size() + (in.initial_value ? in.initial_value->text.size() : 0);
  durable_.enter(pending->id, info.owner, bytes,
                 [this, pending, in = std::move(in)](Result<void> may) mutable {
                   if (!may) return pending->reply(adapter_error(may.error().message));
                   const bool checks = in.initial_value.has_value();
                   pending->after = registered(in);
                   change(std::move(pending), !checks);
                 });
}

// The entry as it will be: without an initial value it keeps the one it has.
Configuration::Entry Configuration::registered(ConfigurationRegisterInput& in) const {
  Entry next;
  next.name = std::move(in.name);
  next.description = std::move(in.description);
  next.schema = share(std::move(in.schema.text));
  if (in.metadata) next.metadata = share(std::move(in.metadata->text));
  if (in.initial_value) {
    next.value = share(std::move(in.initial_value->text));
  } else {
    const EntryPtr known = find(in.id);
    next.value = known ? known->value : share("null");
  }
  return next;
}

void Configuration::ensure(ConfigurationRegisterInput in) {
  if (const EntryPtr known = find(in.id)) {
    if (known->name == in.name && known->description == in.description &&
        *known->schema == in.schema.text) {
      return;
    }
    in.initial_value.reset();
  }
  auto pending = std::make_shared<Pending>();
  pending->id = in.id;
  pending->quiet = true;
  pending->registers = true;
  pending->reply = [](const Outcome&) {};
  pending->after = registered(in);
  change(std::move(pending), true);
}

void Configuration::set(const CallInfo& info, ConfigurationSetInput in, Reply reply) {
  if (!is_valid_id(in.id)) return reply(invalid_id(in.id));
  auto pending = std::make_shared<Pending>();
  pending->id = std::move(in.id);
  pending->cause = info.cause();
  pending->reply = std::move(reply);
  const size_t bytes = in.value.text.size();
  durable_.enter(pending->id, info.owner, bytes,
                 [this, pending, value = std::move(in.value.text)](Result<void> may) mutable {
                   if (!may) return pending->reply(adapter_error(may.error().message));
                   start_set(std::move(pending), std::move(value));
                 });
}

void Configuration::start_set(PendingPtr pending, std::string value) {
  const EntryPtr known = find(pending->id);
  if (!known) {
    return pending->reply(
        fail("NOT_REGISTERED", "configuration '" + pending->id +
                                   "' is not registered; call configuration::register first"));
  }
  if (*known->schema == "null") {
    return pending->reply(
        fail("SCHEMA_UNAVAILABLE", "configuration '" + pending->id +
                                       "' has no schema to check the value against; "
                                       "register it again with one"));
  }
  pending->after = *known;
  pending->after.value = share(std::move(value));
  change(std::move(pending), false);
}

size_t Configuration::Entry::bytes() const {
  return name.size() + description.size() + schema->size() + value->size() +
         (metadata ? metadata->size() : 0);
}

Result<void> Configuration::check_limits(const std::string& id, const Entry& next) const {
  const EntryPtr known = find(id);
  if (!known && entries_.size() >= limits_.max_entries) {
    return adapter_error("there are " + std::to_string(entries_.size()) +
                         " entries already, and no more are allowed");
  }
  if (next.bytes() > limits_.max_entry_bytes) {
    return adapter_error("the entry has " + std::to_string(next.bytes()) +
                         " bytes, more than the " + std::to_string(limits_.max_entry_bytes) +
                         " allowed");
  }
  const size_t total = total_bytes_ + next.bytes() - (known ? known->bytes() : 0);
  if (total > limits_.max_total_bytes) {
    return adapter_error("all entries together would have " + std::to_string(total) +
                         " bytes, more than the " + std::to_string(limits_.max_total_bytes) +
                         " allowed");
  }
  return {};
}

// Limits first, then the check against the schema, on another thread, while the entry waits.
void Configuration::change(PendingPtr pending, bool validated) {
  pending->before = find(pending->id);
  if (Result<void> fits = check_limits(pending->id, pending->after); !fits) {
    return pending->reply(std::unexpected(std::move(fits.error())));
  }
  if (validated) return submit(std::move(pending));
  auto check = [schema = pending->after.schema, value = pending->after.value,
                environment = environment_] { return validate(*schema, *value, environment); };
  durable_.compute(pending->id, pending->cause.owner, std::move(check),
                   [this, pending](Result<void> valid) {
                     if (!valid) return pending->reply(std::unexpected(std::move(valid.error())));
                     if (find(pending->id) != pending->before) {
                       return pending->reply(adapter_error(
                           "an earlier change of this entry could not be stored. Next: try again"));
                     }
                     submit(pending);
                   });
}

// Changes memory at once, so that the next call sees it, and answers when the disk has it.
void Configuration::submit(PendingPtr pending) {
  // Others may have grown meanwhile.
  if (Result<void> fits = check_limits(pending->id, pending->after); !fits) {
    return pending->reply(std::unexpected(std::move(fits.error())));
  }
  Entry& next = pending->after;
  next.record_id = pending->before ? pending->before->record_id : durable_.store().next_id();
  std::vector<Change> changes;
  changes.push_back(Change::put(Record{next.record_id, std::string(kConfigurationSpace), "",
                                       pending->id, share(row(pending->id, next, true))}));
  place(pending->id, std::make_shared<const Entry>(next));
  durable_.write(
      std::move(changes), [this, pending] { place(pending->id, pending->before); },
      [this, pending](Result<void> stored) { finish(*pending, std::move(stored)); });
}

void Configuration::finish(Pending& pending, Result<void> stored) {
  if (!stored) return pending.reply(adapter_error(stored.error().message));
  if (pending.registers) {
    pending.reply(row(pending.id, pending.after, true));
  } else {
    pending.reply(R"({"new_value":)" + *pending.after.value + R"(,"old_value":)" +
                  *pending.before->value + "}");
  }
  for (const auto& listener : listeners_) listener(pending.id);
  if (!pending.quiet) fire(pending);
}

std::string Configuration::row(std::string_view id, const Entry& entry, bool with_value) {
  std::string out = R"({"description":)";
  json::append_string(out, entry.description);
  out += R"(,"id":)";
  json::append_string(out, id);
  if (entry.metadata) out += R"(,"metadata":)" + *entry.metadata;
  out += R"(,"name":)";
  json::append_string(out, entry.name);
  out += R"(,"schema":)" + *entry.schema;
  if (with_value) out += R"(,"value":)" + *entry.value;
  out += '}';
  return out;
}

// ---- reading ----

void Configuration::get(const CallInfo& info, ConfigurationGetInput in, Reply reply) {
  const std::string id = in.id;
  durable_.enter(id, info.owner, id.size(),
                 [this, in = std::move(in), owner = info.owner,
                  reply = std::move(reply)](Result<void> may) mutable {
                   if (!may) return reply(adapter_error(may.error().message));
                   if (!in.raw) return start_get(in.id, owner, std::move(reply));
                   const EntryPtr entry = find(in.id);
                   if (!entry) return reply(not_found(in.id));
                   reply(answer_to_get(in.id, *entry->value));
                 });
}

void Configuration::start_get(const std::string& id, OwnerId owner, Reply reply) {
  const EntryPtr entry = find(id);
  if (!entry) return reply(not_found(id));
  durable_.compute(
      id, owner,
      [id, entry, environment = environment_] {
        return expanded_and_checked(id, *entry->schema, *entry->value, environment);
      },
      [id, reply = std::move(reply)](Result<std::string> value) mutable {
        if (!value) return reply(std::unexpected(std::move(value.error())));
        reply(answer_to_get(id, *value));
      });
}

void Configuration::list(const CallInfo& info, Reply reply) const {
  std::vector<std::pair<std::string, EntryPtr>> rows(entries_.begin(), entries_.end());
  bus_.background().compute(
      lasting(info.owner),
      [rows = std::move(rows), most = limits_.max_list_bytes]() -> Result<std::string> {
        std::string out = R"({"configurations":[)";
        for (const auto& [id, entry] : rows) {
          if (out.back() != '[') out += ',';
          out += row(id, *entry, false);
          if (out.size() <= most) continue;
          return adapter_error(
              "the entries take more bytes than one answer may carry; ask for them one by one "
              "with configuration::schema");
        }
        return out + "]}";
      },
      [reply = std::move(reply)](Result<std::string> text) mutable {
        if (!text) return reply(std::unexpected(std::move(text.error())));
        reply(share(std::move(*text)));
      });
}

Outcome Configuration::schema(const ConfigurationSchemaInput& in) const {
  const EntryPtr known = find(in.id);
  if (!known) return not_found(in.id);
  return row(in.id, *known, false);
}

std::optional<json::Value> Configuration::value_of(std::string_view id) const {
  const EntryPtr known = find(id);
  if (!known || known->value->size() > kMostOwnBytes) return std::nullopt;
  Result<json::Value> parsed = json::parse(*known->value);
  if (!parsed) return std::nullopt;
  Result<Expansion> expanded = expand(*parsed, environment_);
  if (!expanded || !expanded->unset.empty()) return std::nullopt;
  return std::move(expanded->value);
}

void Configuration::on_change(std::function<void(const std::string&)> listener) {
  listeners_.push_back(std::move(listener));
}

// ---- events ----

BuiltinTriggerType Configuration::trigger_type() {
  return {.id = std::string(kTriggerType),
          .owner = std::string(kOwner),
          .description = "Fires when a configuration entry is registered or updated.",
          .configuration_schema = json::schema<ConfigurationTriggerConfigForm>(),
          .request_schema = json::schema<ConfigurationEvent>(),
          .provider = &subscriptions_};
}

void Configuration::fire(const Pending& pending) {
  if (subscriptions_.empty()) return;
  const auto type =
      pending.before ? ConfigurationEventType::kUpdated : ConfigurationEventType::kRegistered;
  const std::string word = pending.before ? "configuration:updated" : "configuration:registered";
  subscriptions_.publish(
      {.subjects = {pending.id, word},
       .bytes = pending.after.bytes() + (pending.before ? pending.before->bytes() : 0),
       .write =
           [type, id = pending.id, before = pending.before, after = pending.after,
            environment = environment_] {
             ConfigurationEvent event;
             event.event_type = type;
             event.id = id;
             event.name = after.name;
             event.description = after.description;
             event.schema.text = *after.schema;
             event.new_value = shown(*after.value, environment);
             if (before) event.old_value = shown(*before->value, environment);
             if (after.metadata) event.metadata = json::Raw{*after.metadata};
             return json::encode(event);
           },
       .cause = pending.cause});
}

}  // namespace iii::engine
