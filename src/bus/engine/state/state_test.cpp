// state::* as a caller sees it: answers, order, events, what a failing disk does, limits.
#include "bus/engine/state/state.h"

#include <gmock/gmock.h>

#include "bus/engine/fake_bus.h"
#include "bus/engine/store/fake_store.h"
#include "foundation/json/write.h"

namespace iii::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class StateTest : public testing::Test {
 protected:
  StateTest() { start(); }

  void start(StateLimits limits = {}) {
    state_.reset();
    configuration_.reset();
    store_ = std::make_unique<FakeStore>(&disk_);
    configuration_ = std::make_unique<Configuration>(*store_, bus_);
    EXPECT_TRUE(configuration_->start());
    state_ = std::make_unique<State>(*store_, bus_, configuration_.get(), limits);
    EXPECT_TRUE(state_->start());
    functions_ = state_->functions();
  }

  void turn() {
    bus_.turn();
    store_->turn();
    bus_.turn();
  }
  std::string call(std::string_view name, std::string_view data) {
    return shown(call_builtin(functions_, name, data, [this] { turn(); }));
  }
  std::string set(std::string_view key, std::string_view value, std::string_view scope = "s") {
    return call("state::set", R"({"scope":")" + std::string(scope) + R"(","key":")" +
                                  std::string(key) + R"(","value":)" + std::string(value) + "}");
  }
  std::string get(std::string_view key) {
    return call("state::get", R"({"scope":"s","key":")" + std::string(key) + R"("})");
  }
  std::string erase(std::string_view key) {
    return call("state::delete", R"({"scope":"s","key":")" + std::string(key) + R"("})");
  }
  std::string update(std::string_view key, std::string_view ops) {
    return call("state::update", R"({"scope":"s","key":")" + std::string(key) + R"(","ops":)" +
                                     std::string(ops) + "}");
  }
  std::string list() { return call("state::list", R"({"scope":"s"})"); }

  void bind(std::string id, std::string function, std::string config,
            std::optional<std::string> metadata = std::nullopt) {
    bound_ =
        bus_.binding(std::move(id), std::move(function), std::move(config), std::move(metadata));
    EXPECT_TRUE(bus_.bind(provider(), bound_));
  }
  // The answer is added to answers_ when it comes.
  void later(std::string_view name, std::string_view data) {
    for (const BuiltinFunction& function : functions_) {
      if (function.id != name) continue;
      function.handler(CallInfo{}, data,
                       [this](Outcome outcome) { answers_.push_back(shown(std::move(outcome))); });
    }
  }
  TriggerProvider& provider() { return *state_->trigger_type().provider; }
  void configure(std::string_view value) {
    call_builtin(configuration_->functions(), "configuration::set",
                 R"({"id":"iii-state","value":)" + std::string(value) + "}", [this] { turn(); });
  }
  // Event types of the calls made so far, which are then forgotten.
  std::vector<std::string> events() {
    std::vector<std::string> types;
    for (const OutgoingCall& made : bus_.calls) {
      types.push_back(*json::parse(made.data.view())->find("event_type")->as_string());
    }
    bus_.calls.clear();
    return types;
  }

  FakeStore::Disk disk_;
  FakeBus bus_;
  std::unique_ptr<FakeStore> store_;
  std::unique_ptr<Configuration> configuration_;
  std::unique_ptr<State> state_;
  std::vector<BuiltinFunction> functions_;
  BindingPtr bound_;
  std::vector<std::string> answers_;
};

TEST_F(StateTest, SetAnswersNewAndOldValue) {
  EXPECT_EQ(set("k", R"({"b":1,"a":2})"), R"({"new_value":{"b":1,"a":2},"old_value":null})");
  EXPECT_EQ(set("k", "5"), R"({"new_value":5,"old_value":{"b":1,"a":2}})");
}

TEST_F(StateTest, GetGivesTheBytesThatWereSent) {
  set("k", R"({ "z": 1.0, "a": "\u00e9" })");
  EXPECT_EQ(get("k"), R"({ "z": 1.0, "a": "\u00e9" })");
}

