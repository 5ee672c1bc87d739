// Bindings made by calling engine::register_trigger (wire §8.5).
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kBind[] = "engine::register_trigger";
constexpr char kUnbind[] = "engine::unregister_trigger";
constexpr char kT[] = R"({"trigger_type":"t","function_id":"f","config":{"a":1},"metadata":2})";

class FunctionStyle : public ::testing::Test {
 protected:
  // Asks for a binding of `t` and returns its id as the provider sees it.
  std::string ask() {
    maker_.invoke(1, kBind, kT);
    return text_at(provider_.take_one(), "id");
  }
  bool is_known(const std::string& id) const {
    return bus_.engine.triggers().bindings().contains(id);
  }

  TestBus bus_;
  Peer provider_{bus_, "provider"};
  Peer maker_{bus_, "maker"};
};

TEST_F(FunctionStyle, WaitsForTheVerdictOfAWorker) {
  provider_.provide("t");
  const std::string id = ask();
  EXPECT_THAT(maker_.take(), IsEmpty());
  provider_.judge(id);
  EXPECT_EQ(*maker_.take_one().find("result"), parsed(R"({"id":")" + id + R"("})"));
  EXPECT_EQ(maker_.worker().active_invocations(), 0U);
}

TEST_F(FunctionStyle, TheProviderGetsConfigAndMetadata) {
  provider_.provide("t");
  maker_.invoke(1, kBind, kT);
  EXPECT_THAT(provider_.take(), ElementsAre(HasSubstr(R"("config":{"a":1},"metadata":2})")));
}

TEST_F(FunctionStyle, ARefusalIsAnsweredAndNothingIsKept) {
  provider_.provide("t");
  const std::string id = ask();
  provider_.judge(id, R"({"code":"bad","message":"no"})");
  const json::Value answer = maker_.take_one();
  EXPECT_EQ(*answer.find("error"),
            parsed(R"({"code":"trigger_registration_failed","message":"bad: no"})"));
  EXPECT_FALSE(is_known(id));
  provider_.provide("t");
  EXPECT_THAT(provider_.take(), IsEmpty()) << "not replayed";
}

TEST_F(FunctionStyle, SilenceForTenSecondsIsAcceptance) {
  provider_.provide("t");
  const std::string id = ask();
  bus_.timers.advance(protocol::kVerdictTimeout - Millis(1));
  EXPECT_THAT(maker_.take(), IsEmpty());
  bus_.timers.advance(Millis(1));
  EXPECT_NE(maker_.take_one().find("result"), nullptr);
  provider_.judge(id, R"({"code":"bad","message":"late"})");
  EXPECT_TRUE(is_known(id)) << "a late refusal parks it";
  EXPECT_EQ(bus_.engine.triggers().live_binding(id), nullptr);
  EXPECT_THAT(maker_.take(), IsEmpty());
}

TEST_F(FunctionStyle, AnUnknownTypeIsParkedAndAnsweredAtOnce) {
  const std::string id = text_at(maker_.result_of(kBind, kT), "id");
  EXPECT_TRUE(is_known(id));
  provider_.provide("t");
  EXPECT_EQ(text_at(provider_.take_one(), "id"), id);
}

TEST_F(FunctionStyle, ABlankTriggerNamespaceIsParkedToo) {
  provider_.provide("t");
  maker_.result_of(kBind, R"({"trigger_type":"t","function_id":"f","trigger_namespace":""})");
  EXPECT_THAT(provider_.take(), IsEmpty());
}

TEST_F(FunctionStyle, OutlivesItsMaker) {
  provider_.provide("t");
  const std::string id = ask();
  maker_.leave();
  provider_.judge(id);
  EXPECT_TRUE(is_known(id));
  EXPECT_THAT(provider_.take(), IsEmpty());
}

TEST_F(FunctionStyle, AProviderThatLeavesBeforeItsVerdictMeansParkedAndAccepted) {
  provider_.provide("t");
  const std::string id = ask();
  provider_.leave();
  EXPECT_NE(maker_.take_one().find("result"), nullptr);
  EXPECT_TRUE(is_known(id));
  EXPECT_EQ(bus_.timers.pending(), 2U) << "only the sweep of channels and the poll of functions";
}

TEST_F(FunctionStyle, ItsMakerIsAnsweredEvenIfTheBindingIsRemovedBeforeTheVerdict) {
  provider_.provide("t");
  const std::string id = ask();
  Peer stranger(bus_, "stranger");
  stranger.unbind(id);
  EXPECT_NE(maker_.take_one().find("result"), nullptr);
  bus_.timers.advance(protocol::kVerdictTimeout);
  EXPECT_THAT(maker_.take(), IsEmpty());
}

