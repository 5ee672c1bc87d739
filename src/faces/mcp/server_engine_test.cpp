// The server with an engine behind it: functions of the bus as tools, sections of skills, and
// functions that talk to the client.
#include "faces/mcp/server.h"

#include <gmock/gmock.h>

#include "faces/mcp/server_fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class McpEngineTest : public McpServerTest {
 protected:
  McpEngineTest() {
    options.tools = ToolsMode::kAll;
    options.hidden = {"secret::"};
    with_engine();
    engine.answers["engine::functions::list"] =
        R"({"functions":[{"function_id":"a::b","description":"Adds.","metadata":{"mcp":{"read_only_hint":true}}},)"
        R"({"function_id":"configuration::set"},{"function_id":"iii-state::on-config-change"},)"
        R"({"function_id":"secret::x"},{"function_id":"odd/id"},)"
        R"({"function_id":"directory::skills::list"}]})";
    engine.answers["engine::functions::info"] =
        R"({"functions":[{"function_id":"a::b","request_schema":{"properties":{"n":{"type":"number","x-mcp-header":"N"}}},"response_schema":{"type":"number"}}]})";
    engine.answers["a::b"] = "3";
    engine.answers["odd/id"] =
        R"({"content":[{"type":"image","data":"AA==","mimeType":"image/png"}],"structuredContent":{"a":1}})";
  }
};

TEST_F(McpEngineTest, FunctionsOfTheEngineBecomeTools) {
  open();
  const json::Value tools = result("tools/list");
  EXPECT_THAT(
      column(tools, "tools", "name"),
      ElementsAre("a__b", "call", "directory__prompts__get", "directory__prompts__list",
                  "directory__skills__file", "directory__skills__get", "directory__skills__index",
                  "directory__skills__list", "find", "read", "x.odd.2fid"));
  const json::Value& tool = first(tools, "tools");
  EXPECT_EQ(json::to_text(*tool.find("inputSchema")),
            R"({"properties":{"n":{"type":"number"}},"type":"object"})");
  EXPECT_EQ(tool.find("outputSchema"), nullptr);
  EXPECT_EQ(*tool.find("annotations")->find("readOnlyHint"), json::Value(true));
  const json::Value sum = result("tools/call", R"("name":"a__b","arguments":{"n":1})");
  EXPECT_EQ(text(first(sum, "content"), "text"), "3");
  EXPECT_EQ(engine.calls.back(), std::pair(std::string("a::b"), std::string(R"({"n":1})")));
  const json::Value image = result("tools/call", R"("name":"x.odd.2fid")");
  EXPECT_EQ(text(first(image, "content"), "type"), "image");
  EXPECT_EQ(json::to_text(*image.find("structuredContent")), R"({"a":1})");
}

TEST_F(McpEngineTest, AFunctionIsCalledInTheNamespaceThatWasNamed) {
  open();
  engine.namespaces.clear();
  engine.calls.clear();
  result("tools/call", R"("name":"call","arguments":{"function":"a::b","namespace":"shop"})");
  ASSERT_FALSE(engine.calls.empty());
  EXPECT_EQ(engine.calls.back().first, "a::b");
  EXPECT_EQ(engine.namespaces.back(), "shop");
  // The rules for clients are applied to the function of that namespace.
  EXPECT_EQ(engine.calls.front().first, "engine::functions::info");
  EXPECT_THAT(engine.calls.front().second, HasSubstr(R"("namespace":"shop")"));
}

TEST_F(McpEngineTest, HiddenNamespacesCannotBeCalledInAnyWay) {
  open();
  for (const char* name : {"configuration__set", "engine__functions__list", "secret__x"}) {
    EXPECT_EQ(code(error("tools/call", R"("name":")" + std::string(name) + "\"")), kInvalidParams);
  }
  const json::Value refused =
      result("tools/call", R"("name":"call","arguments":{"function":"configuration::set"})");
  EXPECT_EQ(*refused.find("isError"), json::Value(true));
  for (const auto& [id, payload] : engine.calls) EXPECT_NE(id, "configuration::set");
}

TEST_F(McpEngineTest, AnEngineThatIsAwayCostsOnlyItsFunctions) {
  engine_is_there = false;
  open();
  EXPECT_THAT(column(result("tools/list"), "tools", "name"), Not(Contains("a__b")));
  const json::Value away = result("tools/call", R"("name":"call","arguments":{"function":"a::b"})");
  EXPECT_THAT(text(first(away, "content"), "text"), HasSubstr("cannot be reached"));
  EXPECT_THAT(engine.calls, IsEmpty());
  engine_is_there = true;
  EXPECT_THAT(column(result("tools/list"), "tools", "name"), Contains("a__b"));
}

