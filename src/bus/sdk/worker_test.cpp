// The typed layer on a real loop, with an engine that the test plays over the in-process transport.
#include "bus/sdk/worker.h"

#include <cmath>
#include <csignal>
#include <thread>

#include "bus/sdk/fake_engine.h"
#include "foundation/base/log_sink.h"

namespace iii::sdk {

struct Add {
  int64_t a = 0;
  int64_t b = 0;
};
inline auto describe(json::Type<Add>) {
  return json::object<Add>("Add", "Two numbers.", json::field("a", &Add::a, "One."),
                           json::field("b", &Add::b, "Two."));
}
struct Sum {
  int64_t sum = 0;
};
inline auto describe(json::Type<Sum>) {
  return json::object<Sum>("Sum", "A sum.", json::field("sum", &Sum::sum, "The sum."));
}
struct Every {
  int64_t ms = 10;
};
inline auto describe(json::Type<Every>) {
  return json::object<Every>("Every", "How often.",
                             json::field("ms", &Every::ms, "Milliseconds.").optional());
}

namespace {

using testing::HasSubstr;
using testing::SizeIs;

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() : engine(loop), worker(WorkerOptions{.name = "test"}, loop, engine.transport()) {}

  void start() {
    ASSERT_TRUE(worker.start());
    engine.run_until([this] { return worker.state() == SessionState::kReady; });
  }
  json::Value result_of(const std::string& function, const std::string& data,
                        const std::string& rest = "") {
    engine.frames.clear();
    engine.invoke(function, data, rest);
    return engine.wait_for("invocationresult", 1).at(0);
  }
  static std::string code_of(const json::Value& frame) {
    const json::Value* error = frame.find("error");
    return error ? *error->find("code")->as_string() : "";
  }
  static std::string message_of(const json::Value& frame) {
    return *frame.find("error")->find("message")->as_string();
  }
  static json::Value result(const json::Value& frame) {
    const json::Value* value = frame.find("result");
    return value ? *value : json::Value("(none)");
  }

  net::Loop loop;
  FakeEngine engine;
  Worker worker;
};

TEST_F(WorkerTest, SchemasComeFromTheDescriptions) {
  worker.function("t::add", "Adds.", [](Add in) { return Sum{in.a + in.b}; });
  worker.function("t::raw", "", [](json::Raw in) { return in; });
  start();
  const auto frames = engine.of_type("registerfunction");
  ASSERT_THAT(frames, SizeIs(2));
  EXPECT_EQ(*frames[0].find("description"), json::Value("Adds."));
  EXPECT_EQ(*frames[0].find("request_format"), json::schema<Add>());
  EXPECT_EQ(*frames[0].find("response_format"), json::schema<Sum>());
  EXPECT_EQ(frames[1].find("description"), nullptr);
  EXPECT_EQ(frames[1].find("request_format"), nullptr);
}

TEST_F(WorkerTest, AFunctionSaysWhoMayCallAndObserveIt) {
  engine.greeting = R"(,"features":["observe.v1","observe.v2"])";
  const auto echo = [](json::Raw in) { return in; };
  worker.function(FunctionOptions{.id = "t::topics",
                                  .args_format = json::Raw{R"({"type":"object"})"},
                                  .is_private = true,
                                  .observable = false},
                  echo);
  worker.function("t::open", "", echo);
  start();
  const auto frames = engine.wait_for("registerfunction", 2);
  ASSERT_THAT(frames, SizeIs(2));
  for (const char* key : {"args_format", "private", "observable"}) {
    EXPECT_EQ(frames[0].find(key), nullptr) << key;
    ASSERT_NE(frames[1].find(key), nullptr) << key;
  }
  EXPECT_EQ(*frames[1].find("private"), json::Value(true));
  EXPECT_EQ(*frames[1].find("observable"), json::Value(false));
  EXPECT_EQ(json::to_text(*frames[1].find("args_format")), R"({"type":"object"})");
}

TEST_F(WorkerTest, APartOfAnEventThatDoesNotFitIsLeftEmpty) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  worker.function("t::told", "", [](const Observation<Add, Sum>& event) {
    return json::Array{event.status, event.input ? json::Value(event.input->a) : json::Value(),
                       event.output ? json::Value(event.output->sum) : json::Value(),
                       event.started_at_ms};
  });
  start();
  lines.clear();
  const auto told = [&](const std::string& parts) {
    return json::to_text(result(result_of(
        "t::told", R"({"observer_id":"o","activation_id":"a","function_id":"f","namespace":"n",)"
                   R"("invocation_id":"i","status":"error",)" +
                       parts + R"("started_at_ms":5,"duration_ms":1.5})")));
  };
  EXPECT_EQ(told(R"("input":{"a":1,"b":2},"output":{"sum":3},)"), R"(["error",1,3,5])");
  EXPECT_EQ(told(""), R"(["error",null,null,5])");
  EXPECT_EQ(lines, std::vector<std::string>{});
  EXPECT_EQ(told(R"("input":{"a":1,"b":"x"},"output":{"sum":3},)"), R"(["error",null,3,5])");
  EXPECT_THAT(lines, testing::ElementsAre(
                         testing::AllOf(HasSubstr("t::told: the input of an event is left empty"),
                                        HasSubstr("json::Raw"))));
  EXPECT_EQ(told(R"("input":{"a":1,"b":2},"output":7,)"), R"(["error",1,null,5])");
  lines.clear();
  EXPECT_EQ(code_of(result_of("t::told", R"({"amount":5})")), "invocation_failed");
  EXPECT_THAT(lines, testing::ElementsAre(HasSubstr("t::told failed when an observer called it")));
  set_log_sink({});
}

