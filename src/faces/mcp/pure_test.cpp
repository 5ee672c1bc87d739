// The parts without I/O: messages, dialects, names, schemas, addresses, cursors, headers, events.
#include <gmock/gmock.h>

#include <set>

#include "faces/mcp/base64.h"
#include "faces/mcp/connect.h"
#include "faces/mcp/cursor.h"
#include "faces/mcp/dialect.h"
#include "faces/mcp/event_stream.h"
#include "faces/mcp/http_headers.h"
#include "faces/mcp/rpc.h"
#include "faces/mcp/server.h"
#include "faces/mcp/skill_frontmatter.h"
#include "faces/mcp/template.h"
#include "faces/mcp/tool_name.h"
#include "faces/mcp/tool_schema.h"
#include "faces/mcp/uri.h"
#include "foundation/json/write.h"

namespace iii::mcp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::expected<Message, Unreadable> read(std::string_view text) {
  std::expected<Incoming, Unreadable> incoming = read_text(text, 1);
  if (!incoming) return std::unexpected(incoming.error());
  return std::move(incoming->messages.front());
}

TEST(McpRpc, ArgumentsOfAFunctionAreTakenAsText) {
  const auto params = [](const std::string& method, const std::string& members) {
    return read(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":{)" + members +
                "}}");
  };
  const auto message = params("tools/call", R"("name":"f","arguments":{"b":1,"a":[2]})");
  EXPECT_EQ(message->arguments->text, R"({"a":[2],"b":1})");
  EXPECT_EQ(json::to_text(message->params), R"({"name":"f"})");
  EXPECT_EQ(params("tools/call", R"("arguments":null)")->arguments, std::nullopt);
  EXPECT_EQ(json::to_text(params("tools/call", R"("arguments":null)")->params), "{}");
  // Refused where it is answered.
  EXPECT_EQ(json::to_text(params("tools/call", R"("arguments":7)")->params), R"({"arguments":7})");
  EXPECT_EQ(params("prompts/get", R"("arguments":{"a":"b"})")->arguments, std::nullopt);
}

TEST(McpRpc, ABatchThatIsTooLongIsNotRead) {
  const std::string ping = R"({"jsonrpc":"2.0","id":1,"method":"ping"})";
  EXPECT_EQ(read_text("[" + ping + "," + ping + "]", 2)->messages.size(), 2U);
  const auto longer = read_text("[" + ping + "," + ping + "," + ping + "]", 2);
  EXPECT_TRUE(longer->is_batch);
  EXPECT_TRUE(longer->messages.empty());
  EXPECT_TRUE(read_text("[]", 2)->is_batch);
}

TEST(McpRpc, N16IdsKeepTheirTypeAndOthersAreRefusedWithoutId) {
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":7,"method":"x"})")->id, "7");
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":"7","method":"x"})")->id, "\"7\"");
  for (const char* id : {"null", "1.5", "{}", "[1]", "true"}) {
    const auto message = read(std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"method":"x"})");
    ASSERT_FALSE(message) << id;
    EXPECT_EQ(message.error().error.code, kInvalidRequest);
    EXPECT_EQ(message.error().id, "");
    EXPECT_EQ(error_text(message.error().id, message.error().error).find("\"id\""),
              std::string::npos);
  }
}

TEST(McpRpc, N17WhatIsNotAMessageIsRefused) {
  EXPECT_EQ(read("nonsense").error().error.code, kParseError);
  EXPECT_EQ(read("{").error().error.code, kParseError);
  for (const char* text : {"1", "\"x\"", "null", "{}", R"({"jsonrpc":"2.0"})",
                           R"({"jsonrpc":"1.0","method":"x"})", R"({"method":"x","id":1})"}) {
    ASSERT_FALSE(read(text)) << text;
    EXPECT_EQ(read(text).error().error.code, kInvalidRequest) << text;
  }
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"result":{}})")->kind, Message::Kind::kResponse);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","id":1,"method":"x","params":[]})").error().error.code,
            kInvalidParams);
  EXPECT_EQ(read(R"({"jsonrpc":"2.0","method":"x"})")->kind, Message::Kind::kNotification);
}