TEST_F(StateTest, AMissingKeyHasNoResultAndANullIsAResult) {
  EXPECT_EQ(get("k"), "-");
  set("k", "null");
  EXPECT_EQ(get("k"), "null");
}

TEST_F(StateTest, DataIsAnotherSpellingOfValue) {
  EXPECT_EQ(call("state::set", R"({"scope":"s","key":"d","data":"x"})"),
            R"({"new_value":"x","old_value":null})");
  EXPECT_EQ(call("state::set", R"({"scope":"s","key":"d","data":"x","value":"y"})"),
            "deserialization_error: Failed to deserialize input for state::set: duplicate field "
            "`value`");
}

TEST_F(StateTest, BadInputIsExplained) {
  const std::string prefix = "deserialization_error: Failed to deserialize input for ";
  EXPECT_EQ(call("state::set", R"({"scope":"s","key":"d"})"),
            prefix + "state::set: missing field `value`");
  EXPECT_EQ(call("state::set", R"({"scope":"s","value":1})"),
            prefix + "state::set: missing field `key`");
  EXPECT_EQ(call("state::set", R"({"scope":5,"key":"k","value":1})"),
            prefix + "state::set: invalid type: integer `5`, expected a string");
  EXPECT_EQ(call("state::set", "null"),
            prefix + "state::set: invalid type: null, expected struct StateSetInput");
  EXPECT_EQ(call("state::set", R"(["s","k",1])"),
            prefix + "state::set: invalid type: sequence, expected struct StateSetInput");
  EXPECT_EQ(call("state::list", "{}"), prefix + "state::list: missing field `scope`");
  EXPECT_EQ(
      call("state::list_groups", "null"),
      prefix + "state::list_groups: invalid type: null, expected struct StateListGroupsInput");
  EXPECT_EQ(call("state::update", R"({"scope":"s","key":"k"})"),
            prefix + "state::update: missing field `ops`");
  EXPECT_EQ(update("k", R"({"type":"set"})"),
            prefix + "state::update: invalid type: map, expected a sequence");
}

TEST_F(StateTest, ListKeepsTheOrderOfInsertion) {
  set("k", "5");
  set("n", "1");
  set("a", "\"last\"");
  EXPECT_EQ(list(), R"([5,1,"last"])");
  set("k", "\"first\"");
  EXPECT_EQ(list(), R"(["first",1,"last"])");
  EXPECT_EQ(erase("k"), R"("first")");
  EXPECT_EQ(erase("k"), "-");
  set("k", "\"again\"");
  EXPECT_EQ(list(), R"([1,"last","again"])");
  EXPECT_EQ(call("state::list", R"({"scope":"none"})"), "[]");
}

TEST_F(StateTest, OrderAndValuesSurviveARestart) {
  set("b", "1");
  set("a", R"({ "x":1 })");
  set("c", "3");
  erase("b");
  set("b", "4");
  start();
  EXPECT_EQ(list(), R"([{ "x":1 },3,4])");
  set("d", "5");
  EXPECT_EQ(list(), R"([{ "x":1 },3,4,5])");
}

TEST_F(StateTest, EmptyNamesAreNames) {
  EXPECT_EQ(call("state::set", R"({"scope":"","key":"","value":1})"),
            R"({"new_value":1,"old_value":null})");
  EXPECT_EQ(call("state::get", R"({"scope":"","key":""})"), "1");
}

TEST_F(StateTest, ScopesAreListedSortedAndStayUntilRestart) {
  set("k", "1", "b");
  set("k", "1", "s");
  set("k", "1", "a");
  erase("k");
  EXPECT_EQ(call("state::list_groups", "{}"), R"({"groups":["a","b","s"]})");
  EXPECT_EQ(list(), "[]");
  start();
  EXPECT_EQ(call("state::list_groups", "{}"), R"({"groups":["a","b"]})");
}

TEST_F(StateTest, UpdateAnswersErrorsBesideTheValues) {
  set("k", "5");
  EXPECT_EQ(update("k", R"([{"type":"set","path":"a","value":1}])"),
            R"({"errors":[{"code":"set.target_not_object",)"
            R"("doc_url":"https://iii.dev/docs/workers/iii-state#error-codes",)"
            R"("message":"Cannot set at path 'a': target is number, expected object.",)"
            R"("op_index":0}],"new_value":5,"old_value":5})");
}

