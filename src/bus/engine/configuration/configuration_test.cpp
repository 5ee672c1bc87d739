// configuration::* as a caller sees it: answers, checks, expansion, events, durability.
#include "bus/engine/configuration/configuration.h"

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

constexpr std::string_view kSchema =
    R"({"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},)"
    R"("required":["n"],"additionalProperties":false})";

class ConfigurationTest : public testing::Test {
 protected:
  ConfigurationTest() { start(); }

  void start(ConfigurationLimits limits = {}) {
    configuration_.reset();
    store_ = std::make_unique<FakeStore>(&disk_);
    configuration_ = std::make_unique<Configuration>(
        *store_, bus_,
        [this](const std::string& name) -> std::optional<std::string> {
          const auto found = variables_.find(name);
          if (found == variables_.end()) return std::nullopt;
          return found->second;
        },
        limits);
    EXPECT_TRUE(configuration_->start());
    functions_ = configuration_->functions();
  }

  std::string call(std::string_view name, std::string_view data) {
    return shown(
        call_builtin(functions_, "configuration::" + std::string(name), data, [this] { turn(); }));
  }
  void turn() {
    bus_.turn();
    store_->turn();
    bus_.turn();
  }
  // Registers entry `c`; `more` is added to the input, with its comma.
  std::string register_c(std::string_view schema, std::string_view more = "") {
    return call("register", R"({"id":"c","name":"N","description":"D","schema":)" +
                                std::string(schema) + std::string(more) + "}");
  }
  std::string set(std::string_view value) {
    return call("set", R"({"id":"c","value":)" + std::string(value) + "}");
  }
  std::string get() { return call("get", R"({"id":"c"})"); }
  std::string get_raw() { return call("get", R"({"id":"c","raw":true})"); }
  void bind(std::string id, std::string config,
            std::optional<std::string> metadata = std::nullopt) {
    const std::string function = "f-" + id;
    bound_.push_back(bus_.binding(std::move(id), function, std::move(config), metadata));
    EXPECT_TRUE(bus_.bind(provider(), bound_.back()));
  }

  TriggerProvider& provider() { return *configuration_->trigger_type().provider; }

  FakeStore::Disk disk_;
  FakeBus bus_;
  std::vector<BindingPtr> bound_;
  std::map<std::string, std::string> variables_;
  std::unique_ptr<FakeStore> store_;
  std::unique_ptr<Configuration> configuration_;
  std::vector<BuiltinFunction> functions_;
};

TEST_F(ConfigurationTest, UnknownEntries) {
  EXPECT_EQ(get(), "NOT_FOUND: configuration 'c' not found");
  EXPECT_EQ(call("schema", R"({"id":"c"})"), "NOT_FOUND: configuration 'c' not found");
  EXPECT_EQ(set("1"),
            "NOT_REGISTERED: configuration 'c' is not registered; call configuration::register "
            "first");
}

TEST_F(ConfigurationTest, RegisterAnswersTheEntry) {
  EXPECT_EQ(register_c("{}", R"(,"initial_value":{"n":1},"metadata":{"m":1})"),
            R"({"description":"D","id":"c","metadata":{"m":1},"name":"N","schema":{},)"
            R"("value":{"n":1}})");
  EXPECT_EQ(register_c("{}"),
            R"({"description":"D","id":"c","name":"N","schema":{},"value":{"n":1}})");
}

TEST_F(ConfigurationTest, AnEntryWithoutValueIsNullAndUsuallyInvalid) {
  register_c(kSchema);
  EXPECT_EQ(get(), R"(SCHEMA_INVALID: schema validation failed: null is not of type "object")");
  EXPECT_EQ(get_raw(), R"({"id":"c","value":null})");
}

TEST_F(ConfigurationTest, InitialValueReplacesAndNullDoesNot) {
  register_c(kSchema, R"(,"initial_value":{"n":1})");
  register_c(kSchema);
  EXPECT_EQ(get(), R"({"id":"c","value":{"n":1}})");
  register_c(kSchema, R"(,"initial_value":{"n":9})");
  EXPECT_EQ(get(), R"({"id":"c","value":{"n":9}})");
  register_c(kSchema, R"(,"initial_value":null)");
  EXPECT_EQ(get(), R"({"id":"c","value":{"n":9}})");
  EXPECT_EQ(register_c(kSchema, R"(,"initial_value":{"n":"x"})"),
            R"(SCHEMA_INVALID: schema validation failed: "x" is not of type "integer")");
  EXPECT_EQ(get(), R"({"id":"c","value":{"n":9}})");
}

