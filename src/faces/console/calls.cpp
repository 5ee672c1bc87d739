#include "faces/console/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "directory/library/library.h"
#include "directory/table/bus_hints.h"
#include "directory/table/engine_client.h"
#include "directory/table/function_table.h"
#include "faces/console/call_rules.h"
#include "foundation/json/describe.h"

namespace iii::console {

namespace {

using net::flat_error;
using std::chrono::milliseconds;

constexpr std::string_view kCaller = "console";
constexpr milliseconds kHintsTimeout{5'000};
constexpr size_t kMaxJobLength = 100;
constexpr size_t kOwnMemory = size_t{256} * 1024 * 1024;

struct CancelInput {
  std::string job;
};
auto describe(json::Type<CancelInput>) {
  return json::object<CancelInput>("CancelInput", "",
                                   json::field("job", &CancelInput::job, "Name of the call."));
}

template <typename T>
Result<T> read_body(const std::string& body) {
  if (const Result<void> valid = json::validate(body); !valid) {
    return fail("invalid_body", "The body is not valid JSON: " + valid.error().message);
  }
  Result<T> read = json::decode<T>(body);
  if (!read) return fail("invalid_body", "The body does not fit: " + read.error().message);
  return read;
}

bool is_job_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxJobLength &&
         std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f; });
}

void refuse(net::HttpResponse& response, int status, std::string_view code,
            std::string_view message) {
  response.send(flat_error(status, code, message));
}

void ask_to_confirm(net::HttpResponse& response, std::string_view function_id,
                    const std::optional<directory::Hints>& hints) {
  const std::string_view what = !hints ? "may change something: nothing says that it only reads"
                                : hints->destructive ? "may remove or overwrite something"
                                                     : "changes something";
  response.send(net::http_json(
      409, json::to_text(json::Object{
               {"code", "needs_confirmation"},
               {"message", fmt::format("`{}` {}. Next: send the request again with "
                                       "`confirmed: true` when the person at the page agrees.",
                                       function_id, what)},
               {"hints", hints_json(hints)}})));
}

}  // namespace

struct Calls::Input {
  std::string function_id;
  json::Raw payload{"{}"};
  std::optional<uint64_t> timeout_ms;
  bool confirmed = false;
  std::optional<std::string> job;

  friend auto describe(json::Type<Input>) {
    using T = Input;
    return json::object<T>(
        "ConsoleCall", "",
        json::field("function_id", &T::function_id, "What to call.")
            .length(directory::kMaxTextLength),
        json::field("payload", &T::payload, "Its input.").optional(),
        json::field("timeout_ms", &T::timeout_ms, "How long to wait."),
        json::field("confirmed", &T::confirmed, "A person agreed to the change.").optional(),
        json::field("job", &T::job, "Name under which progress is told."));
  }
};

struct Calls::Running {
  Input input;
  ResponsePtr response;
  std::stop_source stop = {};
  bool answered = false;
  bool over = false;
  milliseconds timeout{0};
  net::Loop* loop = nullptr;
  TimerId timer = 0;
  // Of the job.
  std::string last_step = {};
  std::chrono::steady_clock::time_point last_told = {};

  ~Running() {
    if (timer != 0) loop->cancel(timer);
  }

  const std::string& job() const { return *input.job; }
  bool has_job() const { return input.job.has_value(); }
  void answer(net::HttpAnswer text) {
    if (!std::exchange(answered, true)) response->send(std::move(text));
  }
};

Calls::Calls(net::Loop& loop, const Host& host, Tell tell, CallLimits limits,
             std::shared_ptr<net::ClientMemory> memory)
    : loop_(loop),
      host_(host),
      tell_(std::move(tell)),
      limits_(limits),
      memory_(memory ? std::move(memory) : std::make_shared<net::ClientMemory>(kOwnMemory)),
      places_(limits.max_running) {}

Calls::~Calls() {
  *alive_ = false;
  tasks_.clear();
}

void Calls::shut_down() {
  // A copy: a call may be over at once.
  for (const auto& [name, running] : std::map(jobs_)) running->stop.request_stop();
}

std::vector<JobProgress> Calls::jobs() const {
  std::vector<JobProgress> out;
  for (const auto& [name, running] : jobs_) {
    out.push_back({.job = name, .step = running->last_step, .state = "running"});
  }
  return out;
}