TEST_F(StateTest, UpdateOfAMissingKeyAlwaysWrites) {
  EXPECT_EQ(update("k", "[]"), R"({"new_value":{},"old_value":null})");
  EXPECT_EQ(get("k"), "{}");
}

TEST_F(StateTest, UpdateWithoutEffectKeepsTheBytes) {
  set("k", R"({ "b":1 })");
  EXPECT_EQ(update("k", "[]"), R"({"new_value":{ "b":1 },"old_value":{ "b":1 }})");
}

TEST_F(StateTest, AWriteIsAnsweredAfterItIsOnDiskAndSeenAtOnce) {
  bind("t", "f", "{}");
  store_->hold_commits();
  std::string answer = "...";
  for (const BuiltinFunction& function : functions_) {
    if (function.id != "state::set") continue;
    function.handler(CallInfo{}, R"({"scope":"s","key":"k","value":1})",
                     [&answer](Outcome outcome) { answer = shown(std::move(outcome)); });
  }
  EXPECT_EQ(answer, "...");
  EXPECT_EQ(get("k"), "1");
  EXPECT_THAT(bus_.calls, IsEmpty());
  store_->commit();
  bus_.turn();
  EXPECT_EQ(answer, R"({"new_value":1,"old_value":null})");
  EXPECT_EQ(bus_.calls.size(), 1U);
}

TEST_F(StateTest, AFailingDiskPutsEverythingBack) {
  set("kept", "1");
  set("changed", "1");
  bind("t", "f", "{}");
  store_->hold_commits();
  later("state::set", R"({"scope":"s","key":"changed","value":2})");
  later("state::update",
        R"({"scope":"s","key":"changed","ops":[{"type":"increment","path":"","by":1}]})");
  later("state::set", R"({"scope":"s","key":"new","value":1})");
  later("state::delete", R"({"scope":"s","key":"kept"})");
  EXPECT_EQ(list(), "[3,1]");
  store_->break_disk();
  EXPECT_THAT(answers_, ElementsAre("SET_ERROR: disk I/O error", "UPDATE_ERROR: disk I/O error",
                                    "SET_ERROR: disk I/O error", "DELETE_ERROR: disk I/O error"));
  EXPECT_EQ(list(), "[1,1]");
  EXPECT_EQ(get("new"), "-");
  EXPECT_THAT(bus_.calls, IsEmpty());
}

TEST_F(StateTest, ARefusedWriteChangesNothing) {
  set("k", "1");
  store_->refuse(true);
  EXPECT_THAT(set("k", "2"), StartsWith("SET_ERROR: too many writes"));
  EXPECT_THAT(erase("k"), StartsWith("DELETE_ERROR: too many writes"));
  EXPECT_EQ(get("k"), "1");
}

TEST_F(StateTest, EventsTellWhatHappened) {
  bind("t", "f", R"({"scope":"s"})", R"({"m":1})");
  set("k", "1");
  ASSERT_EQ(bus_.calls.size(), 1U);
  EXPECT_EQ(bus_.calls[0].function_id, "f");
  EXPECT_EQ(bus_.calls[0].metadata->view(), R"({"m":1})");
  EXPECT_EQ(bus_.calls[0].data.view(),
            R"({"event_type":"state:created","key":"k","new_value":1,"old_value":null,)"
            R"("scope":"s","type":"state"})");
  set("k", "1");
  update("k", R"([{"type":"set","path":"x","value":1}])");
  update("u", "[]");
  erase("k");
  erase("k");
  set("n", "null");
  set("n", "1");
  get("n");
  EXPECT_THAT(events(),
              ElementsAre("state:created", "state:updated", "state:updated", "state:created",
                          "state:deleted", "state:deleted", "state:created", "state:updated"));
}