TEST_F(WorkerTest, EveryShapeOfHandlerAnswers) {
  worker.function("t::plain", "", [](Add in) { return Sum{in.a + in.b}; });
  worker.function("t::reference", "", [](const Add& in) { return in.a; });
  worker.function("t::result", "", [](Add in) -> Result<Sum> { return Sum{in.a}; });
  worker.function("t::nothing", "", [] {});
  worker.function("t::literal", "", [] { return "word"; });
  worker.function("t::call", "", [](const Call& call) { return call.function_id(); });
  worker.function("t::both", "",
                  [](Call& call, Add in) { return call.function_id() + std::to_string(in.b); });
  worker.function("t::value", "", [](json::Value in) { return in; });
  worker.function("t::task", "", [](Add in) -> Task<Sum> { co_return Sum{in.a * in.b}; });
  worker.function("t::task_result", "",
                  [](Call, Add in) -> Task<Result<Sum>> { co_return Sum{in.b}; });
  worker.function("t::task_void", "", []() -> Task<void> { co_return; });
  start();
  const std::string in = R"({"a":2,"b":3,"_caller_worker_id":"w","unknown":[]})";
  EXPECT_EQ(json::to_text(result(result_of("t::plain", in))), R"({"sum":5})");
  EXPECT_EQ(json::to_text(result(result_of("t::reference", in))), "2");
  EXPECT_EQ(json::to_text(result(result_of("t::result", in))), R"({"sum":2})");
  EXPECT_EQ(result(result_of("t::nothing", in)), json::Value("(none)"));
  EXPECT_EQ(result(result_of("t::literal", in)), json::Value("word"));
  EXPECT_EQ(result(result_of("t::call", "null")), json::Value("t::call"));
  EXPECT_EQ(result(result_of("t::both", in)), json::Value("t::both3"));
  EXPECT_EQ(json::to_text(result(result_of("t::value", "[1,2]"))), "[1,2]");
  EXPECT_EQ(json::to_text(result(result_of("t::task", in))), R"({"sum":6})");
}

