#include "faces/cli/trigger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "faces/cli/engine_link.h"
#include "faces/cli/verbs.h"

namespace iii::cli {
namespace {

std::string payload(const std::optional<std::string>& json_text, std::vector<std::string> pairs) {
  const auto built = build_payload(json_text, pairs);
  return built ? *built : built.error().message;
}

TEST(TriggerPayload, NothingGivesAnEmptyObject) { EXPECT_EQ(payload({}, {}), "{}"); }

TEST(TriggerPayload, JsonAloneIsSentVerbatim) {
  EXPECT_EQ(payload("[1.0, \"x\"]", {}), "[1.0, \"x\"]");
  EXPECT_EQ(payload("5", {}), "5");
}

TEST(TriggerPayload, ValuesAreJsonElseText) {
  EXPECT_EQ(payload({}, {"a=1", "b=x y", "c={\"d\":[]}", "e=", "f=a=b", "a=2", "g=true"}),
            R"({"a":2,"b":"x y","c":{"d":[]},"e":"","f":"a=b","g":true})");
}

TEST(TriggerPayload, PairsOverrideKeysOfTheJsonObject) {
  EXPECT_EQ(payload(R"({"a":1,"b":{"c":1}})", {"b=2"}), R"({"a":1,"b":2})");
}

TEST(TriggerPayload, MistakesAreNamed) {
  EXPECT_EQ(payload({}, {"x"}), "expected key=value, got `x`");
  EXPECT_EQ(payload({}, {"=v"}), "payload key must not be empty (got `=v`)");
  EXPECT_EQ(payload("[1]", {"a=1"}), "--json must be an object when combined with kv pairs");
  EXPECT_TRUE(payload("{", {}).starts_with("--json: invalid JSON `{`"));
  EXPECT_EQ(build_payload("{", {}).error().code, "usage");
}

std::string address(std::vector<std::string> words) {
  ::unsetenv("III_URL");
  const auto args = parse_args(*find_verb("trigger"), words);
  const auto found = engine_address(*args);
  return found ? found->text() : found.error().code + ": " + found.error().message;
}

TEST(TriggerAddress, AHostWithOrWithoutItsPort) {
  for (const auto& [given, expected] :
       std::vector<std::pair<std::string, std::string>>{{"127.0.0.1", "ws://127.0.0.1:49134"},
                                                        {"127.0.0.1:5", "ws://127.0.0.1:5"},
                                                        {"::1", "ws://[::1]:49134"},
                                                        {"[::1]", "ws://[::1]:49134"},
                                                        {"[::1]:5", "ws://[::1]:5"},
                                                        {"ws://host", "ws://host:49134"},
                                                        {"ws://host/path", "ws://host:49134/path"},
                                                        {"ws://host:80", "ws://host"},
                                                        {"ws://[::1]", "ws://[::1]:49134"},
                                                        {"wss://host", "wss://host"}}) {
    EXPECT_EQ(address({"--address", given}), expected) << given;
  }
  EXPECT_EQ(address({"--address", "host", "--port", "7"}), "ws://host:7");
  EXPECT_EQ(address({"--url", "ws://host"}), "ws://host") << "a URL has the port of its scheme";
  EXPECT_THAT(address({"--address", "host:port"}), testing::StartsWith("usage: --address: "));
}

}  // namespace
}  // namespace iii::cli
