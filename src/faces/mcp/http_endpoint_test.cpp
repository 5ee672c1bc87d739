// Streamable HTTP without sockets: requests in, answers and events out.
#include "faces/mcp/http_endpoint.h"

#include <gmock/gmock.h>

#include "bus/net/fake_http_response.h"
#include "faces/mcp/fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using FakeResponse = net::FakeHttpResponse;
using FakePtr = std::shared_ptr<FakeResponse>;

class McpHttpTest : public McpTest {
 protected:
  McpHttpTest() {
    tree.put("global/demo/SKILL.md", kSkill);
    options.tools = ToolsMode::kAll;
    with_engine();
    engine.answers["engine::functions::list"] = R"({"functions":[{"function_id":"slow"}]})";
    engine.hangs = "slow";
  }
  void TearDown() override {
    // What a connection does when its server ends: nothing keeps a stream and its response.
    for (const auto& each : responses) {
      if (const FakePtr response = each.lock()) response->leave();
    }
    endpoint.reset();
    McpTest::TearDown();
  }
  void listen_http(HttpEndpointOptions endpoint_options = {}) {
    open();
    endpoint = std::make_unique<HttpEndpoint>(loop, *server, endpoint_options);
    endpoint->add_to(router);
  }

  std::vector<std::weak_ptr<FakeResponse>> responses;
  FakePtr ask(const std::string& method, net::HttpHeaders headers, std::string body = "") {
    auto response = std::make_shared<FakeResponse>();
    responses.push_back(response);
    const net::HttpRoute* route = router.find(method, "/mcp");
    EXPECT_NE(route, nullptr);
    route->handler({.method = method,
                    .path = "/mcp",
                    .headers = std::move(headers),
                    .body = std::move(body),
                    .peer = peer},
                   response);
    return response;
  }
  FakePtr finished(FakePtr response) {
    run_until([&] { return !response->open; });
    return response;
  }
  static net::HttpHeaders json_type() { return {{"Content-Type", "application/json"}}; }
  static net::HttpHeaders modern(const std::string& method, const std::string& name = "") {
    net::HttpHeaders out = json_type();
    out.push_back({"MCP-Protocol-Version", "2026-07-28"});
    out.push_back({"Mcp-Method", method});
    if (!name.empty()) out.push_back({"Mcp-Name", name});
    return out;
  }
  FakePtr modern_post(const std::string& method, const std::string& members = "",
                      const std::string& name = "") {
    return ask("POST", modern(method, name), stateless("1", method, members));
  }
  // Status and error code of a finished answer.
  static std::string outcome(const FakePtr& response) {
    const Result<json::Value> body = json::parse(response->body);
    const json::Value* error = body ? body->find("error") : nullptr;
    return std::to_string(response->status) + ' ' +
           (error != nullptr ? std::to_string(code(*error)) : "");
  }
  // Only `initialize`. The session's id is empty when it was refused.
  std::string begin_session(const std::string& version = "2025-11-25",
                            const std::string& name = "test") {
    const FakePtr opened =
        finished(ask("POST", json_type(),
                     handshake("0", "initialize",
                               R"("protocolVersion":")" + version + R"(","capabilities":{},)" +
                                   R"("clientInfo":{"name":")" + name + R"(","version":"1"})")));
    return opened->header("Mcp-Session-Id");
  }
  std::string open_session(const std::string& version = "2025-11-25") {
    const std::string id = begin_session(version);
    EXPECT_FALSE(id.empty());
    EXPECT_EQ(
        ask("POST", in_session(id), R"({"jsonrpc":"2.0","method":"notifications/initialized"})")
            ->status,
        202);
    return id;
  }
  static net::HttpHeaders in_session(const std::string& id) {
    net::HttpHeaders out = json_type();
    out.push_back({"Mcp-Session-Id", id});
    return out;
  }

  bool is_there(const std::string& session) {
    return finished(ask("POST", in_session(session), handshake("99", "ping")))->status == 200;
  }
  FakePtr from(const std::string& address, const std::function<FakePtr()>& request) {
    const std::string before = std::exchange(peer, address);
    FakePtr out = request();
    peer = before;
    return out;
  }
  FakePtr listen_to(const std::vector<std::string>& uris) {
    std::string list;
    for (const std::string& uri : uris) list += (list.empty() ? "\"" : ",\"") + uri + "\"";
    return modern_post("subscriptions/listen",
                       R"("notifications":{"resourceSubscriptions":[)" + list + "]}");
  }

