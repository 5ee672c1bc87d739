#include "engine/state/state.h"

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "engine/state/update_ops.h"
#include "json/slice.h"
#include "json/write.h"

namespace iii::engine {

namespace {

constexpr std::string_view kSpace = "state";

SharedText share(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

const std::string& text_or_null(const SharedText& text) {
  static const std::string null = "null";
  return text ? *text : null;
}

Error with_code(std::string_view code, const Error& reason) {
  return Error{std::string(code), reason.message};
}

ConfigurationRegisterInput configuration_entry() {
  ConfigurationRegisterInput entry;
  entry.id = State::kConfigurationId;
  entry.name = "State";
  entry.description = "How state::* behaves.";
  entry.schema.text =
      R"({"type":"object","properties":{)"
      R"("triggers_enabled":{"type":"boolean","default":true,)"
      R"("description":"Whether changes fire the `state` trigger."},)"
      R"("max_value_bytes":{"type":["integer","null"],"minimum":1,)"
      R"("description":"Most bytes of a value given to state::set; 16 MiB when absent."}}})";
  entry.initial_value = json::Raw{R"({"triggers_enabled":true})"};
  return entry;
}

}  // namespace

struct State::Pending {
  std::string scope;
  std::string key;
  std::optional<StateMemory::Entry> before;  // nothing: the key was missing
  SharedText after;                          // null: the key is removed
  std::optional<std::vector<StateUpdateError>> errors;
  std::string_view error_code;  // of this function, when the disk fails
  Reply reply;
};

State::State(Store& store, Bus& bus, Configuration* configuration, StateLimits limits)
    : store_(store),
      bus_(bus),
      configuration_(configuration),
      limits_(limits),
      max_value_bytes_(limits.max_value_bytes) {}

State::~State() = default;

Result<void> State::start() {
  Result<void> loaded = store_.load(kSpace, [this](Record&& record) {
    memory_.put(record.scope, record.key, {record.id, std::move(record.value)});
  });
  if (!loaded) return loaded;
  if (configuration_ == nullptr) return {};
  configuration_->ensure(configuration_entry());
  configuration_->on_change([this](const std::string& id) {
    if (id == kConfigurationId) reload();
  });
  reload();
  return {};
}

void State::reload() {
  triggers_enabled_ = true;
  max_value_bytes_ = limits_.max_value_bytes;
  if (configuration_ == nullptr) return;
  const std::optional<json::Value> knobs = configuration_->value_of(kConfigurationId);
  if (!knobs) return;
  if (const json::Value* enabled = knobs->find("triggers_enabled")) {
    if (enabled->as_bool() != nullptr) triggers_enabled_ = *enabled->as_bool();
  }
  if (const json::Value* most = knobs->find("max_value_bytes")) {
    if (most->as_int() != nullptr && *most->as_int() > 0) {
      max_value_bytes_ = static_cast<size_t>(*most->as_int());
    }
  }
}

std::vector<BuiltinFunction> State::functions() {
  const std::string owner(kOwner);
  std::vector<BuiltinFunction> out;
  out.push_back(
      deferred_builtin<StateSetInput>(owner, "state::set", "Store a value under a scope and a key.",
                                      [this](const CallInfo&, StateSetInput in, Reply reply) {
                                        set(std::move(in), std::move(reply));
                                      }));
  out.back().response_schema = json::schema<StateSetResult>();
  out.push_back(deferred_builtin<StateGetInput>(
      owner, "state::get", "Read the value under a scope and a key.",
      [this](const CallInfo&, const StateGetInput& in, Reply reply) { reply(get(in)); }));
  out.push_back(deferred_builtin<StateDeleteInput>(
      owner, "state::delete", "Remove the value under a scope and a key; answers what it was.",
      [this](const CallInfo&, StateDeleteInput in, Reply reply) {
        erase(std::move(in), std::move(reply));
      }));
  out.push_back(deferred_builtin<StateUpdateInput>(
      owner, "state::update", "Change a value in place: several ops, applied together.",
      [this](const CallInfo&, StateUpdateInput in, Reply reply) {
        update(std::move(in), std::move(reply));
      }));
  json::Object& request = *out.back().request_schema->as_object();
  request["properties"].as_object()->insert_or_assign("ops", update_ops_schema());
  request["definitions"] = json::parse(R"({"UpdatePath":{"anyOf":[{"type":"string"},)"
                                       R"({"type":"array","items":{"type":"string"}},)"
                                       R"({"type":"null"}]}})")
                               .value();
  out.back().response_schema = json::schema<StateUpdateResult>();
  out.push_back(deferred_builtin<StateListInput>(
      owner, "state::list", "List the values of a scope, oldest key first.",
      [this](const CallInfo&, const StateListInput& in, Reply reply) { reply(list(in)); }));
  out.push_back(deferred_builtin<StateListGroupsInput>(
      owner, "state::list_groups", "List the scopes.",
      [this](const CallInfo&, const StateListGroupsInput&, Reply reply) { reply(list_groups()); }));
  out.back().response_schema = json::schema<StateListGroupsResult>();
  BuiltinFunction changed;
  changed.id = "iii-state::on-config-change";
  changed.owner = owner;
  changed.description = "Read the settings of state::* again.";
  changed.handler = [this](const CallInfo&, std::string_view, Reply reply) {
    reload();
    reply(std::nullopt);
  };
  out.push_back(std::move(changed));
  return out;
}

Outcome State::get(const StateGetInput& in) const {
  const StateMemory::Entry* entry = memory_.find(in.scope, in.key);
  if (entry == nullptr) return std::nullopt;
  return *entry->value;
}

Outcome State::list(const StateListInput& in) const {
  const size_t bytes = memory_.scope_bytes(in.scope) + 2;
  if (bytes > limits_.max_list_bytes) {
    return fail("LIST_ERROR", "the values of this scope take " + std::to_string(bytes) +
                                  " bytes, more than one answer may carry (" +
                                  std::to_string(limits_.max_list_bytes) +
                                  "); read them one by one with state::get");
  }
  std::string out = "[";
  out.reserve(bytes);
  memory_.each(in.scope, [&out](const std::string& value) {
    if (out.size() > 1) out += ',';
    out += value;
  });
  out += ']';
  return out;
}

Outcome State::list_groups() const {
  std::string out = R"({"groups":[)";
  const size_t start = out.size();
  memory_.each_scope([&out, start](const std::string& scope) {
    if (out.size() > start) out += ',';
    json::append_string(out, scope);
  });
  out += "]}";
  if (out.size() > limits_.max_list_bytes) {
    return fail("LIST_GROUPS_ERROR",
                "the names of the scopes take more bytes than one answer may "
                "carry (" +
                    std::to_string(limits_.max_list_bytes) + ")");
  }
  return out;
}

bool State::make_room(std::string_view scope, std::string_view key, size_t value_bytes) {
  if (memory_.bytes_with(scope, key, value_bytes) <= limits_.max_total_bytes) return true;
  memory_.drop_empty_scopes(scope);
  return memory_.bytes_with(scope, key, value_bytes) <= limits_.max_total_bytes;
}

void State::set(StateSetInput in, Reply reply) {
  // Only what is too large as sent needs the second look without white space.
  if (in.value.text.size() > max_value_bytes_) {
    const size_t bytes = json::compact(in.value.text).size();
    if (bytes > max_value_bytes_) {
      return reply(fail("VALUE_TOO_LARGE", "the value has " + std::to_string(bytes) +
                                               " bytes, more than the " +
                                               std::to_string(max_value_bytes_) +
                                               " allowed by max_value_bytes in configuration "
                                               "entry iii-state"));
    }
  }
  auto pending = std::make_shared<Pending>();
  pending->scope = std::move(in.scope);
  pending->key = std::move(in.key);
  pending->after = share(std::move(in.value.text));
  pending->error_code = "SET_ERROR";
  pending->reply = std::move(reply);
  submit(std::move(pending));
}

void State::erase(StateDeleteInput in, Reply reply) {
  auto pending = std::make_shared<Pending>();
  pending->scope = std::move(in.scope);
  pending->key = std::move(in.key);
  pending->error_code = "DELETE_ERROR";
  pending->reply = std::move(reply);
  submit(std::move(pending));
}

void State::update(StateUpdateInput in, Reply reply) {
  Result<std::vector<UpdateOp>> ops = parse_update_ops(in.ops.text);
  if (!ops) {
    return reply(std::unexpected(builtin_detail::decode_error("state::update", ops.error())));
  }
  if (ops->size() > limits_.max_ops) {
    return reply(fail("UPDATE_ERROR", std::to_string(ops->size()) + " ops in one update, at most " +
                                          std::to_string(limits_.max_ops) + " are allowed"));
  }
  const StateMemory::Entry* entry = memory_.find(in.scope, in.key);
  std::optional<json::Value> stored;
  if (entry != nullptr) {
    Result<json::Value> parsed = json::parse(*entry->value);
    if (!parsed) return reply(std::unexpected(with_code("UPDATE_ERROR", parsed.error())));
    stored = std::move(*parsed);
  }
  Updated updated = apply_update_ops(std::move(stored), std::move(*ops));
  if (depth_of(updated.value) > limits_.max_depth) {
    return reply(fail("UPDATE_ERROR", "the value would nest deeper than " +
                                          std::to_string(limits_.max_depth) + " levels"));
  }
  auto pending = std::make_shared<Pending>();
  // A value that no op touched keeps the very text it was stored with.
  const bool same = entry != nullptr && updated.applied == 0;
  pending->after = same ? entry->value : share(json::to_text(updated.value));
  const size_t most = std::max(max_value_bytes_, limits_.max_updated_bytes);
  if (pending->after->size() > most) {
    return reply(
        fail("VALUE_TOO_LARGE", "the value would have " + std::to_string(pending->after->size()) +
                                    " bytes, more than the " + std::to_string(most) + " allowed"));
  }
  if (!updated.errors.empty()) pending->errors = std::move(updated.errors);
  pending->scope = std::move(in.scope);
  pending->key = std::move(in.key);
  pending->error_code = "UPDATE_ERROR";
  pending->reply = std::move(reply);
  submit(std::move(pending));
}

// Changes memory at once, so that the next call sees it, and answers when the disk has it.
void State::submit(std::shared_ptr<Pending> pending) {
  Pending& p = *pending;
  if (p.after && !make_room(p.scope, p.key, p.after->size())) {
    return p.reply(fail(
        std::string(p.error_code),
        "the state holds " + std::to_string(memory_.bytes()) + " bytes and may not grow beyond " +
            std::to_string(limits_.max_total_bytes) + "; delete values that are no longer needed"));
  }
  if (const StateMemory::Entry* entry = memory_.find(p.scope, p.key)) p.before = *entry;
  Write write;
  if (p.after) {
    const int64_t id = p.before ? p.before->id : store_.next_id();
    write.changes.push_back(Change::put(Record{id, std::string(kSpace), p.scope, p.key, p.after}));
    memory_.put(p.scope, p.key, {id, p.after});
  } else if (p.before) {
    write.changes.push_back(Change::erase_id(p.before->id));
    memory_.erase(p.scope, p.key);
  }
  write.undo = [this, pending] { take_back(*pending); };
  write.done = [this, pending](Result<void> stored) { finish(*pending, std::move(stored)); };
  if (Result<void> accepted = store_.write(std::move(write)); !accepted) {
    take_back(p);
    p.reply(std::unexpected(with_code(p.error_code, accepted.error())));
  }
}

void State::take_back(const Pending& pending) {
  if (pending.before) {
    memory_.put(pending.scope, pending.key, *pending.before);
  } else {
    memory_.erase(pending.scope, pending.key);
  }
}

void State::finish(Pending& pending, Result<void> stored) {
  if (!stored) {
    return pending.reply(std::unexpected(with_code(pending.error_code, stored.error())));
  }
  const std::string& before = text_or_null(pending.before ? pending.before->value : nullptr);
  if (pending.after) {
    std::string answer = "{";
    answer.reserve(before.size() + pending.after->size() + 64);
    if (pending.errors) answer += R"("errors":)" + json::encode(*pending.errors) + ",";
    answer += R"("new_value":)";
    answer += *pending.after;
    answer += R"(,"old_value":)";
    answer += before;
    answer += '}';
    pending.reply(std::move(answer));
  } else if (pending.before) {
    pending.reply(before);
  } else {
    pending.reply(std::nullopt);
  }
  fire(pending);
}

void State::fire(const Pending& pending) {
  if (!triggers_enabled_ || bindings_.empty()) return;
  std::vector<FanoutTarget> targets;
  for (const Bound& bound : bindings_) {
    const StateTriggerConfig& filter = bound.config;
    if (filter.scope && *filter.scope != pending.scope) continue;
    if (filter.key && *filter.key != pending.key) continue;
    targets.push_back(bound.target);
  }
  if (targets.empty()) return;
  StateEvent event;
  event.event_type = !pending.after   ? StateEventType::kDeleted
                     : pending.before ? StateEventType::kUpdated
                                      : StateEventType::kCreated;
  event.scope = pending.scope;
  event.key = pending.key;
  event.new_value.text = text_or_null(pending.after);
  if (pending.before) event.old_value = json::Raw{*pending.before->value};
  std::string payload = json::encode(event);
  std::shared_ptr<void> ticket = budget_.take(payload.size());
  if (!ticket) {
    dropped_.warn(
        "state events are dropped: functions bound to the `state` trigger do not answer, and too "
        "many events wait for them");
    return;
  }
  fan_out(bus_, std::move(targets), std::move(payload), std::move(ticket));
}

BuiltinTriggerType State::trigger_type() {
  return {.id = std::string(kTriggerType),
          .owner = std::string(kOwner),
          .description = "Fires when a value of state::* is created, updated or deleted.",
          .configuration_schema = json::schema<StateTriggerConfig>(),
          .request_schema = json::schema<StateEvent>(),
          .provider = this};
}

Result<void> State::bind(const Binding& binding) {
  Result<StateTriggerConfig> config = json::decode<StateTriggerConfig>(binding.config);
  if (!config) {
    return fail(config.error().code, "Failed to parse trigger config: " + config.error().message);
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

void State::unbind(std::string_view id) {
  std::erase_if(bindings_, [id](const Bound& bound) { return bound.id == id; });
}

}  // namespace iii::engine
