// Against an engine that forgets, as the public one does now and then.
#include "directory/table/configuration_entry.h"

#include "bus/sdk/fake_engine.h"
#include "directory/table/bus.h"
#include "directory/table/function_table.h"

namespace iii::directory {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

class ForgetfulEngine : public testing::Test {
 protected:
  ForgetfulEngine()
      : engine(loop), worker(sdk::WorkerOptions{.name = "t"}, loop, engine.transport()) {
    options = {.name = "The directory",
               .description = "What may change.",
               .schema = json::Object{{"type", json::Array{"object", "null"}}},
               .checks = {milliseconds(1), milliseconds(1)},
               .attempts = 4,
               .pause = milliseconds(1)};
    engine.on_frame = [this](const json::Value& frame) { received(frame); };
  }
  void TearDown() override { engine.deafen(); }
  void start() {
    entry.emplace(worker, table, options,
                  [this](const json::Value& value) { values.push_back(json::to_text(value)); });
    serve_on(worker, table);
    ASSERT_TRUE(worker.start());
  }
  void until(std::function<bool()> done) { engine.run_until(std::move(done)); }

  net::Loop loop;
  sdk::FakeEngine engine;
  sdk::Worker worker;
  FunctionTable table;
  EntryOptions options;
  std::optional<ConfigurationEntry> entry;

  // What this engine does with an entry.
  bool has_configuration = true;
  int forget = 0;             // so many registrations vanish after the first look
  bool loses_schema = false;  // and come back without a schema instead
  std::string stored = "null";
  std::optional<std::string> set_meanwhile;  // by somebody else, right before our own
  std::vector<std::string> sets;
  std::vector<json::Value> registrations;
  std::vector<std::string> values;  // as told

 private:
  void received(const json::Value& frame) {
    const json::Value* function = frame.find("function_id");
    if (*frame.find("type") != json::Value("invokefunction") || function == nullptr) return;
    const std::string& id = *function->as_string();
    if (!has_configuration) return refuse(frame, "function_not_found");
    if (id == "configuration::register") {
      registrations.push_back(*frame.find("data"));
      looks_ = 0;
      return engine.answer(frame, ",\"result\":{}");
    }
    if (id == "configuration::get") {
      return engine.answer(frame, R"(,"result":{"id":"iii-directory","value":)" + stored + "}");
    }
    if (id == "configuration::set") {
      const std::string before = set_meanwhile.value_or(stored);
      set_meanwhile.reset();
      stored = json::to_text(*frame.find("data")->find("value"));
      sets.push_back(stored);
      return engine.answer(
          frame, R"(,"result":{"old_value":)" + before + R"(,"new_value":)" + stored + "}");
    }
    if (id != "configuration::schema") return;
    const bool forgotten = static_cast<int>(registrations.size()) <= forget && ++looks_ > 1;
    if (!forgotten) return engine.answer(frame, R"(,"result":{"schema":{"type":"object"}})");
    if (loses_schema) return engine.answer(frame, R"(,"result":{"schema":null})");
    refuse(frame, "NOT_FOUND");
  }
  void refuse(const json::Value& frame, const std::string& code) {
    engine.answer(frame, R"(,"error":{"code":")" + code + R"(","message":"m"})");
  }