json::Value params_with(const std::string& meta) {
  return json::parse(R"({"_meta":{)" + meta + "}}").value();
}
const std::string kGood = R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                          R"("io.modelcontextprotocol/clientCapabilities":{})";

TEST(McpDialect, N03EnvelopeDefectsAreNamed) {
  EXPECT_TRUE(read_envelope(params_with(kGood)));
  const auto nothing = read_envelope(json::Object());
  EXPECT_EQ(nothing.error().code, kInvalidParams);
  EXPECT_EQ(nothing.error().http_status, 400);
  EXPECT_EQ(nothing.error().data, R"({"missing":["_meta"]})");
  const auto one =
      read_envelope(params_with(R"("io.modelcontextprotocol/protocolVersion":"2026-07-28")"));
  EXPECT_THAT(one.error().data, HasSubstr("clientCapabilities"));
  const auto type =
      read_envelope(params_with(R"("io.modelcontextprotocol/protocolVersion":7,)"
                                R"("io.modelcontextprotocol/clientCapabilities":{})"));
  EXPECT_THAT(type.error().data, HasSubstr("protocolVersion"));
  EXPECT_FALSE(read_envelope(params_with(kGood + R"(,"io.modelcontextprotocol/clientInfo":7)")));
  EXPECT_FALSE(read_envelope(params_with(kGood + R"(,"progressToken":1.5)")));
}

TEST(McpDialect, N04AnUnknownLogLevelIsRefused) {
  EXPECT_TRUE(
      read_envelope(params_with(kGood + R"(,"io.modelcontextprotocol/logLevel":"notice")")));
  EXPECT_FALSE(read_envelope(params_with(kGood + R"(,"io.modelcontextprotocol/logLevel":"loud")")));
}

TEST(McpDialect, N06N07VersionsThatAreNotServedThisWay) {
  EXPECT_FALSE(check_version("2026-07-28"));
  const RpcError unknown = *check_version("2030-01-01");
  EXPECT_EQ(unknown.code, kUnsupportedVersion);
  EXPECT_EQ(unknown.http_status, 400);
  const json::Value data = json::parse(unknown.data).value();
  EXPECT_EQ(*data.find("requested"), json::Value("2030-01-01"));
  EXPECT_EQ(json::to_text(*data.find("supported")), supported_versions());
  const RpcError older = *check_version("2025-11-25");
  EXPECT_THAT(older.data, HasSubstr(R"("supported":["2026-07-28"])"));
}

TEST(McpDialect, N54InitializeNeverAnswersAStatelessVersion) {
  EXPECT_EQ(name_of(negotiate("2026-07-28")), "2025-11-25");
  EXPECT_EQ(name_of(negotiate("2030-01-01")), "2025-11-25");
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    EXPECT_EQ(name_of(negotiate(version)), version);
  }
}

TEST(McpToolName, NamesAreReversible) {
  std::set<std::string> names;
  for (const char* id :
       {"directory::skills::list", "plain", "a__b", "a::b__c", "a_::b", "a:::b", "a/b", "x.y",
        "x.2e", "ümlaut", "a b", ":", "::", "_", "a::b::", "a.b-c"}) {
    const auto name = tool_name(id);
    ASSERT_TRUE(name) << id;
    EXPECT_EQ(name->find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_.-"),
              std::string::npos)
        << *name;
    EXPECT_EQ(function_id(*name), id);
    EXPECT_TRUE(names.insert(*name).second) << *name;
  }
  EXPECT_EQ(tool_name("directory::skills::list"), "directory__skills__list");
  EXPECT_FALSE(tool_name(std::string(kMaxToolName + 1, 'a')));
  EXPECT_TRUE(tool_name(std::string(kMaxToolName, 'a')));
  for (const char* name : {"x.zz", "x.", "x.2", "x.61"}) EXPECT_FALSE(function_id(name)) << name;
}

