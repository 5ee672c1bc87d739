// The recorded traffic of npm iii-sdk 0.22.1 as the oracle: asked for the same things, we send the
// same frames. Left out of the comparison are ids (random), stack traces, the stray `message_type`
// of the Node SDK, and the announce (ours wants an answer, and stands before queued calls instead
// of behind them).
#include <fstream>
#include <map>

#include "bus/sdk/session_fixture.h"

namespace iii::sdk {
namespace {

using testing::ElementsAreArray;

struct Line {
  std::string direction;
  int64_t connection = 0;
  std::string frame;
};

std::vector<Line> recording(const std::string& name) {
  std::ifstream file(std::string(III_TEST_DATA) + "/golden/" + name + ".jsonl");
  EXPECT_TRUE(file) << name;
  std::vector<Line> lines;
  for (std::string text; std::getline(file, text);) {
    const json::Value line = parsed(text);
    lines.push_back(
        {text_at(line, "dir"), *line.find("conn")->as_int(), json::to_text(*line.find("frame"))});
  }
  return lines;
}

class Golden : public SessionTest {
 protected:
  // Comparable: random ids become their order of first appearance.
  std::string comparable(json::Value frame) {
    json::Object& object = *frame.as_object();
    object.erase("message_type");
    if (const auto error = object.find("error"); error != object.end())
      error->second.as_object()->erase("stacktrace");
    for (const char* key : {"invocation_id", "id"}) {
      const auto id = object.find(key);
      if (id == object.end() || !id->second.as_string() || !Uuid::parse(*id->second.as_string()))
        continue;
      id->second = "uuid";
    }
    return json::to_text(frame);
  }
  std::vector<std::string> ours() {
    std::vector<std::string> out;
    for (const json::Value& frame : taken()) {
      if (!is_announce(frame)) out.push_back(comparable(frame));
    }
    return out;
  }
  std::vector<std::string> theirs(const std::vector<Line>& lines, int64_t connection = 1) {
    std::vector<std::string> out;
    for (const Line& line : lines) {
      const json::Value frame = parsed(line.frame);
      if (line.direction != "c2s" || line.connection != connection || is_announce(frame)) continue;
      if (text_at(frame, "type") == "unregistertriggertype") continue;  // unknown to every engine
      out.push_back(comparable(frame));
    }
    return out;
  }
  void play_engine(const std::vector<Line>& lines) {
    for (const Line& line : lines) {
      if (line.direction == "s2c") transport.deliver(line.frame);
    }
  }

  void add(FunctionSpec spec) {
    ASSERT_TRUE(
        session->add_function(std::move(spec), [this](Invocation in) { held.push_back(in); }));
  }
  void add(const std::string& id) {
    FunctionSpec spec;
    spec.id = id;
    add(std::move(spec));
  }
  void add_returning(const std::string& id, std::optional<std::string> result) {
    FunctionSpec spec;
    spec.id = id;
    ASSERT_TRUE(session->add_function(
        std::move(spec), [this, result](const Invocation& in) { session->answer(in, result); }));
  }
  std::string bind(const std::string& type, const std::string& function, const std::string& config,
                   std::optional<std::string> metadata = {}) {
    TriggerSpec spec;
    spec.trigger_type = type;
    spec.function_id = function;
    spec.config = config;
    spec.metadata = std::move(metadata);
    return session->add_trigger(std::move(spec)).value();
  }
  void provide(const std::string& id, const std::string& description, bool schemas = false) {
    TriggerTypeSpec spec;
    spec.id = id;
    spec.description = description;
    if (schemas) spec.trigger_request_format = spec.call_request_format = R"({"type":"object"})";
    spec.bind = [](const BindingRequest& request, Verdict verdict) {
      if (request.config.find("bad") != std::string::npos) return verdict(fail("", "bad config"));
      verdict({});
    };
    spec.unbind = [](const std::string&) {};
    ASSERT_TRUE(session->add_trigger_type(std::move(spec)));
  }

  std::vector<Invocation> held;
};

TEST_F(Golden, RegisterFunction) {
  const auto lines = recording("sdk-node-0.22.1-register-function");
  add("demo::early");
  open();
  add("demo::plain");
  FunctionSpec full;
  full.id = "demo::full";
  full.description = "Adds numbers";
  full.request_format =
      R"({"type":"object","properties":{"a":{"type":"number"}},"required":["a"]})";
  full.response_format = R"({"type":"object","properties":{"sum":{"type":"number"}}})";
  full.metadata = R"({"team":"core","internal":false})";
  add(full);
  add("noseparator");
  FunctionSpec http;
  http.id = "ext::http_min";
  http.invocation = R"({"url":"https://example.com/fn","method":"POST"})";
  add(http);
  http.id = "ext::http_full";
  http.description = "ext";
  http.invocation =
      R"({"url":"https://example.com/fn2","method":"PUT","timeout_ms":1234,"headers":{"x-a":"b"},"auth":{"type":"bearer","token_key":"MY_TOKEN"}})";
  add(http);
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines)));
}

