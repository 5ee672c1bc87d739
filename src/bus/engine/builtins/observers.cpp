// `engine::observers::get`.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bus/engine/builtins/in_process.h"
#include "bus/engine/builtins/introspection.h"
#include "bus/engine/engine.h"

namespace iii::engine {

namespace {

struct GetObserverInput {
  std::string id;
};
struct ObserverReason {
  std::string code;
  std::string message;
};
struct ObservedFunction {
  std::string function_id;
  std::string name_space;
};
struct ObserverRow {
  std::string id;
  std::string state;
  std::optional<ObserverReason> reason;
  ObservedFunction source;
  ObservedFunction target;
  json::Value args;
  json::Value filters;
  std::vector<std::string> capture;
  std::string on;
  std::string deliver;
  std::optional<uint64_t> max_fires;
  std::optional<uint64_t> expires_in_ms;
  uint64_t max_in_flight = 0;
  uint64_t fires = 0;
  uint64_t in_flight = 0;
  uint64_t queued = 0;
  std::map<std::string, uint64_t> dropped;
};

auto describe(json::Type<GetObserverInput>) {
  using T = GetObserverInput;
  return json::object<T>("GetObserverInput", "",
                         json::field("id", &T::id, "Id of the observer. Required."));
}
auto describe(json::Type<ObserverReason>) {
  using T = ObserverReason;
  return json::object<T>("ObserverReason", "", json::field("code", &T::code, "Stable code."),
                         json::field("message", &T::message, "What happened."));
}
auto describe(json::Type<ObservedFunction>) {
  using T = ObservedFunction;
  return json::object<T>("ObservedFunction", "",
                         json::field("function_id", &T::function_id, "Id of the function."),
                         json::field("namespace", &T::name_space, "Its namespace."));
}
auto describe(json::Type<ObserverRow>) {
  using T = ObserverRow;
  return json::object<T>(
      "ObserverRow", "One observer.", json::field("id", &T::id, "Id of the observer."),
      json::field("state", &T::state, "`pending`, `active`, `suspended` or `error`."),
      json::field("reason", &T::reason, "Why it is in that state, if there is a reason."),
      json::field("source", &T::source, "Function that is observed."),
      json::field("target", &T::target, "Function that is called."),
      json::field("args", &T::args, "Arguments for the host of the source."),
      json::field("filters", &T::filters, "Filter in normal form."),
      json::field("capture", &T::capture, "Parts of an event that the target gets."),
      json::field("on", &T::on, "`success`, `error`, `complete`, or `unknown`: it never fires."),
      json::field("deliver", &T::deliver, "`envelope`, `input` or `output`."),
      json::field("max_fires", &T::max_fires, "Activations after which it ends."),
      json::field("expires_in_ms", &T::expires_in_ms, "Time after which it ends."),
      json::field("max_in_flight", &T::max_in_flight, "Unanswered activations at a time."),
      json::field("fires", &T::fires, "Activations so far."),
      json::field("in_flight", &T::in_flight, "Activations that are not answered yet."),
      json::field("queued", &T::queued, "Activations that wait."),
      json::field("dropped", &T::dropped, "Activations that were dropped, by code."));
}

std::vector<std::string> captured(const ObserverSpec& spec) {
  std::vector<std::string> names;
  for (size_t i = 0; i < filter::kPartCount; ++i) {
    const auto part = static_cast<filter::Part>(i);
    if (spec.captures(part)) names.emplace_back(filter::part_name(part));
  }
  return names;
}

Result<ObserverRow> get(const Engine& engine, const GetObserverInput& in) {
  const Observer* found = engine.observers().find(in.id);
  if (found == nullptr) {
    return fail("OBSERVER_NOT_FOUND",
                "There is no observer with this id. It may have ended: an "
                "observer that is disposed of is forgotten.");
  }
  const ObserverSpec& spec = found->spec;
  ObserverRow row{.id = spec.id,
                  .state = std::string(state_name(found->state)),
                  .reason = {},
                  .source = {spec.source.id, spec.source.name_space},
                  .target = {spec.target.id, spec.target.name_space},
                  .args = spec.args,
                  .filters = spec.filter->normal_form(),
                  .capture = captured(spec),
                  .on = std::string(on_name(spec.on)),
                  .deliver = std::string(deliver_name(spec.deliver)),
                  .max_fires = spec.max_fires,
                  .expires_in_ms = spec.expires_in_ms,
                  .max_in_flight = spec.max_in_flight,
                  .fires = found->fires,
                  .in_flight = found->in_flight,
                  .queued = found->queue.size(),
                  .dropped = {found->dropped.begin(), found->dropped.end()}};
  if (found->reason) row.reason = ObserverReason{found->reason->code, found->reason->message};
  return row;
}

}  // namespace

std::vector<BuiltinFunction> observer_introspection(const Engine& engine) {
  BuiltinFunction get_observer = builtin<GetObserverInput, ObserverRow>(
      std::string(kEngineFunctions), "engine::observers::get",
      "Returns one observer: its state and the reason for it, its filter in normal form, how often "
      "it has fired, and what was dropped.",
      [&engine](const CallInfo&, const GetObserverInput& in) { return get(engine, in); });
  // Lists stay those of the public engine that older peers know.
  get_observer.listed = false;
  std::vector<BuiltinFunction> out;
  out.push_back(std::move(get_observer));
  out.push_back(event_source(std::string(kEngineFunctions),
                             std::string(Observers::kObserversChanged),
                             "Observe it to hear of observers that begin, change and end."));
  return out;
}

}  // namespace iii::engine