void Calls::call(net::HttpRequest request, ResponsePtr response) {
  const std::string client = net::client_of_address(request.peer);
  Share share{.place = places_.take(client), .memory = memory_->keep(client)};
  if (!share.place) {
    return refuse(*response, 429, "too_many_calls",
                  "Too many calls are running. Next: wait for answers, then try again.");
  }
  if (!share.memory->resize(request.body.size())) {
    return refuse(*response, 503, "no_memory",
                  "The server has no memory left for calls of this client. Next: wait for answers, "
                  "then try again.");
  }
  tasks_.spawn(run(std::move(request.body), std::move(response), std::move(share)));
}

task::Task<void> Calls::run(std::string body, ResponsePtr response, Share share) {
  Result<Input> input;
  if (body.size() > limits_.large_body_bytes) {
    input = co_await host_.library->on_answer_thread(
        [text = std::move(body)] { return read_body<Input>(text); });
  } else {
    input = read_body<Input>(body);
  }
  if (!input) co_return refuse(*response, 400, input.error().code, input.error().message);
  if (input->job && !is_job_name(*input->job)) {
    co_return refuse(
        *response, 400, "invalid_body",
        fmt::format("`job` must be 1 to {} printable characters without blanks.", kMaxJobLength));
  }
  auto running = std::make_shared<Running>(std::move(*input), std::move(response));
  running->loop = &loop_;
  // Later: the memory may be needed in the middle of anything.
  share.memory->on_give_up([&loop = loop_, weak = std::weak_ptr(running)] {
    loop.post([weak] {
      if (const RunningPtr still = weak.lock()) still->stop.request_stop();
    });
  });
  if (directory::FunctionPtr function = host_.functions->find(running->input.function_id)) {
    co_return co_await run_own(std::move(running), std::move(function));
  }
  co_await run_on_bus(std::move(running));
}

task::Task<void> Calls::run_own(RunningPtr running, directory::FunctionPtr function) {
  const directory::Hints& hints = function->info.hints;
  const CallRule rule = rule_of(hints);
  if (rule == CallRule::kRefuse) {
    co_return refuse(*running->response, 403, "internal_function",
                     "The engine calls this function; it is not for callers.");
  }
  if (rule == CallRule::kConfirm && !running->input.confirmed) {
    co_return ask_to_confirm(*running->response, function->info.id, hints);
  }
  if (!begin(running, hints.read_only ? limits_.read_timeout : limits_.write_timeout)) co_return;
  running->timer = loop_.after(running->timeout, [weak = std::weak_ptr(running)] {
    const RunningPtr late = weak.lock();
    if (late == nullptr) return;
    late->timer = 0;
    late->stop.request_stop();
    late->answer(flat_error(504, "timeout",
                            fmt::format("No answer within {} ms. Next: try again, or ask for less.",
                                        late->timeout.count())));
  });
  directory::Answer answer = co_await host_.functions->call(
      running->input.function_id, context_of(running), std::move(running->input.payload));
  finish(running, std::move(answer));
}

task::Task<Result<std::optional<directory::Hints>>> Calls::ask_hints(std::string function_id) {
  const std::string input = json::to_text(json::Object{{"function_id", function_id}});
  sdk::Reply<json::Raw> reply =
      co_await host_.engine->call({.caller = std::string(kCaller)}, "engine::functions::info",
                                  std::string_view(input), kHintsTimeout);
  if (!reply) co_return std::unexpected(Error{reply.error().code, reply.error().message});
  const Result<json::Value> row = json::parse(reply->text);
  if (!row) co_return std::unexpected(row.error());
  co_return directory::hints_of_row(*row);
}