TEST_F(Golden, EveryFormOfAnswer) {
  const auto lines = recording("sdk-node-0.22.1-invoke-reply");
  FunctionSpec echo;
  echo.id = "demo::echo";
  ASSERT_TRUE(session->add_function(echo, [this](const Invocation& in) {
    session->answer(in, std::optional(R"({"echoed":)" + in.data + "}"));
  }));
  add_returning("demo::void", std::nullopt);
  add_returning("demo::null", "null");
  add_returning("demo::scalar", "42");
  add_returning("demo::sync", R"("sync")");
  add("demo::slow");
  FunctionSpec http;
  http.id = "ext::http";
  http.invocation = R"({"url":"https://example.com/fn","method":"POST"})";
  add(http);
  open();
  for (const Line& line : lines) {
    if (line.direction != "s2c") continue;
    transport.deliver(line.frame);
    // The slow one answers after the fast one that came behind it.
    if (line.frame.find(R"("fast")") != std::string::npos)
      session->answer(held.at(0), std::optional<std::string>(R"("slow")"));
  }
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines)));
}

TEST_F(Golden, HandlersThatThrow) {
  const auto lines = recording("sdk-node-0.22.1-handler-throws");
  const std::vector<std::pair<std::string, std::string>> throwers = {
      {"demo::error", "boom"},
      {"demo::string", "plain string"},
      {"demo::object", "[object Object]"},
      {"demo::coded", "coded boom"},
      {"demo::invocation_error", "MY_CODE: typed"},
      {"demo::sync_throw", "sync boom"},
      {"demo::undefined", "undefined"}};
  for (const auto& [id, message] : throwers) {
    FunctionSpec spec;
    spec.id = id;
    ASSERT_TRUE(session->add_function(spec, [this, message](const Invocation& in) {
      session->answer(in, std::unexpected(remote_error(kInvocationFailed, message)));
    }));
  }
  open();
  play_engine(lines);
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines)));
}

TEST_F(Golden, ProviderOfATriggerType) {
  const auto lines = recording("sdk-node-0.22.1-register-trigger-type");
  provide("demo-tick", "Fires on demand");
  open();
  provide("demo-tock", "Second type", true);
  play_engine(lines);
  add("demo::via_ref");
  bind("demo-tick", "demo::via_ref", R"({"every":9})", R"({"m":1})");
  const std::string second = bind("demo-tick", "demo::via_ref", R"({"every":10})");
  session->remove_trigger(second);
  session->remove_function("demo::via_ref");
  session->remove_trigger_type("demo-tick");
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines)));
}

TEST_F(Golden, BinderOfTriggers) {
  const auto lines = recording("sdk-node-0.22.1-register-trigger");
  add("demo::target");
  const std::string cron = bind("cron", "demo::target", R"({"expression":"0 * * * * *"})");
  open();
  const std::string http =
      bind("http", "demo::target", R"({"api_path":"/x","http_method":"GET"})", R"({"owner":"me"})");
  play_engine(lines);
  session->remove_trigger(http);
  session->remove_trigger(cron);
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines)));
}

TEST_F(Golden, CallsWithPayloadsOfEveryKind) {
  const auto lines = recording("sdk-node-0.22.1-trigger-await");
  connect();
  std::vector<std::string> expected;
  for (const Line& line : lines) {
    const json::Value frame = parsed(line.frame);
    if (line.direction != "c2s" || is_announce(frame)) continue;
    const json::Value* data = frame.find("data");
    const std::string payload = data ? json::to_text(*data) : "null";
    const std::string id = text_at(frame, "function_id");
    const json::Value* metadata = frame.find("metadata");
    const std::string beside = metadata ? json::to_text(*metadata) : "";
    OutgoingCall outgoing{.function_id = id, .data = payload};
    if (metadata) outgoing.metadata = beside;
    session->call(outgoing, [](const Reply<json::Raw>&) {});
    json::Value theirs_with_data = frame;
    // The one difference: Node leaves `data` out when there is no payload, and the engine drops
    // that.
    if (!data) theirs_with_data.as_object()->emplace("data", nullptr);
    expected.push_back(comparable(theirs_with_data));
  }
  EXPECT_EQ(expected.size(), 18u);
  EXPECT_THAT(ours(), ElementsAreArray(expected));
}