std::string cleaned(const std::string& schema) {
  const json::Value value = json::parse(schema).value();
  return json::to_text(input_schema(&value));
}

TEST(McpToolSchema, N24KeywordsOf202012Survive) {
  const std::string schema =
      R"({"$defs":{"a":{"$anchor":"x","type":"string"}},"$schema":"https://json-schema.org/draft/2020-12/schema","additionalProperties":false,"allOf":[{"anyOf":[{}]}],"if":{},"properties":{"a":{"$ref":"#/$defs/a"}},"then":{},"type":"object"})";
  EXPECT_EQ(cleaned(schema), schema);
}

const std::string kAnyType =
    R"({"anyOf":[{"type":"object"},{"type":"array"},{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"null"}]})";

TEST(McpToolSchema, N31ForeignHeaderAnnotationsAndBooleansAreRemoved) {
  EXPECT_EQ(cleaned(R"({"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":true}})"),
            R"({"properties":{"a":{"type":"string"},"b":)" + kAnyType + R"(},"type":"object"})");
  EXPECT_EQ(cleaned(R"({"type":["object","null"]})"), R"({"type":"object"})");
  EXPECT_EQ(cleaned(R"({"type":"object","required":[1]})"), R"({"type":"object"})");
  EXPECT_EQ(cleaned(R"({"type":"array"})"), R"({"properties":{},"type":"object"})");
  EXPECT_EQ(json::to_text(input_schema(nullptr)), R"({"properties":{},"type":"object"})");
  std::string deep = "{}";
  for (int i = 0; i < 40; ++i) deep = R"({"properties":{"a":)" + deep + "}}";
  EXPECT_EQ(cleaned(deep), R"({"properties":{},"type":"object"})");
}

// Clients that know one type per schema (Gemini's function declarations) reject a list of types.
TEST(McpToolSchema, EverySchemaHasOneType) {
  EXPECT_EQ(
      cleaned(
          R"({"properties":{"a":{"type":["string","null"]},"b":{"type":["integer","null"],"minimum":0}},"required":["b"]})"),
      R"({"properties":{"a":{"type":"string"},"b":{"anyOf":[{"type":"integer"},{"type":"null"}],"minimum":0}},"required":["b"],"type":"object"})");
  EXPECT_EQ(
      cleaned(
          R"({"properties":{"a":{"type":"array","items":{"properties":{"x":{"type":["string","null","number"]}}}}}})"),
      R"({"properties":{"a":{"items":{"properties":{"x":{"anyOf":[{"type":"string"},{"type":"number"}]}}},"type":"array"}},"type":"object"})");
  const std::string both = R"({"properties":{"a":{"anyOf":[{}],"type":["string","number"]}})";
  EXPECT_EQ(cleaned(both + "}"), both + R"(,"type":"object"})");
  EXPECT_EQ(cleaned(R"({"additionalProperties":{}})"),
            R"({"additionalProperties":true,"type":"object"})");
  EXPECT_EQ(cleaned(R"({"properties":{"a":{"type":"integer","format":"uint64","minimum":0}}})"),
            R"({"properties":{"a":{"minimum":0,"type":"integer"}},"type":"object"})");
  EXPECT_EQ(cleaned(R"({"properties":{"a":{"type":"string","format":"date"}}})"),
            R"({"properties":{"a":{"format":"date","type":"string"}},"type":"object"})");
  // An answer may hold null: a schema without it would be wrong.
  const json::Value answer =
      json::parse(R"({"properties":{"a":{"type":["string","null"]}}})").value();
  EXPECT_EQ(json::to_text(portable_output_schema(answer)),
            R"({"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}})");
}

TEST(McpToolSchema, N25AnswersThatAreNotObjectsAreWrapped) {
  const json::Value list = json::parse(R"({"type":"array","$defs":{"a":{}}})").value();
  EXPECT_FALSE(is_object_schema(list));
  const json::Value wrapped = wrapped_schema(list);
  EXPECT_TRUE(is_object_schema(wrapped));
  EXPECT_NE(wrapped.find("$defs"), nullptr);
}