TEST_F(WorkerTest, CoroutineHandlersAnswerToo) {
  worker.function("t::task_result", "",
                  [](Call, Add in) -> Task<Result<Sum>> { co_return Sum{in.b}; });
  worker.function("t::task_void", "", []() -> Task<void> { co_return; });
  start();
  EXPECT_EQ(json::to_text(result(result_of("t::task_result", R"({"a":2,"b":3})"))), R"({"sum":3})");
  EXPECT_EQ(result(result_of("t::task_void", "null")), json::Value("(none)"));
}

TEST_F(WorkerTest, FailuresBecomeErrorBodies) {
  worker.function("t::coded", "", [](Add) -> Result<Sum> { return fail("MY_CODE", "no"); });
  worker.function("t::uncoded", "", [](Add) -> Result<Sum> { return fail("", "no"); });
  worker.function("t::throws", "", [](Add) -> Sum { throw std::runtime_error("boom"); });
  worker.function("t::odd", "", [](Add) -> Sum { throw 5; });
  worker.function("t::task_throws", "", [](Add) -> Task<Sum> {
    throw std::runtime_error("later boom");
    co_return Sum{};
  });
  worker.function("t::traced", "", [](Add) -> Reply<Sum> {
    return std::unexpected(RemoteError{{"C", "m"}, "at line 1"});
  });
  start();
  const std::string in = R"({"a":1,"b":1})";
  EXPECT_EQ(code_of(result_of("t::coded", in)), "MY_CODE");
  EXPECT_EQ(code_of(result_of("t::uncoded", in)), "invocation_failed");
  const json::Value thrown = result_of("t::throws", in);
  EXPECT_EQ(code_of(thrown), "invocation_failed");
  EXPECT_EQ(message_of(thrown), "boom");
  EXPECT_EQ(thrown.find("error")->find("stacktrace"), nullptr);
  EXPECT_EQ(code_of(result_of("t::odd", in)), "invocation_failed");
  EXPECT_EQ(message_of(result_of("t::task_throws", in)), "later boom");
  EXPECT_EQ(*result_of("t::traced", in).find("error")->find("stacktrace"),
            json::Value("at line 1"));
}

TEST_F(WorkerTest, ANumberThatJsonCannotExpressIsAnErrorAnswer) {
  worker.function("t::plain", "", [] { return double{NAN}; });
  worker.function("t::result", "", []() -> Result<std::vector<double>> {
    return std::vector<double>{1.0, INFINITY};
  });
  worker.function("t::task", "", []() -> Task<json::Value> {
    co_return json::Object{{"a", json::Array{json::Object{{"b", NAN}}}}};
  });
  start();
  EXPECT_EQ(code_of(result_of("t::plain", "null")), "serialization_error");
  const json::Value listed = result_of("t::result", "null");
  EXPECT_EQ(code_of(listed), "serialization_error");
  EXPECT_THAT(message_of(listed), testing::StartsWith("`[1]` is NaN or infinite"));
  EXPECT_THAT(message_of(result_of("t::task", "null")), testing::StartsWith("`a[0].b` is NaN"));
}

TEST_F(WorkerTest, ANumberThatJsonCannotExpressIsNeverSent) {
  worker.function("t::relay", "", [](Call call) -> Task<Result<json::Raw>> {
    auto reply = co_await call.trigger("far::add", double{INFINITY});
    if (!reply) co_return std::unexpected(reply.error());
    co_return *reply;
  });
  worker.function("t::tell", "",
                  [](const Call& call) { return call.trigger_void("far::x", double{NAN}); });
  start();
  EXPECT_EQ(code_of(result_of("t::relay", "null")), "serialization_error");
  EXPECT_EQ(code_of(result_of("t::tell", "null")), "serialization_error");
  EXPECT_FALSE(worker.bind("far::type", "t::tell", double{NAN}));
}