task::Task<void> Calls::run_on_bus(RunningPtr running) {
  const std::string& id = running->input.function_id;
  if (!host_.engine_is_there()) {
    co_return refuse(*running->response, 503, "no_engine",
                     "The engine cannot be reached at the moment. Next: try again shortly.");
  }
  if (!running->input.confirmed && !is_known_read(id)) {
    const Result<std::optional<directory::Hints>> hints = co_await ask_hints(id);
    if (!hints) co_return finish(running, std::unexpected(hints.error()));
    if (!*hints || !(*hints)->read_only) co_return ask_to_confirm(*running->response, id, *hints);
  }
  if (!begin(running, limits_.read_timeout)) co_return;
  // The bus cannot take a call back: whoever stops waiting is answered at once.
  const std::stop_callback stopped(running->stop.get_token(), [this, running] {
    finish(running,
           fail("cancelled", "Nobody waits for this call any more; the function may go on."));
  });
  sdk::Reply<json::Raw> reply = co_await host_.engine->call(
      context_of(running), id, std::string_view(running->input.payload.text), running->timeout);
  if (reply) {
    finish(running, std::move(*reply));
  } else {
    finish(running, std::unexpected(Error{reply.error().code, reply.error().message}));
  }
}

// False: it was refused.
bool Calls::begin(const RunningPtr& running, milliseconds most) {
  const Input& input = running->input;
  const auto wanted =
      input.timeout_ms ? milliseconds(std::min<uint64_t>(*input.timeout_ms, uint64_t(most.count())))
                       : most;
  running->timeout = std::max(wanted, milliseconds(1));
  if (running->has_job()) {
    if (!jobs_.emplace(running->job(), running).second) {
      refuse(*running->response, 409, "job_exists", "A call with this name is running already.");
      return false;
    }
    tell_({.job = running->job(), .step = {}, .state = "running"});
  } else {
    // A page that has gone away reads no answer. What has a name goes on.
    running->response->on_closed([weak = std::weak_ptr(running)] {
      if (const RunningPtr left = weak.lock()) left->stop.request_stop();
    });
  }
  return true;
}

directory::Context Calls::context_of(const RunningPtr& running) {
  directory::Context out{.caller = std::string(kCaller),
                         .deadline = loop_.now() + running->timeout,
                         .cancelled = running->stop.get_token()};
  if (!running->has_job()) return out;
  // A function may report from another thread.
  out.progress = [this, &loop = loop_, alive = std::weak_ptr(alive_),
                  running](const directory::CallProgress& now) {
    loop.dispatch([this, alive, running, now] {
      if (!alive.expired()) report(running, now);
    });
  };
  return out;
}

void Calls::report(const RunningPtr& running, const directory::CallProgress& now) {
  if (running->over) return;
  const auto time = loop_.now();
  const bool complete = now.total > 0 && now.done >= now.total;
  if (now.step == running->last_step && !complete &&
      time - running->last_told < limits_.progress_pause) {
    return;
  }
  running->last_step = now.step;
  running->last_told = time;
  tell_({.job = running->job(),
         .step = now.step,
         .done = now.done,
         .total = now.total,
         .state = "running"});
}

void Calls::finish(const RunningPtr& running, directory::Answer answer) {
  if (std::exchange(running->over, true)) return;
  if (running->has_job()) end_job(running, answer ? nullptr : &answer.error());
  if (!answer) {
    const Error& error = answer.error();
    return running->answer(flat_error(status_of(error), code_of(error), message_of(error)));
  }
  if (answer->text.size() > limits_.max_answer_bytes) {
    return running->answer(flat_error(
        422, "answer_too_large",
        fmt::format("The answer has {} bytes; the page takes {}. Next: ask for less, where the "
                    "function has `limit`, `offset` or a filter.",
                    answer->text.size(), limits_.max_answer_bytes)));
  }
  running->answer(net::http_json(200, "{\"result\":" + answer->text + "}"));
}

void Calls::end_job(const RunningPtr& running, const Error* error) {
  jobs_.erase(running->job());
  JobProgress end{.job = running->job(), .step = running->last_step, .state = "done"};
  if (error != nullptr && error->code == "cancelled") {
    end.state = "cancelled";
  } else if (error != nullptr) {
    end.state = "failed";
    end.code = code_of(*error);
    end.message = message_of(*error);
  }
  tell_(end);
}

void Calls::cancel(const net::HttpRequest& request, const ResponsePtr& response) {
  const Result<CancelInput> input = read_body<CancelInput>(request.body);
  if (!input) return refuse(*response, 400, input.error().code, input.error().message);
  const auto found = jobs_.find(input->job);
  if (found == jobs_.end()) {
    return refuse(*response, 404, "no_such_job", "No call with this name is running.");
  }
  const RunningPtr running = found->second;  // it may be over at once
  running->stop.request_stop();
  response->send(204, {}, std::string());
}

}  // namespace iii::console
