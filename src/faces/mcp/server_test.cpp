// The server with one client: both dialects, resources, prompts, tools, subscriptions.
#include "faces/mcp/server.h"

#include <gmock/gmock.h>

#include <set>

#include "directory/table/function_table.h"
#include "faces/mcp/base64.h"
#include "faces/mcp/server_fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST_F(McpServerTest, N01N02DiscoverHasEverythingAndNeedsNoClientInfo) {
  open();
  const json::Value out = result("server/discover");
  EXPECT_EQ(text(out, "resultType"), "complete");
  EXPECT_EQ(json::to_text(*out.find("supportedVersions")), supported_versions());
  EXPECT_NE(out.find("ttlMs")->as_int(), nullptr);
  EXPECT_EQ(text(out, "cacheScope"), "public");
  EXPECT_EQ(out.find("serverInfo"), nullptr);
  EXPECT_EQ(text(*out.find("_meta")->find(kServerKey), "name"), "iii-directory");
  const json::Value& capabilities = *out.find("capabilities");
  EXPECT_EQ(capabilities.find("logging"), nullptr);
  EXPECT_EQ(json::to_text(*capabilities.find("extensions")),
            R"({"io.modelcontextprotocol/skills":{"directoryRead":true}})");
  EXPECT_THAT(text(out, "instructions"), HasSubstr("iii://skills"));
}

TEST_F(McpServerTest, TheInstructionsFitTheTools) {
  options.tools = ToolsMode::kDirectory;
  open();
  const std::string told = text(result("server/discover"), "instructions");
  EXPECT_THAT(told, HasSubstr("`directory__skills__get`"));
  EXPECT_THAT(told, testing::Not(HasSubstr("`find`")));
}

TEST_F(McpServerTest, N59DiscoverAndInitializeAnswerBeforeTheFoldersAreOpen) {
  start();
  client->receive(stateless("1", "resources/list"));
  EXPECT_EQ(text(result("server/discover"), "resultType"), "complete");
  EXPECT_EQ(text(initialize("2025-06-18"), "protocolVersion"), "2025-06-18");
  EXPECT_EQ(lines.size(), 2U);
  open();
  EXPECT_THAT(column(member_of(answer_to("1"), "result"), "resources", "uri"),
              Contains("iii://demo"));
}

TEST_F(McpServerTest, N13MethodsOfTheHandshakeDoNotExistWithoutIt) {
  open();
  for (const char* method : {"initialize", "ping", "logging/setLevel", "resources/subscribe",
                             "resources/unsubscribe", "tasks/list", "no/such"}) {
    EXPECT_EQ(code(error(method)), kMethodNotFound) << method;
  }
}

TEST_F(McpServerTest, N14N66TheSkillsExtensionCanBeSwitchedOff) {
  options.skills = false;
  open();
  EXPECT_EQ(result("server/discover").find("capabilities")->find("extensions"), nullptr);
  EXPECT_EQ(code(error("skills/list")), kMethodNotFound);
  EXPECT_EQ(code(error("resources/directory/read")), kMethodNotFound);
}

