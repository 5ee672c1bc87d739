// Observers: those that this worker has made, and those of its own functions (observers §2–4).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bus/protocol/writer.h"
#include "bus/sdk/session.h"
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

std::string source_text(const ObserveSpec& spec, std::string_view name_space) {
  std::string out = function_text(spec.function_id, name_space);
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

Result<std::string> Session::add_observer(ObserveSpec spec) {
  if (spec.function_id.empty() || spec.target.empty()) {
    return fail("invalid_observer", "an observer needs `function_id` and `target`");
  }
  if (spec.id.empty()) spec.id = ids_.next().to_string();
  if (observers_.find(spec.id) != nullptr) {
    return fail("invalid_observer", "there is already an observer " + spec.id);
  }
  for (const auto& [name, value] :
       {std::pair("args", &spec.args), std::pair("filters", &spec.filters),
        std::pair("metadata", &spec.metadata)}) {
    if (auto ok = check_json(name, *value); !ok) return std::unexpected(ok.error());
  }
  const std::string source = source_text(spec, namespace_for(spec.function_id, spec.name_space));
  const std::string target =
      function_text(spec.target, namespace_for(spec.target, spec.target_namespace)) + "}";
  protocol::Observe frame{.id = spec.id,
                          .source = source,
                          .target = target,
                          .metadata = {},
                          .max_fires = spec.max_fires,
                          .expires_in_ms = spec.expires_in_ms,
                          .max_in_flight = spec.max_in_flight};
  if (spec.metadata) frame.metadata = spec.metadata->text;
  std::string id = spec.id;
  observers_.add({.id = id,
                  .frame = protocol::to_text(frame),
                  .on_state = std::move(spec.on_state),
                  .status = {},
                  .refused = false});
  if (state_ == SessionState::kReady) {
    name_features();
    send_observer(id);
  }
  return id;
}

bool Session::remove_observer(std::string_view id) {
  if (!observers_.remove(id)) return false;
  if (state_ == SessionState::kReady && engine_observes_) {
    transport_.send(protocol::to_text(protocol::Unobserve{id}));
  } else {
    ended_observers_.emplace_back(id);
  }
  return true;
}

const ObserverStatus* Session::observer_status(std::string_view id) {
  const MadeObserver* found = observers_.find(id);
  return found == nullptr ? nullptr : &found->status;
}

void Session::set_observe_hooks(std::string function_id, ObserveHooks hooks) {
  observe_hooks_[std::move(function_id)] = std::move(hooks);
  if (state_ == SessionState::kReady) name_features();
}

std::vector<HostedObserver> Session::hosted_observers(std::string_view function_id) const {
  std::vector<HostedObserver> all;
  const auto found = hosted_.find(function_id);
  if (found == hosted_.end()) return all;
  for (const auto& [id, observer] : found->second.observers) all.push_back(observer);
  return all;
}

// A feature is named only when it is used: naming it obliges us to acknowledge.
int Session::observe_version() const {
  if (std::ranges::any_of(functions_, &Function::needs_v2)) return 2;
  return observers_.empty() && observe_hooks_.empty() ? 0 : 1;
}

std::string Session::announcement() {
  named_version_ = observe_version();
  if (named_version_ == 0) return options_.announcement;
  std::string text = options_.announcement;
  text.pop_back();
  if (text.size() > 1) text += ',';
  return text + (named_version_ == 1 ? R"("features":["observe.v1"]})"
                                     : R"("features":["observe.v1","observe.v2"]})");
}

// On a connection that was announced without them.
void Session::name_features() {
  if (named_version_ >= observe_version() || !engine_observes_) return;
  const std::string data = announcement();
  protocol::InvokeFunction frame;
  frame.function_id = "engine::workers::register";
  frame.data = data;
  frame.action = protocol::Action::kVoid;
  transport_.send(protocol::to_text(frame));
}

// An engine without the feature would let everybody call a private function, and observe any.
void Session::offer_v2(const Function& function) {
  if (!engine_observes_v2_) {
    return log_warn(
        "function {} is not offered: it is private, not observable or has an args_format, and this "
        "engine does not offer observe.v2",
        function.id);
  }
  name_features();
  transport_.send(function.frame);
}

void Session::replay_observers() {
  if (!observers_.empty()) name_features();
  for (const std::string& id : std::exchange(ended_observers_, {})) {
    if (engine_observes_) transport_.send(protocol::to_text(protocol::Unobserve{id}));
  }
  std::vector<std::string> ids;
  for (const MadeObserver& observer : observers_) {
    if (!observer.refused) ids.push_back(observer.id);
  }
  for (const std::string& id : ids) send_observer(id);
}

void Session::send_observer(std::string_view id) {
  const MadeObserver* observer = observers_.find(id);
  if (observer == nullptr) return;
  if (engine_observes_) {
    ++unanswered_observes_[observer->id];
    return transport_.send(observer->frame);
  }
  set_observer_status(
      id, {.state = "error",
           .reason = Error{std::string(kUnsupported),
                           "This engine does not offer observers (observe.v1). Next: connect to "
                           "an engine that does, or bind a trigger."},
           .fires = 0});
}

void Session::set_observer_status(std::string_view id, ObserverStatus status) {
  MadeObserver* observer = observers_.find(id);
  if (observer == nullptr) return;
  observer->status = status;
  // The callback may end this observer.
  const auto on_state = observer->on_state;
  if (status.state == "disposed") observers_.remove(id);
  if (on_state) on_state(status);
}

void Session::handle(const protocol::ObserveResult& frame) {
  const auto unanswered = unanswered_observes_.find(frame.id);
  if (unanswered != unanswered_observes_.end()) {
    if (--unanswered->second > 0) return;
    unanswered_observes_.erase(unanswered);
  }
  MadeObserver* observer = observers_.find(frame.id);
  if (observer == nullptr) return;
  observer->refused = frame.error.has_value();
  std::vector<std::string> warnings = texts_of(frame.warnings);
  // After a reconnect the same ones come again.
  if (!warnings.empty() && warnings != observer->status.warnings) {
    log_warn("the engine warns about observer {}: {}", frame.id, join(warnings, "; "));
  }
  set_observer_status(frame.id, {known_state(frame.state), owned(frame.error),
                                 observer->status.fires, std::move(warnings)});
}

void Session::handle(const protocol::ObserverStateChanged& frame) {
  const MadeObserver* observer = observers_.find(frame.id);
  if (observer == nullptr || unanswered_observes_.contains(frame.id)) return;
  set_observer_status(frame.id, {known_state(frame.state), owned(frame.reason), frame.fires,
                                 observer->status.warnings});
}

void Session::handle(const protocol::FunctionRegistered& frame) {
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
  const std::string id(frame.id);
  const auto name_space =
      frame.name_space ? std::optional<std::string>(*frame.name_space) : std::nullopt;
  for (const auto& [old_id, old] : before) {
    const bool stays = std::ranges::any_of(listed, [&](const HostedObserver& observer) {
      return observer.id == old_id && observer.args == old.args;
    });
    if (!stays) run_removed(id, old);
  }
  for (const HostedObserver& observer : listed) {
    const auto known = before.find(observer.id);
    const bool is_new = known == before.end() || known->second.args != observer.args;
    accept_observer(id, name_space, frame.revision, observer, is_new);
  }
}

void Session::handle(const protocol::ObserverAdded& frame) {
  HostedFunction& hosted = hosted_[std::string(frame.function_id)];
  if (frame.revision <= hosted.revision) return;
  hosted.revision = frame.revision;
  const auto observer = read_view(frame.observer);
  if (!observer) return;
  const auto known = hosted.observers.find(observer->id);
  const bool is_new = known == hosted.observers.end() || known->second.args != observer->args;
  if (is_new && known != hosted.observers.end())
    run_removed(std::string(frame.function_id), known->second);
  const auto name_space =
      frame.name_space ? std::optional<std::string>(*frame.name_space) : std::nullopt;
  accept_observer(std::string(frame.function_id), name_space, frame.revision, *observer, is_new);
}

void Session::handle(const protocol::ObserverRemoved& frame) {
  const auto hosted = hosted_.find(frame.function_id);
  if (hosted == hosted_.end() || frame.revision <= hosted->second.revision) return;
  hosted->second.revision = frame.revision;
  const auto node = hosted->second.observers.extract(std::string(frame.id));
  if (!node.empty()) run_removed(std::string(frame.function_id), node.mapped());
}

// The hook first, then the set, then the answer: what is fired after it must find the observer.
void Session::accept_observer(const std::string& function_id,
                              const std::optional<std::string>& name_space, uint64_t revision,
                              const HostedObserver& observer, bool is_new) {
  protocol::ObserverAck ack{.function_id = function_id,
                            .name_space = {},
                            .id = observer.id,
                            .revision = revision,
                            .error = {}};
  if (name_space) ack.name_space = *name_space;
  const auto hooks = observe_hooks_.find(function_id);
  Result<void> accepted;
  if (is_new && hooks != observe_hooks_.end() && hooks->second.on_added) {
    const auto on_added = hooks->second.on_added;  // which may replace itself
    accepted = on_added(observer);
  }
  if (accepted) {
    hosted_[function_id].observers.insert_or_assign(observer.id, observer);
  } else {
    ack.error = protocol::ErrorBody{accepted.error().code, accepted.error().message, {}};
  }
  transport_.send(protocol::to_text(ack));
}

void Session::run_removed(const std::string& function_id, const HostedObserver& observer) {
  const auto hooks = observe_hooks_.find(function_id);
  if (hooks != observe_hooks_.end() && hooks->second.on_removed) {
    const auto on_removed = hooks->second.on_removed;
    on_removed(observer);
  }
}

}  // namespace iii::sdk
