#include "bus/protocol/writer.h"

#include <cstring>

#include "bus/protocol/message.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::protocol {

namespace {

// Writes into memory that is known to be large enough: the frames of a call are worth it.
class Cursor {
 public:
  explicit Cursor(char* to) : at_(to) {}
  Cursor& put(std::string_view text) {
    if (!text.empty()) std::memcpy(at_, text.data(), text.size());
    at_ += text.size();
    return *this;
  }
  Cursor& put(const Uuid& id) {
    id.write_to(at_);
    at_ += Uuid::kTextSize;
    return *this;
  }
  char* at() const { return at_; }

 private:
  char* at_;
};

// Appends what `write` puts; `room` is at least as much as that will be.
template <typename Write>
void append_quickly(std::string& out, size_t room, Write write) {
  const size_t before = out.size();
  out.resize_and_overwrite(before + room, [&](char* data, size_t) {
    Cursor cursor(data + before);
    write(cursor);
    return static_cast<size_t>(cursor.at() - data);
  });
}

// Marks, keys and one id: what a call's frames hold besides their texts and payloads.
constexpr size_t kEnvelope = 256;

bool is_empty(const CallContext& context) {
  return !context.caller && !context.activation && context.observe_depth == 0;
}

void append_context(Message& message, const CallContext& context) {
  message.raw("caller", context.caller);
  if (context.observe_depth != 0) message.number("observe_depth", context.observe_depth);
  message.raw("activation", context.activation);
}

std::optional<Text> unless_default(const std::optional<Text>& name_space) {
  return name_space == kDefaultNamespace ? std::nullopt : name_space;
}

}  // namespace

void append(std::string& out, const WorkerRegistered& f) {
  Message(out, "workerregistered")
      .text("worker_id", f.worker_id)
      .text("reattach_token", f.reattach_token)
      .raw("features", f.features)
      .done();
}

void append(std::string& out, const Reattach& f) {
  Message(out, "reattach")
      .text("previous_worker_id", f.previous_worker_id)
      .text("reattach_token", f.reattach_token)
      .done();
}

void append(std::string& out, const RegisterFunction& f) {
  Message(out, "registerfunction")
      .text("id", f.id)
      .text("description", f.description)
      .raw("request_format", f.request_format)
      .raw("response_format", f.response_format)
      .raw("metadata", f.metadata)
      .raw("invocation", f.invocation)
      .raw("observe", f.observe)
      .raw("args_format", f.args_format)
      .flag("private", f.is_private)
      .flag("observable", f.observable)
      .done();
}

void append(std::string& out, const UnregisterFunction& f) {
  Message(out, "unregisterfunction").text("id", f.id).done();
}

void append(std::string& out, const RegisterTriggerType& f) {
  Message(out, "registertriggertype")
      .text("id", f.id)
      .text("description", f.description)
      .raw("trigger_request_format", f.trigger_request_format)
      .raw("call_request_format", f.call_request_format)
      .text("namespace", f.name_space)
      .done();
}

void append(std::string& out, const RegisterTrigger& f) {
  Message(out, "registertrigger")
      .text("id", f.id)
      .text("trigger_type", f.trigger_type)
      .text("function_id", f.function_id)
      .raw("config", f.config)
      .raw("metadata", f.metadata)
      .text("namespace", unless_default(f.name_space))
      .text("trigger_namespace", unless_default(f.trigger_namespace))
      .done();
}

void append(std::string& out, const UnregisterTrigger& f) {
  Message(out, "unregistertrigger").text("id", f.id).text("trigger_type", f.trigger_type).done();
}

void append(std::string& out, const TriggerRegistrationResult& f) {
  Message(out, "triggerregistrationresult")
      .text("id", f.id)
      .text("trigger_type", f.trigger_type)
      .text("function_id", f.function_id)
      .error(f.error)
      .done();
}

void append(std::string& out, const InvokeFunction& f) {
  Message message(out, "invokefunction");
  if (f.invocation_id) message.uuid("invocation_id", *f.invocation_id);
  message.text("function_id", f.function_id).raw("data", f.data);
  message.text("traceparent", f.traceparent).text("baggage", f.baggage);
  if (f.action == Action::kVoid) message.raw("action", Json(R"({"type":"void"})"));
  if (f.action == Action::kEnqueue) {
    std::string& text = message.open("action");
    text += R"({"type":"enqueue","queue":)";
    json::append_string(text, f.queue);
    text += '}';
  }
  message.raw("metadata", f.metadata).text("namespace", f.name_space);
  append_context(message, {f.caller, f.observe_depth, f.activation});
  message.done();
}

void append(std::string& out, const InvocationResult& f) {
  if (!f.error && !f.traceparent && !f.baggage && !f.matched && !f.delivered &&
      json::is_plain(f.function_id)) {
    const Json result = f.result.value_or(Json{});
    return append_quickly(out, kEnvelope + f.function_id.size() + result.size(), [&](Cursor& to) {
      to.put(kAnswerStart).put(f.invocation_id);
      to.put(R"(","function_id":")").put(f.function_id);
      if (f.result) to.put(R"(","result":)").put(result).put("}");
      if (!f.result) to.put(R"("})");
    });
  }
  Message(out, "invocationresult")
      .uuid("invocation_id", f.invocation_id)
      .text("function_id", f.function_id)
      .raw("result", f.error ? std::nullopt : f.result)
      .error(f.error)
      .text("traceparent", f.traceparent)
      .text("baggage", f.baggage)
      .raw("matched", f.matched)
      .flag("delivered", f.delivered ? std::optional<bool>(true) : std::nullopt)
      .done();
}