TEST_F(McpServerTest, N21N22EachDialectHasItsOwnFields) {
  open();
  initialize("2025-11-25");
  for (const char* method : {"tools/list", "resources/list", "resources/templates/list",
                             "prompts/list", "skills/list"}) {
    const json::Value modern = result(method);
    EXPECT_EQ(text(modern, "resultType"), "complete") << method;
    EXPECT_EQ(*modern.find("ttlMs"), json::Value(10'000)) << method;
    EXPECT_EQ(text(modern, "cacheScope"), "public") << method;
    EXPECT_NE(modern.find("_meta")->find(kServerKey), nullptr) << method;
    const json::Value legacy = session_result(method);
    for (const char* key : {"resultType", "ttlMs", "cacheScope", "_meta"}) {
      EXPECT_EQ(legacy.find(key), nullptr) << method << ' ' << key;
    }
  }
  EXPECT_EQ(*result("resources/read", R"("uri":"iii://demo")").find("ttlMs"), json::Value(0));
}

TEST_F(McpServerTest, N51TwoDialectsTakeTurnsOnOneProcess) {
  open();
  EXPECT_EQ(code(session_error("tools/list")), kInvalidParams);
  EXPECT_EQ(json::to_text(session_result("ping")), "{}");
  EXPECT_EQ(text(initialize("2025-11-25"), "protocolVersion"), "2025-11-25");
  EXPECT_EQ(code(session_error("resources/read", R"("uri":"test://x")")), kResourceNotFound);
  EXPECT_EQ(code(error("resources/read", R"("uri":"test://x")")), kInvalidParams);
  EXPECT_EQ(code(error("ping")), kMethodNotFound);
  EXPECT_EQ(json::to_text(session_result("ping")), "{}");
  EXPECT_EQ(text(initialize("2024-11-05"), "protocolVersion"), "2024-11-05");
  EXPECT_EQ(first(session_result("tools/list"), "tools").find("annotations"), nullptr);
}

TEST_F(McpServerTest, N27UnknownResourcesAreErrorsWithTheirAddress) {
  open();
  for (const char* uri : {"iii://nope", "skill://demo/nope", "skill://demo", "iii://../x", "x"}) {
    const json::Value wrong = error("resources/read", R"("uri":")" + std::string(uri) + "\"");
    EXPECT_EQ(code(wrong), kInvalidParams) << uri;
    EXPECT_EQ(text(*wrong.find("data"), "uri"), uri);
  }
  EXPECT_EQ(code(error("resources/read")), kInvalidParams);
}

TEST_F(McpServerTest, ResourcesAreListedAndRead) {
  open();
  EXPECT_THAT(column(result("resources/list"), "resources", "uri"),
              ElementsAre("iii://skills", "iii://demo", "iii://notes", "skill://demo/SKILL.md"));
  EXPECT_THAT(column(result("resources/templates/list"), "resourceTemplates", "uriTemplate"),
              ElementsAre("iii://fn/{function}", "iii://{+id}", "skill://{+path}"));
  const auto read = [&](const std::string& uri) {
    return first(result("resources/read", R"("uri":")" + uri + "\""), "contents");
  };
  EXPECT_EQ(text(read("iii://demo"), "text"), "# Demo\n\nDo it.\n");
  EXPECT_EQ(text(read("skill://demo/SKILL.md"), "text"), kSkill);
  EXPECT_EQ(text(read("iii://demo/scripts/run.py"), "mimeType"), "text/x-python");
  EXPECT_THAT(text(read("iii://fn/directory::skills::list"), "text"), HasSubstr("## Arguments"));
  EXPECT_EQ(text(read("iii://skills"), "mimeType"), "text/markdown");
  EXPECT_EQ(code(error("resources/read", R"("uri":"iii://fn/engine::stop")")), kInvalidParams);
}

TEST_F(McpServerTest, N32BinaryFilesRoundTrip) {
  open();
  const json::Value content =
      first(result("resources/read", R"("uri":"skill://demo/logo.png")"), "contents");
  EXPECT_EQ(base64_decode(text(content, "blob")), "\x89PNG\r\n\x1a\n\xff");
  EXPECT_EQ(text(content, "mimeType"), "image/png");
}

TEST_F(McpServerTest, N23ToolsAreFewSortedAndTheSameEveryTime) {
  open();
  const json::Value tools = result("tools/list");
  EXPECT_THAT(column(tools, "tools", "name"), ElementsAre("call", "find", "read"));
  EXPECT_EQ(json::to_text(tools), json::to_text(result("tools/list")));
}

TEST_F(McpServerTest, ToolsOfTheDirectoryHaveSchemasAndHints) {
  options.tools = ToolsMode::kDirectory;
  open();
  const json::Value tools = result("tools/list");
  EXPECT_THAT(
      column(tools, "tools", "name"),
      ElementsAre("directory__prompts__get", "directory__prompts__list", "directory__skills__file",
                  "directory__skills__get", "directory__skills__index", "directory__skills__list"));
  const json::Value& tool = first(tools, "tools");
  EXPECT_EQ(text(*tool.find("inputSchema"), "type"), "object");
  EXPECT_EQ(text(*tool.find("outputSchema"), "type"), "object");
  EXPECT_EQ(*tool.find("annotations")->find("readOnlyHint"), json::Value(true));
  const json::Value answer = result("tools/call", R"("name":"directory__skills__list")");
  EXPECT_EQ(answer.find("isError"), nullptr);
  EXPECT_NE(answer.find("structuredContent")->find("skills"), nullptr);
  EXPECT_EQ(json::parse(text(first(answer, "content"), "text")).value(),
            *answer.find("structuredContent"));
  EXPECT_EQ(code(error("tools/call", R"("name":"find")")), kInvalidParams);
}

TEST_F(McpServerTest, N25AnswersThatAreNotObjectsAreWrappedForOlderVersions) {
  options.tools = ToolsMode::kDirectory;
  directory::Function list;
  list.info = {.id = "directory::numbers", .title = "Numbers", .description = "Gives numbers."};
  list.response_schema = R"({"type":"array","items":{"type":"integer"}})";
  list.read = [](std::string_view) {
    return [](const directory::Context&) { return directory::Answer(json::Raw{"[1,2]"}); };
  };
  table.add(std::move(list));
  open();
  const auto call = R"("name":"directory__numbers")";
  EXPECT_EQ(json::to_text(*result("tools/call", call).find("structuredContent")), "[1,2]");
  EXPECT_EQ(text(*first(result("tools/list"), "tools").find("outputSchema"), "type"), "array");
  initialize("2025-11-25");
  EXPECT_EQ(json::to_text(*session_result("tools/call", call).find("structuredContent")),
            R"({"result":[1,2]})");
  EXPECT_EQ(text(*first(session_result("tools/list"), "tools").find("outputSchema"), "type"),
            "object");
  initialize("2025-03-26");
  EXPECT_EQ(session_result("tools/call", call).find("structuredContent"), nullptr);
  EXPECT_EQ(first(session_result("tools/list"), "tools").find("outputSchema"), nullptr);
}

TEST_F(McpServerTest, N26UnknownToolsAreErrorsAndFailingOnesResults) {
  open();
  EXPECT_EQ(code(error("tools/call", R"("name":"no__such")")), kInvalidParams);
  EXPECT_EQ(code(error("tools/call")), kInvalidParams);
  EXPECT_EQ(code(error("tools/call", R"("name":"find","arguments":[])")), kInvalidParams);
  EXPECT_EQ(result("tools/call", R"("name":"find","arguments":null)").find("isError"), nullptr);
  const json::Value failed = result("tools/call", R"("name":"read","arguments":{"id":"demoo"})");
  EXPECT_EQ(*failed.find("isError"), json::Value(true));
  EXPECT_THAT(text(first(failed, "content"), "text"), HasSubstr("demo"));
}

TEST_F(McpServerTest, NamesAndAddressesHaveALength) {
  open();
  const std::string limit(directory::kMaxTextLength, 'x');
  const auto refusal = [&](const std::string& method, const std::string& members) {
    return text(error(method, members), "message");
  };
  const auto name = [](const std::string& value) { return R"("name":")" + value + "\""; };
  const auto uri = [](const std::string& value) { return R"("uri":")" + value + "\""; };
  const auto completion = [](const std::string& ref, const std::string& value) {
    return R"("ref":{)" + ref + R"(},"argument":{"name":"id","value":")" + value + "\"}";
  };
  const std::string prompt = R"("type":"ref/prompt",)";
  EXPECT_THAT(refusal("prompts/get", name(limit)), HasSubstr("D210 not_found:"));
  EXPECT_THAT(refusal("tools/call", name(limit)), HasSubstr("Unknown tool"));
  EXPECT_THAT(refusal("resources/read", uri("iii://" + limit)), HasSubstr("Resource not found"));
  EXPECT_THAT(refusal("completion/complete", completion(prompt + name(limit), "")),
              HasSubstr("D210 not_found:"));
  // Encoded letters count as what they stand for.
  std::string encoded;
  for (size_t i = 0; i < limit.size(); ++i) encoded += "%C3%A4";
  EXPECT_THAT(refusal("resources/read", uri("iii://" + encoded)), HasSubstr("Resource not found"));
  for (const std::string& beyond : {limit + "x", std::string(4'000'000, 'x')}) {
    const std::string refused = "D123 invalid_input: `name` has " + std::to_string(beyond.size()) +
                                " characters, and at most 1024 are accepted. Next: call ";
    EXPECT_EQ(refusal("prompts/get", name(beyond)), refused + "prompts/get with a shorter one.");
    EXPECT_EQ(refusal("tools/call", name(beyond)), refused + "tools/call with a shorter one.");
    for (const char* method : {"resources/read", "skills/get", "resources/directory/read"}) {
      EXPECT_THAT(refusal(method, uri("skill://" + beyond)),
                  HasSubstr("D123 invalid_input: `uri`"));
    }
    EXPECT_THAT(refusal("completion/complete", completion(prompt + name(beyond), "")),
                HasSubstr("D123 invalid_input: `ref.name`"));
    EXPECT_THAT(refusal("completion/complete", completion(prompt + name("review"), beyond)),
                HasSubstr("D123 invalid_input: `argument.value`"));
    EXPECT_THAT(refusal("subscriptions/listen",
                        R"("notifications":{"resourceSubscriptions":["iii://)" + beyond + "\"]}"),
                HasSubstr("D123 invalid_input: `resourceSubscriptions`"));
    EXPECT_LT(refusal(beyond, "").size(), 300U);
  }
  EXPECT_THAT(refusal("resources/read", uri("iii://" + encoded + "x")), HasSubstr("D123"));
}

TEST_F(McpServerTest, InputBeyondTheLimitOfAFunctionIsRefused) {
  options.tools = ToolsMode::kAll;
  int reads = 0;
  directory::Function counted;
  counted.info = {.id = "directory::counted", .title = "Counts", .description = "Counts."};
  counted.read = [&reads](std::string_view) {
    ++reads;
    return [](const directory::Context&) { return directory::Answer(json::Raw{"{}"}); };
  };
  table.add(std::move(counted));
  open();
  const auto answer = [&](const std::string& members) {
    return text(first(result("tools/call", members), "content"), "text");
  };
  const auto arguments = [](size_t size) {
    constexpr std::string_view kRest = R"({"id":""})";
    return R"({"id":")" + std::string(size - kRest.size(), 'x') + "\"}";
  };
  const auto direct = [&](size_t size) {
    return answer(R"("name":"directory__counted","arguments":)" + arguments(size));
  };
  const auto by_id = [&](size_t size) {
    return answer(R"("name":"call","arguments":{"function":"directory::counted","arguments":)" +
                  arguments(size) + "}");
  };
  EXPECT_EQ(direct(directory::kMaxInputBytes), "{}");
  EXPECT_EQ(by_id(directory::kMaxInputBytes), "{}");
  EXPECT_EQ(reads, 2);
  for (const size_t size : {directory::kMaxInputBytes + 1, size_t{4'000'000}}) {
    const std::string refused = "D122 too_large: the input has " + std::to_string(size) +
                                " bytes, and directory::counted takes at most 65536. Next: call "
                                "directory::counted with less.";
    EXPECT_EQ(direct(size), refused);
    EXPECT_EQ(by_id(size), refused);
    EXPECT_THAT(answer(R"("name":"read","arguments":)" + arguments(size)),
                HasSubstr("D122 too_large:"));
  }
  EXPECT_EQ(reads, 2);
  EXPECT_THAT(answer(R"("name":"read","arguments":)" + arguments(5'000)),
              HasSubstr("D123 invalid_input: `id`"));
}

TEST_F(McpServerTest, TheIndexThatFindReturnsIsBounded) {
  for (int i = 0; i < 1'000; ++i) {
    tree.put("global/many" + std::to_string(i) + "/SKILL.md",
             "# Number " + std::to_string(i) + "\n\nText.\n");
  }
  open();
  const std::string index =
      text(first(result("tools/call", R"("name":"find","arguments":{})"), "content"), "text");
  EXPECT_LT(index.size(), 17'000U);
  EXPECT_GT(index.size(), 15'000U);
  EXPECT_THAT(index,
              testing::ContainsRegex("\\(And [0-9]+ more\\. Next: call `find` with `query`"));
}

TEST_F(McpServerTest, FindReadAndCallAreEnoughToUseEverything) {
  open();
  const auto text_of_tool = [&](const std::string& arguments) {
    return text(first(result("tools/call", arguments), "content"), "text");
  };
  EXPECT_THAT(text_of_tool(R"("name":"find","arguments":{"query":"Deployment NOTES"})"),
              HasSubstr("`notes`"));
  EXPECT_THAT(text_of_tool(R"("name":"find","arguments":{"query":"zzz"})"),
              HasSubstr("Nothing is about"));
  EXPECT_THAT(text_of_tool(R"("name":"read","arguments":{"id":"demo"})"), HasSubstr("Do it."));
  EXPECT_EQ(text_of_tool(R"("name":"read","arguments":{"id":"skill://demo/scripts/run.py"})"),
            "print(1)\n");
  EXPECT_THAT(text_of_tool(R"("name":"read","arguments":{"id":"directory::skills::get"})"),
              HasSubstr("## Arguments"));
  EXPECT_THAT(text_of_tool(R"("name":"call")"), HasSubstr("directory::skills::list"));
  EXPECT_THAT(text_of_tool(R"("name":"call","arguments":{"function":"directory::skills::list"})"),
              HasSubstr("\"demo\""));
  EXPECT_THAT(text_of_tool(R"("name":"call","arguments":{"function":"state::get"})"),
              HasSubstr("internal namespace"));
  EXPECT_THAT(text_of_tool(R"("name":"call","arguments":{"function":"a::b"})"),
              HasSubstr("not connected to an engine"));
}

TEST_F(McpServerTest, N34ProgressRisesAndNeedsAToken) {
  options.tools = ToolsMode::kDirectory;
  directory::Function slow;
  slow.info = {.id = "directory::slow", .title = "Slow", .description = "Reports progress."};
  slow.read = [this](std::string_view) {
    return [this](const directory::Context& context) { return report(context); };
  };
  table.add(std::move(slow));
  open();
  result("tools/call", R"("name":"directory__slow")");
  EXPECT_FALSE(reports);
  client->receive(
      R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"directory__slow","_meta":{"progressToken":"t","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})");
  answer_to("5");
  const std::vector<json::Value> told = notices("notifications/progress");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(json::to_text(*told[0].find("params")),
            R"({"message":"one","progress":5.0,"progressToken":"t","total":10})");
  EXPECT_EQ(*told[1].find("params")->find("progress"), json::Value(6.0));
}

TEST_F(McpServerTest, N35FailuresAreLoggedOnlyAtALevelThatWasAskedFor) {
  open();
  const std::string failing = R"("name":"read","arguments":{"id":"nope"})";
  initialize("2025-11-25");
  session_result("tools/call", failing);
  EXPECT_THAT(notices("notifications/message"), IsEmpty());
  EXPECT_EQ(code(session_error("logging/setLevel", R"("level":"loud")")), kInvalidParams);
  session_result("logging/setLevel", R"("level":"error")");
  session_result("tools/call", failing);
  EXPECT_THAT(notices("notifications/message"), IsEmpty());
  session_result("logging/setLevel", R"("level":"debug")");
  session_result("tools/call", failing);
  EXPECT_EQ(notices("notifications/message").size(), 1U);
  result("tools/call", failing);
  EXPECT_EQ(notices("notifications/message").size(), 1U);
}

TEST_F(McpServerTest, N28PromptsHaveArguments) {
  open();
  const json::Value list = result("prompts/list");
  EXPECT_THAT(column(list, "prompts", "name"), ElementsAre("review"));
  EXPECT_THAT(column(first(list, "prompts"), "arguments", "name"), ElementsAre("pr", "tone"));
  EXPECT_EQ(code(error("prompts/get", R"("name":"nope")")), kInvalidParams);
  EXPECT_EQ(code(error("prompts/get", R"("name":"review")")), kInvalidParams);
  EXPECT_EQ(code(error("prompts/get", R"("name":"review","arguments":{"pr":1})")), kInvalidParams);
  const json::Value got =
      result("prompts/get", R"("name":"review","arguments":{"pr":"#7","tone":"{{pr}}"})");
  EXPECT_EQ(text(got, "description"), "Reviews.");
  EXPECT_EQ(text(*first(got, "messages").find("content"), "text"), "Review #7 in {{pr}}.\n");
}

TEST_F(McpServerTest, N29Completion) {
  for (int i = 0; i < 120; ++i) tree.put("global/many/s" + std::to_string(1000 + i) + ".md");
  open();
  const auto values = [&](const std::string& ref, const std::string& name,
                          const std::string& value) {
    const json::Value out =
        result("completion/complete", R"("ref":)" + ref + R"(,"argument":{"name":")" + name +
                                          R"(","value":")" + value + "\"}");
    std::vector<std::string> found;
    for (const json::Value& each : *out.find("completion")->find("values")->as_array()) {
      found.push_back(*each.as_string());
    }
    return found;
  };
  const std::string skill = R"({"type":"ref/resource","uri":"iii://{+id}"})";
  EXPECT_THAT(values(skill, "id", "dem"), ElementsAre("demo"));
  EXPECT_EQ(values(skill, "id", "many/").size(), 100U);
  EXPECT_THAT(values(R"({"type":"ref/resource","uri":"iii://fn/{function}"})", "function",
                     "directory::skills::i"),
              ElementsAre("directory::skills::index"));
  EXPECT_THAT(values(R"({"type":"ref/resource","uri":"skill://{+path}"})", "path", "de"),
              ElementsAre("demo/SKILL.md"));
  EXPECT_THAT(values(R"({"type":"ref/prompt","name":"review"})", "pr", "t"), ElementsAre("two"));
  EXPECT_THAT(values(R"({"type":"ref/prompt","name":"review"})", "none", ""), IsEmpty());
  EXPECT_EQ(
      code(error("completion/complete",
                 R"("ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""})")),
      kInvalidParams);
  EXPECT_EQ(code(error("completion/complete")), kInvalidParams);
}

TEST_F(McpServerTest, N30PagesHaveEveryRowOnceWhileTheListChanges) {
  for (int i = 0; i < 2'300; ++i) tree.put("global/many/s" + std::to_string(10'000 + i) + ".md");
  open();
  std::set<std::string> seen;
  std::string cursor;
  int pages = 0;
  for (;; ++pages) {
    const json::Value page = result("resources/list", cursor);
    for (const std::string& uri : column(page, "resources", "uri")) {
      EXPECT_TRUE(seen.insert(uri).second) << uri;
    }
    if (pages == 0) tree.remove("global/many/s10005.md");
    if (page.find("nextCursor") == nullptr) break;
    cursor = R"("cursor":")" + text(page, "nextCursor") + "\"";
  }
  EXPECT_EQ(pages, 2);
  EXPECT_EQ(seen.size(), 2'300U + 4);
  EXPECT_EQ(code(error("resources/list", R"("cursor":"Zm9v")")), kInvalidParams);
  EXPECT_EQ(code(error("tools/list", cursor)), kInvalidParams);
}

TEST_F(McpServerTest, N37N38N39ListenStreamsGetWhatTheyAskedFor) {
  open();
  client->receive(stateless("\"L1\"", "subscriptions/listen",
                            R"("notifications":{"resourcesListChanged":true})"));
  client->receive(stateless(
      "2", "subscriptions/listen",
      R"("notifications":{"promptsListChanged":true,"resourceSubscriptions":["iii://demo"]})"));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[0],
      R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L1"},"notifications":{"resourcesListChanged":true}}})");
  EXPECT_THAT(lines[1], HasSubstr(R"("io.modelcontextprotocol/subscriptionId":2)"));
  lines.clear();
  tree.put("global/more.md");
  run_until([&] { return !lines.empty(); });
  settle();
  EXPECT_THAT(
      lines,
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L1"}}})"));
  lines.clear();
  tree.put("global/demo/SKILL.md", std::string(kSkill) + "More.\n");
  run_until([&] { return !lines.empty(); });
  settle();
  EXPECT_THAT(
      lines,
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"iii://demo","_meta":{"io.modelcontextprotocol/subscriptionId":2}}})"));
}

TEST_F(McpServerTest, N40N65ListenStreamsEndWithTheirResultAndANotice) {
  open();
  client->receive(
      stateless("9", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  EXPECT_EQ(client->running(), 1U);
  lines.clear();
  client->end_of_input();
  ASSERT_EQ(lines.size(), 2U);
  const json::Value end = json::parse(lines[0]).value();
  EXPECT_EQ(*end.find("id"), json::Value(9));
  EXPECT_EQ(*end.find("result")->find("_meta")->find(kSubscriptionKey), json::Value(9));
  EXPECT_THAT(lines[1], HasSubstr(R"("notifications/cancelled","params":{"requestId":9})"));
  EXPECT_EQ(client->running(), 0U);
}

TEST_F(McpServerTest, N61N62ACancelledListenIsSilentAndOthersGoOn) {
  open();
  for (const char* id : {"1", "2"}) {
    client->receive(
        stateless(id, "subscriptions/listen", R"("notifications":{"resourcesListChanged":true})"));
  }
  client->receive(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  lines.clear();
  tree.put("global/more.md");
  run_until([&] { return !lines.empty(); });
  settle();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("subscriptionId\":2"));
}

TEST_F(McpServerTest, N41N43ListenLimitsAndEmptyFilters) {
  options.max_listens = 1;
  open();
  EXPECT_EQ(code(error("subscriptions/listen")), kInvalidParams);
  EXPECT_EQ(code(error("subscriptions/listen", R"("notifications":{"toolsListChanged":1})")),
            kInvalidParams);
  EXPECT_EQ(text(result("subscriptions/listen", R"("notifications":{})"), "resultType"),
            "complete");
  client->receive(
      stateless("1", "subscriptions/listen", R"("notifications":{"toolsListChanged":true})"));
  EXPECT_EQ(code(error("subscriptions/listen", R"("notifications":{"toolsListChanged":true})")),
            kInternalError);
}

TEST_F(McpServerTest, AddressesOfListenStreamsHaveLimits) {
  options.max_listen_addresses = 3;
  open();
  const auto filter = [](const std::vector<std::string>& uris) {
    std::string list;
    for (const std::string& uri : uris) list += (list.empty() ? "\"" : ",\"") + uri + "\"";
    return R"("notifications":{"resourceSubscriptions":[)" + list + "]}";
  };
  const std::string longest = "iii://" + std::string(kMaxUriBytes - 6, 'a');
  client->receive(stateless("1", "subscriptions/listen", filter({"a", "b", longest})));
  EXPECT_THAT(lines.back(), HasSubstr("acknowledged")) << "at the limits";
  EXPECT_EQ(code(error("subscriptions/listen", filter({"a", "b", "c", "d"}))), kInvalidParams);
  const json::Value too_long = error("subscriptions/listen", filter({"a", longest + "a"}));
  EXPECT_EQ(code(too_long), kInvalidParams);
  EXPECT_THAT(text(too_long, "message"), HasSubstr("1025 bytes"));
  EXPECT_EQ(client->running(), 1U) << "nothing of the others is kept";
}

TEST_F(McpServerTest, AddressesOfSubscriptionsHaveALimit) {
  options.max_subscriptions = 2;
  open();
  initialize("2025-11-25");
  const std::string longest = "iii://" + std::string(kMaxUriBytes - 6, 'a');
  const auto uri = [](const std::string& text) { return R"("uri":")" + text + "\""; };
  session_result("resources/subscribe", uri(longest));
  EXPECT_EQ(code(session_error("resources/subscribe", uri(longest + "a"))), kInvalidParams);
  session_result("resources/unsubscribe", uri(longest + "a"));
  session_result("resources/subscribe", uri("iii://demo"));
  EXPECT_THAT(text(session_error("resources/subscribe", uri("iii://x")), "message"),
              HasSubstr("2 subscriptions already, which is the limit. Next:"));
  session_result("resources/unsubscribe", uri(longest));
  session_result("resources/subscribe", uri("iii://x"));
}

TEST_F(McpServerTest, InitializeHasALimit) {
  open();
  const auto message = [](const std::string& id, size_t size) {
    std::string out = handshake(
        id, "initialize",
        R"("protocolVersion":"2025-11-25","capabilities":{"roots":{},"experimental":{"x":""}})");
    return out.insert(out.find("\"\"") + 1, size - out.size(), 'x');
  };
  client->receive(message("1", Server::kMaxInitializeBytes));
  EXPECT_NE(answer_to("1").find("result"), nullptr) << "at the limit";
  client->receive(message("2", Server::kMaxInitializeBytes + 1));
  const json::Value refused = member_of(answer_to("2"), "error");
  EXPECT_EQ(code(refused), kInvalidParams) << "beyond it";
  EXPECT_THAT(text(refused, "message"), HasSubstr("65537 bytes, and at most 65536"));
  session_result("ping");
}

// stdin: what runs and the session count together.
TEST_F(McpServerTest, WhatOnePipeHoldsHasALimit) {
  start();  // requests wait for documents
  client = std::make_unique<Duplex>(
      *server, [this](std::string line) { lines.push_back(std::move(line)); },
      DuplexOptions{.max_held_bytes = 100'000});
  const auto call = [](const std::string& id, size_t size) {
    return stateless(id, "tools/call",
                     R"("name":"x","arguments":{"a":")" + std::string(size, 'x') + "\"}");
  };
  client->receive(call("1", 90'000));
  EXPECT_EQ(client->running(), 1U);
  client->receive(call("2", 20'000));
  EXPECT_EQ(client->running(), 1U);
  EXPECT_THAT(text(member_of(answer_to("2"), "error"), "message"), HasSubstr("no memory left"));
  client->receive(
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  open();
  settle();
  client->receive(call("3", 20'000));
  EXPECT_THAT(json::to_text(answer_to("3")), Not(HasSubstr("no memory left")));
}

TEST_F(McpServerTest, ABatchIsAnsweredInOneLineOfLimitedLength) {
  open();
  client = std::make_unique<Duplex>(
      *server, [this](std::string line) { lines.push_back(std::move(line)); },
      DuplexOptions{.max_line_bytes = 10'000});
  initialize("2025-03-26");
  lines.clear();
  std::string batch = "[";
  for (int i = 0; i < 10; ++i) {
    batch += (i > 0 ? "," : "") + handshake(std::to_string(i), "tools/list");
  }
  client->receive(batch + "]");
  run_until([&] { return !lines.empty(); });
  EXPECT_LT(lines[0].size(), 12'000U);
  EXPECT_THAT(lines[0], HasSubstr("more than a line may have"));
  EXPECT_EQ(json::parse(lines[0]).value().as_array()->size(), 10U);
}

TEST_F(McpServerTest, N78SessionsHearOfChangesAfterInitializedAndSubscribe) {
  open();
  session_result("initialize", R"("protocolVersion":"2025-11-25","capabilities":{})");
  lines.clear();
  tree.put("global/early.md");
  settle();
  session_result("ping");
  client->receive(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  session_result("resources/subscribe", R"("uri":"skill://%64emo/SKILL.md")");
  session_result("resources/subscribe", R"("uri":"test://watched-resource")");
  lines.clear();
  tree.put("global/demo/SKILL.md", std::string(kSkill) + "More.\n");
  run_until([&] { return !lines.empty(); });
  settle();
  EXPECT_THAT(
      lines,
      ElementsAre(
          R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"skill://%64emo/SKILL.md"}})"));
  lines.clear();
  session_result("resources/unsubscribe", R"("uri":"skill://demo/SKILL.md")");
  lines.clear();
  tree.put("global/prompts/other.md", "---\nname: other\ndescription: Other.\n---\nText\n");
  run_until([&] { return !lines.empty(); });
  settle();
  EXPECT_THAT(lines,
              ElementsAre(R"({"jsonrpc":"2.0","method":"notifications/prompts/list_changed"})"));
}

TEST_F(McpServerTest, N55BatchesExistIn20250326Only) {
  open();
  const std::string both = "[" + handshake("1", "ping") + "," + handshake("2", "tools/list") +
                           R"(,{"jsonrpc":"2.0","method":"notifications/x"},7])";
  client->receive(both);
  EXPECT_THAT(lines.back(), HasSubstr("-32600"));
  initialize("2025-03-26");
  lines.clear();
  client->receive(both);
  run_until([&] { return !lines.empty(); });
  const json::Value answers = json::parse(lines.at(0)).value();
  ASSERT_NE(answers.as_array(), nullptr);
  EXPECT_EQ(answers.as_array()->size(), 3U);
  lines.clear();
  client->receive("[" + stateless("1", "tools/list") + "]");
  EXPECT_THAT(lines.at(0), HasSubstr("-32600"));
  client->receive("[]");
  EXPECT_THAT(lines.at(1), HasSubstr("-32600"));
}

TEST_F(McpServerTest, N64LinesThatAreNoMessages) {
  open();
  client->receive("");
  client->receive("  \r");
  EXPECT_THAT(lines, IsEmpty());
  client->receive("garbage");
  EXPECT_THAT(lines.at(0), HasSubstr("-32700"));
  client->receive(stateless("1", "server/discover") + "\r");
  answer_to("1");
  client->refuse_long_line();
  EXPECT_THAT(lines.back(), HasSubstr("more than 10485760 bytes"));
  client->receive(R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(McpServerTest, AnAnswerBeyondOneLineIsAnError) {
  tree.put("global/demo/big.bin", std::string(8 * 1024 * 1024, '\xff'));
  open();
  EXPECT_EQ(code(error("resources/read", R"("uri":"skill://demo/big.bin")")), kInternalError);
}

}  // namespace
}  // namespace iii::mcp