TEST_F(ConfigurationTest, SetChecksAgainstTheSchema) {
  register_c(kSchema, R"(,"initial_value":{"n":9})");
  EXPECT_EQ(set(R"({"n":2,"s":"x"})"), R"({"new_value":{"n":2,"s":"x"},"old_value":{"n":9}})");
  const std::string prefix = "SCHEMA_INVALID: schema validation failed: ";
  EXPECT_EQ(set(R"({"n":"x"})"), prefix + R"("x" is not of type "integer")");
  EXPECT_EQ(set(R"({"s":5})"), prefix + R"(5 is not of type "string"; "n" is a required property)");
  EXPECT_EQ(set(R"({"n":1,"z":1})"),
            prefix + "Additional properties are not allowed ('z' was unexpected)");
  EXPECT_EQ(set("null"), prefix + R"(null is not of type "object")");
  EXPECT_EQ(get(), R"({"id":"c","value":{"n":2,"s":"x"}})");
}

TEST_F(ConfigurationTest, BadInputIsExplained) {
  const std::string prefix = "deserialization_error: Failed to deserialize input for ";
  EXPECT_EQ(call("set", R"({"id":"c"})"), prefix + "configuration::set: missing field `value`");
  EXPECT_EQ(
      call("list", "null"),
      prefix + "configuration::list: invalid type: null, expected struct ConfigurationListInput");
  EXPECT_EQ(call("register", R"({"id":"c","name":"n","description":"d"})"),
            prefix + "configuration::register: missing field `schema`");
  EXPECT_EQ(call("register", R"({"id":"c","description":"d","schema":{}})"),
            prefix + "configuration::register: missing field `name`");
  EXPECT_EQ(call("get", R"({"id":"c","raw":"yes"})"),
            prefix + "configuration::get: invalid type: string \"yes\", expected a boolean");
}

TEST_F(ConfigurationTest, IdsAreChecked) {
  for (const std::string id : {"Abc", "", "a.b", "a b", "../x", "é"}) {
    EXPECT_EQ(
        call("register", R"({"id":")" + id + R"(","name":"n","description":"d","schema":{}})"),
        "INVALID_ID: invalid configuration id '" + id + "': must match [a-z0-9_-]{1,64}");
  }
  const std::string longest(64, 'a');
  EXPECT_THAT(
      call("register", R"({"id":")" + longest + R"(","name":"n","description":"d","schema":{}})"),
      StartsWith("{"));
  EXPECT_THAT(
      call("register", R"({"id":"a)" + longest + R"(","name":"n","description":"d","schema":{}})"),
      StartsWith("INVALID_ID"));
  EXPECT_THAT(call("set", R"({"id":"A B","value":1})"), StartsWith("INVALID_ID"));
  EXPECT_EQ(call("get", R"({"id":"A B"})"), "NOT_FOUND: configuration 'A B' not found");
}

TEST_F(ConfigurationTest, SchemasAreLookedAtWhenAValueIsChecked) {
  EXPECT_THAT(register_c(R"({"type":"nope"})"), StartsWith("{"));
  EXPECT_THAT(set("1"),
              StartsWith("SCHEMA_INVALID: schema validation failed: invalid JSON Schema"));
  EXPECT_EQ(call("register",
                 R"({"id":"y","name":"n","description":"d","schema":null,"initial_value":{}})"),
            "SCHEMA_INVALID: schema validation failed: invalid JSON Schema: null is not of types "
            "\"boolean\", \"object\"");
  EXPECT_THAT(call("get", R"({"id":"y"})"), StartsWith("NOT_FOUND"));
  EXPECT_THAT(register_c("true", R"(,"initial_value":[1])"), HasSubstr(R"("value":[1])"));
}

TEST_F(ConfigurationTest, ANullSchemaAllowsReadingButNotSetting) {
  register_c("null");
  EXPECT_EQ(get(), R"({"id":"c","value":null})");
  EXPECT_THAT(set("1"), StartsWith("SCHEMA_UNAVAILABLE"));
}

