// Calls without sockets: bodies in, answers out; the engine is played by the test.
#include "faces/console/calls.h"

#include <gmock/gmock.h>

#include "bus/net/fake_http_response.h"
#include "directory/reading/fixture_for_test.h"
#include "directory/table/function_table.h"

namespace iii::console {
namespace {

using directory::CallProgress;
using directory::Context;
using directory::Hints;
using net::FakeHttpResponse;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Fake = std::shared_ptr<FakeHttpResponse>;

class CallsTest : public directory::DirectoryTest {
 protected:
  void SetUp() override {
    add("t::read", directory::kReadOnly, [this](const Context& context, const json::Raw& in) {
      ++reads;
      return json::Raw{R"({"caller":")" + context.caller + R"(","input":)" + in.text + "}"};
    });
    table.add<json::Raw, json::Raw>({.id = "t::takes-much",
                                     .hints = directory::kReadOnly,
                                     .max_input_bytes = directory::kMaxLargeInputBytes},
                                    [](const json::Raw& in) { return in; });
    add("t::write", {.idempotent = true},
        [](const Context&, const json::Raw&) { return json::Raw{"true"}; });
    add("t::internal", {.read_only = true, .internal = true},
        [](const Context&, const json::Raw&) { return json::Raw{"1"}; });
    add("t::large", directory::kReadOnly, [](const Context&, const json::Raw&) {
      return json::Raw{"\"" + std::string(5'000'000, 'x') + "\""};
    });
    add("t::fails", directory::kReadOnly,
        [](const Context&, const json::Raw&) -> Result<json::Raw> {
          return fail("invocation_failed", "D110 not_found: no such skill");
        });
    add("t::waits", {}, [this](const Context& context, const json::Raw&) { return wait(context); });
    add("t::reads-slowly", directory::kReadOnly,
        [this](const Context& context, const json::Raw&) { return wait(context); });
    open_library();
    serve();
    engine.on_frame = [this](const json::Value& frame) { heard(frame); };
    host = {.library = library.get(),
            .functions = &table,
            .engine = &client,
            .engine_is_there = [this] { return engine_there; }};
  }
  void TearDown() override {
    calls_.reset();
    DirectoryTest::TearDown();
  }

  Calls& calls() {
    if (!calls_) {
      calls_.emplace(
          loop, host,
          [this](const JobProgress& now) {
            told.push_back(now.job + " " + std::string(now.state) + " " + now.step + " " +
                           std::to_string(now.done));
          },
          limits, memory);
    }
    return *calls_;
  }
  Fake call(std::string body, std::string address = "127.0.0.1") {
    auto response = std::make_shared<FakeHttpResponse>();
    calls().call({.body = std::move(body), .peer = std::move(address)}, response);
    return response;
  }
  Fake answered(std::string body) {
    Fake response = call(std::move(body));
    engine.run_until([&] { return !response->open; });
    return response;
  }
  Fake cancel(std::string body) {
    auto response = std::make_shared<FakeHttpResponse>();
    calls().cancel({.body = std::move(body)}, response);
    return response;
  }
  void until(const std::function<bool()>& done) { engine.run_until(done); }

  CallLimits limits;
  std::shared_ptr<net::ClientMemory> memory;
  Host host;
  bool engine_there = true;
  std::vector<std::string> told;
  std::map<std::string, std::string> bus;  // function → `,"result":…`; others do not answer
  std::optional<Context> waiting;
  int reads = 0;
  int finished = 0;

 private:
  template <typename Handler>
  void add(std::string id, Hints hints, Handler handler) {
    table.add<json::Raw, json::Raw>({.id = std::move(id), .hints = hints}, std::move(handler));
  }
  // Until it is told to end.
  task::Task<Result<json::Raw>> wait(Context context) {
    waiting = context;
    if (context.progress) {
      context.progress({.step = "fetch", .done = 1, .total = 9});
      context.progress({.step = "fetch", .done = 2, .total = 9});
      context.progress({.step = "fetch", .done = 9, .total = 9});
      context.progress({.step = "stage"});
    }
    while (!context.cancelled.stop_requested()) co_await worker.sleep(Millis(1));
    ++finished;
    co_return fail("cancelled", "Nothing has changed.");
  }
  void heard(const json::Value& frame) {
    if (text(frame, "type") != "invokefunction") return;
    const auto answer = bus.find(text(frame, "function_id"));
    if (answer != bus.end()) engine.answer(frame, answer->second);
  }