TEST_F(McpEngineTest, N44ChangesOfTheEnginesFunctionsAreTold) {
  open();
  client->receive(
      stateless("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  run_until([&] { return engine.calls.size() >= 2; });
  EXPECT_EQ(notices("notifications/tools/list_changed").size(), 0U);
  engine.answers["engine::functions::list"] = R"({"functions":[{"function_id":"new"}]})";
  run_until([&] { return !notices("notifications/tools/list_changed").empty(); });
  EXPECT_THAT(column(result("tools/list"), "tools", "name"), Contains("new"));
}

TEST_F(McpEngineTest, N61ACancelledCallIsNotAnswered) {
  open();
  engine.hangs = "a::b";
  client->receive(stateless("77", "tools/call", R"("name":"a__b")"));
  run_until([&] { return engine.hanging != nullptr; });
  EXPECT_EQ(client->running(), 1U);
  client->receive(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}})");
  EXPECT_EQ(client->running(), 0U);
  engine.hanging->complete(json::Raw{"1"});
  settle();
  for (const std::string& line : lines) EXPECT_THAT(line, Not(HasSubstr("77")));
}

TEST_F(McpEngineTest, N41RunningRequestsAreLimited) {
  start();
  client = std::make_unique<Duplex>(
      *server, [this](std::string line) { lines.push_back(std::move(line)); },
      DuplexOptions{.max_running = 1});
  open();
  engine.hangs = "a::b";
  client->receive(stateless("1", "tools/call", R"("name":"a__b")"));
  run_until([&] { return engine.hanging != nullptr; });
  EXPECT_EQ(code(error("tools/list")), kInternalError);
  engine.hanging->complete(json::Raw{"1"});
  answer_to("1");
  EXPECT_EQ(text(result("tools/list"), "resultType"), "complete");
}

class McpContextTest : public McpEngineTest {
 protected:
  McpContextTest() {
    host.tell_function = "mcp::tell";
    engine.answers["engine::functions::list"] =
        R"({"functions":[{"function_id":"slow","metadata":{"mcp":{"context":true}}},)"
        R"({"function_id":"offer","metadata":{"mcp":{"resource":{"uri":"test://text","mimeType":"text/x"}}}},)"
        R"({"function_id":"offers","metadata":{"mcp":{"resource":{"uri":"test://t/{id}/data"}}}},)"
        R"({"function_id":"thief","metadata":{"mcp":{"resource":{"uri":"iii://demo"}}}}]})";
    engine.answers["offer"] = R"("hello")";
    engine.answers["offers"] = R"({"blob":"/w==","mimeType":"image/x"})";
  }
  // Calls `slow` and gives the token of the request.
  std::string begin(const std::string& request) {
    engine.hangs = "slow";
    client->receive(request);
    run_until([&] { return engine.hanging != nullptr; });
    const json::Value input = json::parse(engine.calls.back().second).value();
    EXPECT_EQ(text(*input.find("_mcp"), "tell"), "mcp::tell");
    return text(*input.find("_mcp"), "request");
  }
  void tell(const std::string& message) {
    told.reset();
    worker.spawn(tell_now(json::parse(message).value()));
  }
  task::Task<void> tell_now(json::Value message) {
    Result<json::Raw> answer = co_await server->tell(std::move(message));
    told = std::move(answer);
  }

  std::optional<Result<json::Raw>> told;
};

TEST_F(McpContextTest, FunctionsReportProgressAndLogsToTheirClient) {
  open();
  initialize("2025-11-25");
  session_result("logging/setLevel", R"("level":"info")");
  const std::string token = begin(handshake(
      "5", "tools/call", R"("name":"slow","arguments":{"a":1},"_meta":{"progressToken":7})"));
  const std::string head = R"({"request":")" + token + "\",";
  tell(head + R"("progress":50,"total":100,"message":"half"})");
  tell(head + R"("level":"debug","data":"quiet"})");
  tell(head + R"("level":"error","data":{"x":1},"logger":"l"})");
  settle();
  ASSERT_EQ(notices("notifications/progress").size(), 1U);
  EXPECT_EQ(json::to_text(*notices("notifications/progress")[0].find("params")),
            R"({"message":"half","progress":50.0,"progressToken":7,"total":100})");
  ASSERT_EQ(notices("notifications/message").size(), 1U);
  tell(head + R"("level":"loud","data":1})");
  EXPECT_EQ(told->error().code, "invalid_message");
  engine.hanging->complete(json::Raw{"1"});
  answer_to("5");
  tell(head + R"("progress":60})");
  EXPECT_EQ(told->error().code, "unknown_request");
}