TEST_F(WorkerTest, InputThatDoesNotFitIsRefusedWithTheFieldsThatWould) {
  worker.function("t::add", "", [](Add in) { return Sum{in.a}; });
  worker.function("t::every", "", [](Every in) { return in.ms; });
  start();
  for (const char* data : {"{}", R"({"a":"x","b":1})", "null", R"("Ada")"}) {
    const json::Value frame = result_of("t::add", data);
    EXPECT_EQ(code_of(frame), "invocation_failed");
    EXPECT_THAT(message_of(frame), testing::StartsWith("serialization error: "));
    EXPECT_THAT(message_of(frame), HasSubstr("`a`, `b`"));
  }
  // Nothing at all is fine where every field is optional.
  EXPECT_EQ(json::to_text(result(result_of("t::every", "null"))), "10");
}

TEST_F(WorkerTest, ACallKnowsItsCallerAndCarriesTheTraceOn) {
  worker.function("t::who", "", [](const Call& call) {
    return call.caller_worker_id() + "/" + (call.metadata() ? call.metadata()->text : "none");
  });
  worker.function("t::relay", "", [](Call call, Add in) -> Task<Result<Sum>> {
    const Reply<Sum> reply = co_await call.trigger<Sum>("far::add", in);
    if (!reply) co_return std::unexpected(reply.error());
    co_return *reply;
  });
  start();
  EXPECT_EQ(result(result_of("t::who", R"({"_caller_worker_id":"w7"})", R"(,"metadata":{"t":1})")),
            json::Value(R"(w7/{"t":1})"));
  EXPECT_EQ(result(result_of("t::who", "[]")), json::Value("/none"));

  engine.frames.clear();
  engine.invoke("t::relay", R"({"a":1,"b":2})", R"(,"traceparent":"00-a-b-01","baggage":"k=v")");
  const json::Value outgoing = engine.wait_for("invokefunction", 1).at(0);
  EXPECT_EQ(*outgoing.find("traceparent"), json::Value("00-a-b-01"));
  EXPECT_EQ(*outgoing.find("baggage"), json::Value("k=v"));
  EXPECT_EQ(json::to_text(*outgoing.find("data")), R"({"a":1,"b":2})");
  engine.answer(outgoing, R"(,"error":{"code":"FAR","message":"away"})");
  const json::Value frame = engine.wait_for("invocationresult", 1).at(0);
  EXPECT_EQ(code_of(frame), "FAR");
  EXPECT_EQ(*frame.find("traceparent"), json::Value("00-a-b-01"));
}

TEST_F(WorkerTest, SeveralCallsCanBeUnderWayAtOnce) {
  worker.function("t::many", "", [](Call call) -> Task<Result<Sum>> {
    std::vector<Pending<Sum>> calls;
    for (int i = 0; i < 3; ++i) calls.push_back(call.trigger<Sum>("far::n", i));
    Sum total;
    for (Pending<Sum>& pending : calls) {
      const Reply<Sum> reply = co_await pending;
      if (!reply) co_return std::unexpected(reply.error());
      total.sum += reply->sum;
    }
    co_return total;
  });
  start();
  engine.frames.clear();
  engine.invoke("t::many", "null");
  const auto calls = engine.wait_for("invokefunction", 3);
  for (const size_t i : {2u, 0u, 1u}) engine.answer(calls[i], R"(,"result":{"sum":7})");
  EXPECT_EQ(json::to_text(result(engine.wait_for("invocationresult", 1).at(0))), R"({"sum":21})");
}