void append(std::string& out, const RegisterService& f) {
  Message(out, "registerservice")
      .text("id", f.id)
      .text("name", f.name)
      .text("description", f.description)
      .done();
}

void append(std::string& out, const RegistrationRejected& f) {
  Message(out, "registrationrejected")
      .text("code", f.code)
      .text("namespace", f.name_space)
      .text("function_id", f.function_id)
      .text("worker_name", f.worker_name)
      .text("owner_worker_id", f.owner_worker_id)
      .done();
}

void append(std::string& out, const ConnectionError& f) {
  Message(out, "error").error(f.error).done();
}

void append(std::string& out, Ping) { out += R"({"type":"ping"})"; }
void append(std::string& out, Pong) { out += R"({"type":"pong"})"; }

void append_without_caller(std::string& out, Json object) {
  json::Walker walker(object);
  json::Slice key;
  json::Slice value;
  while (walker.next(key, value)) {
    if (json::string_of(key) == kCallerKey) continue;
    if (out.back() != '{') out += ',';
    out += key;
    out += ':';
    out += value;
  }
}

void append_with_caller(std::string& out, Json data, std::string_view worker_id,
                        bool claims_caller) {
  if (data.empty() || data.front() != '{') {
    out += data;
    return;
  }
  out += "{\"_caller_worker_id\":\"";
  out += worker_id;
  out += '"';
  if (!claims_caller) {
    const std::string_view rest = data.substr(1);
    const bool empty = json::trimmed(rest) == "}";
    if (!empty) out += ',';
    out += rest;
    return;
  }
  append_without_caller(out, data);
  out += '}';
}

void append_forwarded(std::string& out, const InvokeFunction& call, const Uuid& id,
                      std::string_view caller_worker_id, std::string_view traceparent,
                      std::string_view baggage, const CallContext& context) {
  const bool with_caller = !caller_worker_id.empty() && call.data.starts_with('{');
  if (traceparent.empty() && baggage.empty() && !call.metadata && !call.data_claims_caller &&
      is_empty(context) && json::is_plain(call.function_id)) {
    const size_t room =
        kEnvelope + call.function_id.size() + caller_worker_id.size() + call.data.size();
    return append_quickly(out, room, [&](Cursor& to) {
      to.put(R"({"type":"invokefunction","invocation_id":")").put(id);
      to.put(R"(","function_id":")").put(call.function_id).put(R"(","data":)");
      if (!with_caller) {
        to.put(call.data).put("}");
        return;
      }
      const std::string_view rest = call.data.substr(1);
      to.put(R"({"_caller_worker_id":")").put(caller_worker_id);
      to.put(json::trimmed(rest) == "}" ? "\"" : "\",").put(rest).put("}");
    });
  }
  Message message(out, "invokefunction");
  message.uuid("invocation_id", id).text("function_id", call.function_id);
  std::string& data = message.open("data");
  if (caller_worker_id.empty()) {
    data += call.data;
  } else {
    append_with_caller(data, call.data, caller_worker_id, call.data_claims_caller);
  }
  if (!traceparent.empty()) message.text("traceparent", traceparent);
  if (!baggage.empty()) message.text("baggage", baggage);
  message.raw("metadata", call.metadata);
  append_context(message, context);
  message.done();
}

SplitMessage split_forwarded(const InvokeFunction& call, const Uuid& id,
                             std::string_view caller_worker_id, std::string_view traceparent,
                             std::string_view baggage, const CallContext& context) {
  SplitMessage split;
  Message head(split.head, "invokefunction");
  std::string& data =
      head.uuid("invocation_id", id).text("function_id", call.function_id).open("data");
  split.body = call.data;
  if (!caller_worker_id.empty() && call.data.starts_with('{')) {
    split.body = call.data.substr(1);
    data += "{\"_caller_worker_id\":\"";
    data += caller_worker_id;
    data += json::trimmed(split.body) == "}" ? "\"" : "\",";
  }
  Message tail(split.tail);
  if (!traceparent.empty()) tail.text("traceparent", traceparent);
  if (!baggage.empty()) tail.text("baggage", baggage);
  append_context(tail, context);
  if (call.metadata) {
    tail.open("metadata");
    split.metadata = *call.metadata;
    split.end = "}";
  } else {
    tail.done();
  }
  return split;
}

SplitMessage split_binding(const RegisterTrigger& f) {
  SplitMessage split;
  Message(split.head, "registertrigger")
      .text("id", f.id)
      .text("trigger_type", f.trigger_type)
      .text("function_id", f.function_id)
      .open("config");
  split.body = f.config;
  if (f.metadata) {
    Message(split.tail).open("metadata");
    split.metadata = *f.metadata;
  }
  Message(split.end)
      .text("namespace", unless_default(f.name_space))
      .text("trigger_namespace", unless_default(f.trigger_namespace))
      .done();
  return split;
}

SplitMessage split_result(const InvocationResult& f) {
  SplitMessage split;
  Message(split.head, "invocationresult")
      .uuid("invocation_id", f.invocation_id)
      .text("function_id", f.function_id)
      .open("result");
  split.body = *f.result;
  Message(split.tail).text("traceparent", f.traceparent).text("baggage", f.baggage).done();
  return split;
}

}  // namespace iii::protocol
