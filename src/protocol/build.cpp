// From the members of a JSON object to a typed frame.
#include <algorithm>
#include <array>

#include "protocol/keys.h"

namespace iii::protocol {

namespace {

std::unexpected<Error> malformed(std::string why) { return fail("malformed", std::move(why)); }

bool is_absent(const Members& members, Key key) {
  return !members.has(key) || members.at(key) == "null";
}

// Reads fields one by one; the first problem sticks and every later read is harmless.
class Reader {
 public:
  explicit Reader(Members& members) : members_(members) {}

  Text required_text(Key key, std::string_view name) {
    use(key, name);
    if (!members_.has(key)) return problem(name, "is missing");
    return as_text(key, name);
  }

  std::optional<Text> text(Key key, std::string_view name) {
    use(key, name);
    if (is_absent(members_, key)) return std::nullopt;
    return as_text(key, name);
  }

  std::optional<Json> any(Key key, std::string_view name) {
    use(key, name);
    if (is_absent(members_, key)) return std::nullopt;
    return members_.at(key);
  }

  std::optional<Uuid> uuid(Key key, std::string_view name, bool required) {
    use(key, name);
    if (is_absent(members_, key)) {
      if (required) problem(name, "is missing");
      return std::nullopt;
    }
    std::optional<Uuid> id = Uuid::parse(as_text(key, name));
    if (!id) problem(name, "is not a UUID");
    return id;
  }

  std::optional<ErrorBody> error_body() {
    use(Key::kError, "error");
    if (is_absent(members_, Key::kError)) return std::nullopt;
    const json::Slice body = members_.at(Key::kError);
    const auto code = inner_text(body, "code");
    const auto message = inner_text(body, "message");
    if (!code || !message) {
      problem("error", "needs a code and a message");
      return std::nullopt;
    }
    const auto trace = json::member(body, "stacktrace");
    if (!trace || *trace == "null") return ErrorBody{*code, *message, std::nullopt};
    if (json::kind_of(*trace) != json::Kind::kString) problem("stacktrace", "is not a string");
    return ErrorBody{*code, *message, members_.text(*trace)};
  }

  // kCall when there is none.
  Action action(Text& queue) {
    use(Key::kAction, "action");
    if (is_absent(members_, Key::kAction)) return Action::kCall;
    const json::Slice body = members_.at(Key::kAction);
    const auto type = inner_text(body, "type");
    if (type == "void") return Action::kVoid;
    if (type == "enqueue") {
      const auto name = inner_text(body, "queue");
      if (!name) problem("action", "has no queue");
      queue = name.value_or(Text{});
      return Action::kEnqueue;
    }
    problem("action", "is of an unknown type");
    return Action::kCall;
  }

  // True when the object's own top-level keys include `_caller_worker_id`, however it is spelled.
  bool claims_caller(Json data) const {
    if (const auto known = members_.data_claims_caller()) return *known;
    if (data.front() != '{') return false;
    const bool possible = data.find("caller_worker_id") != Json::npos ||
                          data.find("\\u") != Json::npos;  // an escaped spelling
    return possible && json::member(data, kCallerKey).has_value();
  }

  // An HTTP-invoked function must at least say where (wire §13).
  std::optional<Json> invocation() {
    auto body = any(Key::kInvocation, "invocation");
    if (!body) return std::nullopt;
    if (!inner_text(*body, "url")) problem("invocation", "needs a url");
    if (const auto method = json::member(*body, "method"); method && *method != "null") {
      static constexpr std::array<std::string_view, 5> kMethods{"\"GET\"", "\"POST\"", "\"PUT\"",
                                                                "\"PATCH\"", "\"DELETE\""};
      if (std::find(kMethods.begin(), kMethods.end(), *method) == kMethods.end()) {
        problem("invocation", "has an unknown method");
      }
    }
    return body;
  }

  Result<Frame> finish(Frame frame) {
    if (!problem_.empty()) return malformed(std::move(problem_));
    return frame;
  }

 private:
  void use(Key key, std::string_view name) {
    if (members_.repeated(key)) problem(name, "occurs twice");
  }

  Text as_text(Key key, std::string_view name) {
    if (json::kind_of(members_.at(key)) != json::Kind::kString) {
      return problem(name, "is not a string");
    }
    return members_.text(members_.at(key));
  }

  std::optional<Text> inner_text(json::Slice object, std::string_view name) {
    if (json::kind_of(object) != json::Kind::kObject) return std::nullopt;
    const auto value = json::member(object, name);
    if (!value || json::kind_of(*value) != json::Kind::kString) return std::nullopt;
    return members_.text(*value);
  }

  Text problem(std::string_view name, std::string_view what) {
    if (problem_.empty()) problem_ = std::string(name) + " " + std::string(what);
    return {};
  }

  Members& members_;
  std::string problem_;
};

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

struct Builder {
  std::string_view type;
  Result<Frame> (*build)(Reader&);
};

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
  return malformed("unknown type " + std::string(type.substr(0, 64)));
}

}  // namespace iii::protocol
