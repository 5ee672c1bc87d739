// engine::functions::*, engine::triggers::*, engine::registered-triggers::* (engine-functions
// §2.1–2.6).
#include "bus/engine/builtins/introspection.h"

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// The `key` of every row in the list `member` of an answer.
std::vector<std::string> column(const json::Value& answer, std::string_view member,
                                std::string_view key) {
  std::vector<std::string> out;
  const json::Value* rows = answer.find(member);
  if (rows == nullptr || rows->as_array() == nullptr) {
    ADD_FAILURE() << "no list `" << member << "` in " << json::to_text(answer);
    return out;
  }
  for (const json::Value& row : *rows->as_array()) out.push_back(text_at(row, key));
  return out;
}

class FunctionIntrospection : public ::testing::Test {
 protected:
  FunctionIntrospection() {
    app_.say(
        R"({"type":"registerfunction","id":"app::add","description":"Adds Numbers","metadata":{"k":1},"request_format":{"type":"object"},"response_format":true})");
    app_.serve("app::sub");
    app_.serve("zoo::app");
    app_.say(R"({"type":"registerfunction","id":"app::hidden","metadata":{"internal":true}})");
    app_.serve("engine::queue::enqueue");
  }

  std::vector<std::string> listed(std::string_view filter) {
    return column(asker_.result_of("engine::functions::list", filter), "functions", "function_id");
  }

  TestBus bus_;
  Peer app_{bus_, "shop"};
  Peer asker_{bus_, "asker"};
};

TEST_F(FunctionIntrospection, ListHidesInternalOnesAndSortsById) {
  const auto ids = listed("{}");
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_THAT(ids, Contains("app::add"));
  EXPECT_THAT(ids, Contains("engine::queue::enqueue"));
  EXPECT_THAT(ids, Not(Contains("app::hidden")));
  EXPECT_THAT(ids, Not(Contains("engine::functions::list")));
}

TEST_F(FunctionIntrospection, ListShowsThemWhenAsked) {
  const auto ids = listed(R"({"include_internal":true})");
  EXPECT_THAT(ids, Contains("app::hidden"));
  EXPECT_THAT(ids, Contains("engine::functions::list"));
  EXPECT_THAT(ids, Not(Contains("engine::trigger-types::list"))) << "legacy ids are not advertised";
}

TEST_F(FunctionIntrospection, ABuiltinMayBeInternal) {
  BuiltinFunction callback;
  callback.id = "iii-x::on-change";
  callback.owner = "iii-x";
  callback.internal = true;
  bus_.engine.add(std::move(callback));
  EXPECT_THAT(listed("{}"), Not(Contains("iii-x::on-change")));
  EXPECT_THAT(listed(R"({"include_internal":true})"), Contains("iii-x::on-change"));
}

TEST_F(FunctionIntrospection, RowsOmitWhatIsAbsentAndCarryNoSchemas) {
  const json::Value rows = asker_.result_of("engine::functions::list", R"({"prefix":"app::"})");
  EXPECT_EQ(
      rows,
      parsed(
          R"({"functions":[{"function_id":"app::add","namespace":"default","worker_name":"shop","description":"Adds Numbers","metadata":{"k":1}},{"function_id":"app::sub","namespace":"default","worker_name":"shop"}]})"));
}

TEST_F(FunctionIntrospection, SearchRanksPrefixAndSegmentThenInsideThenDescription) {
  app_.say(R"({"type":"registerfunction","id":"other","description":"for the App"})");
  app_.serve("my-app-x");
  EXPECT_THAT(listed(R"({"search":"APP"})"),
              ElementsAre("app::add", "app::sub", "zoo::app", "my-app-x", "other"));
  EXPECT_THAT(listed(R"({"search":"adds n"})"), ElementsAre("app::add"));
  EXPECT_EQ(listed(R"({"search":""})"), listed("{}"));
}