TEST_F(Golden, VoidAndEnqueue) {
  connect();
  ASSERT_TRUE(session->send_void({.function_id = "demo::notify", .data = R"({"a":1})"}));
  OutgoingCall with_metadata{.function_id = "demo::notify", .data = R"({"a":2})"};
  with_metadata.metadata = R"({"m":true})";
  ASSERT_TRUE(session->send_void(with_metadata));
  EXPECT_THAT(ours(), ElementsAreArray(theirs(recording("sdk-node-0.22.1-trigger-void"))));
  for (const char* queue : {"jobs", "other"}) {
    OutgoingCall job{.function_id = "demo::job", .data = R"({"n":1})"};
    job.queue = queue;
    session->call(job, [](const Reply<json::Raw>&) {});
  }
  EXPECT_THAT(ours(), ElementsAreArray(theirs(recording("sdk-node-0.22.1-trigger-enqueue"))));
}

TEST_F(Golden, WhatIsQueuedBeforeTheFirstConnection) {
  provide("tt", "d");
  add("demo::fn");
  bind("tt", "demo::fn", "{}");
  session->call({.function_id = "demo::first", .data = R"({"i":1})"},
                [](const Reply<json::Raw>&) {});
  ASSERT_TRUE(session->send_void({.function_id = "demo::void", .data = R"({"i":2})"}));
  open();
  answer_announce();
  EXPECT_THAT(ours(), ElementsAreArray(theirs(recording("sdk-node-0.22.1-queue-before-open"))));
}

TEST_F(Golden, ReconnectReplaysEverythingInOrder) {
  const auto lines = recording("sdk-node-0.22.1-reconnect");
  const auto greet_as_recorded = [&](int64_t connection) {
    for (const Line& line : lines) {
      if (line.connection == connection &&
          line.frame.find("workerregistered") != std::string::npos) {
        transport.deliver(line.frame);
      }
    }
  };
  provide("demo-type", "d");
  add("demo::b");
  add("demo::a");
  bind("demo-type", "demo::b", R"({"n":1})");
  open();
  greet_as_recorded(1);
  answer_announce();
  transport.deliver(
      R"({"type":"invokefunction","invocation_id":"44444444-4444-4444-8444-000000000001","function_id":"demo::a","data":{}})");
  session->call({.function_id = "demo::inflight", .data = "{}"}, [](const Reply<json::Raw>&) {});
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines, 1)));

  session->on_closed("gone");
  add("demo::offline_reg");
  session->call({.function_id = "demo::queued", .data = R"({"q":1})"},
                [](const Reply<json::Raw>&) {});
  call("demo::expired", Millis(50));
  ASSERT_TRUE(session->send_void({.function_id = "demo::void_offline", .data = "{}"}));
  session->remove_trigger(bind("cron", "demo::b", "{}"));
  session->answer(held.at(0), std::optional<std::string>(R"("computed while offline")"));
  timers.advance(Millis(1'000));
  session->on_open();
  greet_as_recorded(2);
  answer_announce();
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines, 2)));

  session->on_closed("gone");
  timers.advance(Millis(1'000));
  session->on_open();
  EXPECT_THAT(ours(), ElementsAreArray(theirs(lines, 3)));
}

TEST_F(Golden, AnEngineThatNeverGivesATokenOrASecondGreeting) {
  const auto lines = recording("sdk-node-0.22.1-greet-without-token");
  open();
  play_engine(lines);
  for (const int64_t connection : {2, 3}) {
    taken();
    session->on_closed("gone");
    timers.advance(Millis(30'000));
    session->on_open();
    EXPECT_THAT(ours(), ElementsAreArray(theirs(lines, connection)));
  }
}

TEST_F(Golden, NamespacesAsTheNodeSdkOf023FillsThem) {
  SessionOptions options;
  options.name_space = "orders";
  make(options);
  add("demo::f");
  bind("http", "demo::f", "{}");
  TriggerSpec elsewhere;
  elsewhere.trigger_type = "http";
  elsewhere.function_id = "demo::f";
  elsewhere.config = "{}";
  elsewhere.name_space = elsewhere.trigger_namespace = "default";
  ASSERT_TRUE(session->add_trigger(elsewhere));
  open();
  answer_announce();
  for (const auto& [id, name_space] :
       std::vector<std::pair<std::string, std::string>>{{"demo::x", ""},
                                                        {"demo::x", "billing"},
                                                        {"engine::functions::list", "default"},
                                                        {"engine::functions::list", "orders"}}) {
    OutgoingCall outgoing{.function_id = id, .data = "{}"};
    outgoing.name_space = name_space;
    ASSERT_TRUE(session->send_void(outgoing));
  }
  EXPECT_THAT(ours(), ElementsAreArray(theirs(recording("sdk-node-0.23.0-rc.4-src-namespace"))));
}

}  // namespace
}  // namespace iii::sdk
