// What reading over MCP returns at most, and that it runs nothing.
#include <gmock/gmock.h>

#include <filesystem>

#include "directory/table/function_table.h"
#include "faces/mcp/base64.h"
#include "faces/mcp/hidden_rows.h"
#include "faces/mcp/limits.h"
#include "faces/mcp/server_fixture_for_test.h"

namespace iii::mcp {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

class McpReadingTest : public McpServerTest {
 protected:
  // The blocks of a call of `read`; with `arguments` as JSON.
  json::Array read(const std::string& arguments) {
    const json::Value out = result("tools/call", R"("name":"read","arguments":)" + arguments);
    EXPECT_EQ(out.find("isError"), nullptr) << json::to_text(out).substr(0, 300);
    return *out.find("content")->as_array();
  }
  std::string failure(const std::string& arguments) {
    const json::Value out = result("tools/call", arguments);
    EXPECT_NE(out.find("isError"), nullptr) << json::to_text(out).substr(0, 300);
    return text(first(out, "content"), "text");
  }
  // The arguments that an answer names for the next call; empty when there is no more.
  static std::string next_arguments(const json::Array& blocks) {
    if (blocks.size() < 2) return "";
    const std::string note = text(blocks[1], "text");
    const size_t begin = note.find("call `read` with {");
    const size_t end = note.rfind("}.");
    EXPECT_NE(begin, std::string::npos) << note;
    EXPECT_NE(end, std::string::npos) << note;
    if (begin == std::string::npos || end == std::string::npos) return "";
    return note.substr(note.find('{', begin), end + 1 - note.find('{', begin));
  }
  static std::string bytes_of(const json::Value& block) {
    if (text(block, "type") == "text") return text(block, "text");
    return base64_decode(text(*block.find("resource"), "blob")).value_or("(not base64)");
  }
  // Everything, part after part.
  std::string read_all(std::string arguments, size_t* parts) {
    std::string out;
    for (*parts = 0; !arguments.empty() && *parts < 100; ++*parts) {
      const json::Array blocks = read(arguments);
      out += bytes_of(blocks.at(0));
      arguments = next_arguments(blocks);
    }
    return out;
  }
};

TEST_F(McpReadingTest, AReadIsNotMoreThanTheLimitAndSaysHowToGoOn) {
  tree.put("global/demo/fits.txt", std::string(kMaxReadBytes, 'a'));
  tree.put("global/demo/more.txt", std::string(kMaxReadBytes + 1, 'a'));
  open();
  EXPECT_THAT(read(R"({"id":"skill://demo/fits.txt"})"), SizeIs(1));
  const json::Array blocks = read(R"({"id":"skill://demo/more.txt"})");
  ASSERT_THAT(blocks, SizeIs(2));
  EXPECT_EQ(text(blocks[0], "text"), std::string(kMaxReadBytes, 'a'));
  EXPECT_THAT(
      text(blocks[1], "text"),
      AllOf(
          HasSubstr("262144 of 262145"),
          HasSubstr(R"(Next: call `read` with {"id":"skill://demo/more.txt","offset":262144}.)")));
  EXPECT_EQ(text(read(next_arguments(blocks)).at(0), "text"), "a");
}

TEST_F(McpReadingTest, PartsOfTextAreCutBetweenCharactersAndLackNothing) {
  std::string letters;
  while (letters.size() < 2 * kMaxReadBytes) letters += "€ü\x01🙂x";
  tree.put("global/demo/letters.txt", letters);
  open();
  size_t parts = 0;
  EXPECT_EQ(read_all(R"({"id":"iii://demo/letters.txt"})", &parts), letters);
  EXPECT_EQ(parts, 3U);
  EXPECT_EQ(text(read(R"({"id":"skill://demo/letters.txt","offset":1,"limit":3})").at(0), "text"),
            "€");
}

TEST_F(McpReadingTest, PartsOfOtherFilesAreBytes) {
  std::string bytes;
  for (size_t i = 0; i < kMaxReadBytes + 1000; ++i) bytes += static_cast<char>(0x80 + i % 7);
  tree.put("global/demo/data.bin", bytes);
  open();
  size_t parts = 0;
  EXPECT_EQ(read_all(R"({"id":"skill://demo/data.bin"})", &parts), bytes);
  EXPECT_EQ(parts, 2U);
}

TEST_F(McpReadingTest, ALimitOfTheCallerIsPartOfTheNextArguments) {
  open();
  size_t parts = 0;
  EXPECT_EQ(read_all(R"({"id":"demo","limit":5})", &parts), "# Demo\n\nDo it.\n");
  EXPECT_EQ(parts, 3U);
  EXPECT_THAT(failure(R"("name":"read","arguments":{"id":"demo","limit":0})"), HasSubstr("Next:"));
  const json::Array none = read(R"({"id":"demo","offset":99})");
  ASSERT_THAT(none, SizeIs(2));
  EXPECT_EQ(text(none[0], "text"), "");
  EXPECT_THAT(text(none[1], "text"), HasSubstr("nothing more"));
}

TEST_F(McpReadingTest, ALargeDocumentIsReadInParts) {
  const std::string body = "# Large\n" + std::string(kMaxResourceBytes + 10, 'x') + "\n";
  tree.put("global/large.md", "---\ntitle: Large\n---\n" + body);
  open();
  size_t parts = 0;
  EXPECT_EQ(read_all(R"({"id":"large"})", &parts), body);
  EXPECT_EQ(parts, 5U);
  const json::Value refused = error("resources/read", R"("uri":"iii://large")");
  EXPECT_EQ(code(refused), kInternalError);
  EXPECT_THAT(text(refused, "message"), HasSubstr(R"({"id": "iii://large", "offset": 0})"));
}

TEST_F(McpReadingTest, AResourceBeyondTheLimitIsRefusedBeforeItIsRead) {
  tree.put("global/demo/fits.txt", std::string(kMaxResourceBytes, '\x01'));
  tree.put("global/demo/more.txt", std::string(kMaxResourceBytes + 1, 'a'));
  tree.put("global/demo/huge.bin", "x");
  // Without blocks on the disk: who reads it does not come back.
  std::filesystem::resize_file(tree.at("global/demo/huge.bin"), uint64_t{1} << 42U);
  open();
  const json::Value fits = result("resources/read", R"("uri":"skill://demo/fits.txt")");
  EXPECT_EQ(text(first(fits, "contents"), "text").size(), kMaxResourceBytes);
  for (const char* name : {"more.txt", "huge.bin"}) {
    const std::string uri = "skill://demo/" + std::string(name);
    const json::Value refused = error("resources/read", R"("uri":")" + uri + "\"");
    EXPECT_EQ(code(refused), kInternalError);
    EXPECT_THAT(text(refused, "message"),
                AllOf(HasSubstr("at most 1048576"), HasSubstr("call the tool `read` with")));
  }
  EXPECT_THAT(read(R"({"id":"skill://demo/huge.bin","offset":4398046511000})").at(0).find("type"),
              Not(nullptr));
}

// Functions of an engine.
class McpReachTest : public McpReadingTest {
 protected:
  McpReachTest() {
    options.hidden = {"secret::"};
    with_engine();
    put_function("directory::operate", {.operators_only = true});
    put_function("directory::on-change", {.internal = true});
    put_function("directory::engine::functions::list", directory::kReadOnly,
                 R"({"functions":[{"function_id":"secret::x"},{"function_id":"a::b"},)"
                 R"({"function_id":"directory::operate"}],"total":3})");
    put_function("directory::function-info", directory::kReadOnly,
                 R"({"function_id":"secret::x","description":"Secret."})");
    engine.answers["engine::functions::list"] =
        R"({"functions":[{"function_id":"a::b","description":"Adds numbers."},)"
        R"({"function_id":"secret::x","description":"Adds numbers secretly."},)"
        R"({"function_id":"shop::stop","description":"Adds numbers last.","metadata":{"mcp":{"operators_only":true}}}]})";
    engine.answers["a::b"] = "3";
    engine.answers["shop::stop"] = "4";
    engine.answers["engine::functions::info"] =
        R"({"function_id":"shop::stop","metadata":{"mcp":{"operators_only":true}},"functions":[]})";
  }
  void put_function(const std::string& id, directory::Hints hints, std::string answer = "1") {
    directory::Function function;
    function.info = {.id = id, .title = id, .description = "Adds numbers.", .hints = hints};
    function.read = [this, id, answer = std::move(answer)](std::string_view) {
      return [this, id, answer](const directory::Context&) {
        ran.push_back(id);
        return directory::Answer(json::Raw{answer});
      };
    };
    table.add(std::move(function));
  }
  std::string called(const std::string& function) {
    const json::Value out =
        result("tools/call", R"("name":"call","arguments":{"function":")" + function + "\"}");
    return text(first(out, "content"), "text");
  }
  // What `call` says without a function.
  std::string listing() {
    return text(first(result("tools/call", R"("name":"call")"), "content"), "text");
  }
  bool engine_ran(std::string_view id) const {
    return std::ranges::any_of(engine.calls, [&](const auto& call) { return call.first == id; });
  }

  std::vector<std::string> ran;  // of the directory
};

TEST_F(McpReachTest, FunctionsForOperatorsAreNotReachedUnlessAllowed) {
  open();
  EXPECT_THAT(called("directory::operate"), HasSubstr("`mcp_allow`"));
  EXPECT_THAT(called("shop::stop"), HasSubstr("`mcp_allow`"));
  EXPECT_THAT(ran, IsEmpty());
  EXPECT_FALSE(engine_ran("shop::stop"));
  const json::Value found =
      result("tools/call", R"("name":"find","arguments":{"query":"adds numbers"})");
  EXPECT_THAT(text(first(found, "content"), "text"),
              AllOf(HasSubstr("`a::b`"), Not(HasSubstr("operate")), Not(HasSubstr("shop::stop")),
                    Not(HasSubstr("secret::"))));
  EXPECT_THAT(listing(), AllOf(HasSubstr("a::b"), Not(HasSubstr("operate"))));
  EXPECT_EQ(code(error("resources/read", R"("uri":"iii://fn/directory::operate")")),
            kInvalidParams);
}

TEST_F(McpReachTest, TheConfigurationAllowsThem) {
  options.allowed = {"directory::operate", "shop::"};
  options.hidden = {"secret::"};
  options.tools = ToolsMode::kAll;
  open();
  EXPECT_EQ(called("directory::operate"), "1");
  EXPECT_EQ(called("shop::stop"), "4");
  EXPECT_THAT(column(result("tools/list"), "tools", "name"),
              AllOf(Contains("directory__operate"), Contains("shop__stop")));
}

TEST_F(McpReachTest, WhatIsHiddenStaysHiddenWhateverIsAllowed) {
  options.allowed = {""};
  options.hidden = {"directory::operate"};
  open();
  EXPECT_THAT(called("directory::operate"), HasSubstr("internal namespace"));
  EXPECT_THAT(called("engine::stop"), HasSubstr("internal namespace"));
  EXPECT_THAT(called("skill::fetch"), HasSubstr("internal namespace"));
  EXPECT_THAT(called("directory::on-change"), HasSubstr("internal"));
  EXPECT_THAT(ran, IsEmpty());
}

TEST_F(McpReachTest, AnswersDoNotListHiddenFunctions) {
  open();
  EXPECT_EQ(called("directory::engine::functions::list"),
            R"({"functions":[{"function_id":"a::b"}],"total":3})");
  EXPECT_THAT(called("directory::function-info"), HasSubstr("no such function"));
}

TEST_F(McpReachTest, AnswersOfFunctionsAreBounded) {
  open();
  engine.answers["a::b"] = quote(std::string(kMaxFunctionAnswerBytes - 2, 'x'));
  EXPECT_EQ(called("a::b").size(), kMaxFunctionAnswerBytes - 2);
  engine.answers["a::b"] = quote(std::string(kMaxFunctionAnswerBytes - 1, 'x'));
  EXPECT_THAT(called("a::b"), HasSubstr("D120 too_large"));
}

TEST_F(McpReachTest, AFileNeverMakesAFunctionRun) {
  tree.put("global/evil.md",
           "# Evil\n\n[a](iii://evil/a::b) [b](iii://evil/evil::x) "
           "[c](iii://evil/directory::engine::functions::list)\n");
  engine.answers["evil::x"] = "5";
  engine.answers["engine::functions::info"] =
      R"({"function_id":"evil::x","metadata":{"mcp":{"read_only_hint":true}}})";
  open();
  for (const char* id : {"a::b", "evil::x", "directory::engine::functions::list"}) {
    const std::string uri = "iii://evil/" + std::string(id);
    EXPECT_EQ(code(error("resources/read", R"("uri":")" + uri + "\"")), kInvalidParams) << id;
    EXPECT_THAT(failure(R"("name":"read","arguments":{"id":")" + uri + "\"}"), Not(IsEmpty()));
    EXPECT_FALSE(engine_ran(id)) << id;
  }
  EXPECT_THAT(ran, IsEmpty());
  EXPECT_THAT(text(error("resources/read", R"("uri":"iii://evil/evil::x")"), "message"),
              HasSubstr("call it with the tool `call`"));
}

// One index for everybody: it is asked for once, and of what is new only that is asked for.
TEST_F(McpReachTest, ManyFunctionsAreAskedForOnce) {
  std::string rows;
  for (int i = 0; i < 300; ++i) {
    rows += R"({"function_id":"many::f)" + std::to_string(i) + R"("},)";
  }
  const auto list = [&](const std::string& more) {
    return R"({"functions":[)" + rows + more + R"({"function_id":"a::b","description":"Adds."}]})";
  };
  engine.answers["engine::functions::list"] = list("");
  engine.answers["engine::functions::info"] = R"({"functions":[]})";
  open();
  const auto asked = [&](std::string_view id) {
    return std::ranges::count_if(engine.calls, [&](const auto& call) { return call.first == id; });
  };
  for (int i = 0; i < 3; ++i) {
    result("tools/call", R"("name":"find","arguments":{"query":"adds"})");
    result("resources/list");
    listing();
  }
  EXPECT_EQ(asked("engine::functions::info"), 10);
  engine.calls.clear();
  engine.answers["engine::functions::list"] = list(R"({"function_id":"new::one"},)");
  std::optional<directory::FunctionCatalog::Now> now;
  const auto look = [&]() -> task::Task<void> { now = co_await catalog->current({}); };
  worker.spawn(look());
  run_until([&] { return now.has_value(); });
  EXPECT_NE(now->functions->find("new::one"), nullptr);
  ASSERT_EQ(asked("engine::functions::info"), 1);
  EXPECT_EQ(engine.calls.back().second, R"({"function_ids":["new::one"]})");
}

bool is_secret(std::string_view id) { return id.starts_with("secret::"); }

TEST(McpHiddenRows, RowsAreLeftOutAndOtherTextStays) {
  const auto shown = [](const std::string& text) {
    return without_hidden(text, false, {.function = is_secret}).value_or("(refused)");
  };
  for (const char* same :
       {R"({ "functions": [ {"function_id":"a::b"} ] })", R"("secret::x")", "[]",
        R"({"skills":[{"id":"x","function_id":"secret::x","body":"secret::x"}]})"}) {
    EXPECT_EQ(shown(same), same);
  }
  EXPECT_EQ(shown(R"({"nearest":["secret::x","a::b"],"n":1.50})"),
            R"({"nearest":["a::b"],"n":1.50})");
  EXPECT_EQ(shown(R"({"registered_triggers":[{"id":"t","function_id":"secret::x"}]})"),
            R"({"registered_triggers":[]})");
  EXPECT_EQ(
      shown(
          R"({"workers":[{"namespace":"secret","functions":[{"function_id":"secret::x"}]},{"namespace":"a","functions":[]}]})"),
      R"({"workers":[{"namespace":"a","functions":[]}]})");
  EXPECT_EQ(shown(R"({"prompts":[{"name":"p","handler":"secret::x"},{"name":"q"}]})"),
            R"({"prompts":[{"name":"q"}]})");
  EXPECT_FALSE(without_hidden(R"({"function_id":"secret::x"})", true, {.function = is_secret}));
  EXPECT_TRUE(without_hidden(R"({"function_id":"secret::x"})", false, {.function = is_secret}));
}

TEST(McpHiddenRows, PromptsOfHiddenFunctionsAreLeftOut) {
  const HiddenThings hidden{.function = is_secret, .prompts = {"p"}};
  EXPECT_EQ(without_hidden(R"({"prompts":[{"name":"p"},{"name":"q"}]})", false, hidden),
            R"({"prompts":[{"name":"q"}]})");
  EXPECT_FALSE(without_hidden(R"({"name":"p","body":"x"})", true, hidden));
  EXPECT_TRUE(without_hidden(R"({"name":"q","body":"x"})", true, hidden));
}

TEST(McpHiddenRows, SuggestionsAreLeftOut) {
  EXPECT_EQ(without_hidden_suggestions("No. Did you mean: secret::x? Next: y.", is_secret),
            "No. Next: y.");
  EXPECT_EQ(without_hidden_suggestions("No. Did you mean: secret::x, a::b? Next.", is_secret),
            "No. Did you mean: a::b? Next.");
  EXPECT_EQ(without_hidden_suggestions("Nothing?", is_secret), "Nothing?");
}

}  // namespace
}  // namespace iii::mcp