TEST_F(FunctionIntrospection, FiltersHoldTogetherAndWorkersAreOred) {
  EXPECT_THAT(listed(R"({"worker":"shop","prefix":"zoo"})"), ElementsAre("zoo::app"));
  EXPECT_THAT(listed(R"({"worker":"nobody"})"), IsEmpty());
  const auto own = listed(R"({"workers":["iii-engine-functions"],"include_internal":true})");
  EXPECT_THAT(own, Each(StartsWith("engine::")));
  EXPECT_EQ(listed(R"({"worker":"nobody","workers":["shop"]})").size(), 4U);
  EXPECT_EQ(listed(R"({"workers":[]})"), listed("{}"));
}

TEST_F(FunctionIntrospection, InputMustBeAnObjectOfTheRightTypes) {
  for (const char* bad : {"null", "[]", "\"x\"", R"({"search":5})", R"({"workers":"shop"})"}) {
    EXPECT_THAT(asker_.refusal_of("engine::functions::list", bad),
                StartsWith("deserialization_error: Failed to deserialize input for "
                           "engine::functions::list: "))
        << bad;
  }
  EXPECT_NE(asker_.result_of("engine::functions::list", R"({"search":null,"unknown":1})")
                .find("functions"),
            nullptr);
}

TEST_F(FunctionIntrospection, InfoTellsSchemasAndBindings) {
  app_.bind("b", "engine::workers-available", "app::add");
  EXPECT_EQ(
      asker_.result_of("engine::functions::info", R"({"function_id":"app::add"})"),
      parsed(
          R"({"function_id":"app::add","namespace":"default","worker_name":"shop","description":"Adds Numbers","request_schema":{"type":"object"},"response_schema":true,"metadata":{"k":1},"registered_triggers":[{"id":"b","trigger_type":"engine::workers-available","config":{}}]})"));
  EXPECT_EQ(
      asker_.result_of("engine::functions::info", R"({"function_id":"app::hidden"})"),
      parsed(
          R"({"function_id":"app::hidden","namespace":"default","worker_name":"shop","metadata":{"internal":true},"registered_triggers":[]})"));
}

TEST_F(FunctionIntrospection, InfoInABatchKeepsTheOrderAndMarksWhatIsMissing) {
  const json::Value batch = asker_.result_of(
      "engine::functions::info", R"({"function_ids":["app::sub","nope","app::add","app::sub"]})");
  EXPECT_THAT(column(batch, "functions", "function_id"),
              ElementsAre("app::sub", "nope", "app::add"));
  EXPECT_EQ((*batch.find("functions")->as_array())[1],
            parsed(R"({"function_id":"nope","error":"not_found"})"));
}

TEST_F(FunctionIntrospection, InfoTakes32DifferentIdsAndNotOneMore) {
  const auto batch = [](int count) {
    std::string ids;
    for (int i = 0; i < count; ++i) ids += (i > 0 ? ",\"f" : "\"f") + std::to_string(i) + '"';
    return R"({"function_ids":[)" + ids + ",\"f0\"]}";
  };
  EXPECT_EQ(
      column(asker_.result_of("engine::functions::info", batch(32)), "functions", "error").size(),
      32U);
  EXPECT_THAT(asker_.refusal_of("engine::functions::info", batch(33)),
              StartsWith("INVALID_ARGUMENTS: "));
}

TEST_F(FunctionIntrospection, InfoRefusesUnclearQuestions) {
  for (const char* bad : {"{}", R"({"function_id":null})", R"({"function_ids":[]})",
                          R"({"function_id":"a","function_ids":["b"]})"}) {
    EXPECT_THAT(asker_.refusal_of("engine::functions::info", bad), StartsWith("INVALID_ARGUMENTS"))
        << bad;
  }
  EXPECT_EQ(asker_.refusal_of("engine::functions::info", R"({"function_id":"nope"})"),
            "NOT_FOUND: Function 'nope' is not registered.");
}

