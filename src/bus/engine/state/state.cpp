#include "bus/engine/state/state.h"

#include <algorithm>
#include <utility>

#include "foundation/base/log.h"
#include "foundation/json/write.h"

namespace iii::engine {

namespace {

constexpr std::string_view kStateSpace = "state";

const std::string& text_or_null(const SharedText& text) {
  static const std::string null = "null";
  return text ? *text : null;
}

std::unexpected<Error> with_code(std::string_view code, const Error& reason) {
  return fail(std::string(code), reason.message);
}

Result<Subscription> read_state_config(const std::string& text) {
  Result<StateTriggerConfig> config = json::decode<StateTriggerConfig>(text);
  if (!config) {
    return fail(config.error().code, "Failed to parse trigger config: " + config.error().message);
  }
  const auto exactly = [](std::optional<std::string>& word) {
    return word ? std::optional(std::vector{std::move(*word)}) : std::nullopt;
  };
  return Subscription{{exactly(config->scope), exactly(config->key)},
                      std::move(config->condition_function_id)};
}

std::string joined(const std::vector<SharedText>& values) {
  size_t bytes = 2;
  for (const SharedText& value : values) bytes += value->size() + 1;
  std::string out = "[";
  out.reserve(bytes);
  for (const SharedText& value : values) {
    if (out.size() > 1) out += ',';
    out += *value;
  }
  return out += ']';
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
  Cause cause;
  Reply reply;
};

State::State(Store& store, Bus& bus, Configuration* configuration, StateLimits limits)
    : bus_(bus),
      configuration_(configuration),
      limits_(limits),
      durable_(store, bus),
      subscriptions_(bus, std::string(kTriggerType), read_state_config),
      max_value_bytes_(limits.max_value_bytes) {}

State::~State() = default;

Result<void> State::start() {
  Result<void> loaded = durable_.store().load(kStateSpace, [this](Record&& record) {
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
  // A scope and a key, of which an escape takes at most six bytes for one.
  const size_t most_names = 2 * 6 * limits_.max_name_bytes + 4 * 1024;
  std::vector<BuiltinFunction> out;
  out.push_back(deferred_builtin<StateSetInput>(
      owner, "state::set",
      "Store a value under a scope and a key. Answers the value before and after.",
      [this](const CallInfo& info, StateSetInput in, Reply reply) {
        set(info, std::move(in), std::move(reply));
      }));
  out.back().max_input_bytes = kAnyInput;  // `max_value_bytes` decides
  out.back().response_schema = json::schema<StateSetResult>();
  out.push_back(deferred_builtin<StateGetInput>(
      owner, "state::get", "Read the value under a scope and a key; null if there is none.",
      [this](const CallInfo& info, StateGetInput in, Reply reply) {
        get(info, std::move(in), std::move(reply));
      }));
  out.back().max_input_bytes = most_names;
  out.push_back(deferred_builtin<StateDeleteInput>(
      owner, "state::delete", "Remove the value under a scope and a key; answers what it was.",
      [this](const CallInfo& info, StateDeleteInput in, Reply reply) {
        erase(info, std::move(in), std::move(reply));
      }));
  out.back().max_input_bytes = most_names;
  out.push_back(deferred_builtin<StateUpdateInput>(
      owner, "state::update",
      "Change parts of a value with a list of ops that are applied together, in order.",
      [this](const CallInfo& info, StateUpdateInput in, Reply reply) {
        update(info, std::move(in), std::move(reply));
      }));
  out.back().max_input_bytes = kMaxUpdateInput;
  json::Object& request = *out.back().request_schema->as_object();
  request["properties"].as_object()->insert_or_assign("ops", update_ops_schema());
  request["definitions"] = json::parse(R"({"UpdatePath":{"anyOf":[{"type":"string"},)"
                                       R"({"type":"array","items":{"type":"string"}},)"
                                       R"({"type":"null"}]}})")
                               .value();
  out.back().response_schema = json::schema<StateUpdateResult>();
  out.push_back(deferred_builtin<StateListInput>(
      owner, "state::list", "List the values of a scope, oldest key first.",
      [this](const CallInfo& info, StateListInput in, Reply reply) {
        list(info, std::move(in), std::move(reply));
      }));
  out.back().max_input_bytes = most_names;
  out.push_back(deferred_builtin<StateListGroupsInput>(
      owner, "state::list_groups", "List the names of all scopes that are in use.",
      [this](const CallInfo& info, const StateListGroupsInput&, Reply reply) {
        list_groups(info, std::move(reply));
      }));
  out.back().response_schema = json::schema<StateListGroupsResult>();
  BuiltinFunction changed;
  changed.id = "iii-state::on-config-change";
  changed.owner = owner;
  changed.description = "Internal: reads the settings of state::* again after a change.";
  changed.internal = true;
  changed.max_input_bytes = kAnyInput;  // it is not looked at
  changed.handler = [this](const CallInfo&, std::string_view, Reply reply) {
    reload();
    reply(std::nullopt);
  };
  out.push_back(std::move(changed));
  return out;
}

// ---- reading ----

void State::get(const CallInfo& info, StateGetInput in, Reply reply) {
  const std::string scope = in.scope;
  const size_t bytes = in.scope.size() + in.key.size();
  durable_.enter(scope, info.owner, bytes,
                 [this, in = std::move(in), reply = std::move(reply)](Result<void> may) mutable {
                   if (!may) return reply(with_code("GET_ERROR", may.error()));
                   const StateMemory::Entry* entry = memory_.find(in.scope, in.key);
                   reply(entry == nullptr ? Outcome(std::nullopt) : Outcome(entry->value));
                 });
}

void State::list(const CallInfo& info, StateListInput in, Reply reply) {
  durable_.enter(in.scope, info.owner, in.scope.size(),
                 [this, scope = in.scope, owner = info.owner,
                  reply = std::move(reply)](Result<void> may) mutable {
                   if (!may) return reply(with_code("LIST_ERROR", may.error()));
                   collect(scope, owner, std::move(reply));
                 });
}

void State::collect(const std::string& scope, OwnerId owner, Reply reply) {
  const size_t bytes = memory_.scope_bytes(scope) + 2;
  if (bytes > limits_.max_list_bytes) {
    return reply(fail("LIST_ERROR", "the values of this scope take " + std::to_string(bytes) +
                                        " bytes, more than one answer may carry (" +
                                        std::to_string(limits_.max_list_bytes) +
                                        "); read them one by one with state::get"));
  }
  auto values = std::make_shared<std::vector<SharedText>>();
  if (memory_.keys(scope) <= kSmallRows) {
    memory_.collect(scope, 0, kSmallRows, *values);
    return answer_later(owner, bytes, [values] { return joined(*values); }, std::move(reply));
  }
  durable_.repeat(
      scope, owner,
      [this, scope, owner, bytes, values, after = int64_t{0}, reply = std::move(reply)]() mutable {
        after = memory_.collect(scope, after, kSmallRows, *values);
        if (after != 0) return true;
        answer_later(owner, bytes, [values] { return joined(*values); }, std::move(reply));
        return false;
      });
}

void State::list_groups(const CallInfo& info, Reply reply) {
  auto out = std::make_shared<std::string>(R"({"groups":[)");
  auto step = [this, out, after = std::optional<std::string>(), start = out->size(),
               reply = std::move(reply)]() mutable {
    const bool more = memory_.each_scope(after, kSmallRows, [&](const std::string& scope) {
      if (out->size() > start) *out += ',';
      json::append_string(*out, scope);
      after = scope;
    });
    if (out->size() > limits_.max_list_bytes) {
      reply(fail("LIST_GROUPS_ERROR",
                 "the names of the scopes take more bytes than one answer may carry (" +
                     std::to_string(limits_.max_list_bytes) + ")"));
      return false;
    }
    if (more) return true;
    *out += "]}";
    reply(JsonText(std::shared_ptr<const std::string>(out)));
    return false;
  };
  if (memory_.scopes() <= kSmallRows) {
    step();
    return;
  }
  // No scope is kept waiting: the lane is nobody's.
  durable_.repeat(std::string("\0groups", 7), info.owner, std::move(step));
}

// Large answers are put together outside the loop.
void State::answer_later(OwnerId owner, size_t bytes, std::move_only_function<std::string()> write,
                         Reply reply) {
  if (bytes <= kInlineBytes) return reply(write());
  bus_.background().compute(
      lasting(owner), std::move(write),
      [reply = std::move(reply)](std::string text) mutable { reply(share(std::move(text))); });
}

// ---- writing ----

bool State::make_room(std::string_view scope, std::string_view key, size_t value_bytes) {
  if (memory_.bytes_with(scope, key, value_bytes) <= limits_.max_total_bytes) return true;
  memory_.drop_empty_scopes(scope, kSmallRows);
  return memory_.bytes_with(scope, key, value_bytes) <= limits_.max_total_bytes;
}

bool State::names_fit(const Pending& pending) const {
  return pending.scope.size() <= limits_.max_name_bytes &&
         pending.key.size() <= limits_.max_name_bytes;
}

void State::set(const CallInfo& info, StateSetInput in, Reply reply) {
  auto pending = std::make_shared<Pending>();
  pending->scope = std::move(in.scope);
  pending->key = std::move(in.key);
  pending->after = share(std::move(in.value.text));
  pending->error_code = "SET_ERROR";
  pending->cause = info.cause();
  pending->reply = std::move(reply);
  const size_t bytes = pending->after->size();
  durable_.enter(pending->scope, info.owner, bytes, [this, pending, bytes](Result<void> may) {
    if (!may) return pending->reply(with_code(pending->error_code, may.error()));
    // Only what is too large as sent needs the second look without white space.
    if (bytes <= max_value_bytes_) return submit(pending);
    durable_.compute(
        pending->scope, pending->cause.owner,
        [text = pending->after] { return json::compact(*text).size(); },
        [this, pending](size_t compact_bytes) {
          if (compact_bytes <= max_value_bytes_) return submit(pending);
          pending->reply(fail("VALUE_TOO_LARGE", "the value has " + std::to_string(compact_bytes) +
                                                     " bytes, more than the " +
                                                     std::to_string(max_value_bytes_) +
                                                     " allowed by max_value_bytes in configuration "
                                                     "entry iii-state"));
        });
  });
}

void State::erase(const CallInfo& info, StateDeleteInput in, Reply reply) {
  auto pending = std::make_shared<Pending>();
  pending->scope = std::move(in.scope);
  pending->key = std::move(in.key);
  pending->error_code = "DELETE_ERROR";
  pending->cause = info.cause();
  pending->reply = std::move(reply);
  durable_.enter(pending->scope, info.owner, pending->key.size(),
                 [this, pending](Result<void> may) {
                   if (!may) return pending->reply(with_code(pending->error_code, may.error()));
                   submit(pending);
                 });
}

void State::update(const CallInfo& info, StateUpdateInput in, Reply reply) {
  auto pending = std::make_shared<Pending>();
  pending->scope = std::move(in.scope);
  pending->key = std::move(in.key);
  pending->error_code = "UPDATE_ERROR";
  pending->cause = info.cause();
  pending->reply = std::move(reply);
  SharedText ops = share(std::move(in.ops.text));
  const size_t bytes = ops->size();
  durable_.enter(pending->scope, info.owner, bytes,
                 [this, pending, ops = std::move(ops)](Result<void> may) mutable {
                   if (!may) return pending->reply(with_code(pending->error_code, may.error()));
                   apply(pending, std::move(ops));
                 });
}

void State::apply(PendingPtr pending, SharedText ops) {
  const StateMemory::Entry* entry = memory_.find(pending->scope, pending->key);
  const SharedText stored = entry != nullptr ? entry->value : nullptr;
  const UpdateLimits limits{.max_ops = limits_.max_ops,
                            .max_depth = limits_.max_depth,
                            .max_bytes = std::max(max_value_bytes_, limits_.max_updated_bytes)};
  auto job = [stored, ops, limits] { return updated_text(stored, *ops, limits); };
  if (ops->size() + (stored ? stored->size() : 0) <= kInlineBytes) {
    return applied(std::move(pending), std::move(ops), stored, job());
  }
  Pending& p = *pending;
  durable_.compute(p.scope, p.cause.owner, std::move(job),
                   [this, pending = std::move(pending), ops = std::move(ops),
                    stored](Result<UpdatedText> updated) mutable {
                     applied(std::move(pending), std::move(ops), stored, std::move(updated));
                   });
}

void State::applied(PendingPtr pending, SharedText ops, const SharedText& stored,
                    Result<UpdatedText> updated) {
  // A failing disk may have taken the value back meanwhile.
  const StateMemory::Entry* entry = memory_.find(pending->scope, pending->key);
  if ((entry != nullptr ? entry->value : nullptr) != stored) {
    return apply(std::move(pending), std::move(ops));
  }
  if (!updated) return pending->reply(std::unexpected(std::move(updated.error())));
  pending->after = std::move(updated->value);
  pending->errors = std::move(updated->errors);
  submit(std::move(pending));
}

// Changes memory at once, so that the next call sees it, and answers when the disk has it.
void State::submit(PendingPtr pending) {
  Pending& p = *pending;
  if (p.after && !names_fit(p)) {
    return p.reply(fail(std::string(p.error_code), "the scope or the key has more than the " +
                                                       std::to_string(limits_.max_name_bytes) +
                                                       " bytes allowed"));
  }
  if (p.after && !make_room(p.scope, p.key, p.after->size())) {
    return p.reply(fail(
        std::string(p.error_code),
        "the state holds " + std::to_string(memory_.bytes()) + " bytes and may not grow beyond " +
            std::to_string(limits_.max_total_bytes) + "; delete values that are no longer needed"));
  }
  if (const StateMemory::Entry* entry = memory_.find(p.scope, p.key)) p.before = *entry;
  std::vector<Change> changes;
  if (p.after) {
    const int64_t id = p.before ? p.before->id : durable_.store().next_id();
    changes.push_back(Change::put(Record{id, std::string(kStateSpace), p.scope, p.key, p.after}));
    memory_.put(p.scope, p.key, {id, p.after});
  } else if (p.before) {
    changes.push_back(Change::erase_id(p.before->id));
    memory_.erase(p.scope, p.key);
  }
  durable_.write(
      std::move(changes), [this, pending] { take_back(*pending); },
      [this, pending](Result<void> stored) { finish(*pending, std::move(stored)); });
}

void State::take_back(const Pending& pending) {
  if (pending.before) {
    memory_.put(pending.scope, pending.key, *pending.before);
  } else {
    memory_.erase(pending.scope, pending.key);
  }
}

void State::finish(Pending& pending, Result<void> stored) {
  if (!stored) return pending.reply(with_code(pending.error_code, stored.error()));
  SharedText before = pending.before ? pending.before->value : nullptr;
  if (pending.after) {
    const size_t bytes = pending.after->size() + text_or_null(before).size() + 64;
    answer_later(
        pending.cause.owner, bytes,
        [after = pending.after, before, bytes, errors = std::move(pending.errors)] {
          std::string answer = "{";
          answer.reserve(bytes);
          if (errors) answer += R"("errors":)" + json::encode(*errors) + ",";
          answer.append(R"("new_value":)").append(*after);
          answer.append(R"(,"old_value":)").append(text_or_null(before));
          return answer += '}';
        },
        std::move(pending.reply));
  } else if (before) {
    pending.reply(before);
  } else {
    pending.reply(std::nullopt);
  }
  fire(pending);
}

void State::fire(const Pending& pending) {
  if (!triggers_enabled_ || subscriptions_.empty()) return;
  SharedText before = pending.before ? pending.before->value : nullptr;
  const size_t bytes = pending.scope.size() + pending.key.size() + text_or_null(before).size() +
                       text_or_null(pending.after).size() + 128;
  const std::string_view word = !pending.after ? "state:deleted"
                                : before       ? "state:updated"
                                               : "state:created";
  subscriptions_.publish({.subjects = {pending.scope, pending.key},
                          .bytes = bytes,
                          .write =
                              [word, scope = pending.scope, key = pending.key,
                               after = pending.after, before = std::move(before), bytes] {
                                std::string out;
                                out.reserve(bytes);
                                out.append(R"({"event_type":")").append(word).append(R"(","key":)");
                                json::append_string(out, key);
                                out.append(R"(,"new_value":)").append(text_or_null(after));
                                out.append(R"(,"old_value":)").append(text_or_null(before));
                                out.append(R"(,"scope":)");
                                json::append_string(out, scope);
                                return out += R"(,"type":"state"})";
                              },
                          .cause = pending.cause});
}

BuiltinTriggerType State::trigger_type() {
  return {.id = std::string(kTriggerType),
          .owner = std::string(kOwner),
          .description = "Fires when a value of state::* is created, updated or deleted.",
          .configuration_schema = json::schema<StateTriggerConfig>(),
          .request_schema = json::schema<StateEvent>(),
          .provider = &subscriptions_};
}

}  // namespace iii::engine