TEST(McpUri, N73N74OneSpellingAndNoWayOut) {
  EXPECT_EQ(parse_uri("iii://skills")->kind, Uri::Kind::kIndex);
  EXPECT_EQ(parse_uri("iii://fn/a::b")->rest, "a::b");
  EXPECT_EQ(parse_uri("skill://a/b%20c/SKILL.md")->rest, "a/b c/SKILL.md");
  for (const char* wrong :
       {"skill://", "skill://a//b", "skill://a/../b", "skill://a/%2e%2e/b", "skill://a/%2E%2E",
        "skill://a/b%2Fc", "skill://a?x", "skill://a#x", "skill://a/.", "skill://a/", "iii://",
        "http://a/b", "test://x", "skill://a/%00", "skill://a/%ff", "skill://a\\b", ""}) {
    EXPECT_FALSE(parse_uri(wrong)) << wrong;
  }
  for (const char* path : {"a/SKILL.md", "a b/c&d.md", "ümlaut/50%.md", "a:b/c:d", "x/[1]|2"}) {
    EXPECT_EQ(parse_uri(file_uri(path))->rest, path);
    EXPECT_EQ(canonical_uri(file_uri(path)), file_uri(path));
  }
  EXPECT_EQ(file_uri("a:b/c:d"), "skill://a%3Ab/c:d");
  EXPECT_EQ(canonical_uri("skill://%61/b"), "skill://a/b");
  EXPECT_EQ(canonical_uri("test://watched"), "test://watched");
  EXPECT_EQ(mime_type("a/B.PNG"), "image/png");
  EXPECT_EQ(mime_type("a/x", false), "application/octet-stream");
}

TEST(McpCursor, N30OnlyOurOwnCursorsOfTheSameListAreTaken) {
  const json::Value mine = json::Object{{"cursor", make_cursor("tools", "k\nx")}};
  EXPECT_EQ(read_cursor("tools", mine)->value(), "k\nx");
  EXPECT_EQ(read_cursor("prompts", mine).error().code, kInvalidParams);
  EXPECT_FALSE(read_cursor("tools", json::Object())->has_value());
  for (const json::Value& cursor : json::Array{"", "abc", "!!!!", 7, nullptr}) {
    EXPECT_FALSE(read_cursor("tools", json::Object{{"cursor", cursor}})) << json::to_text(cursor);
  }
}

TEST(McpBase64, DecodesStrictly) {
  for (const std::string text : {"", "f", "fo", "foo", "foob", "\xff\xfe"}) {
    EXPECT_EQ(base64_decode(base64_encode(text)), text);
  }
  EXPECT_EQ(base64_encode("foob"), "Zm9vYg==");
  for (const char* wrong : {"Zg", "Zg=", "Z===", "Zh==", "Zm9v\n", "Zm9-", "====", "=Zm9"}) {
    EXPECT_FALSE(base64_decode(wrong)) << wrong;
  }
}

std::vector<std::string> names(const std::vector<TemplateArgument>& arguments) {
  std::vector<std::string> out;
  for (const TemplateArgument& each : arguments) out.push_back(each.name);
  return out;
}

TEST(McpTemplate, ArgumentsAreDeclaredAndMentioned) {
  const json::Value declared =
      json::parse(R"({"arguments":[{"name":"pr","description":"Number","required":true},"tone"]})")
          .value();
  const auto both = template_arguments(declared, "Review {{pr}} {{ file }} $ARGUMENTS");
  EXPECT_THAT(names(both), ElementsAre("pr", "tone", "file", "arguments"));
  EXPECT_TRUE(both[0].required);
  EXPECT_THAT(names(template_arguments({}, "{{#if}} {{a b}} $10 $1.50 $HOME")), ElementsAre());
  EXPECT_THAT(names(template_arguments({}, "fix $1")), ElementsAre("arguments"));
}