TEST_F(FunctionIntrospection, InfoLooksInTheNamespaceAskedForAndPrefersDefault) {
  Peer x(bus_);
  x.announce("x", R"(,"namespace":"x")");
  x.serve("app::add");
  x.serve("only::x");
  EXPECT_EQ(text_at(asker_.result_of("engine::functions::info", R"({"function_id":"app::add"})"),
                    "namespace"),
            "default");
  EXPECT_EQ(text_at(asker_.result_of("engine::functions::info",
                                     R"({"function_id":"app::add","namespace":"x"})"),
                    "namespace"),
            "x");
  EXPECT_EQ(text_at(asker_.result_of("engine::functions::info", R"({"function_id":"only::x"})"),
                    "namespace"),
            "x");
  EXPECT_EQ(asker_.refusal_of("engine::functions::info",
                              R"({"function_id":"only::x","namespace":"default"})"),
            "NOT_FOUND: Function 'only::x' is ambiguous: it is registered in namespace(s): x. Pass "
            "`namespace` to select one.");
}

// ---- trigger types and bindings ----

class TriggerIntrospection : public ::testing::Test {
 protected:
  TriggerIntrospection() {
    provider_.say(
        R"({"type":"registertriggertype","id":"tick","description":"Every Second","trigger_request_format":{"a":1},"call_request_format":{"b":2}})");
    app_.serve("app::on");
    app_.bind("b2", "tick", "app::on", R"(,"metadata":{"m":1})");
    app_.bind("b1", "tick", "app::later");
    app_.bind("parked", "unknown", "app::on");
    app_.bind("own", "worker", "engine::log::info");
    provider_.take();
  }

  json::Value ask(std::string_view function, std::string_view data = "{}") {
    return asker_.result_of(function, data);
  }

  TestBus bus_;
  Peer provider_{bus_, "clock"};
  Peer app_{bus_, "shop"};
  Peer asker_{bus_, "asker"};
};

TEST_F(TriggerIntrospection, ListShowsTypesWithTheirProviders) {
  EXPECT_EQ(
      ask("engine::triggers::list", R"({"worker":"clock"})"),
      parsed(
          R"({"triggers":[{"id":"tick","namespace":"default","worker_name":"clock","description":"Every Second"}]})"));
  const auto ids = column(ask("engine::triggers::list"), "triggers", "id");
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  EXPECT_THAT(ids, Not(Contains(StartsWith("engine::"))));
  EXPECT_THAT(
      column(ask("engine::triggers::list", R"({"include_internal":true})"), "triggers", "id"),
      Contains("engine::workers-available"));
  EXPECT_THAT(column(ask("engine::triggers::list", R"({"search":"SECOND"})"), "triggers", "id"),
              ElementsAre("tick"));
  EXPECT_THAT(column(ask("engine::triggers::list", R"({"prefix":"ti"})"), "triggers", "id"),
              ElementsAre("tick"));
}

TEST_F(TriggerIntrospection, InfoCountsLiveBindingsAndShowsSchemas) {
  EXPECT_EQ(
      ask("engine::triggers::info", R"({"id":"tick"})"),
      parsed(
          R"({"id":"tick","namespace":"default","worker_name":"clock","description":"Every Second","instance_count":2,"configuration_schema":{"a":1},"request_schema":{"b":2}})"));
  EXPECT_EQ(text_at(ask("engine::triggers::info", R"({"id":"engine::workers-available"})"),
                    "worker_name"),
            "engine");
  EXPECT_EQ(asker_.refusal_of("engine::triggers::info", R"({"id":"tick","namespace":"x"})"),
            "NOT_FOUND: Trigger type 'tick' is not registered in namespace 'x'.");
}

TEST_F(TriggerIntrospection, BindingsAreListedByIdWithoutParkedAndInternalOnes) {
  const json::Value rows = ask("engine::registered-triggers::list");
  EXPECT_THAT(column(rows, "registered_triggers", "id"), ElementsAre("b1", "b2"));
  EXPECT_EQ(
      (*rows.find("registered_triggers")->as_array())[1],
      parsed(
          R"({"id":"b2","trigger_type":"tick","function_id":"app::on","worker_name":"shop","config":{},"config_summary":"{}"})"));
  EXPECT_EQ(column(rows, "registered_triggers", "worker_name")[0], "app") << "the first segment";
  EXPECT_THAT(column(ask("engine::registered-triggers::list", R"({"include_internal":true})"),
                     "registered_triggers", "id"),
              ElementsAre("b1", "b2", "own"));
}

