#include "functions/bus.h"

#include "base/log.h"

namespace iii::directory {

namespace {

Context context_of(const sdk::Invocation& invocation) {
  Context out;
  const json::Slice payload = json::trimmed(invocation.data);
  if (json::kind_of(payload) == json::Kind::kObject) {
    const auto caller = json::member(payload, protocol::kCallerKey);
    if (caller && json::kind_of(*caller) == json::Kind::kString) {
      out.caller = json::string_of(*caller);
    }
  }
  out.traceparent = invocation.traceparent;
  out.baggage = invocation.baggage;
  return out;
}

sdk::Outcome outcome_of(Answer answer) {
  if (answer) return std::optional(std::move(answer->text));
  return sdk::handler_detail::outcome_of_error(
      sdk::handler_detail::as_remote(std::move(answer.error())));
}

// `function` stays as long as a call of it runs.
sdk::Task<void> answer_later(sdk::Core& core, [[maybe_unused]] FunctionPtr function,
                             sdk::Invocation invocation, sdk::Task<Answer> task) {
  Answer answer = co_await finish(std::move(task));
  sdk::handler_detail::answer(core, invocation, outcome_of(std::move(answer)));
}

sdk::FunctionHandler handler_of(sdk::Core& core, const FunctionPtr& function) {
  return [&core, function](sdk::Invocation&& received) {
    Function::Started started = function->start(context_of(received), received.data);
    if (auto* answer = std::get_if<Answer>(&started)) {
      return sdk::handler_detail::answer(core, received, outcome_of(std::move(*answer)));
    }
    if (sdk::handler_detail::is_busy(core, received)) return;
    core.tasks.spawn(answer_later(core, function, std::move(received),
                                  std::move(std::get<sdk::Task<Answer>>(started))));
  };
}

std::optional<std::string> metadata_of(const FunctionInfo& info) {
  if (!info.tool_label.empty()) {
    return json::to_text(json::Object{{"tool", json::Object{{"label", info.tool_label}}}});
  }
  if (info.hints.internal && !info.listed) return R"({"internal":true})";
  return std::nullopt;
}

}  // namespace

void serve_on(sdk::Worker& worker, const FunctionTable& table) {
  sdk::Core& core = worker.core();
  for (const FunctionPtr& function : table.functions()) {
    const Result<void> added =
        core.session.add_function({.id = function->info.id,
                                   .description = function->info.description,
                                   .request_format = function->request_schema,
                                   .response_format = function->response_schema,
                                   .metadata = metadata_of(function->info),
                                   .invocation = {}},
                                  handler_of(core, function));
    if (!added) log_error("cannot register a function: {}", added.error().message);
  }
}

sdk::Pending<json::Raw> BusClient::call(const Context& context, std::string_view function_id,
                                        std::string_view payload, std::chrono::milliseconds timeout,
                                        std::string_view name_space) {
  sdk::OutgoingCall call{
      .function_id = function_id, .data = payload, .name_space = name_space, .timeout = timeout};
  if (context.traceparent) call.traceparent = *context.traceparent;
  if (context.baggage) call.baggage = *context.baggage;
  return sdk::Pending<json::Raw>(worker_.core().start_call(call));
}

}  // namespace iii::directory