TEST_F(WorkerTest, AnAnswerOfAnotherTypeIsAnErrorOfItsOwn) {
  start();
  std::optional<Reply<Sum>> got;
  const CallOptions options{.timeout = Millis(60'000), .metadata = json::Raw{"1"}};
  worker.trigger_then<Sum>("far::x", 5, options, [&](Reply<Sum> reply) { got = std::move(reply); });
  const json::Value call = engine.wait_for("invokefunction", 1).at(0);
  EXPECT_EQ(*call.find("metadata"), json::Value(1));
  engine.answer(call, R"(,"result":"text")");
  engine.run_until([&] { return got.has_value(); });
  EXPECT_EQ(got->error().code, kInvalidResult);
}

TEST_F(WorkerTest, BlockingWorkRunsElsewhereAndComesBack) {
  const std::thread::id loop_thread = std::this_thread::get_id();
  worker.function("t::block", "", [loop_thread](Call call) {
    return [](Call inside, std::thread::id home) -> Task<bool> {
      auto work = [] { return std::this_thread::get_id(); };
      const std::thread::id there = co_await inside.pool().run(work);
      co_return there != home&& std::this_thread::get_id() == home;
    }(call, loop_thread);
  });
  worker.function("t::block_throws", "", [](Call call) -> Task<std::string> {
    auto work = []() -> std::string { throw std::runtime_error("on the pool"); };
    co_return co_await call.pool().run(work);
  });
  start();
  EXPECT_EQ(result(result_of("t::block", "null")), json::Value(true));
  EXPECT_EQ(message_of(result_of("t::block_throws", "null")), "on the pool");
}

TEST_F(WorkerTest, AFunctionMayGoWhileItsHandlerWaits) {
  worker.function("t::wait", "", [this](Call call) -> Task<std::string> {
    return [](Call inside, Worker* home) -> Task<std::string> {
      home->unregister_function("t::wait");
      co_await inside.sleep(Millis(1));
      co_return inside.function_id();
    }(std::move(call), &worker);
  });
  start();
  EXPECT_EQ(result(result_of("t::wait", "null")), json::Value("t::wait"));
  EXPECT_EQ(code_of(result_of("t::wait", "null")), "function_not_found");
}

TEST_F(WorkerTest, AProviderSeesItsBindingsTyped) {
  std::vector<std::string> events;
  auto type =
      worker
          .trigger_type<Every, Sum>(
              "t::tick", "Ticks.",
              [&](const Binding<Every>& binding) -> Result<void> {
                if (binding.config.ms < 0) return fail("", "time runs forward");
                events.push_back("bound " + binding.id);
                return {};
              },
              [&](const Binding<Every>& binding) { events.push_back("unbound " + binding.id); })
          .value();
  start();
  const json::Value registered = engine.of_type("registertriggertype").at(0);
  EXPECT_EQ(*registered.find("trigger_request_format"), json::schema<Every>());
  EXPECT_EQ(*registered.find("call_request_format"), json::schema<Sum>());
  const auto bind = [&](const std::string& id, const std::string& config) {
    engine.frames.clear();
    engine.send(R"({"type":"registertrigger","id":")" + id +
                R"(","trigger_type":"t::tick","function_id":"f::x","config":)" + config +
                R"(,"metadata":{"k":1},"namespace":"orders"})");
    return engine.wait_for("triggerregistrationresult", 1).at(0);
  };
  EXPECT_EQ(code_of(bind("b1", R"({"ms":5})")), "");
  EXPECT_EQ(code_of(bind("b1", R"({"ms":6})")), "");  // the same id again replaces
  EXPECT_EQ(code_of(bind("b2", R"({"ms":-1})")), "trigger_registration_failed");
  EXPECT_EQ(code_of(bind("b3", R"({"ms":"x"})")), "trigger_registration_failed");
  ASSERT_THAT(type.bindings(), SizeIs(1));
  const Binding<Every> binding = type.bindings().at("b1");
  EXPECT_EQ(binding.config.ms, 6);

  engine.frames.clear();
  ASSERT_TRUE(worker.fire_void(binding, Sum{3}));
  const json::Value fired = engine.wait_for("invokefunction", 1).at(0);
  EXPECT_EQ(*fired.find("function_id"), json::Value("f::x"));
  EXPECT_EQ(*fired.find("namespace"), json::Value("orders"));
  EXPECT_EQ(json::to_text(*fired.find("metadata")), R"({"k":1})");

  engine.send(R"({"type":"unregistertrigger","id":"b1","trigger_type":"t::tick"})");
  engine.run_until([&] { return type.bindings().empty(); });
  EXPECT_THAT(events, testing::ElementsAre("bound b1", "bound b1", "unbound b1"));
}