TEST_F(StateTest, DeletedEventsCarryNull) {
  set("k", "1");
  bind("t", "f", "{}");
  erase("k");
  EXPECT_EQ(bus_.calls[0].data.view(),
            R"({"event_type":"state:deleted","key":"k","new_value":null,"old_value":1,)"
            R"("scope":"s","type":"state"})");
}

TEST_F(StateTest, BindingsFilterByScopeAndKey) {
  bind("1", "all", "{}");
  const BindingPtr all = bound_;
  bind("2", "key", R"({"scope":"s","key":"k","unknown":1})");
  bind("3", "other", R"({"scope":"t"})");
  set("k", "1");
  EXPECT_THAT(bus_.called(), ElementsAre("all", "key"));
  bus_.calls.clear();
  provider().unbind(*all);
  bind("2", "replaced", R"({"key":"k"})");
  set("k", "1", "t");
  EXPECT_THAT(bus_.called(), ElementsAre("other", "replaced"));
}

TEST_F(StateTest, ConditionFunctionsAreAsked) {
  bind("1", "f", R"({"condition_function_id":"gate"})");
  bus_.answers.emplace("gate", "false");
  set("k", "1");
  EXPECT_THAT(bus_.called(), ElementsAre("gate"));
}

TEST_F(StateTest, ABadTriggerConfigIsRefusedWithTheReason) {
  const auto refusal = [this](std::string config) {
    const auto bound = bus_.bind(provider(), bus_.binding("id", "f", std::move(config)));
    return bound ? "" : bound.error().message;
  };
  EXPECT_EQ(refusal(R"({"scope":5})"),
            "Failed to parse trigger config: invalid type: integer `5`, expected a string");
  EXPECT_EQ(refusal("null"),
            "Failed to parse trigger config: invalid type: null, expected struct "
            "StateTriggerConfig");
  EXPECT_EQ(refusal("\"x\""),
            "Failed to parse trigger config: invalid type: string \"x\", expected struct "
            "StateTriggerConfig");
}

TEST_F(StateTest, EventsCanBeSwitchedOff) {
  bind("t", "f", "{}");
  configure(R"({"triggers_enabled":false})");
  set("k", "1");
  EXPECT_THAT(bus_.calls, IsEmpty());
  configure(R"({"triggers_enabled":true})");
  set("k", "1");
  EXPECT_EQ(bus_.calls.size(), 1U);
}

TEST_F(StateTest, TheKnobForValueBytesCountsCompactText) {
  configure(R"({"max_value_bytes":7})");
  EXPECT_THAT(set("k", R"({"a" : 1})"), StartsWith(R"({"new_value")"));
  EXPECT_THAT(set("k", R"({"a":12})"), StartsWith("VALUE_TOO_LARGE: the value has 8 bytes"));
  configure("{}");
  EXPECT_THAT(set("k", R"({"a":12})"), StartsWith(R"({"new_value")"));
}

TEST_F(StateTest, TheDefaultLimitOfAValueIsAsDocumented) {
  StateLimits limits;
  limits.max_value_bytes = 10;
  start(limits);
  EXPECT_THAT(set("k", "1234567890"), StartsWith(R"({"new_value")"));
  EXPECT_THAT(set("k", "12345678901"), StartsWith("VALUE_TOO_LARGE"));
}

TEST_F(StateTest, OnConfigChangeReadsTheKnobsAgain) {
  EXPECT_EQ(call("iii-state::on-config-change", "{}"), "-");
}

TEST_F(StateTest, AnUpdatedValueMayNotGrowBeyondItsLimit) {
  StateLimits limits;
  limits.max_value_bytes = 1;
  limits.max_updated_bytes = 10;
  start(limits);
  EXPECT_THAT(update("k", R"([{"type":"set","path":"","value":"12345678"}])"),
              StartsWith(R"({"new_value")"));
  EXPECT_THAT(update("k", R"([{"type":"append","path":"","value":"9"}])"),
              StartsWith("VALUE_TOO_LARGE"));
  EXPECT_EQ(get("k"), R"("12345678")");
}