TEST_F(ConfigurationTest, ListIsSortedAndShowsNoValues) {
  register_c("{}", R"(,"initial_value":1)");
  call("register", R"({"id":"a","name":"A","description":"x","schema":true,"metadata":5})");
  EXPECT_EQ(call("list", "{}"),
            R"({"configurations":[)"
            R"({"description":"x","id":"a","metadata":5,"name":"A","schema":true},)"
            R"({"description":"D","id":"c","name":"N","schema":{}}]})");
  EXPECT_EQ(call("schema", R"({"id":"c"})"),
            R"({"description":"D","id":"c","name":"N","schema":{}})");
}

TEST_F(ConfigurationTest, ValuesAreExpandedWhenRead) {
  register_c("{}", R"(,"initial_value":{"v":"${X:5}","w":"a${X:5}"})");
  EXPECT_EQ(get(), R"({"id":"c","value":{"v":5,"w":"a5"}})");
  EXPECT_EQ(get_raw(), R"({"id":"c","value":{"v":"${X:5}","w":"a${X:5}"}})");
  variables_["X"] = "true";
  EXPECT_EQ(get(), R"({"id":"c","value":{"v":true,"w":"atrue"}})");
  EXPECT_EQ(set(R"({"v":"${Y}"})"),
            R"({"new_value":{"v":"${Y}"},"old_value":{"v":"${X:5}","w":"a${X:5}"}})");
  EXPECT_EQ(get(),
            "EXPAND_FAILED: configuration 'c' references unset environment variable(s) with no "
            "default: Y");
  EXPECT_EQ(get_raw(), R"({"id":"c","value":{"v":"${Y}"}})");
}

TEST_F(ConfigurationTest, TheExpandedValueIsChecked) {
  register_c(R"({"properties":{"port":{"type":"integer"}}})",
             R"(,"initial_value":{"port":"${X:80}"})");
  EXPECT_EQ(get(), R"({"id":"c","value":{"port":80}})");
  EXPECT_EQ(set(R"({"port":"${X:abc}"})"),
            R"(SCHEMA_INVALID: schema validation failed: "abc" is not of type "integer")");
  EXPECT_THAT(set(R"({"port":"${X}"})"), StartsWith(R"({"new_value")"));  // cannot be known yet
  variables_["X"] = "abc";
  EXPECT_THAT(get(), StartsWith("SCHEMA_INVALID"));
}

TEST_F(ConfigurationTest, EntriesSurviveARestartWithTheirSchema) {
  register_c(kSchema, R"(,"initial_value":{"n":1},"metadata":{"m":1})");
  start();
  EXPECT_EQ(get(), R"({"id":"c","value":{"n":1}})");
  EXPECT_THAT(set(R"({"n":"x"})"), StartsWith("SCHEMA_INVALID"));
  EXPECT_THAT(call("schema", R"({"id":"c"})"), HasSubstr(R"("metadata":{"m":1})"));
}

TEST_F(ConfigurationTest, AFailingDiskPutsEverythingBack) {
  register_c("{}", R"(,"initial_value":1)");
  bind("t", "{}");
  store_->hold_commits();
  EXPECT_EQ(set("2"), "...");
  EXPECT_EQ(get(), R"({"id":"c","value":2})");
  call("register", R"({"id":"d","name":"n","description":"d","schema":{}})");
  store_->break_disk();
  EXPECT_EQ(get(), R"({"id":"c","value":1})");
  EXPECT_THAT(call("get", R"({"id":"d"})"), StartsWith("NOT_FOUND"));
  EXPECT_THAT(bus_.calls, IsEmpty());
  store_->refuse(true);
  EXPECT_THAT(set("3"), StartsWith("ADAPTER_ERROR: too many writes"));
  EXPECT_EQ(get(), R"({"id":"c","value":1})");
}

TEST_F(ConfigurationTest, EventsCarryTheExpandedValues) {
  bind("t", R"({"configuration_id":"c"})", R"({"from":"t"})");
  register_c("{}", R"(,"initial_value":{"v":"${X:5}","u":"${Y}"},"metadata":{"m":1})");
  ASSERT_EQ(bus_.calls.size(), 1U);
  EXPECT_EQ(bus_.calls[0].data.view(),
            R"({"description":"D","event_type":"configuration:registered","id":"c",)"
            R"("metadata":{"m":1},"name":"N","new_value":{"u":"${Y}","v":5},"old_value":null,)"
            R"("schema":{},"type":"configuration"})");
  EXPECT_EQ(bus_.calls[0].metadata->view(), R"({"from":"t"})");
  register_c("{}");
  EXPECT_EQ(bus_.calls[1].data.view(),
            R"({"description":"D","event_type":"configuration:updated","id":"c","name":"N",)"
            R"("new_value":{"u":"${Y}","v":5},"old_value":{"u":"${Y}","v":5},"schema":{},)"
            R"("type":"configuration"})");
}

