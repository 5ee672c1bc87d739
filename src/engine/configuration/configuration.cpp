#include "engine/configuration/configuration.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "json/schema_check.h"
#include "json/slice.h"
#include "json/write.h"

namespace iii::engine {

namespace {

constexpr std::string_view kSpace = "configuration";
constexpr size_t kMaxIdBytes = 64;

SharedText share(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

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

}  // namespace

struct Configuration::Pending {
  std::string id;
  std::optional<Entry> before;  // nothing: the entry is new
  Entry after;
  bool quiet = false;      // no event: the engine's own doing
  bool registers = false;  // answered with the entry instead of the two values
  Reply reply;
};

Configuration::Configuration(Store& store, Bus& bus, Environment environment,
                             ConfigurationLimits limits)
    : store_(store), bus_(bus), environment_(std::move(environment)), limits_(limits) {}

Configuration::~Configuration() = default;

Result<void> Configuration::start() {
  return store_.load(kSpace, [this](Record&& record) {
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
    entries_.insert_or_assign(std::move(record.key), std::move(entry));
  });
}

std::vector<BuiltinFunction> Configuration::functions() {
  const std::string owner(kOwner);
  std::vector<BuiltinFunction> out;
  out.push_back(deferred_builtin<ConfigurationRegisterInput>(
      owner, "configuration::register", "Create an entry, or bring it up to date.",
      [this](const CallInfo&, ConfigurationRegisterInput in, Reply reply) {
        register_entry(std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<ConfigurationEntry>();
  out.push_back(deferred_builtin<ConfigurationSetInput>(
      owner, "configuration::set", "Give an entry a new value, checked against its schema.",
      [this](const CallInfo&, ConfigurationSetInput in, Reply reply) {
        set(std::move(in), std::move(reply));
      }));
  out.back().response_schema = json::schema<ConfigurationSetResult>();
  out.push_back(deferred_builtin<ConfigurationGetInput>(
      owner, "configuration::get", "Read the value of an entry, placeholders expanded.",
      [this](const CallInfo&, const ConfigurationGetInput& in, Reply reply) { reply(get(in)); }));
  out.back().response_schema = json::schema<ConfigurationGetResult>();
  out.push_back(deferred_builtin<ConfigurationListInput>(
      owner, "configuration::list", "List the entries, without their values.",
      [this](const CallInfo&, const ConfigurationListInput&, Reply reply) { reply(list()); }));
  out.back().response_schema = json::schema<ConfigurationListResult>();
  out.push_back(deferred_builtin<ConfigurationSchemaInput>(
      owner, "configuration::schema", "Describe one entry.",
      [this](const CallInfo&, const ConfigurationSchemaInput& in, Reply reply) {
        reply(schema(in));
      }));
  out.back().response_schema = json::schema<ConfigurationRow>();
  return out;
}

// A value with variables that are not set yet cannot be checked, and is accepted.
Result<void> Configuration::validate(std::string_view schema, std::string_view value) const {
  Result<json::Value> parsed = json::parse(value);
  if (!parsed) return fail("SCHEMA_INVALID", parsed.error().message);
  Result<Expansion> expanded = expand(*parsed, environment_);
  if (!expanded) return std::unexpected(std::move(expanded.error()));
  if (!expanded->unset.empty()) return {};
  return validate_expanded(schema, expanded->value);
}

Result<void> Configuration::validate_expanded(std::string_view schema, const json::Value& value) {
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

void Configuration::register_entry(ConfigurationRegisterInput in, Reply reply) {
  if (!is_valid_id(in.id)) return reply(invalid_id(in.id));
  if (in.initial_value) {
    if (auto valid = validate(in.schema.text, in.initial_value->text); !valid) {
      return reply(std::unexpected(std::move(valid.error())));
    }
  }
  auto pending = std::make_shared<Pending>();
  pending->registers = true;
  pending->reply = std::move(reply);
  submit_registration(std::move(in), std::move(pending));
}

void Configuration::submit_registration(ConfigurationRegisterInput in,
                                        std::shared_ptr<Pending> pending) {
  Entry next;
  next.name = std::move(in.name);
  next.description = std::move(in.description);
  next.schema = share(std::move(in.schema.text));
  if (in.metadata) next.metadata = share(std::move(in.metadata->text));
  const auto known = entries_.find(in.id);
  if (in.initial_value) {
    next.value = share(std::move(in.initial_value->text));
  } else {
    next.value = known != entries_.end() ? known->second.value : share("null");
  }
  pending->id = std::move(in.id);
  submit(std::move(pending), std::move(next));
}

void Configuration::ensure(ConfigurationRegisterInput in) {
  if (const auto known = entries_.find(in.id); known != entries_.end()) {
    const Entry& entry = known->second;
    if (entry.name == in.name && entry.description == in.description &&
        *entry.schema == in.schema.text) {
      return;
    }
    in.initial_value.reset();
  }
  auto pending = std::make_shared<Pending>();
  pending->quiet = true;
  pending->registers = true;
  pending->reply = [](Outcome) {};
  submit_registration(std::move(in), std::move(pending));
}

void Configuration::set(ConfigurationSetInput in, Reply reply) {
  if (!is_valid_id(in.id)) return reply(invalid_id(in.id));
  const auto known = entries_.find(in.id);
  if (known == entries_.end()) {
    return reply(fail("NOT_REGISTERED", "configuration '" + in.id +
                                            "' is not registered; call configuration::register "
                                            "first"));
  }
  if (*known->second.schema == "null") {
    return reply(fail("SCHEMA_UNAVAILABLE", "configuration '" + in.id +
                                                "' has no schema to check the value against; "
                                                "register it again with one"));
  }
  if (auto valid = validate(*known->second.schema, in.value.text); !valid) {
    return reply(std::unexpected(std::move(valid.error())));
  }
  Entry next = known->second;
  next.value = share(std::move(in.value.text));
  auto pending = std::make_shared<Pending>();
  pending->id = std::move(in.id);
  pending->reply = std::move(reply);
  submit(std::move(pending), std::move(next));
}

size_t Configuration::Entry::bytes() const {
  return name.size() + description.size() + schema->size() + value->size() +
         (metadata ? metadata->size() : 0);
}

Result<void> Configuration::check_limits(const std::string& id, const Entry& next) const {
  const auto known = entries_.find(id);
  if (known == entries_.end() && entries_.size() >= limits_.max_entries) {
    return fail("ADAPTER_ERROR", "there are " + std::to_string(entries_.size()) +
                                     " entries already, and no more are allowed");
  }
  if (next.bytes() > limits_.max_entry_bytes) {
    return fail("ADAPTER_ERROR", "the entry has " + std::to_string(next.bytes()) +
                                     " bytes, more than the " +
                                     std::to_string(limits_.max_entry_bytes) + " allowed");
  }
  size_t total = next.bytes();
  for (const auto& [other, entry] : entries_) total += other == id ? 0 : entry.bytes();
  if (total > limits_.max_total_bytes) {
    return fail("ADAPTER_ERROR", "all entries together would have " + std::to_string(total) +
                                     " bytes, more than the " +
                                     std::to_string(limits_.max_total_bytes) + " allowed");
  }
  return {};
}

// Changes memory at once, so that the next call sees it, and answers when the disk has it.
void Configuration::submit(std::shared_ptr<Pending> pending, Entry next) {
  const auto known = entries_.find(pending->id);
  if (Result<void> fits = check_limits(pending->id, next); !fits) {
    return pending->reply(std::unexpected(std::move(fits.error())));
  }
  if (known != entries_.end()) pending->before = known->second;
  next.record_id = pending->before ? pending->before->record_id : store_.next_id();
  pending->after = next;
  Write write;
  write.changes.push_back(Change::put(Record{next.record_id, std::string(kSpace), "", pending->id,
                                             share(row(pending->id, next, true))}));
  write.undo = [this, pending] { take_back(*pending); };
  write.done = [this, pending](Result<void> stored) { finish(*pending, std::move(stored)); };
  entries_.insert_or_assign(pending->id, std::move(next));
  if (Result<void> accepted = store_.write(std::move(write)); !accepted) {
    take_back(*pending);
    pending->reply(fail("ADAPTER_ERROR", accepted.error().message));
  }
}

void Configuration::take_back(const Pending& pending) {
  if (pending.before) {
    entries_.insert_or_assign(pending.id, *pending.before);
  } else {
    entries_.erase(pending.id);
  }
}

void Configuration::finish(Pending& pending, Result<void> stored) {
  if (!stored) return pending.reply(fail("ADAPTER_ERROR", stored.error().message));
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

Outcome Configuration::get(const ConfigurationGetInput& in) const {
  const auto known = entries_.find(in.id);
  if (known == entries_.end()) return not_found(in.id);
  const Entry& entry = known->second;
  const auto answer = [&in](std::string_view value) {
    std::string out = R"({"id":)";
    json::append_string(out, in.id);
    return out.append(R"(,"value":)").append(value).append("}");
  };
  if (in.raw) return answer(*entry.value);
  Result<json::Value> parsed = json::parse(*entry.value);
  if (!parsed) return fail("EXPAND_FAILED", parsed.error().message);
  Result<Expansion> expanded = expand(*parsed, environment_);
  if (!expanded) return std::unexpected(std::move(expanded.error()));
  if (!expanded->unset.empty()) {
    return fail("EXPAND_FAILED",
                "configuration '" + in.id +
                    "' references unset environment variable(s) with no default: " +
                    join(expanded->unset, ", "));
  }
  if (*entry.schema != "null") {
    if (auto valid = validate_expanded(*entry.schema, expanded->value); !valid) {
      return std::unexpected(std::move(valid.error()));
    }
  }
  return answer(json::to_text(expanded->value));
}

Outcome Configuration::list() const {
  std::string out = R"({"configurations":[)";
  bool first = true;
  for (const auto& [id, entry] : entries_) {
    if (!first) out += ',';
    first = false;
    out += row(id, entry, false);
    if (out.size() > limits_.max_list_bytes) {
      return fail("ADAPTER_ERROR",
                  "the entries take more bytes than one answer may carry; ask for them one by one "
                  "with configuration::schema");
    }
  }
  return out + "]}";
}

Outcome Configuration::schema(const ConfigurationSchemaInput& in) const {
  const auto known = entries_.find(in.id);
  if (known == entries_.end()) return not_found(in.id);
  return row(in.id, known->second, false);
}

std::optional<json::Value> Configuration::value_of(std::string_view id) const {
  const auto known = entries_.find(id);
  if (known == entries_.end()) return std::nullopt;
  Result<json::Value> parsed = json::parse(*known->second.value);
  if (!parsed) return std::nullopt;
  Result<Expansion> expanded = expand(*parsed, environment_);
  if (!expanded || !expanded->unset.empty()) return std::nullopt;
  return std::move(expanded->value);
}

void Configuration::on_change(std::function<void(const std::string&)> listener) {
  listeners_.push_back(std::move(listener));
}

BuiltinTriggerType Configuration::trigger_type() {
  return {.id = std::string(kTriggerType),
          .owner = std::string(kOwner),
          .description = "Fires when a configuration entry is registered, updated or deleted.",
          .configuration_schema = json::schema<ConfigurationTriggerConfigForm>(),
          .request_schema = json::schema<ConfigurationEvent>(),
          .provider = this};
}

Result<void> Configuration::bind(const Binding& binding) {
  auto config = json::decode<ConfigurationTriggerConfig>(binding.config);
  if (!config) {
    return fail(config.error().code,
                "Failed to parse configuration trigger config: " + config.error().message);
  }
  unbind(binding.id);
  Bound bound;
  bound.id = binding.id;
  bound.target = {binding.function_id, binding.name_space, binding.metadata,
                  config->condition_function_id};
  bound.config = std::move(*config);
  bindings_.push_back(std::move(bound));
  return {};
}

void Configuration::unbind(std::string_view id) {
  std::erase_if(bindings_, [id](const Bound& bound) { return bound.id == id; });
}

void Configuration::fire(const Pending& pending) {
  const auto type =
      pending.before ? ConfigurationEventType::kUpdated : ConfigurationEventType::kRegistered;
  const std::string_view word =
      pending.before ? "configuration:updated" : "configuration:registered";
  std::vector<FanoutTarget> targets;
  for (const Bound& bound : bindings_) {
    const ConfigurationTriggerConfig& filter = bound.config;
    if (filter.configuration_id && *filter.configuration_id != pending.id) continue;
    if (filter.event_types &&
        std::ranges::find(*filter.event_types, word) == filter.event_types->end()) {
      continue;
    }
    targets.push_back(bound.target);
  }
  if (targets.empty()) return;
  // As far as it can be expanded: what is unset stays as written.
  const auto shown = [this](const SharedText& value) -> std::optional<json::Raw> {
    Result<json::Value> parsed = json::parse(*value);
    if (!parsed) return json::Raw{*value};
    Result<Expansion> expanded = expand(*parsed, environment_);
    return json::Raw{expanded ? json::to_text(expanded->value) : *value};
  };
  ConfigurationEvent event;
  event.event_type = type;
  event.id = pending.id;
  event.name = pending.after.name;
  event.description = pending.after.description;
  event.schema.text = *pending.after.schema;
  event.new_value = shown(pending.after.value);
  if (pending.before) event.old_value = shown(pending.before->value);
  if (pending.after.metadata) event.metadata = json::Raw{*pending.after.metadata};
  std::string payload = json::encode(event);
  std::shared_ptr<void> ticket = budget_.take(payload.size());
  if (!ticket) {
    dropped_.warn(
        "configuration events are dropped: functions bound to the `configuration` trigger do not "
        "answer, and too many events wait for them");
    return;
  }
  fan_out(bus_, std::move(targets), std::move(payload), std::move(ticket));
}

}  // namespace iii::engine
