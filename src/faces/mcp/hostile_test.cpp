// Random and hostile messages: every request is answered once, or refused by the rules.
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "faces/mcp/fixture_for_test.h"

namespace iii::mcp {
namespace {

class McpHostileTest : public McpTest {
 protected:
  // Deterministic: a failure can be repeated.
  std::mt19937 random{20260728};

  size_t below(size_t limit) { return random() % limit; }
  template <typename T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  json::Value scalar() {
    static const std::vector<json::Value> kAll = {nullptr,
                                                  true,
                                                  0,
                                                  -1,
                                                  1.5,
                                                  INT64_MAX,
                                                  "",
                                                  "x",
                                                  "iii://demo",
                                                  "skill://demo/SKILL.md",
                                                  "skill://demo/../x",
                                                  "find",
                                                  "directory::skills::list",
                                                  std::string(300, 'a'),
                                                  "\x01\x7f",
                                                  "{{a}}",
                                                  json::Array{},
                                                  json::Object{},
                                                  "2026-07-28",
                                                  "2025-11-25"};
    return one_of(kAll);
  }
  json::Value value(int depth) {
    if (depth == 0 || below(3) == 0) return scalar();
    if (below(2) == 0) {
      json::Array out;
      for (size_t i = below(4); i > 0; --i) out.push_back(value(depth - 1));
      return out;
    }
    json::Object out;
    for (size_t i = below(4); i > 0; --i) out[key()] = value(depth - 1);
    return out;
  }
  // A number at one of the limits, or just off it.
  size_t near_limit(const std::vector<size_t>& limits) { return one_of(limits) + below(3) - 1; }
  // A message whose parts are as large as they may be, or a little larger.
  std::string large_message(std::string& id) {
    id = below(4) == 0 ? "\"" + std::string(near_limit({kMaxIdBytes - 2}), 'i') + "\""
                       : std::to_string(++next_);
    const std::string pad(near_limit({kMaxUriBytes, kMaxUriBytes - 6, kMaxIdBytes, 1}), 'u');
    const std::string uri = one_of<std::string>({"", "iii://", "skill://", "iii://%61/"}) + pad;
    switch (below(5)) {
      case 0:
        return handshake(id, "resources/subscribe", R"("uri":")" + uri + "\"");
      case 1:
        return handshake(id, "resources/unsubscribe", R"("uri":")" + uri + "\"");
      case 2: {
        std::string list;
        for (size_t i = near_limit({options.max_listen_addresses, 2}); i > 0; --i) {
          list += (list.empty() ? "\"iii://" : ",\"iii://") + std::to_string(i) + "\"";
        }
        if (below(2) == 0) list += ",\"" + uri + "\"";
        return stateless(id, "subscriptions/listen",
                         R"("notifications":{"resourceSubscriptions":[)" + list + "]}");
      }
      case 3: {
        std::string out = handshake(id, "initialize",
                                    R"("protocolVersion":"2025-03-26","capabilities":{"x":""})");
        const size_t size = near_limit({Server::kMaxInitializeBytes});
        return out.insert(out.find("\"\"") + 1, size - std::min(size, out.size()), 'c');
      }
      default: {
        std::string out = stateless(id, "tools/call", R"("name":"x")");
        const std::string more =
            R"("progressToken":")" + pad + R"(","x":")" +
            std::string(near_limit({kMaxMetaBytes - 1'000, kMaxMetaBytes, 1}), 'm') + "\",";
        return out.insert(out.find("\"_meta\":{") + 9, more);
      }
    }
  }

