#include "directory/table/bus.h"

#include <algorithm>
#include <utility>

#include "directory/table/function_table.h"
#include "foundation/base/log.h"

namespace iii::directory {

namespace {

// The member that the engine adds to the input: it says who calls.
struct CallerMember {
  std::string id;
  size_t bytes = 0;  // that it takes in the input, with its comma
};
// What it takes at most. Ids of workers are UUIDs.
constexpr size_t kMaxCallerMember = 128;

CallerMember caller_in(std::string_view input) {
  const json::Slice payload = json::trimmed(input);
  if (json::kind_of(payload) != json::Kind::kObject) return {};
  const auto caller = json::member(payload, protocol::kCallerKey);
  if (!caller || json::kind_of(*caller) != json::Kind::kString) return {};
  const size_t punctuation = std::string_view(R"(,"":)").size();
  return {.id = json::string_of(*caller),
          .bytes = protocol::kCallerKey.size() + caller->size() + punctuation};
}

Context context_of(const sdk::Invocation& invocation, CallerMember caller) {
  Context out;
  out.caller = std::move(caller.id);
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
task::Task<void> answer_later(sdk::Core& core, [[maybe_unused]] FunctionPtr function,
                              sdk::Invocation invocation, task::Task<Answer> task) {
  Answer answer = co_await finish(std::move(task));
  sdk::handler_detail::answer(core, invocation, outcome_of(std::move(answer)));
}

sdk::FunctionHandler handler_of(sdk::Core& core, const FunctionPtr& function) {
  return [&core, function](sdk::Invocation&& received) {
    const size_t bytes = received.data.size();
    CallerMember caller;
    // Nothing looks into an input that is too large whoever calls.
    if (function->admit(bytes - std::min(bytes, kMaxCallerMember))) {
      caller = caller_in(received.data);
    }
    if (auto admitted = function->admit(bytes - std::min(bytes, caller.bytes)); !admitted) {
      return sdk::handler_detail::answer(core, received,
                                         outcome_of(std::unexpected(admitted.error())));
    }
    Function::Started started =
        function->start(context_of(received, std::move(caller)), received.data);
    if (auto* answer = std::get_if<Answer>(&started)) {
      return sdk::handler_detail::answer(core, received, outcome_of(std::move(*answer)));
    }
    if (sdk::handler_detail::is_busy(core, received)) return;
    core.tasks.spawn(answer_later(core, function, std::move(received),
                                  std::move(std::get<task::Task<Answer>>(started))));
  };
}

std::optional<std::string> metadata_of(const FunctionInfo& info) {
  if (!info.tool_label.empty()) {
    return json::to_text(json::Object{{"tool", json::Object{{"label", info.tool_label}}}});
  }
  if (info.hints.internal && !info.listed) return R"({"internal":true})";
  // MCP servers of other processes see the function only on the bus.
  if (info.hints.operators_only) return R"({"mcp":{"operators_only":true}})";
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
                                   .metadata = metadata_of(function->info)},
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