  std::optional<Calls> calls_;
};

TEST_F(CallsTest, AFunctionOfTheTable) {
  const Fake answer = answered(R"({"function_id":"t::read","payload":{"a":[1]}})");
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, R"({"result":{"caller":"console","input":{"a":[1]}}})");
  EXPECT_EQ(answered(R"({"function_id":"t::read"})")->body,
            R"({"result":{"caller":"console","input":{}}})");
}

TEST_F(CallsTest, WhatWritesNeedsConsent) {
  const Fake asked = answered(R"({"function_id":"t::write"})");
  EXPECT_EQ(asked->status, 409);
  EXPECT_THAT(asked->body, HasSubstr(R"("code":"needs_confirmation")"));
  EXPECT_THAT(
      asked->body,
      HasSubstr(
          R"("hints":{"destructive":false,"idempotent":true,"network":false,"read_only":false})"));
  EXPECT_EQ(answered(R"({"function_id":"t::write","confirmed":false})")->status, 409);
  EXPECT_EQ(answered(R"({"function_id":"t::write","confirmed":true})")->status, 200);
  EXPECT_EQ(answered(R"({"function_id":"t::internal","confirmed":true})")->status, 403);
}

TEST_F(CallsTest, ErrorsKeepTheirText) {
  const Fake failed = answered(R"({"function_id":"t::fails"})");
  EXPECT_EQ(failed->status, 404);
  EXPECT_EQ(failed->body, R"({"code":"D110","message":"D110 not_found: no such skill"})");
  const Fake large = answered(R"({"function_id":"t::large"})");
  EXPECT_EQ(large->status, 422);
  EXPECT_THAT(large->body, HasSubstr("answer_too_large"));
}

TEST_F(CallsTest, BodiesThatAreNoCalls) {
  for (const char* body :
       {"", "nonsense", "[]", "{}", R"({"function_id":5})", R"({"function_id":"t::read","job":""})",
        R"({"function_id":"t::read","job":"a b"})", R"({"function_id":"t::read","confirmed":"x"})",
        R"({"function_id":"t::read","timeout_ms":-1})"}) {
    const Fake answer = answered(body);
    EXPECT_EQ(answer->status, 400) << body;
    EXPECT_THAT(answer->body, HasSubstr("invalid_body")) << body;
  }
}

TEST_F(CallsTest, ALargeBodyIsReadElsewhere) {
  const std::string text(300'000, 'x');
  const Fake answer = call(R"({"function_id":"t::takes-much","payload":")" + text + "\"}");
  EXPECT_TRUE(answer->open);
  until([&] { return !answer->open; });
  EXPECT_EQ(answer->status, 200);
  EXPECT_THAT(answer->body, HasSubstr(text));
}

TEST_F(CallsTest, InputBeyondTheLimitOfAFunctionIsRefused) {
  const auto called = [this](size_t size) {
    return answered(R"({"function_id":"t::read","payload":")" + std::string(size - 2, 'x') + "\"}");
  };
  EXPECT_EQ(called(directory::kMaxInputBytes)->status, 200);
  EXPECT_EQ(reads, 1);
  for (const size_t size : {directory::kMaxInputBytes + 1, size_t{4'000'000}}) {
    const Fake refused = called(size);
    EXPECT_EQ(refused->status, 413);
    EXPECT_THAT(refused->body, HasSubstr(R"("code":"D122")"));
    EXPECT_THAT(refused->body, HasSubstr("Next: call t::read with less."));
  }
  EXPECT_EQ(reads, 1);
  const Fake long_id = answered(R"({"function_id":")" + std::string(1025, 'x') + "\"}");
  EXPECT_EQ(long_id->status, 400);
  EXPECT_THAT(long_id->body, HasSubstr("function_id: longer than 1024 characters"));
}

TEST_F(CallsTest, FunctionsOfTheBus) {
  bus["engine::workers::list"] = R"(,"result":{"workers":[]})";
  EXPECT_EQ(answered(R"({"function_id":"engine::workers::list"})")->body,
            R"({"result":{"workers":[]}})");
  bus["engine::functions::info"] =
      R"(,"result":{"function_id":"w::f","metadata":{"mcp":{"read_only_hint":true}}})";
  bus["w::f"] = R"(,"result":7)";
  EXPECT_EQ(answered(R"({"function_id":"w::f"})")->body, R"({"result":7})");
  bus["engine::functions::info"] = R"(,"result":{"function_id":"w::f","metadata":null})";
  const Fake asked = answered(R"({"function_id":"w::f"})");
  EXPECT_EQ(asked->status, 409);
  EXPECT_THAT(asked->body, HasSubstr(R"("hints":null)"));
  EXPECT_EQ(answered(R"({"function_id":"w::f","confirmed":true})")->status, 200);
  bus["engine::functions::info"] = R"(,"error":{"code":"NOT_FOUND","message":"nobody"})";
  EXPECT_EQ(answered(R"({"function_id":"w::g"})")->status, 404);
  bus["w::f"] = R"(,"error":{"code":"mine","message":"went wrong"})";
  const Fake failed = answered(R"({"function_id":"w::f","confirmed":true})");
  EXPECT_EQ(failed->status, 422);
  EXPECT_EQ(failed->body, R"({"code":"mine","message":"went wrong"})");
  bus["w::f"] = R"(,"error":{"code":"invocation_stopped","message":"Invocation stopped"})";
  const Fake left = answered(R"({"function_id":"w::f","confirmed":true})");
  EXPECT_EQ(left->status, 502);
  EXPECT_THAT(left->body, HasSubstr("The worker left before it answered"));
  engine_there = false;
  EXPECT_EQ(answered(R"({"function_id":"w::f","confirmed":true})")->status, 503);
}