// Regression: the unbind was lost, and the provider fired to a binding that nobody had.
TEST_F(WorkerTest, AnUnbindDuringACoroutineOnBindIsNotLost) {
  std::vector<std::string> events;
  std::optional<Binding<Every>> kept;
  auto type =
      worker
          .trigger_type<Every, Sum>(
              "t::tick", "Ticks.",
              [&](const Binding<Every>& binding) {
                kept = binding;
                return [](Worker* home, std::vector<std::string>* log,
                          std::string id) -> Task<Result<void>> {
                  const Reply<json::Raw> reply = co_await home->trigger("far::judge");
                  log->push_back("judged " + id + (reply ? "" : " badly"));
                  co_return Result<void>();
                }(&worker, &events, binding.id);
              },
              [&](const Binding<Every>& binding) { events.push_back("unbound " + binding.id); })
          .value();
  start();
  engine.frames.clear();
  engine.send(
      R"({"type":"registertrigger","id":"b1","trigger_type":"t::tick","function_id":"f::x","config":{}})");
  const json::Value question = engine.wait_for("invokefunction", 1).at(0);
  EXPECT_TRUE(kept->is_bound());
  engine.send(R"({"type":"unregistertrigger","id":"b1","trigger_type":"t::tick"})");
  engine.run_until([&] { return !kept->is_bound(); });
  EXPECT_THAT(events, testing::IsEmpty());
  engine.answer(question, R"(,"result":true)");
  engine.run_until([&] { return events.size() == 2; });
  EXPECT_THAT(events, testing::ElementsAre("judged b1", "unbound b1"));
  EXPECT_THAT(type.bindings(), SizeIs(0));

  engine.frames.clear();
  EXPECT_EQ(worker.fire_void(*kept, Sum{1}).error().code, kBindingEnded);
  ASSERT_TRUE(worker.trigger_void("f::after", Sum{2}));
  const auto sent = engine.wait_for("invokefunction", 1);
  EXPECT_EQ(*sent.at(0).find("function_id"), json::Value("f::after"));
}

TEST_F(WorkerTest, ComesBackAfterTheEngineDropsIt) {
  worker.function("t::add", "", [](Add in) { return Sum{in.a}; });
  start();
  engine.frames.clear();
  engine.drop();
  engine.run_until([&] { return worker.state() == SessionState::kWaiting; });
  engine.run_until([&] { return worker.state() == SessionState::kReady; });
  EXPECT_EQ(engine.connections, 2);
  ASSERT_THAT(engine.frames, SizeIs(2));
  EXPECT_EQ(*engine.frames[0].find("type"), json::Value("reattach"));
  EXPECT_EQ(*engine.frames[1].find("type"), json::Value("registerfunction"));
}

TEST_F(WorkerTest, StopLetsRunningHandlersFinish) {
  worker.function("t::slow", "", [](Call call) -> Task<std::string> {
    co_await call.sleep(Millis(20));
    co_return "done";
  });
  start();
  engine.frames.clear();
  engine.invoke("t::slow", "null");
  engine.run_until([&] { return worker.core().tasks.size() == 1; });
  bool stopped = false;
  worker.stop([&] { stopped = true; });
  engine.run_until([&] { return stopped; });
  EXPECT_EQ(result(engine.of_type("invocationresult").at(0)), json::Value("done"));
  EXPECT_EQ(engine.departures, 1);
  EXPECT_EQ(worker.state(), SessionState::kStopped);
}

TEST_F(WorkerTest, StopDoesNotWaitForAnEngineThatIsAway) {
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  start();
  engine.drop();
  engine.run_until([&] { return worker.state() == SessionState::kWaiting; });
  lines.clear();
  std::string code;
  worker.spawn([](Worker& asker, std::string& answer) -> Task<void> {
    const Reply<json::Raw> reply = co_await asker.trigger<json::Raw>("far::away", json::Raw{"{}"});
    answer = reply ? "" : reply.error().code;
  }(worker, code));
  bool stopped = false;
  worker.stop([&] { stopped = true; });
  engine.run_until([&] { return stopped; });
  set_log_sink({});
  EXPECT_EQ(code, kShuttingDown);
  EXPECT_EQ(engine.connections, 1) << "it does not come back";
  EXPECT_THAT(lines, testing::IsEmpty());
}