  std::string peer = "127.0.0.1";
  net::HttpRouter router;
  std::unique_ptr<HttpEndpoint> endpoint;
};

TEST_F(McpHttpTest, N33PlainAnswersAreJsonAndListsHaveNoSession) {
  listen_http();
  net::HttpHeaders headers = modern("tools/list");
  headers.push_back({"Mcp-Session-Id", "whatever"});
  headers.push_back({"Last-Event-ID", "7-7"});
  const FakePtr answer = finished(ask("POST", headers, stateless("1", "tools/list")));
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->header("Content-Type"), "application/json");
  EXPECT_EQ(answer->header("Mcp-Session-Id"), "");  // N20
  EXPECT_THAT(answer->body, HasSubstr("\"resultType\":\"complete\""));
}

TEST_F(McpHttpTest, N09N10HeadersOfStatelessRequests) {
  listen_http();
  const std::string read = stateless("1", "resources/read", R"("uri":"iii://demo")");
  const auto with = [&](net::HttpHeaders headers) {
    headers.push_back({"content-type", "application/json"});
    return outcome(finished(ask("POST", std::move(headers), read)));
  };
  const net::HttpHeader version{"MCP-Protocol-Version", "2026-07-28"};
  const net::HttpHeader method{"Mcp-Method", "resources/read"};
  const net::HttpHeader name{"Mcp-Name", "iii://demo"};
  EXPECT_EQ(with({version, method, name}), "200 ");
  EXPECT_EQ(with({{"mcp-PROTOCOL-version", " 2026-07-28 "}, method, name}), "200 ");
  EXPECT_EQ(with({method, name}), "400 -32020");
  EXPECT_EQ(with({version, name}), "400 -32020");
  EXPECT_EQ(with({version, method}), "400 -32020");
  EXPECT_EQ(with({version, method, {"Mcp-Name", "iii://other"}}), "400 -32020");
  EXPECT_EQ(with({version, {"Mcp-Method", "Resources/Read"}, name}), "400 -32020");
  EXPECT_EQ(with({version, method, name, name}), "400 -32020");
  EXPECT_EQ(with({{"MCP-Protocol-Version", "2025-11-25"}, method, name}), "400 -32020");
  // N12: nothing of ours is marked, so parameter headers are ignored.
  EXPECT_EQ(with({version, method, name, {"Mcp-Param-X", "1"}}), "200 ");
}

TEST_F(McpHttpTest, N50WhichDialectABodyIsIn) {
  listen_http();
  const auto post = [&](net::HttpHeaders headers, const std::string& body) {
    return outcome(finished(ask("POST", std::move(headers), body)));
  };
  net::HttpHeaders newer = json_type();
  newer.push_back({"MCP-Protocol-Version", "2026-07-28"});
  EXPECT_EQ(post(newer, handshake("1", "tools/list")), "400 -32602");
  EXPECT_EQ(post(newer, handshake("1", "initialize", R"("protocolVersion":"2025-11-25")")),
            "400 -32020");
  EXPECT_EQ(post(modern("initialize"), stateless("1", "initialize")), "404 -32601");
  EXPECT_EQ(post(json_type(), handshake("1", "tools/list")), "400 -32000");
  EXPECT_EQ(post(in_session("nope"), handshake("1", "tools/list")), "404 -32001");
  const std::string older = R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{)"
                            R"("io.modelcontextprotocol/protocolVersion":"2025-11-25",)"
                            R"("io.modelcontextprotocol/clientCapabilities":{}}}})";
  net::HttpHeaders same = json_type();
  same.push_back({"MCP-Protocol-Version", "2025-11-25"});
  same.push_back({"Mcp-Method", "tools/list"});
  EXPECT_EQ(post(same, older), "400 -32022");
  EXPECT_EQ(post(modern("tools/list"), older), "400 -32020");  // N08
  EXPECT_EQ(post(json_type(), "[" + stateless("1", "tools/list") + "]"), "400 -32600");
  EXPECT_EQ(post(newer, R"({"jsonrpc":"2.0","method":"notifications/x"})"), "202 ");  // N19
  EXPECT_EQ(ask("GET", {})->status, 405);
  EXPECT_EQ(ask("DELETE", {})->header("Allow"), "POST");
}

TEST_F(McpHttpTest, N13N17N18RefusalsHaveTheirStatus) {
  listen_http();
  EXPECT_EQ(outcome(finished(modern_post("ping"))), "404 -32601");
  EXPECT_EQ(outcome(ask("POST", json_type(), "nonsense")), "400 -32700");
  EXPECT_EQ(outcome(ask("POST", json_type(), "7")), "400 -32600");
  EXPECT_EQ(outcome(ask("POST", {{"Content-Type", "text/plain"}}, "{}")), "415 -32600");
  net::HttpHeaders image = json_type();
  image.push_back({"Accept", "image/png"});
  EXPECT_EQ(ask("POST", image, "{}")->status, 406);
  EXPECT_THAT(ask("POST", json_type(), R"({"jsonrpc":"2.0","id":null,"method":"x"})")->body,
              Not(HasSubstr("\"id\"")));
  EXPECT_EQ(*router.find("POST", "/mcp")->options.max_body_bytes, 4U * 1024 * 1024);
}

TEST_F(McpHttpTest, N36AClientThatLeavesCancels) {
  listen_http();
  const FakePtr response = modern_post("tools/call", R"("name":"slow")", "slow");
  run_until([&] { return engine.hanging != nullptr; });
  response->leave();
  engine.hanging->complete(json::Raw{"1"});
  settle();
  EXPECT_EQ(response->body, "");
}

TEST_F(McpHttpTest, N37N40N42AListenStream) {
  listen_http({.keep_alive = std::chrono::milliseconds(50)});
  const FakePtr stream =
      modern_post("subscriptions/listen", R"("notifications":{"resourcesListChanged":true})");
  EXPECT_EQ(stream->status, 200);
  EXPECT_EQ(stream->header("Content-Type"), "text/event-stream");
  EXPECT_EQ(stream->header("X-Accel-Buffering"), "no");
  ASSERT_EQ(stream->events().size(), 1U);
  EXPECT_THAT(stream->events()[0], HasSubstr("acknowledged"));
  run_until([&] { return stream->body.ends_with(net::kStreamComment); });
  tree.put("global/more.md");
  run_until([&] { return stream->events().size() == 2; });
  EXPECT_THAT(stream->events()[1], HasSubstr("resources/list_changed"));
  endpoint->shut_down();
  EXPECT_FALSE(stream->open);
  EXPECT_THAT(stream->events().back(), HasSubstr("\"resultType\":\"complete\""));
  EXPECT_EQ(stream->last_id(), "");
  net::HttpHeaders only = modern("subscriptions/listen");
  only.push_back({"Accept", "application/json"});
  EXPECT_EQ(
      ask("POST", only, stateless("1", "subscriptions/listen", R"("notifications":{})"))->status,
      406);
}

TEST_F(McpHttpTest, AnswersAreEventsWhenTheClientTakesNothingElse) {
  listen_http();
  net::HttpHeaders headers = modern("tools/list");
  headers.push_back({"Accept", "text/event-stream"});
  const FakePtr answer = finished(ask("POST", headers, stateless("1", "tools/list")));
  EXPECT_EQ(answer->events().size(), 1U);
}

TEST_F(McpHttpTest, N56SessionsLiveUntilTheyAreDeleted) {
  listen_http();
  const std::string id = open_session();
  const FakePtr list = finished(ask("POST", in_session(id), handshake("1", "tools/list")));
  EXPECT_EQ(list->status, 200);
  EXPECT_THAT(list->body, Not(HasSubstr("resultType")));
  EXPECT_EQ(outcome(finished(ask("POST", in_session(id), handshake("2", "no/such")))),
            "200 -32601");
  net::HttpHeaders old = in_session(id);
  old.push_back({"MCP-Protocol-Version", "2025-03-26"});
  EXPECT_EQ(finished(ask("POST", old, handshake("3", "ping")))->status, 200);
  net::HttpHeaders wrong = in_session(id);
  wrong.push_back({"MCP-Protocol-Version", "1999-01-01"});
  EXPECT_EQ(ask("POST", wrong, handshake("3", "ping"))->status, 400);
  EXPECT_EQ(ask("DELETE", in_session(id))->status, 200);
  EXPECT_EQ(ask("DELETE", in_session(id))->status, 404);
  EXPECT_EQ(ask("POST", in_session(id), handshake("4", "ping"))->status, 404);
}

TEST_F(McpHttpTest, N56TheGeneralStreamCanBeResumed) {
  listen_http();
  const std::string id = open_session();
  const FakePtr stream = ask("GET", in_session(id));
  EXPECT_TRUE(stream->streams);
  EXPECT_EQ(ask("GET", in_session(id))->status, 409);
  tree.put("global/one.md");
  run_until([&] { return stream->events().size() == 1; });
  const std::string last = stream->last_id();
  stream->leave();
  tree.put("global/two.md");
  settle();
  net::HttpHeaders again = in_session(id);
  again.push_back({"Last-Event-ID", last});
  const FakePtr resumed = ask("GET", again);
  EXPECT_TRUE(resumed->streams);
  run_until([&] { return resumed->events().size() == 1; });
  again.back().value = "nonsense";
  EXPECT_EQ(ask("GET", again)->status, 400);
}

TEST_F(McpHttpTest, N56AnAnswerThatWasMissedCanBeHadAgain) {
  listen_http();
  const std::string id = open_session();
  net::HttpHeaders events = in_session(id);
  events.push_back({"Accept", "text/event-stream"});
  const FakePtr call = ask("POST", events, handshake("5", "tools/call", R"("name":"slow")"));
  run_until([&] { return engine.hanging != nullptr; });
  call->leave();
  engine.hanging->complete(json::Raw{"1"});
  settle();
  net::HttpHeaders again = in_session(id);
  again.push_back({"Last-Event-ID", "1-0"});
  const FakePtr resumed = ask("GET", again);
  EXPECT_FALSE(resumed->open);
  ASSERT_EQ(resumed->events().size(), 1U);
  EXPECT_THAT(resumed->events()[0], HasSubstr("\"id\":5"));
}

TEST_F(McpHttpTest, ACancelledRequestOfASessionIsNotAnswered) {
  listen_http();
  const std::string id = open_session();
  const FakePtr call =
      ask("POST", in_session(id), handshake("5", "tools/call", R"("name":"slow")"));
  run_until([&] { return engine.hanging != nullptr; });
  EXPECT_EQ(ask("POST", in_session(id), handshake("5", "ping"))->status, 400);
  EXPECT_EQ(ask("POST", in_session(id),
                R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}})")
                ->status,
            202);
  EXPECT_FALSE(call->open);
  EXPECT_THAT(call->events(), IsEmpty());
}