TEST_F(StateTest, AnUpdatedValueMayNotNestBeyondItsLimit) {
  StateLimits limits;
  limits.max_depth = 2;
  start(limits);
  EXPECT_THAT(update("k", R"([{"type":"set","path":"a","value":[1]}])"),
              StartsWith(R"({"new_value")"));
  EXPECT_THAT(update("k", R"([{"type":"set","path":"a","value":[[1]]}])"),
              StartsWith("UPDATE_ERROR"));
}

TEST_F(StateTest, OpsInOneUpdateAreLimited) {
  StateLimits limits;
  limits.max_ops = 2;
  start(limits);
  const std::string op = R"({"type":"remove","path":"a"})";
  EXPECT_THAT(update("k", "[" + op + "," + op + "]"), StartsWith(R"({"new_value")"));
  EXPECT_THAT(update("k", "[" + op + "," + op + "," + op + "]"), StartsWith("UPDATE_ERROR"));
}

TEST_F(StateTest, AListLargerThanAnAnswerIsRefused) {
  StateLimits limits;
  limits.max_list_bytes = 8;
  start(limits);
  set("a", "12");
  set("b", "34");
  EXPECT_EQ(list(), "[12,34]");  // two values, a comma counted for each, two brackets
  set("b", "345");
  EXPECT_THAT(list(), StartsWith("LIST_ERROR"));
}

TEST_F(StateTest, TheWholeStateIsBounded) {
  StateLimits limits;
  limits.max_total_bytes = StateMemory::kScopeCost + 1 + StateMemory::kEntryCost + 1 + 10;
  start(limits);
  EXPECT_THAT(set("k", "1234567890"), StartsWith(R"({"new_value")"));
  EXPECT_THAT(set("k", "12345678901"), HasSubstr("may not grow beyond"));
  EXPECT_THAT(set("l", "1"), StartsWith("SET_ERROR"));
  EXPECT_THAT(update("k", R"([{"type":"increment","path":"","by":9999999999}])"),
              StartsWith("UPDATE_ERROR"));
  EXPECT_EQ(get("k"), "1234567890");
  erase("k");
  // The empty scope gives way to a new one.
  EXPECT_THAT(set("k", "1", "t"), StartsWith(R"({"new_value")"));
}

TEST_F(StateTest, BytesComeBackWhenValuesGo) {
  const size_t before = state_->bytes();
  set("k", "12345");
  set("k", "1");
  erase("k");
  EXPECT_EQ(state_->bytes(), before + StateMemory::kScopeCost + 1);
}

// ---- what is large ----

// Regression: 30 × state::update on a 9 MB object stopped everybody for 22 s.
TEST_F(StateTest, ALargeUpdateIsComputedElsewhereAndKeepsOnlyItsOwnScopeWaiting) {
  set("k", R"({"text":")" + std::string(kInlineBytes, 'x') + R"(","n":1})");
  set("k", "5", "other");
  later("state::update", R"({"scope":"s","key":"k","ops":[{"type":"increment","path":"n","by":1},)"
                         R"({"type":"remove","path":"text"}]})");
  later("state::get", R"({"scope":"s","key":"k"})");
  later("state::set", R"({"scope":"s","key":"k","value":3})");
  later("state::get", R"({"scope":"s","key":"k"})");
  later("state::get", R"({"scope":"other","key":"k"})");
  EXPECT_THAT(answers_, ElementsAre("5")) << "nothing was computed in this turn";
  turn();
  ASSERT_EQ(answers_.size(), 5U);
  EXPECT_EQ(answers_[1], R"({"n":2})");
  EXPECT_EQ(answers_[2], "3");
  std::ranges::sort(answers_);
  EXPECT_THAT(answers_, testing::Contains(StartsWith(R"({"new_value":{"n":2},"old_value":{)")));
  EXPECT_THAT(answers_, testing::Contains(R"({"new_value":3,"old_value":{"n":2}})"));
}

TEST_F(StateTest, ASmallUpdateIsComputedAtOnce) {
  set("k", "1");
  const size_t jobs = static_cast<FakeBackground&>(bus_.background()).jobs;
  update("k", R"([{"type":"increment","path":"","by":1}])");
  EXPECT_EQ(static_cast<FakeBackground&>(bus_.background()).jobs, jobs);
}

