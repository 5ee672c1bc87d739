#include "bus/sdk/handler.h"

namespace iii::sdk::handler_detail {

namespace {

// Names of the fields of a described struct, for the error that says what was expected.
std::string expectation(const json::Codec& codec) {
  if (codec.shape != json::Shape::kObject) return {};
  std::string names;
  for (const json::FieldDescription& field : codec.object().fields) {
    names += (names.empty() ? "`" : ", `") + std::string(field.name) + "`";
  }
  return names.empty() ? "; an object is expected" : "; an object with " + names + " is expected";
}

// Which field cannot be read: the problem itself does not say, as in the published workers. Writes
// into `in`, which nobody uses any more.
std::string wrong_field(const json::Codec& codec, json::Slice data, void* in) {
  if (codec.shape != json::Shape::kObject || json::kind_of(data) != json::Kind::kObject) return {};
  for (const json::FieldDescription& field : codec.object().fields) {
    const auto value = json::member(data, field.name);
    if (!value || (field.has_default && *value == "null")) continue;
    if (json::decode_value(*field.codec, *value, field.of(in), field.expected_word)) {
      return " (field " + std::string(field.name) + ")";
    }
  }
  return {};
}

// The members of an event that are of one's own types.
bool is_part(std::string_view name) { return name == "input" || name == "output"; }

std::string without_parts(json::Slice event) {
  std::string out = "{";
  json::Walker walker(event);
  json::Slice key;
  json::Slice value;
  while (walker.next(key, value)) {
    if (is_part(json::string_of(key))) continue;
    if (out.size() > 1) out += ',';
    out.append(key).append(":").append(value);
  }
  return out + '}';
}

// Without the payload, which may be large.
Invocation head_of(const Invocation& invocation) {
  Invocation out{.id = invocation.id,
                 .function_id = invocation.function_id,
                 .metadata = {},
                 .traceparent = invocation.traceparent,
                 .baggage = invocation.baggage};
  out.arrived = invocation.arrived;
  return out;
}

Task<void> answer_large(Core& core, Invocation invocation, std::string text) {
  auto write = [transport = core.transport.get(), invocation,
                text = std::move(text)]() mutable -> Result<SharedBytes> {
    Result<std::string> frame = Session::answer_text(invocation, text);
    std::string().swap(text);
    if (!frame) return std::unexpected(std::move(frame.error()));
    return transport->encode(std::move(*frame));
  };
  Result<SharedBytes> frame = co_await core.encoding.run(std::move(write));
  if (!frame) {
    co_return core.session.answer(invocation, std::unexpected(as_remote(std::move(frame.error()))));
  }
  // An engine may not have recorded the call yet (see Session::send_answer).
  if (invocation.arrived + kLargeAnswerDelay > core.loop.now()) {
    co_await Sleep(core.loop, kLargeAnswerDelay);
  }
  core.session.answer_encoded(std::move(*frame));
}

}  // namespace

Outcome outcome_of_text(Result<std::string> text) {
  if (!text) return std::unexpected(as_remote(std::move(text.error())));
  return std::optional(std::move(*text));
}

Outcome outcome_of_error(RemoteError error) {
  if (error.code.empty()) error.code = kInvocationFailed;
  return std::unexpected(std::move(error));
}

Outcome outcome_of_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return std::unexpected(remote_error(kInvocationFailed, e.what()));
  } catch (...) {
    return std::unexpected(remote_error(
        kInvocationFailed, "the handler threw something that is not a std::exception"));
  }
}

json::Problem input_problem(const json::Codec& codec, json::Slice value, void* in) {
  const json::Problem problem = json::decode_value(codec, value, in, {});
  if (!problem) return std::nullopt;
  return *problem + wrong_field(codec, value, in) + expectation(codec);
}

RemoteError unreadable_input(const std::string& problem) {
  return remote_error(kInvocationFailed, "serialization error: " + problem);
}

std::optional<RemoteError> decode_input(const json::Codec& codec, std::string_view data, void* in) {
  const json::Problem problem = input_problem(codec, lenient(codec, data), in);
  if (!problem) return std::nullopt;
  return unreadable_input(*problem);
}

bool read_input(Core& core, Invocation& received, const json::Codec& codec, void* in) {
  std::optional<RemoteError> error = decode_input(codec, received.data, in);
  if (!error) return true;
  core.session.answer(received, std::unexpected(std::move(*error)));
  return false;
}

bool read_event(Core& core, Invocation& received, const json::Codec& codec, void* in) {
  const json::Slice event = json::trimmed(received.data);
  if (!json::decode_value(codec, event, in, {})) return true;
  const bool is_object = json::kind_of(event) == json::Kind::kObject;
  if (auto error = decode_input(codec, is_object ? without_parts(event) : received.data, in)) {
    received.activated = true;  // most likely: the engine does not tell every worker
    core.session.answer(received, std::unexpected(std::move(*error)));
    return false;
  }
  for (const json::FieldDescription& field : codec.object().fields) {
    const auto value = is_part(field.name) ? json::member(event, field.name) : std::nullopt;
    if (!value) continue;
    const json::Problem problem = json::decode_value(*field.codec, *value, field.of(in), {});
    if (!problem) continue;
    field.codec->container->clear(field.of(in));
    core.unread_parts.log(LogLevel::kWarn,
                          "{}: the {} of an event is left empty, because it does not fit: {}. "
                          "Next: ask for json::Raw",
                          received.function_id, field.name, *problem);
  }
  return true;
}

std::shared_ptr<const Invocation> keep(Invocation&& received) {
  return std::make_shared<const Invocation>(std::move(received));
}

bool is_busy(Core& core, const Invocation& invocation) {
  if (core.tasks.size() < core.max_running_calls) return false;
  core.session.answer(invocation,
                      std::unexpected(remote_error(
                          kWorkerBusy, "too many calls are being handled; try again later")));
  return true;
}

void answer(Core& core, const Invocation& invocation, Outcome outcome) {
  const bool large = outcome && *outcome && (*outcome)->size() >= kLargeAnswerBytes;
  if (!large || !invocation.id) return core.session.answer(invocation, std::move(outcome));
  core.tasks.spawn(answer_large(core, head_of(invocation), std::move(**outcome)));
}

}  // namespace iii::sdk::handler_detail