TEST_F(McpHttpTest, N55BatchesIn20250326) {
  listen_http();
  const std::string both = "[" + handshake("1", "ping") + "," + handshake("2", "tools/list") + "]";
  EXPECT_EQ(ask("POST", in_session(open_session()), both)->status, 400);
  const FakePtr answer = finished(ask("POST", in_session(open_session("2025-03-26")), both));
  EXPECT_EQ(json::parse(answer->body).value().as_array()->size(), 2U);
  EXPECT_EQ(ask("POST", in_session(open_session("2025-03-26")),
                R"([{"jsonrpc":"2.0","method":"notifications/x"}])")
                ->status,
            202);
}

TEST_F(McpHttpTest, N55N41RequestsOfABatchCountAndCanBeCancelled) {
  listen_http({.max_running_per_session = 2});
  const std::string id = open_session("2025-03-26");
  const auto slow = [](const char* request) {
    return handshake(request, "tools/call", R"("name":"slow")");
  };
  const FakePtr batch =
      ask("POST", in_session(id),
          "[" + slow("1") + "," + slow("1") + "," + slow("2") + "," + slow("3") + "]");
  run_until([&] { return engine.hanging != nullptr; });
  EXPECT_TRUE(batch->open);
  EXPECT_EQ(ask("POST", in_session(id), handshake("1", "ping"))->status, 400);  // runs already
  EXPECT_EQ(outcome(ask("POST", in_session(id), handshake("9", "ping"))), "200 -32603");
  for (const char* request : {"1", "2"}) {
    ask("POST", in_session(id),
        R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
            std::string(request) + "}}");
  }
  // What is left is the answers that refuse: the second 1, and 3.
  ASSERT_FALSE(batch->open);
  const json::Value answers = json::parse(batch->body).value();
  ASSERT_EQ(answers.as_array()->size(), 2U);
  EXPECT_EQ(code(*answers.as_array()->at(0).find("error")), kInvalidRequest);
  EXPECT_EQ(code(*answers.as_array()->at(1).find("error")), kInternalError);
  EXPECT_EQ(finished(ask("POST", in_session(id), handshake("9", "ping")))->status, 200);
}

