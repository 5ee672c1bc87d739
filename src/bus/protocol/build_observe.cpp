// From the members of a JSON object to the frames of observers.
#include <algorithm>
#include <array>
#include <charconv>

#include "bus/protocol/reader.h"

namespace iii::protocol {

namespace {

Json object_or_wrong(Reader& r, Key key, std::string_view name, Observe& f) {
  const auto value = r.any(key, name);
  if (value && json::kind_of(*value) == json::Kind::kObject) return *value;
  if (f.wrong.empty()) f.wrong = name;
  return {};
}

std::optional<uint64_t> number_or_wrong(Reader& r, Key key, std::string_view name, Observe& f) {
  const auto text = r.any(key, name);
  if (!text) return std::nullopt;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error == std::errc{} && end == text->data() + text->size()) return value;
  if (f.wrong.empty()) f.wrong = name;
  return std::nullopt;
}

Result<Frame> observe(Reader& r) {
  Observe f;
  f.id = r.required_text(Key::kId, "id");
  f.source = object_or_wrong(r, Key::kSource, "source", f);
  f.target = object_or_wrong(r, Key::kTarget, "target", f);
  f.metadata = r.any(Key::kMetadata, "metadata");
  f.max_fires = number_or_wrong(r, Key::kMaxFires, "max_fires", f);
  f.expires_in_ms = number_or_wrong(r, Key::kExpiresInMs, "expires_in_ms", f);
  f.max_in_flight = number_or_wrong(r, Key::kMaxInFlight, "max_in_flight", f);
  return r.finish(f);
}

Result<Frame> unobserve(Reader& r) { return r.finish(Unobserve{r.required_text(Key::kId, "id")}); }

Result<Frame> observe_result(Reader& r) {
  ObserveResult f;
  f.id = r.required_text(Key::kId, "id");
  f.state = r.required_text(Key::kState, "state");
  f.error = r.error_body();
  f.warnings = r.of_kind(Key::kWarnings, "warnings", json::Kind::kArray);
  return r.finish(f);
}

Result<Frame> observer_state_changed(Reader& r) {
  ObserverStateChanged f;
  f.id = r.required_text(Key::kId, "id");
  f.state = r.required_text(Key::kState, "state");
  f.reason = r.error_body(Key::kReason);
  f.fires = r.number(Key::kFires, "fires").value_or(0);
  return r.finish(f);
}

// What a host and the engine tell each other of one observer begins alike.
template <typename F>
F about_observed_function(Reader& r) {
  F f;
  f.function_id = r.required_text(Key::kFunctionId, "function_id");
  f.name_space = r.text(Key::kNamespace, "namespace");
  f.revision = r.required_number(Key::kRevision, "revision");
  return f;
}

Result<Frame> function_registered(Reader& r) {
  FunctionRegistered f;
  f.id = r.required_text(Key::kId, "id");
  f.name_space = r.text(Key::kNamespace, "namespace");
  f.revision = r.required_number(Key::kRevision, "revision");
  f.local_dispatch = r.flag(Key::kLocalDispatch, "local_dispatch").value_or(false);
  f.observers = r.of_kind(Key::kObservers, "observers", json::Kind::kArray).value_or("[]");
  return r.finish(f);
}

Result<Frame> observer_added(Reader& r) {
  auto f = about_observed_function<ObserverAdded>(r);
  f.observer = r.required_of_kind(Key::kObserver, "observer", json::Kind::kObject);
  return r.finish(f);
}

Result<Frame> observer_removed(Reader& r) {
  auto f = about_observed_function<ObserverRemoved>(r);
  f.id = r.required_text(Key::kId, "id");
  return r.finish(f);
}

Result<Frame> observer_ack(Reader& r) {
  auto f = about_observed_function<ObserverAck>(r);
  f.id = r.required_text(Key::kId, "id");
  f.error = r.error_body();
  return r.finish(f);
}

Result<Frame> invocations_observed(Reader& r) {
  return r.finish(
      InvocationsObserved{r.required_of_kind(Key::kItems, "items", json::Kind::kArray)});
}

Result<Frame> local_invocation_stats(Reader& r) { return r.finish(LocalInvocationStats{}); }

constexpr std::array kObserverBuilders{
    Builder{"observe", observe},
    Builder{"unobserve", unobserve},
    Builder{"observeresult", observe_result},
    Builder{"observerstatechanged", observer_state_changed},
    Builder{"functionregistered", function_registered},
    Builder{"observeradded", observer_added},
    Builder{"observerremoved", observer_removed},
    Builder{"observerack", observer_ack},
    Builder{"invocationsobserved", invocations_observed},
    Builder{"localinvocationstats", local_invocation_stats},
};

}  // namespace

const Builder* observe_builder(std::string_view type) {
  const auto* found = std::ranges::find(kObserverBuilders, type, &Builder::type);
  return found == kObserverBuilders.end() ? nullptr : found;
}

}  // namespace iii::protocol
