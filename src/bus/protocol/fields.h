// The fields of every frame, described once: the reader (reader.cpp) and the writer (writer.cpp)
// visit them in this order, which is that of the public engine. Internal to this room.
//
// A field is optional when the frame gives it a default: std::nullopt, or a JSON text. What a
// lenient field holds matters only to peers that observe: of another kind, it is as if it were
// absent.
#pragma once

#include <concepts>
#include <type_traits>

#include "bus/protocol/frame.h"
#include "foundation/json/slice.h"

namespace iii::protocol {

// The frame `T`, constant for the writer.
template <typename F, typename T>
concept Is = std::same_as<std::remove_const_t<F>, T>;

void fields(auto& v, Is<WorkerRegistered> auto& f) {
  v.text("worker_id", f.worker_id);
  v.text("reattach_token", f.reattach_token);
  v.lenient("features", f.features, json::Kind::kArray);
}

void fields(auto& v, Is<Reattach> auto& f) {
  v.text("previous_worker_id", f.previous_worker_id);
  v.text("reattach_token", f.reattach_token);
}

void fields(auto& v, Is<RegisterFunction> auto& f) {
  v.text("id", f.id);
  v.text("description", f.description);
  v.json("request_format", f.request_format);
  v.json("response_format", f.response_format);
  v.json("metadata", f.metadata);
  v.invocation("invocation", f.invocation);
  v.lenient("observe", f.observe, json::Kind::kObject);
  v.json("args_format", f.args_format);
  v.lenient("private", f.is_private);
  v.lenient("observable", f.observable);
}

void fields(auto& v, Is<UnregisterFunction> auto& f) { v.text("id", f.id); }

void fields(auto& v, Is<RegisterTriggerType> auto& f) {
  v.text("id", f.id);
  v.text("description", f.description);
  v.json("trigger_request_format", f.trigger_request_format);
  v.json("call_request_format", f.call_request_format);
  v.text("namespace", f.name_space);
}

void fields(auto& v, Is<RegisterTrigger> auto& f) {
  v.text("id", f.id);
  v.text("trigger_type", f.trigger_type);
  v.text("function_id", f.function_id);
  v.payload("config", f.config);
  v.payload("metadata", f.metadata);
  v.name_space("namespace", f.name_space);
  v.name_space("trigger_namespace", f.trigger_namespace);
}

void fields(auto& v, Is<UnregisterTrigger> auto& f) {
  v.text("id", f.id);
  v.text("trigger_type", f.trigger_type);
}

void fields(auto& v, Is<TriggerRegistrationResult> auto& f) {
  v.text("id", f.id);
  v.text("trigger_type", f.trigger_type);
  v.text("function_id", f.function_id);
  v.error("error", f.error);
}

void fields(auto& v, Is<InvokeFunction> auto& f) {
  v.uuid("invocation_id", f.invocation_id);
  v.text("function_id", f.function_id);
  // Node leaves `data` out for an undefined payload; the public engine drops such a call (E21).
  v.data("data", f.data);
  v.text("traceparent", f.traceparent);
  v.text("baggage", f.baggage);
  v.action("action", f.action, f.queue);
  v.payload("metadata", f.metadata);
  v.text("namespace", f.name_space);
  v.lenient("caller", f.caller, json::Kind::kObject);
  v.lenient("observe_depth", f.observe_depth);
  v.lenient("activation", f.activation, json::Kind::kObject);
}

void fields(auto& v, Is<InvocationResult> auto& f) {
  v.uuid("invocation_id", f.invocation_id);
  v.text("function_id", f.function_id);
  // An error wins over a result.
  if (!f.error) v.payload("result", f.result);
  v.error("error", f.error);
  v.text("traceparent", f.traceparent);
  v.text("baggage", f.baggage);
  v.lenient("matched", f.matched, json::Kind::kArray);
  v.lenient("delivered", f.delivered);
}

void fields(auto& v, Is<RegisterService> auto& f) {
  v.text("id", f.id);
  v.text("name", f.name);
  v.text("description", f.description);
}

void fields(auto& v, Is<RegistrationRejected> auto& f) {
  v.text("code", f.code);
  v.text("namespace", f.name_space);
  v.text("function_id", f.function_id);
  v.text("worker_name", f.worker_name);
  v.text("owner_worker_id", f.owner_worker_id);
}

void fields(auto& v, Is<ConnectionError> auto& f) { v.error("error", f.error); }

// Ping, Pong, LocalInvocationStats.
void fields(auto& /*v*/, auto& f)
  requires std::is_empty_v<std::remove_reference_t<decltype(f)>>
{}

void fields(auto& v, Is<Observe> auto& f) {
  v.text("id", f.id);
  v.usable("source", f.source, f.wrong);
  v.usable("target", f.target, f.wrong);
  v.json("metadata", f.metadata);
  v.usable("max_fires", f.max_fires, f.wrong);
  v.usable("expires_in_ms", f.expires_in_ms, f.wrong);
  v.usable("max_in_flight", f.max_in_flight, f.wrong);
}

void fields(auto& v, Is<Unobserve> auto& f) { v.text("id", f.id); }

void fields(auto& v, Is<ObserveResult> auto& f) {
  v.text("id", f.id);
  v.text("state", f.state);
  v.error("error", f.error);
  v.container("warnings", f.warnings, json::Kind::kArray);
}

void fields(auto& v, Is<ObserverStateChanged> auto& f) {
  v.text("id", f.id);
  v.text("state", f.state);
  v.error("reason", f.reason);
  v.number("fires", f.fires);
}

void fields(auto& v, Is<FunctionRegistered> auto& f) {
  v.text("id", f.id);
  v.text("namespace", f.name_space);
  v.required_number("revision", f.revision);
  v.flag("local_dispatch", f.local_dispatch);
  v.container("observers", f.observers, json::Kind::kArray);
}

void fields(auto& v, Is<ObserverAdded> auto& f) {
  v.text("function_id", f.function_id);
  v.text("namespace", f.name_space);
  v.required_number("revision", f.revision);
  v.container("observer", f.observer, json::Kind::kObject);
}

void fields(auto& v, Is<ObserverRemoved> auto& f) {
  v.text("function_id", f.function_id);
  v.text("namespace", f.name_space);
  v.required_number("revision", f.revision);
  v.text("id", f.id);
}

void fields(auto& v, Is<ObserverAck> auto& f) {
  v.text("function_id", f.function_id);
  v.text("namespace", f.name_space);
  v.text("id", f.id);
  v.required_number("revision", f.revision);
  v.error("error", f.error);
}

void fields(auto& v, Is<InvocationsObserved> auto& f) {
  v.container("items", f.items, json::Kind::kArray);
}

}  // namespace iii::protocol