TEST(McpTemplate, ValuesArePutInOnce) {
  const auto one = template_arguments({}, "{{a}} and {{b}}");
  EXPECT_EQ(render_template("{{a}} and {{b}}", one, {{"a", "{{b}} $1"}}), "{{b}} $1 and {{b}}");
  const auto words = template_arguments({}, "$1|$2|$3|$ARGUMENTS");
  EXPECT_EQ(render_template("$1|$2|$3|$ARGUMENTS", words, {{"arguments", "x 'y z' "}}),
            "x|y z||x 'y z' ");
  EXPECT_EQ(render_template("$ARGUMENTS.", words, {}), ".");
  const json::Value declared = json::parse(R"({"arguments":["x","y"]})").value();
  const auto named = template_arguments(declared, "$1-$2-{{y}}");
  EXPECT_THAT(names(named), ElementsAre("x", "y"));
  EXPECT_EQ(render_template("$1-$2-{{y}}", named, {{"x", "1"}}), "1--");
}

TEST(McpFrontmatter, N70Names) {
  for (const char* good : {"a", "a-b", "a1-2b"}) EXPECT_TRUE(is_skill_name(good)) << good;
  for (const char* bad : {"", "-a", "a-", "a--b", "A", "a_b", "a b", "ä"}) {
    EXPECT_FALSE(is_skill_name(bad)) << bad;
  }
  EXPECT_TRUE(is_skill_name(std::string(64, 'a')));
  EXPECT_FALSE(is_skill_name(std::string(65, 'a')));
}

std::string code_of(const std::string& yaml) {
  const auto read = read_skill_frontmatter("---\n" + yaml + "---\nBody\n", "a");
  return read ? "" : read.error().code;
}

TEST(McpFrontmatter, N71WhatClientsCannotReadIsRefused) {
  const std::string good = "name: a\ndescription: Text.\n";
  EXPECT_EQ(code_of(good), "");
  EXPECT_EQ(code_of(good + "metadata:\n  x: \"1\"\n# comment\nlist: [1, 2]\nflow: {a: b}\n"), "");
  EXPECT_EQ(code_of("name: a\ndescription: |\n  Two: lines\n  here\n"), "");
  EXPECT_EQ(code_of("name: a\ndescription: >-\n  Two\n  lines\n"), "");
  EXPECT_EQ(code_of(good + "when: 2026-01-02\nyes: yes\nv: 1.10\nx:\n"), "");
  for (const char* bad :
       {"x: \"a\n  b\"\n", "x: [1,\n  2]\n", "x: &a 1\n", "x: !!str 1\n", "x: |2\n    a\n",
        "x: .inf\n", "x: 007\n", "? a\n: b\n", "x: a\n  b\n", "x: 0b1\n", "<<: {a: 1}\n"}) {
    EXPECT_EQ(code_of(good + bad), "not_portable") << bad;
  }
  EXPECT_EQ(code_of("name: b\ndescription: x\n"), "invalid_field");
  EXPECT_EQ(code_of("name: a\n"), "invalid_field");
  EXPECT_EQ(code_of("name: a\ndescription: \"\"\n"), "invalid_field");
  EXPECT_EQ(code_of("name: a\ndescription: " + std::string(1025, 'x') + "\n"), "invalid_field");
  EXPECT_EQ(code_of("name: a\ndescription: " + std::string(1024, 'x') + "\n"), "");
  EXPECT_EQ(code_of(good + "metadata:\n  x: 1\n"), "invalid_field");
  EXPECT_EQ(code_of(good + "name: a\n"), "not_portable");
  EXPECT_EQ(read_skill_frontmatter("# No\n", "a").error().code, "no_frontmatter");
  EXPECT_TRUE(
      read_skill_frontmatter("\xEF\xBB\xBF---\r\nname: a\r\ndescription: x\r\n---\r\n", "a"));
}

TEST(McpFrontmatter, N69FieldsHaveTheTypesOfYaml12) {
  const auto read = read_skill_frontmatter(
      "---\nname: a\ndescription: x\nd: 2026-01-02\ny: yes\nv: 1.10\nn:\nt: true\n---\n", "a");
  EXPECT_EQ(
      json::to_text(*read),
      R"({"d":"2026-01-02","description":"x","n":null,"name":"a","t":true,"v":1.1,"y":"yes"})");
}