TEST_F(McpContextTest, FunctionsAskTheClientOfASession) {
  open();
  session_result("initialize", R"("protocolVersion":"2025-11-25","capabilities":{"sampling":{}})");
  const std::string token = begin(handshake("5", "tools/call", R"("name":"slow")"));
  const std::string head = R"({"request":")" + token + "\",\"ask\":";
  tell(head + R"({"method":"elicitation/create","params":{}}})");
  EXPECT_EQ(told->error().code, "missing_capability");
  tell(head + R"({"method":"sampling/createMessage","params":{"maxTokens":1}}})");
  ASSERT_FALSE(told);
  const json::Value question = json::parse(lines.back()).value();
  EXPECT_EQ(text(question, "method"), "sampling/createMessage");
  client->receive(R"({"jsonrpc":"2.0","id":)" + quote(text(question, "id")) +
                  R"(,"result":{"role":"assistant"}})");
  ASSERT_TRUE(told);
  EXPECT_EQ((*told)->text, R"({"role":"assistant"})");
  engine.hanging->complete(json::Raw{"1"});
}

TEST_F(McpContextTest, N15N45N47N48FunctionsMayNeedInput) {
  engine.answers["slow"] =
      R"({"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{}}},"requestState":"s"})";
  open();
  const std::string call = R"("name":"slow")";
  const json::Value missing = error("tools/call", call);
  EXPECT_EQ(code(missing), kMissingCapability);
  EXPECT_EQ(json::to_text(*missing.find("data")), R"({"requiredCapabilities":{"elicitation":{}}})");
  client->receive(
      R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"slow","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}})");
  const json::Value asked = member_of(answer_to("5"), "result");
  EXPECT_EQ(text(asked, "resultType"), "input_required");
  EXPECT_EQ(text(asked, "requestState"), "s");
  EXPECT_EQ(asked.find("ttlMs"), nullptr);
  for (const char* wrong :
       {R"("inputResponses":[])", R"("inputResponses":{"k":1})", R"("requestState":1)"}) {
    EXPECT_EQ(code(error("tools/call", call + "," + wrong)), kInvalidParams) << wrong;
  }
  engine.answers["slow"] = R"({"resultType":"invalid_params","message":"not ours"})";
  EXPECT_EQ(code(error("tools/call", call)), kInvalidParams);
  engine.answers["slow"] = R"("done")";
  result("tools/call", call + R"(,"inputResponses":{"k":{"action":"accept"}},"requestState":"s")");
  const json::Value input = json::parse(engine.calls.back().second).value();
  EXPECT_EQ(text(*input.find("_mcp"), "requestState"), "s");
  EXPECT_NE(input.find("_mcp")->find("inputResponses")->find("k"), nullptr);
}

TEST_F(McpContextTest, FunctionsOfferResourcesOfOtherSchemes) {
  open();
  EXPECT_EQ(column(result("resources/list"), "resources", "uri").back(), "test://text");
  EXPECT_EQ(column(result("resources/templates/list"), "resourceTemplates", "uriTemplate").back(),
            "test://t/{id}/data");
  const json::Value one = result("resources/read", R"("uri":"test://text")");
  EXPECT_EQ(text(first(one, "contents"), "text"), "hello");
  EXPECT_EQ(text(first(one, "contents"), "mimeType"), "text/x");
  const json::Value two = result("resources/read", R"("uri":"test://t/7/data")");
  EXPECT_EQ(text(first(two, "contents"), "blob"), "/w==");
  EXPECT_EQ(engine.calls.back().second, R"({"id":"7","uri":"test://t/7/data"})");
  EXPECT_EQ(code(error("resources/read", R"("uri":"test://t/7/8/data")")), kInvalidParams);
  EXPECT_THAT(text(first(result("resources/read", R"("uri":"iii://demo")"), "contents"), "text"),
              HasSubstr("Do it."));
}

}  // namespace
}  // namespace iii::mcp