  int looks_ = 0;
};

TEST_F(ForgetfulEngine, AnEntryThatStaysIsRegisteredOnceAndWithoutAValue) {
  stored = R"({"lenient":false})";
  start();
  until([this] { return !values.empty(); });
  ASSERT_EQ(registrations.size(), 1U);
  EXPECT_EQ(*registrations[0].find("id"), json::Value("iii-directory"));
  EXPECT_EQ(*registrations[0].find("name"), json::Value("The directory"));
  EXPECT_EQ(*registrations[0].find("schema"), options.schema);
  EXPECT_EQ(registrations[0].find("initial_value"), nullptr) << "it would overwrite the operator's";
  EXPECT_THAT(values, ElementsAre(R"({"lenient":false})"));
}

TEST_F(ForgetfulEngine, AnEntryThatVanishesIsRegisteredAgain) {
  forget = 2;
  start();
  until([this] { return !values.empty(); });
  EXPECT_EQ(registrations.size(), 3U);
}

TEST_F(ForgetfulEngine, AnEntryThatComesBackWithoutItsSchemaIsRegisteredAgain) {
  forget = 1;
  loses_schema = true;
  start();
  until([this] { return !values.empty(); });
  EXPECT_EQ(registrations.size(), 2U);
}

TEST_F(ForgetfulEngine, TheNumberOfAttemptsIsBounded) {
  forget = 1'000;
  start();
  until([this] { return registrations.size() == 4 && !entry->busy(); });
  EXPECT_EQ(registrations.size(), 4U);
  EXPECT_THAT(values, IsEmpty());
}

TEST_F(ForgetfulEngine, AnEngineWithoutConfigurationIsLeftAlone) {
  has_configuration = false;
  start();
  until([this] { return !engine.of_type("invokefunction").empty() && !entry->busy(); });
  EXPECT_EQ(engine.of_type("invokefunction").size(), 1U);
}

TEST_F(ForgetfulEngine, AChangeIsFetchedAndToldOnce) {
  start();
  until([this] { return !values.empty(); });
  stored = R"({"filter_unregistered":false})";
  engine.invoke("directory::on-config-change", R"({"event_type":"configuration:updated"})");
  until([this] { return values.size() == 2; });
  EXPECT_THAT(values, ElementsAre("null", R"({"filter_unregistered":false})"));
  engine.frames.clear();
  engine.invoke("directory::on-config-change", "{}");
  engine.wait_for("invocationresult", 1);
  EXPECT_EQ(values.size(), 2U) << "nothing changed";
}

TEST_F(ForgetfulEngine, AValueIsCompletedWithTheSettingsOfTheFile) {
  options.settings = [] { return json::Object{{"skills_folder", "/mine"}, {"lenient", true}}; };
  stored = R"({"lenient":false})";
  start();
  until([this] { return !values.empty(); });
  EXPECT_THAT(sets, ElementsAre(R"({"lenient":false,"skills_folder":"/mine"})"));
  EXPECT_THAT(values, ElementsAre(R"({"lenient":false,"skills_folder":"/mine"})"));
}

TEST_F(ForgetfulEngine, AsLongAsNobodySetAValueNothingIsStored) {
  options.settings = [] { return json::Object{{"skills_folder", "/mine"}}; };
  start();
  until([this] { return !values.empty() && !entry->busy(); });
  EXPECT_THAT(sets, IsEmpty());
  EXPECT_THAT(values, ElementsAre("null"));
}

TEST_F(ForgetfulEngine, AKeyThatANewValueLeavesOutStaysAndNullGivesItUp) {
  stored = R"({"lenient":false,"watch":false})";
  start();
  until([this] { return !values.empty(); });
  EXPECT_THAT(sets, IsEmpty());
  stored = R"({"lenient":null})";
  engine.invoke("directory::on-config-change", "{}");
  until([this] { return values.size() == 2; });
  EXPECT_THAT(sets, ElementsAre(R"({"lenient":null,"watch":false})"));
  stored = "null";
  engine.invoke("directory::on-config-change", "{}");
  until([this] { return values.size() == 3; });
  stored = R"({"log_level":"warn"})";
  engine.invoke("directory::on-config-change", "{}");
  until([this] { return values.size() == 4; });
  EXPECT_EQ(sets.size(), 1U) << "nothing is left of what was given up";
}

TEST_F(ForgetfulEngine, WhoeverSetsTheEntryMeanwhileIsNotOverwritten) {
  options.settings = [] { return json::Object{{"skills_folder", "/mine"}}; };
  stored = R"({"lenient":false})";
  set_meanwhile = R"({"lenient":true,"watch":false})";
  start();
  until([this] { return !values.empty(); });
  EXPECT_THAT(sets, ElementsAre(R"({"lenient":false,"skills_folder":"/mine"})",
                                R"({"lenient":true,"skills_folder":"/mine","watch":false})"));
}

TEST_F(ForgetfulEngine, ListensToItsOwnEntryOnly) {
  start();
  until([this] { return !values.empty(); });
  const auto bindings = engine.of_type("registertrigger");
  ASSERT_EQ(bindings.size(), 1U);
  EXPECT_EQ(*bindings[0].find("trigger_type"), json::Value("configuration"));
  EXPECT_EQ(json::to_text(*bindings[0].find("config")),
            R"({"configuration_id":"iii-directory","event_types":["configuration:updated"]})");
}

}  // namespace
}  // namespace iii::directory