net::HttpRequest request_with(net::HttpHeaders headers) {
  return {.method = "POST", .path = "/mcp", .headers = std::move(headers)};
}

TEST(McpHeaders, N08N09VersionAndMethodMustEqualTheBody) {
  const json::Value none = json::Object();
  const auto version = [](net::HttpHeaders headers) {
    return check_version_header(request_with(std::move(headers)), "2026-07-28");
  };
  EXPECT_FALSE(version({{"mcp-protocol-version", " 2026-07-28\t"}}));
  EXPECT_EQ(version({})->code, kHeaderMismatch);
  EXPECT_EQ(version({{"MCP-Protocol-Version", "2030-01-01"}})->http_status, 400);
  EXPECT_TRUE(
      version({{"MCP-Protocol-Version", "2026-07-28"}, {"mcp-protocol-version", "2026-07-28"}}));
  const auto method = [&](net::HttpHeaders headers) {
    return check_method_headers(request_with(std::move(headers)), "tools/list", none);
  };
  EXPECT_FALSE(method({{"Mcp-Method", "tools/list"}}));
  EXPECT_TRUE(method({{"Mcp-Method", "Tools/list"}}));
  EXPECT_TRUE(method({}));
}

TEST(McpHeaders, N11NamesMayBeBase64) {
  const json::Value params = json::Object{{"name", "ünï"}};
  const auto check = [&](const std::string& name) {
    return check_method_headers(request_with({{"Mcp-Method", "tools/call"}, {"Mcp-Name", name}}),
                                "tools/call", params);
  };
  EXPECT_FALSE(check("=?base64?" + base64_encode("ünï") + "?="));
  EXPECT_TRUE(check("=?base64?w7xuw68?="));
  EXPECT_TRUE(check("=?base64?!!!!?="));
  EXPECT_TRUE(check("=?base64?" + base64_encode("other") + "?="));
  EXPECT_EQ(decoded_value("=?base64?Zm9v"), "=?base64?Zm9v");
  EXPECT_EQ(decoded_value("=?BASE64?Zm9v?="), "=?BASE64?Zm9v?=");
}

TEST(McpHeaders, N12ParametersAreRepeatedInHeaders) {
  const json::Value schema =
      json::parse(
          R"({"properties":{"r":{"type":"string","x-mcp-header":"Region"},)"
          R"("n":{"type":"integer","x-mcp-header":"N"},"d":{"type":"number","x-mcp-header":"D"},)"
          R"("x":{"type":"string","x-mcp-header":"a b"},"y":{"type":"string","x-mcp-header":"Z"},)"
          R"("z":{"type":"string","x-mcp-header":"z"}}})")
          .value();
  std::vector<std::string> found;
  for (const HeaderParameter& each : header_parameters(schema)) found.push_back(each.header);
  EXPECT_THAT(found, ElementsAre("N", "Region"));
  EXPECT_THAT(json::to_text(input_schema(&schema, true)),
              HasSubstr(R"("r":{"type":"string","x-mcp-header":"Region"})"));
  const auto check = [](net::HttpHeaders headers, const json::Value& value) {
    return check_parameter_header(headers, "Mcp-Param-X", value.is_null() ? nullptr : &value);
  };
  EXPECT_FALSE(check({{"mcp-param-x", "eu"}}, "eu"));
  EXPECT_FALSE(check({{"Mcp-Param-X", "=?base64?" + base64_encode("ü") + "?="}}, "ü"));
  EXPECT_FALSE(check({{"Mcp-Param-X", "7.0"}}, 7));
  EXPECT_FALSE(check({{"Mcp-Param-X", "true"}}, true));
  EXPECT_FALSE(check({}, nullptr));
  EXPECT_TRUE(check({}, "eu"));
  EXPECT_TRUE(check({{"Mcp-Param-X", "us"}}, "eu"));
  EXPECT_TRUE(check({{"Mcp-Param-X", "8"}}, 7));
  EXPECT_TRUE(check({{"Mcp-Param-X", "=?base64?!?="}}, "eu"));
}

