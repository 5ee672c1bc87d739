#include "cli/trigger.h"

#include <gtest/gtest.h>

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
}

}  // namespace
}  // namespace iii::cli
