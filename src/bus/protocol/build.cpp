// From the members of a JSON object to a typed frame.
#include <array>

#include "bus/protocol/keys.h"
#include "bus/protocol/reader.h"

namespace iii::protocol {

namespace {

std::unexpected<Error> malformed(std::string why) { return fail("malformed", std::move(why)); }

Result<Frame> invoke_function(Reader& r) {
  InvokeFunction f;
  f.invocation_id = r.uuid(Key::kInvocationId, "invocation_id", false);
  f.function_id = r.required_text(Key::kFunctionId, "function_id");
  // Node leaves `data` out for an undefined payload; the public engine drops such a call (E21).
  f.data = r.any(Key::kData, "data").value_or("null");
  f.action = r.action(f.queue);
  f.metadata = r.any(Key::kMetadata, "metadata");
  f.traceparent = r.text(Key::kTraceparent, "traceparent");
  f.baggage = r.text(Key::kBaggage, "baggage");
  f.name_space = r.text(Key::kNamespace, "namespace");
  f.caller = r.tolerated(Key::kCaller, json::Kind::kObject);
  f.activation = r.tolerated(Key::kActivation, json::Kind::kObject);
  f.observe_depth = r.tolerated_number(Key::kObserveDepth);
  f.data_claims_caller = r.claims_caller(f.data);
  return r.finish(f);
}

Result<Frame> invocation_result(Reader& r) {
  InvocationResult f;
  f.invocation_id = r.uuid(Key::kInvocationId, "invocation_id", true).value_or(Uuid{});
  f.function_id = r.required_text(Key::kFunctionId, "function_id");
  f.result = r.any(Key::kResult, "result");
  f.error = r.error_body();
  f.traceparent = r.text(Key::kTraceparent, "traceparent");
  f.baggage = r.text(Key::kBaggage, "baggage");
  f.matched = r.tolerated(Key::kMatched, json::Kind::kArray);
  f.delivered = r.tolerated_flag(Key::kDelivered).value_or(false);
  return r.finish(f);
}

Result<Frame> register_function(Reader& r) {
  RegisterFunction f;
  f.id = r.required_text(Key::kId, "id");
  f.description = r.text(Key::kDescription, "description");
  f.request_format = r.any(Key::kRequestFormat, "request_format");
  f.response_format = r.any(Key::kResponseFormat, "response_format");
  f.metadata = r.any(Key::kMetadata, "metadata");
  f.invocation = r.invocation();
  f.observe = r.tolerated(Key::kObserve, json::Kind::kObject);
  f.args_format = r.any(Key::kArgsFormat, "args_format");
  f.is_private = r.tolerated_flag(Key::kPrivate);
  f.observable = r.tolerated_flag(Key::kObservable);
  return r.finish(f);
}

Result<Frame> register_trigger_type(Reader& r) {
  RegisterTriggerType f;
  f.id = r.required_text(Key::kId, "id");
  f.description = r.required_text(Key::kDescription, "description");
  f.trigger_request_format = r.any(Key::kTriggerRequestFormat, "trigger_request_format");
  f.call_request_format = r.any(Key::kCallRequestFormat, "call_request_format");
  f.name_space = r.text(Key::kNamespace, "namespace");
  return r.finish(f);
}

Result<Frame> register_trigger(Reader& r) {
  RegisterTrigger f;
  f.id = r.required_text(Key::kId, "id");
  f.trigger_type = r.required_text(Key::kTriggerType, "trigger_type");
  f.function_id = r.required_text(Key::kFunctionId, "function_id");
  f.config = r.any(Key::kConfig, "config").value_or("null");  // E21, as for `data`
  f.metadata = r.any(Key::kMetadata, "metadata");
  f.name_space = r.text(Key::kNamespace, "namespace");
  f.trigger_namespace = r.text(Key::kTriggerNamespace, "trigger_namespace");
  return r.finish(f);
}

Result<Frame> unregister_trigger(Reader& r) {
  UnregisterTrigger f;
  f.id = r.required_text(Key::kId, "id");
  f.trigger_type = r.text(Key::kTriggerType, "trigger_type");
  return r.finish(f);
}

Result<Frame> trigger_registration_result(Reader& r) {
  TriggerRegistrationResult f;
  f.id = r.required_text(Key::kId, "id");
  f.trigger_type = r.required_text(Key::kTriggerType, "trigger_type");
  f.function_id = r.required_text(Key::kFunctionId, "function_id");
  f.error = r.error_body();
  return r.finish(f);
}

Result<Frame> register_service(Reader& r) {
  RegisterService f;
  f.id = r.required_text(Key::kId, "id");
  f.name = r.text(Key::kName, "name");
  f.description = r.text(Key::kDescription, "description");
  return r.finish(f);
}

Result<Frame> reattach(Reader& r) {
  Reattach f;
  f.previous_worker_id = r.required_text(Key::kPreviousWorkerId, "previous_worker_id");
  f.reattach_token = r.text(Key::kReattachToken, "reattach_token");
  return r.finish(f);
}

Result<Frame> worker_registered(Reader& r) {
  WorkerRegistered f;
  f.worker_id = r.required_text(Key::kWorkerId, "worker_id");
  f.reattach_token = r.text(Key::kReattachToken, "reattach_token");
  f.features = r.tolerated(Key::kFeatures, json::Kind::kArray);
  return r.finish(f);
}

Result<Frame> registration_rejected(Reader& r) {
  RegistrationRejected f;
  f.code = r.required_text(Key::kCode, "code");
  f.name_space = r.required_text(Key::kNamespace, "namespace");
  f.function_id = r.text(Key::kFunctionId, "function_id");
  f.worker_name = r.text(Key::kWorkerName, "worker_name");
  f.owner_worker_id = r.required_text(Key::kOwnerWorkerId, "owner_worker_id");
  return r.finish(f);
}

Result<Frame> unregister_function(Reader& r) {
  UnregisterFunction f;
  f.id = r.required_text(Key::kId, "id");
  return r.finish(f);
}

Result<Frame> connection_error(Reader& r) {
  auto body = r.error_body();
  ConnectionError f;
  if (body) f.error = *body;
  return r.finish(f);
}

Result<Frame> ping(Reader& r) { return r.finish(Ping{}); }
Result<Frame> pong(Reader& r) { return r.finish(Pong{}); }

// Frequent types first.
constexpr std::array kBuilders{
    Builder{"invokefunction", invoke_function},
    Builder{"invocationresult", invocation_result},
    Builder{"ping", ping},
    Builder{"pong", pong},
    Builder{"registerfunction", register_function},
    Builder{"unregisterfunction", unregister_function},
    Builder{"registertriggertype", register_trigger_type},
    Builder{"registertrigger", register_trigger},
    Builder{"unregistertrigger", unregister_trigger},
    Builder{"triggerregistrationresult", trigger_registration_result},
    Builder{"registerservice", register_service},
    Builder{"reattach", reattach},
    Builder{"workerregistered", worker_registered},
    Builder{"registrationrejected", registration_rejected},
    Builder{"error", connection_error},
};

}  // namespace

Result<Frame> build_frame(Members& members) {
  Reader reader(members);
  const Text type = reader.required_text(Key::kType, "type");
  if (auto checked = reader.finish(Ping{}); !checked) return checked;
  for (const Builder& builder : kBuilders) {
    if (builder.type == type) return builder.build(reader);
  }
  if (const Builder* builder = observe_builder(type)) return builder->build(reader);
  return malformed("unknown type " + std::string(type.substr(0, 64)));
}

}  // namespace iii::protocol