TEST_F(StateTest, AnUpdateWhoseValueIsTakenBackMeanwhileStartsAgain) {
  const std::string padding = R"(,"text":")" + std::string(kInlineBytes, 'x') + R"("})";
  set("k", R"({"n":1)" + padding);
  store_->hold_commits();
  later("state::set", R"({"scope":"s","key":"k","value":{"n":5)" + padding + "}");
  later("state::update", R"({"scope":"s","key":"k","ops":[{"type":"increment","path":"n","by":1},)"
                         R"({"type":"remove","path":"text"}]})");
  store_->break_disk();
  bus_.turn();
  store_->commit();
  EXPECT_EQ(get("k"), R"({"n":2})");
}

TEST_F(StateTest, ManyValuesAreCollectedInSlicesWhileTheScopeWaits) {
  std::string expected;
  for (size_t i = 0; i < 3 * State::kSmallRows; ++i) {
    set(std::to_string(i), std::to_string(i));
    expected += (i == 0 ? "[" : ",") + std::to_string(i);
  }
  later("state::list", R"({"scope":"s"})");
  later("state::delete", R"({"scope":"s","key":"0"})");
  EXPECT_THAT(answers_, IsEmpty());
  turn();
  EXPECT_EQ(answers_.front(), expected + "]");
}

TEST_F(StateTest, ManyScopesAreListedInSlices) {
  for (size_t i = 0; i < 2 * State::kSmallRows; ++i) set("k", "1", std::to_string(1'000 + i));
  later("state::list_groups", "{}");
  EXPECT_THAT(answers_, IsEmpty());
  turn();
  const auto groups = json::parse(answers_.front());
  EXPECT_EQ(groups->find("groups")->as_array()->size(), 2 * State::kSmallRows);
}

TEST_F(StateTest, AValueIsReadWithoutACopy) {
  set("k", R"("some text")");
  std::vector<JsonText> read;
  for (int i = 0; i < 2; ++i) {
    for (const BuiltinFunction& function : functions_) {
      if (function.id != "state::get") continue;
      function.handler({}, R"({"scope":"s","key":"k"})",
                       [&read](Outcome outcome) { read.push_back(**outcome); });
    }
  }
  EXPECT_EQ(read.at(0).view().data(), read.at(1).view().data());
}

TEST_F(StateTest, NamesAreLimited) {
  StateLimits limits;
  limits.max_name_bytes = 3;
  start(limits);
  EXPECT_THAT(set("abc", "1", "def"), StartsWith(R"({"new_value")"));
  EXPECT_THAT(set("abcd", "1"), StartsWith("SET_ERROR: the scope or the key"));
  EXPECT_THAT(set("a", "1", "abcd"), StartsWith("SET_ERROR: the scope or the key"));
  EXPECT_THAT(update("abcd", "[]"), StartsWith("UPDATE_ERROR: the scope or the key"));
}

TEST_F(StateTest, PublishesTheRecordedFunctionsAndSchemas) {
  std::vector<std::string> ids;
  for (const BuiltinFunction& function : functions_) {
    EXPECT_EQ(function.owner, "iii-state");
    EXPECT_EQ(function.internal, function.id == "iii-state::on-config-change") << function.id;
    ids.push_back(function.id);
    if (function.id != "state::get") continue;
    EXPECT_FALSE(function.response_schema);
    EXPECT_EQ(json::to_text(*function.request_schema->find("required")), R"(["key","scope"])");
  }
  std::ranges::sort(ids);
  EXPECT_THAT(ids, ElementsAre("iii-state::on-config-change", "state::delete", "state::get",
                               "state::list", "state::list_groups", "state::set", "state::update"));
  const BuiltinTriggerType type = state_->trigger_type();
  EXPECT_EQ(type.id, "state");
  EXPECT_EQ(
      json::to_text(*type.configuration_schema->find("properties")->find("key")->find("type")),
      R"(["string","null"])");
  EXPECT_EQ(json::to_text(*type.request_schema->find("required")),
            R"(["event_type","key","new_value","scope","type"])");
}

}  // namespace
}  // namespace iii::engine