TEST_F(FunctionStyle, ItsMakerIsAnsweredEvenIfTheBindingIsReplacedBeforeTheVerdict) {
  provider_.provide("t");
  const std::string id = ask();
  Peer stranger(bus_, "stranger");
  stranger.bind(id, "t", "g");
  EXPECT_NE(maker_.take_one().find("result"), nullptr);
  EXPECT_EQ(bus_.engine.triggers().bindings().find(id)->second.maker, &stranger.worker());
}

TEST_F(FunctionStyle, TheEnginesOwnTypesAnswerAtOnce) {
  EXPECT_TRUE(Uuid::parse(text_at(
      maker_.result_of(kBind, R"({"trigger_type":"engine::workers-available","function_id":"f"})"),
      "id")));
  EXPECT_THAT(maker_.refusal_of(
                  kBind, R"({"trigger_type":"worker","function_id":"f","config":{"stages":1}})"),
              HasSubstr("trigger_registration_failed: "));
}

TEST_F(FunctionStyle, MissingFieldsAreDecodeErrors) {
  EXPECT_THAT(maker_.refusal_of(kBind, R"({"trigger_type":"t"})"),
              HasSubstr("deserialization_error: "));
  EXPECT_THAT(maker_.refusal_of(kUnbind, "{}"), HasSubstr("deserialization_error: "));
  EXPECT_THAT(maker_.refusal_of(kUnbind, R"({"id":"x","trigger_type":5})"),
              HasSubstr("deserialization_error: "));
}

TEST_F(FunctionStyle, UnregisterTellsWhetherThereWasOne) {
  provider_.provide("t");
  const std::string id = ask();
  provider_.judge(id);
  maker_.take();
  EXPECT_EQ(maker_.result_of(kUnbind, R"({"id":")" + id + R"("})"), parsed(R"({"removed":true})"));
  EXPECT_EQ(text_at(provider_.take_one(), "type"), "unregistertrigger");
  EXPECT_EQ(maker_.result_of(kUnbind, R"({"id":")" + id + R"("})"), parsed(R"({"removed":false})"));
  maker_.bind("parked", "nowhere", "f");
  EXPECT_EQ(maker_.result_of(kUnbind, R"({"id":"parked"})"), parsed(R"({"removed":true})"));
}

// Regression: they shared one quota, outlived their maker, and parked ones were never listed.
TEST_F(FunctionStyle, ParkedOnesCanBeListedWithWhoPaysForThemAndRemoved) {
  const std::string parked = text_at(maker_.result_of(kBind, kT), "id");
  maker_.bind("live", "engine::workers-available", "g");
  maker_.leave();
  Peer other(bus_, "other");
  other.bind("other", "engine::workers-available", "g");
  other.take();
  constexpr char kList[] = "engine::registered-triggers::list";
  EXPECT_THAT(json::to_text(other.result_of(kList)),
              ::testing::Not(::testing::AnyOf(HasSubstr(parked), HasSubstr("status"))));
  const json::Value all = other.result_of(kList, R"({"include_parked":true})");
  ASSERT_EQ(all.find("registered_triggers")->as_array()->size(), 2U);
  std::map<std::string, const json::Value*> rows;
  for (const json::Value& row : *all.find("registered_triggers")->as_array()) {
    rows[text_at(row, "id")] = &row;
  }
  EXPECT_EQ(text_at(*rows.at(parked), "status"), "parked");
  EXPECT_EQ(text_at(*rows.at(parked), "owner"), "namespace default");
  EXPECT_EQ(text_at(*rows.at("other"), "status"), "live");
  EXPECT_EQ(text_at(*rows.at("other"), "owner"), "worker other");
  EXPECT_EQ(other.result_of(kUnbind, R"({"id":")" + parked + R"("})"),
            parsed(R"({"removed":true})"));
  EXPECT_FALSE(is_known(parked));
}

TEST_F(FunctionStyle, LongListsOfBindingsAreMadeInPiecesAndElsewhere) {
  for (int i = 0; i < 300; ++i) maker_.bind("b" + std::to_string(i), "log", "g");
  const size_t jobs = bus_.background.jobs;
  const json::Value all = maker_.result_of("engine::registered-triggers::list");
  EXPECT_EQ(all.find("registered_triggers")->as_array()->size(), 300U);
  EXPECT_EQ(bus_.background.jobs, jobs + 1);
}

TEST_F(FunctionStyle, AVerdictTimerOfATableThatIsGoneNeverFires) {
  FakeTimers timers;
  {
    const EngineLimits limits;
    Slices slices(timers);
    OwnerIds owners;
    TriggerTable table(timers, slices, owners, limits);
    table.register_type(provider_.worker(), {.id = "t",
                                             .description = "d",
                                             .trigger_request_format = {},
                                             .call_request_format = {},
                                             .name_space = {}});
    table.bind_by_function("default", {.id = "b", .trigger_type = "t"},
                           [](const std::optional<Error>&) {});
    provider_.take();
  }
  timers.advance(std::chrono::hours(1));
  EXPECT_EQ(timers.pending(), 0U);
}

}  // namespace
}  // namespace iii::engine