  std::string key() {
    static const std::vector<std::string> kAll = {"uri",
                                                  "name",
                                                  "arguments",
                                                  "cursor",
                                                  "ref",
                                                  "argument",
                                                  "value",
                                                  "type",
                                                  "level",
                                                  "_meta",
                                                  "id",
                                                  "x",
                                                  "notifications",
                                                  "requestId",
                                                  "query",
                                                  "function",
                                                  "resourceSubscriptions",
                                                  "toolsListChanged",
                                                  "protocolVersion"};
    return one_of(kAll);
  }
  std::string method() {
    static const std::vector<std::string> kAll = {"initialize",
                                                  "ping",
                                                  "server/discover",
                                                  "tools/list",
                                                  "tools/call",
                                                  "resources/list",
                                                  "resources/templates/list",
                                                  "resources/read",
                                                  "resources/directory/read",
                                                  "skills/list",
                                                  "skills/get",
                                                  "prompts/list",
                                                  "prompts/get",
                                                  "completion/complete",
                                                  "logging/setLevel",
                                                  "resources/subscribe",
                                                  "resources/unsubscribe",
                                                  "subscriptions/listen",
                                                  "x",
                                                  "",
                                                  "notifications/initialized",
                                                  "notifications/cancelled"};
    return one_of(kAll);
  }
  json::Value meta() {
    json::Object out;
    if (below(8) != 0) out["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    if (below(8) != 0) out["io.modelcontextprotocol/clientCapabilities"] = json::Object();
    if (below(4) == 0) out["progressToken"] = scalar();
    if (below(8) == 0) out["io.modelcontextprotocol/logLevel"] = scalar();
    return out;
  }
  json::Value message(std::string& id) {
    json::Object out{{"jsonrpc", "2.0"}};
    if (below(20) == 0) out["jsonrpc"] = scalar();
    if (below(10) != 0) {
      out["id"] = below(20) == 0 ? scalar() : json::Value(++next_);
      id = json::to_text(out["id"]);
    }
    if (below(30) != 0) out["method"] = below(30) == 0 ? scalar() : json::Value(method());
    json::Value params = value(3);
    if (params.as_object() != nullptr && below(3) != 0) (*params.as_object())["_meta"] = meta();
    if (below(10) != 0) out["params"] = std::move(params);
    return out;
  }

  int64_t next_ = 0;
};

TEST_F(McpHostileTest, N57EveryRequestIsAnsweredOnceWithValidJson) {
  tree.put("global/demo/SKILL.md", kSkill);
  tree.put("global/demo/x.bin", "\xff");
  tree.put("global/prompts/p.md", "---\nname: p\ndescription: P.\n---\nHello {{a}} $1\n");
  options.tools = ToolsMode::kAll;
  open();
  std::set<std::string> asked;
  for (int i = 0; i < 10'000; ++i) {
    std::string id;
    std::string text = below(40) == 0 ? large_message(id) : json::to_text(message(id));
    const bool broken = below(10) == 0;
    if (broken) {
      // A byte changed, removed or doubled; a message cut; two in one line.
      const size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text.erase(at, 1 + below(5));
          break;
        case 2:
          text.insert(at, 1, text[at]);
          break;
        case 3:
          text.resize(at);
          break;
        default:
          text += text;
      }
    } else if (!id.empty()) {
      asked.insert(id);
    }
    client->receive(text);
    if (i % 500 == 0) settle();
  }
  client->end_of_input();
  run_until([&] { return client->running() == 0; });
  std::set<std::string> answered;
  for (const std::string& line : lines) {
    ASSERT_EQ(line.find('\n'), std::string::npos);
    const Result<json::Value> value = json::parse(line);
    ASSERT_TRUE(value) << line;
    const json::Value* id = value->find("id");
    if (id == nullptr) continue;
    EXPECT_FALSE(id->is_null());
    const bool whole = (value->find("result") == nullptr) != (value->find("error") == nullptr);
    EXPECT_TRUE(whole) << line;
    answered.insert(json::to_text(*id));
  }
  // Requests with a legal id are answered, unless a later message cancelled them.
  size_t silent = 0;
  for (const std::string& id : asked) {
    const json::Value value = json::parse(id).value();
    if (value.as_int() == nullptr && value.as_string() == nullptr) continue;
    silent += answered.contains(id) ? 0 : 1;
  }
  EXPECT_LE(silent, asked.size() / 20);
}

}  // namespace
}  // namespace iii::mcp