TEST(McpHeaders, N18ContentTypeAndAccept) {
  EXPECT_TRUE(has_json_body(request_with({{"Content-Type", "Application/JSON; charset=utf-8"}})));
  EXPECT_FALSE(has_json_body(request_with({{"Content-Type", "text/plain"}})));
  EXPECT_FALSE(has_json_body(request_with({})));
  EXPECT_TRUE(accepted_by(request_with({})).json);
  const Accepts only = accepted_by(request_with({{"Accept", "text/event-stream;q=1"}}));
  EXPECT_TRUE(only.events);
  EXPECT_FALSE(only.json);
}

TEST(McpEvents, N56EventsCanBeAskedForAgainWhileTheyAreKept) {
  EventLog log(2, 1'000);
  const EventId first = log.add(1, "a");
  log.add(2, "b");
  EXPECT_EQ(log.after(first)->size(), 0U);
  log.add(1, "c");
  EXPECT_THAT(log.after(first).value(), ElementsAre(event_text("c", "1-3")));
  log.add(1, "d");
  log.add(1, "e");
  EXPECT_FALSE(log.after(first));
  EXPECT_FALSE(log.after(EventId{1, 99}));
  EXPECT_EQ(EventId::parse("3-4")->number, 4U);
  for (const char* wrong : {"", "3", "3-", "-4", "3-4x", "a-b"})
    EXPECT_FALSE(EventId::parse(wrong));
}

TEST(McpEvents, ALogThatWasClearedDoesNotReachBack) {
  EventLog log(10, 1'000);
  const EventId first = log.add(1, "a");
  EXPECT_GE(log.bytes(), 1U);
  log.clear();
  EXPECT_EQ(log.bytes(), 0U);
  const EventId second = log.add(1, "b");
  EXPECT_FALSE(log.after(EventId{1, 0}));
  EXPECT_EQ(log.after(first)->size(), 1U) << "nothing after it is missing";
  EXPECT_EQ(log.after(second)->size(), 0U);
}

TEST(McpRpc, IdsHaveALimit) {
  const auto read = [](size_t bytes) {
    const std::string id = "\"" + std::string(bytes - 2, 'x') + "\"";
    return read_text(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}", 1)->messages[0];
  };
  EXPECT_TRUE(read(kMaxIdBytes)) << "at the limit";
  const ReadMessage beyond = read(kMaxIdBytes + 1);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().error.code, kInvalidRequest);
  EXPECT_EQ(beyond.error().id, "");
}

TEST(McpRpc, ParametersHaveALimitInMemory) {
  const auto read = [](std::string_view method, std::string_view members) {
    return read_text(R"({"jsonrpc":"2.0","id":1,"method":")" + std::string(method) +
                         R"(","params":{)" + std::string(members) + "}}",
                     1)
        ->messages[0];
  };
  std::string lists = "[";
  while (lists.size() < 1'000'000) lists += "[],";
  lists += "0]";
  const ReadMessage dense = read("x", "\"a\":" + lists);
  ASSERT_FALSE(dense) << "a megabyte of text, twenty times that in memory";
  EXPECT_EQ(dense.error().error.code, kInvalidParams);
  EXPECT_EQ(dense.error().id, "1");
  // Arguments of a function stay text.
  const ReadMessage call = read("tools/call", R"("name":"a","arguments":{"a":)" + lists + "}");
  ASSERT_TRUE(call);
  EXPECT_GE(call->held_bytes, lists.size());
  EXPECT_LT(call->held_bytes, lists.size() + 10'000);
  const auto text_of_size = [&](size_t held) {
    const ReadMessage probe = read("x", R"("a":"0123456789abcdef")");
    const size_t rest = held_bytes(probe->params) - 16;
    return "\"a\":\"" + std::string(held - rest, 'x') + "\"";
  };
  const ReadMessage at = read("x", text_of_size(kMaxParamsBytes));
  ASSERT_TRUE(at) << "at the limit";
  EXPECT_EQ(held_bytes(at->params), kMaxParamsBytes);
  EXPECT_FALSE(read("x", text_of_size(kMaxParamsBytes + 1))) << "beyond it";
}

