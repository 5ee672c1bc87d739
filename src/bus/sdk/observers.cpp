#include "bus/sdk/observers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bus/protocol/writer.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::sdk {

namespace {

constexpr std::string_view kUnsupported = "UNSUPPORTED";

void append_member(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  if (out.back() != '{') out += ',';
  json::append_string(out, key);
  out += ':';
  json::append_string(out, text);
}

void append_raw(std::string& out, std::string_view key, const std::optional<json::Raw>& value) {
  if (!value) return;
  json::append_string(out += ',', key);
  out += ':' + value->text;
}

std::string function_text(std::string_view id, std::string_view name_space) {
  std::string out = "{";
  append_member(out, "function_id", id);
  append_member(out, "namespace", name_space);
  return out;
}

std::string source_text(const ObserveSpec& spec) {
  std::string out = function_text(spec.function_id, spec.name_space);
  append_raw(out, "args", spec.args);
  append_raw(out, "filters", spec.filters);
  if (spec.capture) {
    json::Array names(spec.capture->begin(), spec.capture->end());
    append_raw(out, "capture", json::Raw{json::to_text(json::Value(std::move(names)))});
  }
  append_member(out, "on", spec.on);
  append_member(out, "deliver", spec.deliver);
  return out + "}";
}

// What a newer engine may say beside these is read as pending.
std::string known_state(std::string_view state) {
  constexpr std::array<std::string_view, 5> kStates{"pending", "active", "suspended", "error",
                                                    "disposed"};
  return std::string(std::ranges::find(kStates, state) != kStates.end() ? state : kStates[0]);
}

std::vector<std::string> texts_of(const std::optional<protocol::Json>& list) {
  std::vector<std::string> texts;
  if (!list) return texts;
  json::Walker walker(*list);
  json::Slice key;
  json::Slice item;
  while (walker.next(key, item)) {
    texts.push_back(json::kind_of(item) == json::Kind::kString ? json::string_of(item)
                                                               : std::string(item));
  }
  return texts;
}

// The text becomes part of a frame: with a wrong one the engine could not even answer.
Result<void> check_json(std::string_view name, const std::optional<json::Raw>& value) {
  constexpr size_t kDepthOfFrame = 2;
  if (!value) return {};
  const Result<void> valid = json::validate(value->text, json::kMaxDepth - kDepthOfFrame);
  if (valid) return {};
  return fail("invalid_observer",
              fmt::format("`{}` is not valid JSON: {}", name, valid.error().message));
}

std::optional<Error> owned(const std::optional<protocol::ErrorBody>& body) {
  if (!body) return std::nullopt;
  return Error{std::string(body->code), std::string(body->message)};
}

std::optional<HostedObserver> read_view(json::Slice view) {
  const auto id = json::member(view, "id");
  if (!id || json::kind_of(*id) != json::Kind::kString) return std::nullopt;
  HostedObserver observer{.id = json::string_of(*id), .args = {}, .filters = {}, .target = {}};
  observer.args.text = json::member(view, "args").value_or("{}");
  observer.filters.text = json::member(view, "filters").value_or("{}");
  if (const auto target = json::member(view, "target");
      target && json::kind_of(*target) == json::Kind::kString) {
    observer.target = json::string_of(*target);
  }
  return observer;
}

}  // namespace

Result<void> Observers::add(ObserveSpec spec) {
  if (spec.function_id.empty() || spec.target.empty()) {
    return fail("invalid_observer", "an observer needs `function_id` and `target`");
  }
  if (made_.find(spec.id) != nullptr) {
    return fail("invalid_observer", "there is already an observer " + spec.id);
  }
  for (const auto& [name, value] :
       {std::pair("args", &spec.args), std::pair("filters", &spec.filters),
        std::pair("metadata", &spec.metadata)}) {
    if (auto ok = check_json(name, *value); !ok) return ok;
  }
  const std::string source = source_text(spec);
  const std::string target = function_text(spec.target, spec.target_namespace) + "}";
  protocol::Observe frame{.id = spec.id,
                          .source = source,
                          .target = target,
                          .metadata = {},
                          .max_fires = spec.max_fires,
                          .expires_in_ms = spec.expires_in_ms,
                          .max_in_flight = spec.max_in_flight};
  if (spec.metadata) frame.metadata = spec.metadata->text;
  made_.add({.id = spec.id,
             .frame = protocol::to_text(frame),
             .on_state = std::move(spec.on_state),
             .status = {},
             .refused = false});
  return {};
}

bool Observers::remove(std::string_view id) {
  if (!made_.remove(id)) return false;
  if (ready_ && engine_observes_) {
    transport_.send(protocol::to_text(protocol::Unobserve{id}));
  } else {
    ended_.emplace_back(id);
  }
  return true;
}

const ObserverStatus* Observers::status(std::string_view id) {
  const Made* found = made_.find(id);
  return found == nullptr ? nullptr : &found->status;
}

void Observers::set_hooks(std::string function_id, ObserveHooks hooks) {
  hooks_[std::move(function_id)] = std::move(hooks);
}

std::vector<HostedObserver> Observers::hosted(std::string_view function_id) const {
  std::vector<HostedObserver> all;
  const auto found = hosted_.find(function_id);
  if (found == hosted_.end()) return all;
  for (const auto& [id, observer] : found->second.observers) all.push_back(observer);
  return all;
}

void Observers::disconnected() {
  ready_ = false;
  unanswered_.clear();
}

