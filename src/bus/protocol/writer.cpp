#include "bus/protocol/writer.h"

#include <cstring>

#include "bus/protocol/fields.h"
#include "foundation/json/slice.h"
#include "foundation/json/write.h"

namespace iii::protocol {

namespace {

constexpr std::string_view kAnswerStart = R"({"type":"invocationresult","invocation_id":")";

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

// Writes the start of `data` with a caller, and returns the part of it that belongs behind that.
Json begin_with_caller(std::string& out, Json data, std::string_view worker_id,
                       bool claims_caller) {
  if (!data.starts_with('{')) return data;
  out += "{\"_caller_worker_id\":\"";
  out += worker_id;
  out += '"';
  if (claims_caller) {
    append_without_caller(out, data);
    return "}";
  }
  const Json rest = data.substr(1);
  if (json::trimmed(rest) != "}") out += ',';
  return rest;
}

// Writes one message, field by field.
class Message {
 public:
  explicit Message(std::string& out) : out_(&out) {}
  // The payloads become parts of `split`.
  explicit Message(SplitMessage& split) : out_(&split.head), split_(&split) {}

  // The payload of a call is written with this caller.
  void set_caller(std::string_view worker_id) { caller_worker_id_ = worker_id; }

  template <typename F>
  void write(const F& frame) {
    *out_ += "{\"type\":\"";
    *out_ += F::kType;
    *out_ += '"';
    if constexpr (std::same_as<F, InvokeFunction>) claims_caller_ = frame.data_claims_caller;
    fields(*this, frame);
    *out_ += '}';
  }

  void text(std::string_view key, Text value) {
    name(key);
    json::append_string(*out_, value);
  }
  void text(std::string_view key, const std::optional<Text>& value) {
    if (value) text(key, *value);
  }
  void name_space(std::string_view key, const std::optional<Text>& value) {
    if (value != kDefaultNamespace) text(key, value);
  }

  void json(std::string_view key, Json value) {
    name(key);
    *out_ += value;
  }
  void json(std::string_view key, const std::optional<Json>& value) {
    if (value) json(key, *value);
  }
  void container(std::string_view key, const auto& value, json::Kind) { json(key, value); }
  void lenient(std::string_view key, const std::optional<Json>& value, json::Kind) {
    json(key, value);
  }
  void invocation(std::string_view key, const std::optional<Json>& value) { json(key, value); }
  void usable(std::string_view key, Json value, Text) { json(key, value); }

  void payload(std::string_view key, Json value) {
    name(key);
    share(value);
  }
  void payload(std::string_view key, const std::optional<Json>& value) {
    if (value) payload(key, *value);
  }
  void data(std::string_view key, Json value) {
    if (caller_worker_id_.empty()) return payload(key, value);
    name(key);
    share(begin_with_caller(*out_, value, caller_worker_id_, claims_caller_));
  }

  void uuid(std::string_view key, const Uuid& value) {
    name(key);
    *out_ += '"';
    value.append_to(*out_);
    *out_ += '"';
  }
  void uuid(std::string_view key, const std::optional<Uuid>& value) {
    if (value) uuid(key, *value);
  }

  void number(std::string_view key, uint64_t value) {
    name(key);
    json::append_number(*out_, value);
  }
  void required_number(std::string_view key, uint64_t value) { number(key, value); }
  void lenient(std::string_view key, uint64_t value) {
    if (value != 0) number(key, value);
  }
  void usable(std::string_view key, const std::optional<uint64_t>& value, Text) {
    if (value) number(key, *value);
  }

  void flag(std::string_view key, bool value) { json(key, Json(value ? "true" : "false")); }
  void lenient(std::string_view key, const std::optional<bool>& value) {
    if (value) flag(key, *value);
  }
  void lenient(std::string_view key, bool value) {
    if (value) flag(key, true);
  }

  void error(std::string_view key, const ErrorBody& value) {
    name(key);
    *out_ += "{\"code\":";
    json::append_string(*out_, value.code);
    text("message", value.message);
    text("stacktrace", value.stacktrace);
    *out_ += '}';
  }
  void error(std::string_view key, const std::optional<ErrorBody>& value) {
    if (value) error(key, *value);
  }

  void action(std::string_view key, Action action, Text queue) {
    if (action == Action::kVoid) json(key, Json(R"({"type":"void"})"));
    if (action != Action::kEnqueue) return;
    name(key);
    *out_ += R"({"type":"enqueue")";
    text("queue", queue);
    *out_ += '}';
  }

 private:
  void name(std::string_view key) {
    *out_ += ",\"";
    *out_ += key;
    *out_ += "\":";
  }

  void share(Json value) {
    if (split_ == nullptr) {
      *out_ += value;
    } else if (out_ == &split_->head) {
      split_->body = value;
      out_ = &split_->tail;
    } else {
      split_->metadata = value;
      out_ = &split_->end;
    }
  }

  std::string* out_;
  SplitMessage* split_ = nullptr;
  std::string_view caller_worker_id_;
  bool claims_caller_ = false;
};

// The call with what its target is told instead of what its caller said.
InvokeFunction forwarded(const InvokeFunction& call, const Uuid& id, std::string_view traceparent,
                         std::string_view baggage, const CallContext& context) {
  InvokeFunction out{.invocation_id = id,
                     .function_id = call.function_id,
                     .data = call.data,
                     .metadata = call.metadata,
                     .data_claims_caller = call.data_claims_caller,
                     .caller = context.caller,
                     .activation = context.activation,
                     .observe_depth = context.observe_depth};
  if (!traceparent.empty()) out.traceparent = traceparent;
  if (!baggage.empty()) out.baggage = baggage;
  return out;
}

}  // namespace

void append(std::string& out, const Frame& frame) {
  std::visit([&](const auto& f) { Message(out).write(f); }, frame);
}

void append(std::string& out, const InvocationResult& f) {
  if (f.error || f.traceparent || f.baggage || f.matched || f.delivered ||
      !json::is_plain(f.function_id)) {
    return Message(out).write(f);
  }
  const Json result = f.result.value_or(Json{});
  append_quickly(out, kEnvelope + f.function_id.size() + result.size(), [&](Cursor& to) {
    to.put(kAnswerStart).put(f.invocation_id);
    to.put(R"(","function_id":")").put(f.function_id);
    if (f.result) to.put(R"(","result":)").put(result).put("}");
    if (!f.result) to.put(R"("})");
  });
}

SplitMessage split(const Frame& frame) {
  SplitMessage split;
  std::visit([&](const auto& f) { Message(split).write(f); }, frame);
  return split;
}

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
  const Json behind = begin_with_caller(out, data, worker_id, claims_caller);
  out += behind;
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
  Message message(out);
  message.set_caller(caller_worker_id);
  message.write(forwarded(call, id, traceparent, baggage, context));
}

SplitMessage split_forwarded(const InvokeFunction& call, const Uuid& id,
                             std::string_view caller_worker_id, std::string_view traceparent,
                             std::string_view baggage, const CallContext& context) {
  SplitMessage split;
  Message message(split);
  message.set_caller(caller_worker_id);
  message.write(forwarded(call, id, traceparent, baggage, context));
  return split;
}

}  // namespace iii::protocol