TEST(McpDialect, OfCapabilitiesThreeAreKept) {
  const Capabilities some(
      json::parse(R"({"sampling":{"x":1},"roots":{},"experimental":{}})").value());
  EXPECT_TRUE(some.has("sampling"));
  EXPECT_TRUE(some.has("roots"));
  EXPECT_FALSE(some.has("elicitation"));
  EXPECT_FALSE(some.has("experimental"));
  EXPECT_FALSE(Capabilities().has("roots"));
  EXPECT_FALSE(some.has(""));
}

TEST(McpDialect, WhatIsKeptOfMetaHasALimit) {
  const auto params = [](size_t held) {
    json::Object meta{{std::string(kVersionKey), "2026-07-28"},
                      {std::string(kCapabilitiesKey), json::Object()},
                      {"pad", std::string(16, 'x')}};
    const size_t rest = held_bytes(json::Value(meta)) - 16;
    meta["pad"] = std::string(held - rest, 'x');
    return json::Value(json::Object{{"_meta", std::move(meta)}});
  };
  EXPECT_TRUE(read_envelope(params(kMaxMetaBytes))) << "at the limit";
  EXPECT_FALSE(read_envelope(params(kMaxMetaBytes + 1))) << "beyond it";
}

TEST(McpDialect, ProgressTokensHaveALimit) {
  const auto token = [](size_t size) {
    return progress_token(json::Value(
        json::Object{{"_meta", json::Object{{"progressToken", std::string(size, 'x')}}}}));
  };
  EXPECT_EQ(token(kMaxIdBytes).size(), kMaxIdBytes + 2) << "at the limit";
  EXPECT_EQ(token(kMaxIdBytes + 1), "") << "beyond it";
}

TEST(McpConnect, EveryHarnessGetsASnippetWithTheProgram) {
  for (const std::string& harness : harnesses()) {
    const std::string snippet =
        connect_snippet(harness, "/opt/iii directory", {"mcp", "--skills", "/my skills"}).value();
    EXPECT_THAT(snippet, AllOf(HasSubstr("/opt/iii directory"), HasSubstr("--skills"),
                               HasSubstr("/my skills")));
  }
  EXPECT_THAT(connect_snippet("claude-code", "/x", {"mcp", "--skills", "it's"}).value(),
              HasSubstr(R"('/x' mcp --skills 'it'\''s')"));
  EXPECT_THAT(connect_snippet("cursr", "x", {"mcp"}).error().message,
              HasSubstr("Did you mean cursor?"));
}

// Claude Code cuts instructions at 2 048 characters.
TEST(McpInstructions, AreNotCutByClients) {
  for (const ToolsMode mode : {ToolsMode::kMinimal, ToolsMode::kDirectory, ToolsMode::kAll}) {
    EXPECT_LE(instructions(mode).size(), 2'048U);
  }
}

TEST(McpInstructions, NameOnlyToolsThatThereAre) {
  const auto short_ones = AllOf(HasSubstr("`find`"), HasSubstr("`read`"), HasSubstr("`call`"));
  EXPECT_THAT(instructions(ToolsMode::kMinimal), AllOf(short_ones, Not(HasSubstr("`directory__"))));
  EXPECT_THAT(instructions(ToolsMode::kAll), AllOf(short_ones, HasSubstr("`directory__")));
  EXPECT_THAT(instructions(ToolsMode::kDirectory),
              AllOf(Not(HasSubstr("`find`")), Not(HasSubstr("`read`")), Not(HasSubstr("`call`")),
                    HasSubstr("`directory__skills__search`")));
}

}  // namespace
}  // namespace iii::mcp