TEST_F(TriggerIntrospection, BindingsAreFilteredByTypeFunctionWorkerAndText) {
  const auto ids = [&](std::string_view filter) {
    return column(ask("engine::registered-triggers::list", filter), "registered_triggers", "id");
  };
  EXPECT_THAT(ids(R"({"trigger_type":"tick","function_id":"app::on"})"), ElementsAre("b2"));
  EXPECT_THAT(ids(R"({"worker":"shop"})"), ElementsAre("b2"));
  EXPECT_THAT(ids(R"({"search":"LATER"})"), ElementsAre("b1"));
  EXPECT_THAT(ids(R"({"search":"nothing like it"})"), IsEmpty());
}

TEST_F(TriggerIntrospection, TheSummaryIsSortedCompactAndCutAt80Characters) {
  app_.say(
      R"({"type":"registertrigger","id":"s","trigger_type":"tick","function_id":"app::on","config":{ "b" : 1, "a" : 2 }})");
  EXPECT_EQ(text_at(ask("engine::registered-triggers::info", R"({"id":"s"})"), "config"),
            R"({"a":2,"b":1})");
  const auto summary = [&](const std::string& config) {
    app_.say(
        R"({"type":"registertrigger","id":"s","trigger_type":"tick","function_id":"app::on","config":)" +
        config + "}");
    const json::Value rows = ask("engine::registered-triggers::list", R"({"search":"s"})");
    for (const json::Value& row : *rows.find("registered_triggers")->as_array()) {
      if (text_at(row, "id") == "s") return text_at(row, "config_summary");
    }
    return std::string("<not listed>");
  };
  EXPECT_EQ(summary(R"({ "b" : 1, "a" : 2 })"), R"({"a":2,"b":1})");
  std::string e78;
  for (int i = 0; i < 78; ++i) e78 += "é";
  EXPECT_EQ(summary('"' + e78 + '"'), '"' + e78 + '"') << "80 characters, not bytes";
  EXPECT_EQ(summary('"' + e78 + "é\""), '"' + e78 + "é…");
  // A large one is not made a value, so it keeps the order of its keys.
  const auto padded = [](size_t bytes) {
    const std::string head = R"({"b":1,"a":")";
    return head + std::string(bytes - head.size() - 2, 'x') + "\"}";
  };
  EXPECT_THAT(summary(padded(64 * 1024)), StartsWith(R"({"a":"xx)"));
  EXPECT_THAT(summary(padded(64 * 1024 + 1)), StartsWith(R"({"b":1,"a":"xx)"));
}

TEST_F(TriggerIntrospection, InfoOfABindingShowsItsTypeAndItsFunctionOrNull) {
  const json::Value info = ask("engine::registered-triggers::info", R"({"id":"b2"})");
  EXPECT_EQ(text_at(info, "metadata"), R"({"m":1})");
  EXPECT_EQ(text_at(*info.find("trigger"), "id"), "tick");
  EXPECT_EQ(text_at(*info.find("function"), "function_id"), "app::on");
  EXPECT_EQ(text_at(ask("engine::registered-triggers::info", R"({"id":"b1"})"), "function"),
            "null");
  EXPECT_EQ(asker_.refusal_of("engine::registered-triggers::info", R"({"id":"parked"})"),
            "NOT_FOUND: Registered trigger 'parked' was not found.");
}

TEST_F(TriggerIntrospection, TheLegacyAliasAnswersInItsOwnShape) {
  const json::Value old = ask("engine::trigger-types::list");
  EXPECT_THAT(column(old, "trigger_types", "id"), Contains("tick"));
  EXPECT_THAT(column(old, "trigger_types", "id"), Not(Contains(StartsWith("engine::"))));
  EXPECT_THAT(json::to_text(old), HasSubstr(R"("trigger_request_format":{"a":1})"));
}

TEST_F(TriggerIntrospection, ATypeWithoutANamedProviderIsKnownByItsFirstSegment) {
  Peer nameless(bus_);
  bus_.timers.advance(protocol::kRegistrationGrace);
  nameless.provide("clock::tock");
  EXPECT_EQ(text_at(ask("engine::triggers::info", R"({"id":"clock::tock"})"), "worker_name"),
            "clock");
}

}  // namespace
}  // namespace iii::engine