// The connection that a resumed stream replaces may be noticed as lost later.
TEST_F(McpHttpTest, N56AResumedStreamIsKeptAliveWhenTheOldOneEnds) {
  listen_http({.keep_alive = std::chrono::milliseconds(50)});
  const std::string id = open_session();
  net::HttpHeaders events = in_session(id);
  events.push_back({"Accept", "text/event-stream"});
  const FakePtr call = ask("POST", events, handshake("5", "tools/call", R"("name":"slow")"));
  run_until([&] { return engine.hanging != nullptr; });
  net::HttpHeaders again = in_session(id);
  again.push_back({"Last-Event-ID", "1-0"});
  const FakePtr resumed = ask("GET", again);
  EXPECT_TRUE(resumed->open);
  call->leave();
  run_until([&] { return resumed->body.ends_with(net::kStreamComment); });
  engine.hanging->complete(json::Raw{"1"});
  EXPECT_THAT(finished(resumed)->events().back(), HasSubstr("\"id\":5"));
}

TEST_F(McpHttpTest, SessionsGiveWayToNewOnes) {
  listen_http({.max_sessions = 2});
  const std::string first_id = open_session();
  const std::string second = open_session();
  const FakePtr used = ask("GET", in_session(first_id));
  open_session();
  EXPECT_EQ(endpoint->sessions(), 2U);
  EXPECT_EQ(ask("POST", in_session(second), handshake("1", "ping"))->status, 404);
  EXPECT_EQ(finished(ask("POST", in_session(first_id), handshake("1", "ping")))->status, 200);
}

