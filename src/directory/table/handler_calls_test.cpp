// Against an engine that loses an answer, as the public one does now and then.
#include "directory/table/handler_calls.h"

#include "bus/sdk/fake_engine.h"
#include "directory/table/bus.h"
#include "directory/table/bus_namespaces.h"

namespace iii::directory {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class LosesAnswers : public testing::Test {
 protected:
  LosesAnswers() : engine(loop), worker(sdk::WorkerOptions{.name = "t"}, loop, engine.transport()) {
    engine.on_frame = [this](const json::Value& frame) { received(frame); };
    EXPECT_TRUE(worker.start());
    engine.run_until([this] { return worker.state() == sdk::SessionState::kReady; });
  }
  void TearDown() override { engine.deafen(); }

  Result<json::Raw> call(const std::string& id, milliseconds timeout) {
    std::optional<Result<json::Raw>> out;
    worker.spawn(keep(handlers.call({}, id, "{}", timeout), out));
    engine.run_until([&] { return out.has_value(); });
    return *out;
  }

  net::Loop loop;
  sdk::FakeEngine engine;
  sdk::Worker worker;
  BusClient client{worker};
  HandlerCalls handlers{client};

  int lost = 0;                   // so many calls of the handler are never answered
  std::string metadata = "{}";    // what its function says about itself
  std::string where = "default";  // the namespaces that have it, separated by blanks
  std::vector<json::Value> handled;

 private:
  static task::Task<void> keep(task::Task<Result<json::Raw>> task,
                               std::optional<Result<json::Raw>>& out) {
    Result<json::Raw> result = co_await task;
    out = std::move(result);
  }

  void received(const json::Value& frame) {
    const json::Value* function = frame.find("function_id");
    if (*frame.find("type") != json::Value("invokefunction") || function == nullptr) return;
    if (*function == json::Value("engine::functions::info")) {
      return engine.answer(frame,
                           R"(,"result":{"function_id":"p::h","metadata":)" + metadata + "}");
    }
    if (*function == json::Value("engine::functions::list")) return list(frame);
    const json::Value* name_space = frame.find("namespace");
    const std::string in = name_space != nullptr ? *name_space->as_string() : "default";
    if ((" " + where + " ").find(" " + in + " ") == std::string::npos) {
      return engine.answer(frame, R"(,"error":{"code":"function_not_found","message":"no"})");
    }
    handled.push_back(frame);
    if (static_cast<int>(handled.size()) <= lost) return;
    engine.answer(frame, R"(,"result":"text")");
  }
  void list(const json::Value& frame) {
    std::string rows = R"({"function_id":"p::handle","namespace":"other"})";
    for (size_t at = 0; at < where.size();) {
      const size_t end = std::min(where.find(' ', at), where.size());
      rows += R"(,{"function_id":"p::h","namespace":")" + where.substr(at, end - at) + R"("})";
      at = end + 1;
    }
    engine.answer(frame, R"(,"result":{"functions":[)" + rows + "]}");
  }
};

TEST_F(LosesAnswers, AHandlerThatMayBeRepeatedIsCalledOnceMore) {
  for (const char* says :
       {R"({"mcp":{"read_only_hint":true}})", R"({"mcp":{"idempotent_hint":true}})"}) {
    handled.clear();
    lost = 1;
    metadata = says;
    const Result<json::Raw> answer = call("p::h", milliseconds(60'000));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->text, R"("text")");
    EXPECT_EQ(handled.size(), 2U) << says;
  }
}

TEST_F(LosesAnswers, AnAnswerInTimeMeansOneCall) {
  metadata = R"({"mcp":{"read_only_hint":true}})";
  EXPECT_TRUE(call("p::h", milliseconds(200)));
  EXPECT_EQ(handled.size(), 1U);
}

TEST_F(LosesAnswers, OthersAreCalledOnceAndTheErrorSaysSo) {
  for (const char* says : {"{}", R"({"mcp":{"destructive_hint":false}})"}) {
    handled.clear();
    lost = 9;
    metadata = says;
    const Result<json::Raw> answer = call("p::h", milliseconds(200));
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().message, HasSubstr("timed out after 200 ms; it was not called a "
                                                  "second time, because its metadata"));
    EXPECT_EQ(handled.size(), 1U) << says;
  }
}

TEST_F(LosesAnswers, ItIsNeverCalledAThirdTime) {
  lost = 9;
  metadata = R"({"mcp":{"read_only_hint":true}})";
  const Result<json::Raw> answer = call("p::h", milliseconds(200));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().message, HasSubstr("called a second time, and did not answer either"));
  EXPECT_EQ(handled.size(), 2U);
}

TEST_F(LosesAnswers, AHandlerInAnotherNamespaceIsFound) {
  where = "shop";
  const Result<json::Raw> answer = call("p::h", milliseconds(60'000));
  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(handled.size(), 1U);
  EXPECT_EQ(*handled[0].find("namespace"), json::Value("shop"));
}

TEST_F(LosesAnswers, SeveralNamespacesAreNamedAndNoneIsGuessed) {
  where = "shop office";
  const Result<json::Raw> answer = call("p::h", milliseconds(60'000));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, kAmbiguousFunction);
  EXPECT_THAT(answer.error().message, HasSubstr("(office, shop)"));
  EXPECT_EQ(handled.size(), 0U);
}

TEST_F(LosesAnswers, AFunctionThatIsNowhereIsNotFound) {
  where = "";
  const Result<json::Raw> answer = call("p::h", milliseconds(60'000));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, sdk::kFunctionNotFound);
}

}  // namespace
}  // namespace iii::directory