TEST_F(ConfigurationTest, BindingsFilterByEntryAndEvent) {
  bind("all", R"({"configuration_id":"c"})");
  bind("updates", R"({"event_types":["configuration:updated"]})");
  bind("none", R"({"event_types":["nope"]})");
  bind("other", R"({"configuration_id":"d"})");
  register_c("{}");
  EXPECT_THAT(bus_.called(), ElementsAre("f-all"));
  set("1");
  EXPECT_THAT(bus_.called(), ElementsAre("f-all", "f-all", "f-updates"));
  provider().unbind(*bound_.front());
  set("1");
  EXPECT_THAT(bus_.called(), ElementsAre("f-all", "f-all", "f-updates", "f-updates"));
}

TEST_F(ConfigurationTest, ANullTriggerConfigIsRefused) {
  const auto bound = bus_.bind(provider(), bus_.binding("id", "f", "null"));
  ASSERT_FALSE(bound);
  EXPECT_EQ(bound.error().message,
            "Failed to parse configuration trigger config: invalid type: null, expected struct "
            "ConfigurationTriggerConfig");
}

TEST_F(ConfigurationTest, EnsureKeepsWhatAPersonHasSet) {
  ConfigurationRegisterInput entry;
  entry.id = "own";
  entry.name = "Own";
  entry.schema.text = "{}";
  entry.initial_value = json::Raw{"1"};
  bind("t", "{}");
  configuration_->ensure(entry);
  turn();
  EXPECT_EQ(call("get", R"({"id":"own"})"), R"({"id":"own","value":1})");
  call("set", R"({"id":"own","value":2})");
  bus_.calls.clear();
  entry.schema.text = R"({"type":"integer"})";
  configuration_->ensure(entry);
  turn();
  EXPECT_EQ(call("get", R"({"id":"own"})"), R"({"id":"own","value":2})");
  EXPECT_THAT(call("schema", R"({"id":"own"})"), HasSubstr("integer"));
  EXPECT_THAT(bus_.calls, IsEmpty());
}

TEST_F(ConfigurationTest, ListenersAreToldAfterTheCommit) {
  std::vector<std::string> changed;
  configuration_->on_change([&changed](const std::string& id) { changed.push_back(id); });
  store_->hold_commits();
  register_c("{}", R"(,"initial_value":"${X:7}")");
  EXPECT_THAT(changed, IsEmpty());
  store_->commit();
  EXPECT_THAT(changed, ElementsAre("c"));
  EXPECT_EQ(*configuration_->value_of("c"), json::Value(7));
  EXPECT_FALSE(configuration_->value_of("nothing"));
}

TEST_F(ConfigurationTest, EntriesAreLimited) {
  ConfigurationLimits limits;
  limits.max_entries = 1;
  limits.max_entry_bytes = 10;  // N, D, {} and the value
  start(limits);
  EXPECT_THAT(register_c("{}", R"(,"initial_value":123456)"), StartsWith("{"));
  EXPECT_THAT(register_c("{}", R"(,"initial_value":1234567)"), StartsWith("ADAPTER_ERROR"));
  EXPECT_THAT(call("register", R"({"id":"d","name":"","description":"","schema":{}})"),
              StartsWith("ADAPTER_ERROR: there are 1 entries already"));
}

TEST_F(ConfigurationTest, TheSizeIsCheckedBeforeAnythingElse) {
  ConfigurationLimits limits;
  limits.max_entry_bytes = 30;
  start(limits);
  const std::string large = '"' + std::string(30, '$') + '"';
  EXPECT_THAT(register_c(R"({"type":"integer"})", R"(,"initial_value":)" + large),
              StartsWith("ADAPTER_ERROR"));
  register_c(R"({"type":"integer"})", R"(,"initial_value":1)");
  EXPECT_THAT(set(large), StartsWith("ADAPTER_ERROR"));
}