TEST_F(WorkerTest, DestroyingAWorkerWithWaitingHandlersIsSafe) {
  auto other = std::make_unique<Worker>(WorkerOptions{.name = "second"}, loop, engine.transport());
  other->function("t::for_ever", "", [](Call call) -> Task<Result<std::string>> {
    const Reply<json::Raw> reply = co_await call.trigger("far::never");
    co_return reply ? "answered" : "failed";
  });
  ASSERT_TRUE(other->start());
  engine.run_until([&] { return other->state() == SessionState::kReady; });
  engine.invoke("t::for_ever", "null");
  engine.wait_for("invokefunction", 1);
  other.reset();
  EXPECT_EQ(engine.departures, 1);
  engine.run_until([turns = 0]() mutable { return ++turns > 10; });
}

TEST_F(WorkerTest, TooManyCallsAtOnceAreTurnedAway) {
  auto busy = std::make_unique<Worker>(WorkerOptions{.name = "busy", .max_running_calls = 1}, loop,
                                       engine.transport());
  busy->function("t::for_ever", "", [](Call call) -> Task<std::string> {
    co_await call.sleep(Millis(60'000));
    co_return "";
  });
  ASSERT_TRUE(busy->start());
  engine.run_until([&] { return busy->state() == SessionState::kReady; });
  engine.frames.clear();
  engine.invoke("t::for_ever", "null");
  engine.invoke("t::for_ever", "null");
  EXPECT_EQ(code_of(engine.wait_for("invocationresult", 1).at(0)), kWorkerBusy);
}

TEST(Worker, AnAddressThatCannotBeUsedIsAnErrorNotAnEndlessWait) {
  Worker worker(WorkerOptions{.url = "http://127.0.0.1:1", .name = "x"});
  EXPECT_EQ(worker.run(), 1);
}

TEST(Worker, CertificatesThatCannotBeReadAreAnErrorAtTheStart) {
  Worker worker(WorkerOptions{.url = "wss://127.0.0.1:1", .ca_file = "/dev/null", .name = "x"});
  EXPECT_EQ(worker.start().error().code, "bad_ca_file");
  Worker plain(WorkerOptions{.url = "ws://127.0.0.1:1", .ca_file = "/dev/null", .name = "x"});
  EXPECT_TRUE(plain.start());
}

TEST(Worker, RunIgnoresSigpipe) {
  const auto before = std::signal(SIGPIPE, SIG_DFL);
  Worker worker(WorkerOptions{.url = "http://127.0.0.1:1", .name = "x"});
  worker.run();
  EXPECT_EQ(std::signal(SIGPIPE, before), SIG_IGN);
}

// Written on another thread, and in order among themselves.
TEST_F(WorkerTest, LargeAnswersArriveWhole) {
  const std::string large(3 * kLargeAnswerBytes, 'x');
  worker.function("test::large", "Answers at once.",
                  [&large](Add in) { return std::to_string(in.a) + large; });
  worker.function("test::later", "Answers later.", [&](Add in) -> Task<std::string> {
    co_await worker.sleep(Millis(1));
    co_return std::to_string(in.a) + large;
  });
  start();
  for (const char* function : {"test::large", "test::later"}) {
    const json::Value frame = result_of(function, R"({"a":7,"b":0})");
    EXPECT_EQ(*result(frame).as_string(), "7" + large) << function;
  }
}

TEST_F(WorkerTest, AnAnswerThatNoMessageCanCarryIsRefused) {
  worker.function("test::huge", "Answers too much.",
                  [](Add) { return std::string(protocol::kMaxMessageBytes, 'x'); });
  start();
  EXPECT_EQ(code_of(result_of("test::huge", R"({"a":1,"b":2})")), kPayloadTooLarge);
}

}  // namespace
}  // namespace iii::sdk