TEST_F(CallsTest, Timeouts) {
  const Fake own = answered(R"({"function_id":"t::reads-slowly","timeout_ms":5})");
  EXPECT_EQ(own->status, 504);
  EXPECT_THAT(own->body, HasSubstr("within 5 ms"));
  until([&] { return finished == 1; });
  EXPECT_EQ(answered(R"({"function_id":"engine::x::list","timeout_ms":5})")->status, 504);
}

TEST_F(CallsTest, AJobTellsItsProgressAndCanBeCancelled) {
  const Fake running = call(R"({"function_id":"t::waits","confirmed":true,"job":"j"})");
  until([&] { return told.size() >= 4; });
  EXPECT_THAT(told, ElementsAre("j running  0", "j running fetch 1", "j running fetch 9",
                                "j running stage 0"))
      << "steps and ends at once, the rest now and then";
  EXPECT_EQ(answered(R"({"function_id":"t::waits","confirmed":true,"job":"j"})")->status, 409);
  ASSERT_EQ(calls().jobs().size(), 1);
  EXPECT_EQ(calls().jobs()[0].job, "j");
  EXPECT_EQ(calls().jobs()[0].step, "stage");
  running->leave();
  EXPECT_FALSE(waiting->cancelled.stop_requested()) << "the page may come back";
  EXPECT_EQ(cancel(R"({"job":"other"})")->status, 404);
  EXPECT_EQ(cancel("x")->status, 400);
  EXPECT_EQ(cancel(R"({"job":"j"})")->status, 204);
  until([&] { return finished == 1; });
  EXPECT_EQ(told.back(), "j cancelled stage 0");
  EXPECT_EQ(cancel(R"({"job":"j"})")->status, 404);
}

TEST_F(CallsTest, CancellingACallOfTheBusAnswersAtOnce) {
  const Fake running = call(R"({"function_id":"w::slow","confirmed":true,"job":"j"})");
  EXPECT_EQ(cancel(R"({"job":"j"})")->status, 204);
  EXPECT_EQ(running->status, 409);
  EXPECT_THAT(running->body, HasSubstr("\"cancelled\""));
  EXPECT_EQ(told.back(), "j cancelled  0");
  EXPECT_EQ(cancel(R"({"job":"j"})")->status, 404);
}

TEST_F(CallsTest, APageThatLeftCancelsWhatHasNoName) {
  const Fake running = call(R"({"function_id":"t::reads-slowly"})");
  until([&] { return waiting.has_value(); });
  running->leave();
  until([&] { return finished == 1; });
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(CallsTest, TooManyAtOnce) {
  limits.max_running = 2;
  const Fake one = call(R"({"function_id":"t::reads-slowly"})");
  const Fake two = call(R"({"function_id":"t::reads-slowly"})");
  const Fake three = call(R"({"function_id":"t::read"})");
  EXPECT_EQ(three->status, 429);
  one->leave();
  until([&] { return calls().running() == 1; });
  EXPECT_EQ(answered(R"({"function_id":"t::read"})")->status, 200);
  two->leave();
  until([&] { return calls().running() == 0; });
}

TEST_F(CallsTest, OneAddressLeavesCallsForOthers) {
  limits.max_running = 20;
  std::vector<Fake> all;
  for (int i = 0; i < 11; ++i) {
    all.push_back(call(R"({"function_id":"t::reads-slowly"})", "192.0.2.1"));
  }
  EXPECT_TRUE(all[9]->open) << "at the limit";
  EXPECT_EQ(all[10]->status, 429) << "beyond it";
  const Fake other = call(R"({"function_id":"t::read"})", "192.0.2.2");
  until([&] { return !other->open; });
  EXPECT_EQ(other->status, 200);
  for (const Fake& each : all) each->leave();
  until([&] { return calls().running() == 0; });
}

TEST_F(CallsTest, RunningCallsCountInTheBudget) {
  memory = std::make_shared<net::ClientMemory>(1'000'000);
  const auto body = [](size_t size) {
    // Blanks: the input of a function has a limit of its own.
    return R"({"function_id":"t::reads-slowly"})" + std::string(size, ' ');
  };
  const Fake large = call(body(700'000), "192.0.2.1");
  const Fake refused = call(body(700'000), "192.0.2.1");
  EXPECT_EQ(refused->status, 503);
  EXPECT_THAT(refused->body, HasSubstr("\"no_memory\""));
  until([&] { return waiting.has_value(); });
  // Another client asks for less: the one that holds most is ended.
  const Fake other = call(body(500'000), "192.0.2.2");
  until([&] { return !large->open; });
  EXPECT_THAT(large->body, HasSubstr("\"cancelled\""));
  EXPECT_TRUE(other->open);
  other->leave();
  until([&] { return calls().running() == 0; });
  EXPECT_EQ(memory->budget().total(), 0U);
}

}  // namespace
}  // namespace iii::console