TEST_F(McpHttpTest, AClientThatHasItsShareOfSessionsGivesWayItself) {
  listen_http({.max_sessions = 40});
  peer = "192.0.2.1";
  const std::string idle = open_session();
  peer = "192.0.2.2";
  std::vector<std::string> ids;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(begin_session());
    ASSERT_FALSE(ids.back().empty()) << i;
  }
  EXPECT_EQ(endpoint->sessions(), 1U + 20U) << "half of what was free";
  EXPECT_TRUE(is_there(ids.back()));
  EXPECT_FALSE(is_there(ids.front()));
  peer = "192.0.2.1";
  EXPECT_TRUE(is_there(idle));
}

TEST_F(McpHttpTest, WhenNoSessionIsFreeWhoHasMostGivesOneUp) {
  listen_http({.max_sessions = 4});
  peer = "192.0.2.1";
  const std::string idle = open_session();
  peer = "192.0.2.2";
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) ids.push_back(open_session());
  peer = "192.0.2.3";
  EXPECT_NE(begin_session(), "");
  EXPECT_FALSE(is_there(ids[0]));
  EXPECT_TRUE(is_there(ids[2]));
  peer = "192.0.2.4";
  EXPECT_NE(begin_session(), "");
  peer = "192.0.2.5";
  EXPECT_EQ(begin_session(), "") << "everybody has one";
  EXPECT_TRUE(is_there(idle));
}

// All programs of this machine have one address.
TEST_F(McpHttpTest, OnOneMachineSessionsThatAreInUseStay) {
  listen_http({.max_sessions = 40});
  const std::string idle = open_session();
  for (int i = 0; i < 100; ++i) {
    // Nobody comes back to these, whatever they are called.
    ASSERT_NE(begin_session("2025-11-25", "flood" + std::to_string(i)), "");
  }
  EXPECT_TRUE(is_there(idle));
  EXPECT_EQ(endpoint->sessions(), 20U);
}

