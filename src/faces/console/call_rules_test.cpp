#include "faces/console/call_rules.h"

#include <gmock/gmock.h>

#include "directory/table/bus_hints.h"

namespace iii::console {
namespace {

TEST(CallRules, HintsDecide) {
  EXPECT_EQ(rule_of(directory::kReadOnly), CallRule::kRun);
  EXPECT_EQ(rule_of({}), CallRule::kConfirm);
  EXPECT_EQ(rule_of({.destructive = true}), CallRule::kConfirm);
  EXPECT_EQ(rule_of({.read_only = true, .internal = true}), CallRule::kRefuse);
}

TEST(CallRules, KnownReadsOfTheEngine) {
  for (const char* id : {"engine::workers::list", "engine::functions::info", "engine::stats",
                         "configuration::get", "state::get", "state::list", "worker::list"}) {
    EXPECT_TRUE(is_known_read(id)) << id;
  }
  for (const char* id : {"engine::workers::register", "configuration::set", "state::delete",
                         "my::list", "list", "engine::", "engine::getaway", "state::set::getx"}) {
    EXPECT_FALSE(is_known_read(id)) << id;
  }
}

TEST(CallRules, MetadataOfTheBus) {
  const auto hints = [](const char* text) {
    return directory::hints_of_row(json::parse(text).value());
  };
  EXPECT_TRUE(hints(R"({"metadata":{"mcp":{"read_only_hint":true}}})")->read_only);
  EXPECT_FALSE(hints(R"({"metadata":{"mcp":{"read_only_hint":false}}})")->read_only);
  EXPECT_FALSE(hints(R"({"metadata":{"mcp":{"destructive_hint":false}}})")->read_only);
  for (const char* unknown :
       {"{}", R"({"metadata":null})", R"({"metadata":{"mcp":{}}})",
        R"({"metadata":{"mcp":{"read_only_hint":"yes"}}})", R"({"metadata":{"read_only":true}})"}) {
    EXPECT_FALSE(hints(unknown)) << unknown;
  }
}

TEST(CallRules, StatusAndCodeOfErrors) {
  const auto seen = [](std::string code, std::string message) {
    const Error error{std::move(code), std::move(message)};
    return std::to_string(status_of(error)) + " " + std::string(code_of(error));
  };
  EXPECT_EQ(seen("function_not_found", "x"), "404 function_not_found");
  EXPECT_EQ(seen("TIMEOUT", "x"), "504 timeout");
  EXPECT_EQ(seen("cancelled", "x"), "409 cancelled");
  EXPECT_EQ(seen("invocation_failed", "D110 not_found: skill \"a\""), "404 D110");
  EXPECT_EQ(seen("invocation_failed", "D112 invalid_input: x"), "400 D112");
  EXPECT_EQ(seen("invocation_failed", "D320 upstream: x"), "422 D320");
  EXPECT_EQ(seen("invocation_failed", "D3 x"), "422 invocation_failed");
  EXPECT_EQ(seen("my_own", "went wrong"), "422 my_own");
}

}  // namespace
}  // namespace iii::console