void Observers::ready(bool engine_observes) {
  ready_ = true;
  engine_observes_ = engine_observes;
  for (const std::string& id : std::exchange(ended_, {})) {
    if (engine_observes_) transport_.send(protocol::to_text(protocol::Unobserve{id}));
  }
  std::vector<std::string> ids;
  for (const Made& observer : made_) {
    if (!observer.refused) ids.push_back(observer.id);
  }
  for (const std::string& id : ids) send(id);
}

void Observers::send(std::string_view id) {
  const Made* observer = made_.find(id);
  if (observer == nullptr) return;
  if (engine_observes_) {
    ++unanswered_[observer->id];
    return transport_.send(observer->frame);
  }
  set_status(id,
             {.state = "error",
              .reason = Error{std::string(kUnsupported),
                              "This engine does not offer observers (observe.v1). Next: connect to "
                              "an engine that does, or bind a trigger."},
              .fires = 0});
}

void Observers::set_status(std::string_view id, ObserverStatus status) {
  Made* observer = made_.find(id);
  if (observer == nullptr) return;
  observer->status = status;
  // The callback may end this observer.
  const auto on_state = observer->on_state;
  if (status.state == "disposed") made_.remove(id);
  if (on_state) on_state(status);
}

void Observers::handle(const protocol::ObserveResult& frame) {
  const auto unanswered = unanswered_.find(frame.id);
  if (unanswered != unanswered_.end()) {
    if (--unanswered->second > 0) return;
    unanswered_.erase(unanswered);
  }
  Made* observer = made_.find(frame.id);
  if (observer == nullptr) return;
  observer->refused = frame.error.has_value();
  std::vector<std::string> warnings = texts_of(frame.warnings);
  // After a reconnect the same ones come again.
  if (!warnings.empty() && warnings != observer->status.warnings) {
    log_warn("the engine warns about observer {}: {}", frame.id, join(warnings, "; "));
  }
  set_status(frame.id, {known_state(frame.state), owned(frame.error), observer->status.fires,
                        std::move(warnings)});
}

void Observers::handle(const protocol::ObserverStateChanged& frame) {
  const Made* observer = made_.find(frame.id);
  if (observer == nullptr || unanswered_.contains(frame.id)) return;
  set_status(frame.id, {known_state(frame.state), owned(frame.reason), frame.fires,
                        observer->status.warnings});
}

void Observers::handle(const protocol::FunctionRegistered& frame) {
  HostedFunction& hosted = hosted_[std::string(frame.id)];
  hosted.revision = frame.revision;
  const auto before = std::exchange(hosted.observers, {});
  std::vector<HostedObserver> listed;
  json::Walker walker(frame.observers);
  json::Slice key;
  json::Slice view;
  while (walker.next(key, view)) {
    if (json::kind_of(view) != json::Kind::kObject) continue;
    if (auto observer = read_view(view)) listed.push_back(std::move(*observer));
  }
  for (const auto& [old_id, old] : before) {
    const bool stays = std::ranges::any_of(listed, [&](const HostedObserver& observer) {
      return observer.id == old_id && observer.args == old.args;
    });
    if (!stays) run_removed(frame.id, old);
  }
  for (const HostedObserver& observer : listed) {
    const auto known = before.find(observer.id);
    const bool is_new = known == before.end() || known->second.args != observer.args;
    accept(frame.id, frame.name_space, frame.revision, observer, is_new);
  }
}

void Observers::handle(const protocol::ObserverAdded& frame) {
  HostedFunction& hosted = hosted_[std::string(frame.function_id)];
  if (frame.revision <= hosted.revision) return;
  hosted.revision = frame.revision;
  const auto observer = read_view(frame.observer);
  if (!observer) return;
  const auto known = hosted.observers.find(observer->id);
  const bool is_new = known == hosted.observers.end() || known->second.args != observer->args;
  if (is_new && known != hosted.observers.end()) run_removed(frame.function_id, known->second);
  accept(frame.function_id, frame.name_space, frame.revision, *observer, is_new);
}

void Observers::handle(const protocol::ObserverRemoved& frame) {
  const auto hosted = hosted_.find(frame.function_id);
  if (hosted == hosted_.end() || frame.revision <= hosted->second.revision) return;
  hosted->second.revision = frame.revision;
  const auto node = hosted->second.observers.extract(std::string(frame.id));
  if (!node.empty()) run_removed(frame.function_id, node.mapped());
}

// The hook first, then the set, then the answer: what is fired after it must find the observer.
void Observers::accept(std::string_view function_id, std::optional<std::string_view> name_space,
                       uint64_t revision, const HostedObserver& observer, bool is_new) {
  protocol::ObserverAck ack{.function_id = function_id,
                            .name_space = name_space,
                            .id = observer.id,
                            .revision = revision,
                            .error = {}};
  const auto hooks = hooks_.find(function_id);
  Result<void> accepted;
  if (is_new && hooks != hooks_.end() && hooks->second.on_added) {
    const auto on_added = hooks->second.on_added;  // which may replace itself
    accepted = on_added(observer);
  }
  if (accepted) {
    hosted_[std::string(function_id)].observers.insert_or_assign(observer.id, observer);
  } else {
    ack.error = protocol::ErrorBody{accepted.error().code, accepted.error().message, {}};
  }
  transport_.send(protocol::to_text(ack));
}

void Observers::run_removed(std::string_view function_id, const HostedObserver& observer) {
  const auto hooks = hooks_.find(function_id);
  if (hooks != hooks_.end() && hooks->second.on_removed) {
    const auto on_removed = hooks->second.on_removed;
    on_removed(observer);
  }
}

}  // namespace iii::sdk