TEST_F(McpHttpTest, OnOneMachineTheProgramWithMostSessionsGivesWay) {
  listen_http({.max_sessions = 40});
  const std::string idle = open_session();
  for (int i = 0; i < 100; ++i) {
    const std::string id = begin_session("2025-11-25", "leaks");
    ASSERT_NE(id, "");
    ASSERT_TRUE(is_there(id));
  }
  EXPECT_TRUE(is_there(idle));
}

TEST_F(McpHttpTest, StreamsAreSharedAndLeaveRoomForSessions) {
  listen_http({.max_sessions = 80, .max_streams = 40});
  peer = "192.0.2.1";
  std::vector<FakePtr> streams;
  for (int i = 0; i < 10; ++i) streams.push_back(listen_to({"iii://demo"}));
  for (int i = 0; i < 10; ++i) streams.push_back(ask("GET", in_session(open_session())));
  for (const FakePtr& each : streams) EXPECT_TRUE(each->streams) << "at the limit";
  const std::string session = open_session();
  EXPECT_EQ(outcome(ask("GET", in_session(session))), "503 -32603") << "beyond it";
  EXPECT_EQ(outcome(listen_to({"iii://demo"})), "200 -32603");
  EXPECT_TRUE(is_there(open_session())) << "sessions are still opened";
  EXPECT_TRUE(from("192.0.2.2", [&] { return listen_to({"iii://demo"}); })->streams);
  streams[0]->leave();
  streams[19]->leave();
  EXPECT_TRUE(ask("GET", in_session(session))->streams);
  EXPECT_TRUE(listen_to({"iii://demo"})->streams);
}

TEST_F(McpHttpTest, ASessionThatEndsGivesItsPlacesBack) {
  listen_http({.max_sessions = 1, .max_streams = 1});
  for (int i = 0; i < 3; ++i) {
    const std::string id = open_session();
    const FakePtr stream = ask("GET", in_session(id));
    EXPECT_TRUE(stream->streams);
    EXPECT_EQ(begin_session(), "") << "the only one is in use";
    EXPECT_EQ(ask("DELETE", in_session(id))->status, 200);
    EXPECT_FALSE(stream->open);
  }
}

TEST_F(McpHttpTest, RequestsOfOneAddressLeavePlacesForOthers) {
  listen_http({.max_running = 20});
  std::vector<FakePtr> calls;
  for (int i = 0; i < 11; ++i) {
    calls.push_back(modern_post("tools/call", R"("name":"slow")", "slow"));
  }
  EXPECT_TRUE(calls[9]->open) << "at the limit";
  EXPECT_EQ(outcome(calls[10]), "200 -32603") << "beyond it";
  EXPECT_EQ(outcome(finished(from("192.0.2.2", [&] { return modern_post("tools/list"); }))),
            "200 ");
}

// --- memory

class McpHttpMemoryTest : public McpHttpTest {
 protected:
  void listen_with(size_t bytes) {
    memory = std::make_shared<net::ClientMemory>(bytes);
    listen_http({.memory = memory});
  }
  size_t total() const { return memory->budget().total(); }
  FakePtr subscribe(const std::string& session, const std::string& uri) {
    return finished(ask("POST", in_session(session),
                        handshake("7", "resources/subscribe", R"("uri":")" + uri + "\"")));
  }

  // A call that hangs.
  FakePtr call_slow(size_t size) {
    return ask("POST", modern("tools/call", "slow"),
               stateless("1", "tools/call",
                         R"("name":"slow","arguments":{"a":")" + std::string(size, 'x') + "\"}"));
  }

  std::shared_ptr<net::ClientMemory> memory;
};