TEST_F(ConfigurationTest, AllEntriesTogetherAreLimited) {
  ConfigurationLimits limits;
  limits.max_total_bytes = 10;
  start(limits);
  register_c("{}", R"(,"initial_value":12)");
  EXPECT_THAT(call("register", R"({"id":"d","name":"","description":"","schema":1})"),
              StartsWith("ADAPTER_ERROR: all entries together would have 11 bytes"));
  EXPECT_THAT(set("123456"), StartsWith(R"({"new_value")"));
}

TEST_F(ConfigurationTest, LimitsAreCheckedBeforeAnythingIsExpandedOrCompiled) {
  ConfigurationLimits limits;
  limits.max_entry_bytes = 10;
  start(limits);
  const auto jobs = [this] { return static_cast<FakeBackground&>(bus_.background()).jobs; };
  const size_t before = jobs();
  EXPECT_THAT(register_c(R"({"type":"nope"})", R"(,"initial_value":1)"),
              StartsWith("ADAPTER_ERROR: the entry has"));
  EXPECT_THAT(register_c(std::string(200'000, '1')), StartsWith("payload_too_large"));
  EXPECT_THAT(register_c("{}"), StartsWith("{"));
  EXPECT_THAT(set("12345678901"), StartsWith("ADAPTER_ERROR: the entry has"));
  EXPECT_EQ(jobs(), before);
  EXPECT_THAT(set("1"), StartsWith("{"));
  EXPECT_EQ(jobs(), before + 1) << "the check itself is not done on the loop";
}

TEST_F(ConfigurationTest, CallsAboutOneEntryTakePlaceInOrderOthersDoNotWait) {
  register_c("{}", R"(,"initial_value":1)");
  call("register", R"({"id":"d","name":"","description":"","schema":{}})");
  std::vector<std::string> answers;
  const auto later = [&](std::string_view name, std::string_view data) {
    for (const BuiltinFunction& function : functions_) {
      if (function.id != name) continue;
      function.handler(
          {}, data, [&answers](Outcome outcome) { answers.push_back(shown(std::move(outcome))); });
    }
  };
  later("configuration::set", R"({"id":"c","value":2})");
  later("configuration::get", R"({"id":"c","raw":true})");
  later("configuration::get", R"({"id":"d","raw":true})");
  EXPECT_THAT(answers, ElementsAre(R"({"id":"d","value":null})"));
  turn();
  EXPECT_THAT(answers, ElementsAre(R"({"id":"d","value":null})", R"({"id":"c","value":2})",
                                   R"({"new_value":2,"old_value":1})"));
}

TEST_F(ConfigurationTest, AListLargerThanAnAnswerIsRefused) {
  ConfigurationLimits limits;
  limits.max_list_bytes = 30;
  start(limits);
  register_c("{}");
  EXPECT_THAT(call("list", "{}"), StartsWith("ADAPTER_ERROR"));
}

TEST_F(ConfigurationTest, PublishesTheRecordedSchemas) {
  const BuiltinTriggerType type = configuration_->trigger_type();
  EXPECT_EQ(type.description, "Fires when a configuration entry is registered or updated.")
      << "the word `deleted` may be bound to as in the public engine, and does not occur";
  EXPECT_EQ(json::to_text(*type.configuration_schema->find("definitions")),
            R"({"ConfigurationEventType":{"enum":["configuration:registered",)"
            R"("configuration:updated","configuration:deleted"],"type":"string"}})");
  EXPECT_EQ(json::to_text(
                *type.configuration_schema->find("properties")->find("event_types")->find("type")),
            R"(["array","null"])");
  EXPECT_EQ(json::to_text(*type.request_schema->find("required")),
            R"(["description","event_type","id","name","schema","type"])");
  for (const BuiltinFunction& function : functions_) EXPECT_EQ(function.owner, "configuration");
}

TEST_F(ConfigurationTest, AnInputThatCannotBeAnEntryIsNotDecoded) {
  ConfigurationLimits limits;
  limits.max_entry_bytes = 1'000;
  start(limits);
  const std::string broken(8 * limits.max_entry_bytes + 64 * 1024, '{');
  for (const char* function : {"set", "register"}) {
    EXPECT_THAT(call(function, broken), StartsWith("deserialization_error")) << function;
    EXPECT_THAT(call(function, broken + "{"), StartsWith("payload_too_large")) << function;
  }
}

}  // namespace
}  // namespace iii::engine