TEST_F(McpHttpMemoryTest, SessionsSubscriptionsAndEventsCount) {
  listen_with(1'000'000);
  EXPECT_EQ(total(), 0U);
  const std::string id = open_session();
  EXPECT_EQ(total(), Server::kSubscriberBytes);
  EXPECT_EQ(outcome(subscribe(id, "iii://demo")), "200 ");
  const size_t subscribed = total();
  EXPECT_GT(subscribed, Server::kSubscriberBytes + Subscribers::kSubscriptionBytes);
  tree.put("global/demo/SKILL.md", std::string(kSkill) + "More.\n");
  run_until([&] { return total() > subscribed; });
  ask("DELETE", in_session(id));
  settle();
  EXPECT_EQ(total(), 0U);
}

TEST_F(McpHttpMemoryTest, NothingOfClientsThatAreRefusedIsKept) {
  listen_with(1'000'000);
  const std::string id = open_session();
  const size_t before = total();
  EXPECT_EQ(outcome(subscribe(id, "iii://" + std::string(2'000'000, 'a'))), "503 -32603");
  EXPECT_EQ(outcome(subscribe(id, "iii://" + std::string(200'000, 'a'))), "200 -32602");
  EXPECT_EQ(
      outcome(finished(ask("POST", json_type(),
                           handshake("0", "initialize",
                                     R"("protocolVersion":"2025-11-25","capabilities":{"x":")" +
                                         std::string(200'000, 'a') + "\"}")))),
      "200 -32602");
  EXPECT_EQ(outcome(finished(listen_to(std::vector<std::string>(1'001, "iii://demo")))),
            "200 -32602");
  EXPECT_EQ(total(), before);
}

TEST_F(McpHttpMemoryTest, TheGreediestIsRefusedAndOthersAreNot) {
  listen_with(100'000);
  peer = "192.0.2.1";
  const std::string greedy = open_session();
  std::string answer;
  for (int i = 0; i < 1'000 && answer != "200 -32603"; ++i) {
    answer = outcome(subscribe(greedy, "iii://s" + std::to_string(i)));
  }
  EXPECT_EQ(answer, "200 -32603");
  EXPECT_LE(total(), 100'000U);
  EXPECT_TRUE(is_there(greedy));
  EXPECT_EQ(endpoint->sessions(), 1U);
}

TEST_F(McpHttpMemoryTest, TheGreediestClientIsEndedForOthers) {
  listen_with(3'000'000);
  peer = "192.0.2.1";
  const std::string greedy = open_session();
  std::string answer;
  const std::string pad(900, 'a');
  for (int i = 0; answer != "200 -32603"; ++i) {
    answer = outcome(subscribe(greedy, "iii://" + pad + std::to_string(i)));
  }
  EXPECT_GT(total(), 2'200'000U) << "three quarters: the rest is for requests, and for others";
  EXPECT_TRUE(is_there(greedy));
  peer = "192.0.2.2";
  const std::string other = open_session();
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(outcome(subscribe(other, "iii://" + pad + "x" + std::to_string(i))), "200 ");
  }
  settle();
  EXPECT_TRUE(is_there(other));
  peer = "192.0.2.1";
  EXPECT_FALSE(is_there(greedy));
  EXPECT_LT(total(), 1'400'000U);
}

TEST_F(McpHttpMemoryTest, ListenStreamsCountUntilTheyEnd) {
  listen_with(1'000'000);
  const FakePtr stream = listen_to({"iii://demo", "iii://other"});
  EXPECT_TRUE(stream->streams);
  EXPECT_GT(total(), Server::kSubscriberBytes + 2 * Subscribers::kSubscriptionBytes);
  stream->leave();
  settle();
  EXPECT_EQ(total(), 0U);
}

TEST_F(McpHttpMemoryTest, RunningRequestsCountAndTheLargestIsStopped) {
  listen_with(1'000'000);
  peer = "192.0.2.1";
  const FakePtr large = call_slow(700'000);
  run_until([&] { return engine.hanging != nullptr; });
  EXPECT_GT(total(), 700'000U);
  peer = "192.0.2.2";
  const FakePtr other = call_slow(500'000);
  EXPECT_EQ(outcome(finished(large)), "503 -32603");
  EXPECT_THAT(large->body, HasSubstr("no memory left"));
  EXPECT_TRUE(other->open);
}

TEST_F(McpHttpMemoryTest, EventsForThoseWhoComeBackGoFirst) {
  listen_with(600'000);
  peer = "192.0.2.1";
  const std::string id = open_session();
  net::HttpHeaders events = in_session(id);
  events.push_back({"Accept", "text/event-stream"});
  while (total() < 400'000) finished(ask("POST", events, handshake("5", "tools/list")));
  peer = "192.0.2.2";
  const FakePtr other = call_slow(250'000);
  run_until([&] { return total() < 300'000; });
  EXPECT_TRUE(other->open);
  peer = "192.0.2.1";
  EXPECT_TRUE(is_there(id)) << "only its log is forgotten";
}

TEST_F(McpHttpTest, ClientsAreListedWithAndWithoutSession) {
  listen_http();
  const std::string id = open_session();
  finished(ask("POST", in_session(id), handshake("1", "resources/read", R"("uri":"iii://demo")")));
  finished(
      ask("POST", in_session(id), handshake("2", "resources/subscribe", R"("uri":"iii://demo")")));
  finished(modern_post("tools/list"));
  finished(modern_post("resources/read", R"("uri":"iii://demo")", "iii://demo"));
  std::vector<ClientUse> clients = endpoint->clients();
  ASSERT_EQ(clients.size(), 2U);
  EXPECT_EQ(endpoint->client_count(), 2U);
  EXPECT_EQ(clients[0].dialect, "2026-07-28");
  EXPECT_EQ(clients[0].reads, 1U);
  EXPECT_EQ(clients[0].subscribed, 0U);
  EXPECT_EQ(clients[1].dialect, "2025-11-25");
  EXPECT_EQ(clients[1].reads, 1U);
  EXPECT_EQ(clients[1].subscribed, 1U);
  const FakePtr stream =
      modern_post("subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
  EXPECT_EQ(endpoint->clients()[0].subscribed, 1U);
  stream->leave();
  EXPECT_EQ(endpoint->clients()[0].subscribed, 0U);
  ask("DELETE", in_session(id));
  EXPECT_EQ(endpoint->client_count(), 1U);
}

TEST_F(McpHttpTest, N41RequestsAreLimited) {
  listen_http({.max_running = 1});
  const FakePtr call = modern_post("tools/call", R"("name":"slow")", "slow");
  run_until([&] { return engine.hanging != nullptr; });
  EXPECT_EQ(outcome(modern_post("tools/list")), "200 -32603");
  engine.hanging->complete(json::Raw{"1"});
  finished(call);
  EXPECT_EQ(outcome(finished(modern_post("tools/list"))), "200 ");
}

// A large body is read on another thread: it is answered in a later turn of the loop, as a small
// one would be.
TEST_F(McpHttpTest, LargeBodiesAreReadElsewhere) {
  listen_http();
  const std::string id = open_session("2025-03-26");
  const auto padded = [](size_t size, std::string text) {
    return text + std::string(size - text.size(), ' ');
  };
  const size_t limit = HttpEndpointOptions{}.large_body_bytes;
  const std::string ping = handshake("1", "ping");
  EXPECT_FALSE(ask("POST", in_session(id), padded(limit, ping))->open) << "at the limit";
  const FakePtr large = ask("POST", in_session(id), padded(limit + 1, ping));
  EXPECT_TRUE(large->open) << "beyond it";
  EXPECT_EQ(finished(large)->body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_EQ(finished(ask("POST", in_session(id), padded(limit + 1, "[" + ping + "]")))->body,
            R"([{"jsonrpc":"2.0","id":1,"result":{}}])");
  EXPECT_EQ(outcome(finished(ask("POST", in_session(id), padded(limit + 1, "{")))), "400 -32700");
  // The arguments of a function go through as they are.
  const std::string word(limit, 'x');
  const FakePtr called = finished(ask(
      "POST", in_session(id),
      handshake(
          "2", "tools/call",
          R"("name":"call","arguments":{"function":"directory::skills::get","arguments":{"id":")" +
              word + "\"}}")));
  EXPECT_EQ(called->status, 200);
  EXPECT_THAT(called->body, HasSubstr("isError"));
  // Whoever is not there any more needs no answer.
  ask("POST", in_session(id), padded(limit + 1, ping));
  endpoint.reset();
}

}  // namespace
}  // namespace iii::mcp
