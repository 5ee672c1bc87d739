// directory::registry::workers::* and directory::engine::functions::info, over the bus.
#include "directory/discovery/registry.h"

#include <fstream>
#include <iterator>

#include "directory/discovery/engine_info.h"
#include "directory/reading/fixture_for_test.h"
#include "directory/sources/http_server_for_test.h"

namespace iii::directory {
namespace {

using json::Value;
using sources::TestServer;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kListId = "directory::registry::workers::list";
constexpr const char* kInfoId = "directory::registry::workers::info";
constexpr const char* kEngineId = "directory::engine::functions::info";

class RegistryFunctions : public DirectoryTest {
 protected:
  void begin() {
    sources::DownloadsOptions options;
    options.skills_folder = tree.at("never-written");
    options.registry.url = server.url();
    options.registry.retries = 0;
    options.registry.cache_ttl = std::chrono::milliseconds(cache ? 1 : 0);
    options.registry.negative_ttl = std::chrono::milliseconds(0);
    downloads = std::make_shared<sources::Downloads>(options);
    add_registry_functions(table, worker.pool(), [this] { return downloads; });
    add_engine_info(table, client, worker.pool());
    start();
  }

  TestServer::Reply answer(const TestServer::Request& request) {
    if (down) return {.status = 503};
    if (request.target.starts_with("/w?") || request.target == "/w") {
      return {.body = R"({"workers":[{"name":"resend"}],"pagination":{"page_size":20}})"};
    }
    if (request.target.starts_with("/w/resend?")) {
      return {.body = R"({"worker":{"name":"resend","readme":"# r"}})"};
    }
    return {.status = 404};
  }

  std::atomic<bool> down = false;
  bool cache = false;
  TestServer server{[this](const TestServer::Request& request) { return answer(request); }};
  std::shared_ptr<sources::Downloads> downloads;
};

TEST_F(RegistryFunctions, ListTrimsAndLeavesBlankFieldsOut) {
  begin();
  EXPECT_EQ(json::to_text(*ask(kListId, R"({"search":"  ","cursor":null})").find("pagination")),
            R"({"has_more":false,"next_cursor":null,"page_size":20})");
  ask(kListId, R"({"search":" mail ","cursor":"x","limit":3})");
  EXPECT_THAT(server.targets(), ElementsAre("/w", "/w?search=mail&cursor=x"));
}

TEST_F(RegistryFunctions, InfoTellsOfOneWorker) {
  begin();
  const Value info = ask(kInfoId, R"({"name":" resend ","version":" 1.0 "})");
  EXPECT_EQ(text(info, "readme"), "# r");
  EXPECT_EQ(info.find("stale"), nullptr);
  EXPECT_THAT(server.targets(), testing::UnorderedElementsAre("/w/resend?version=1.0",
                                                              "/w/resend/skills?version=1.0"));
}

TEST_F(RegistryFunctions, W20_EveryRefusalHasACodeAndAWayOn) {
  begin();
  EXPECT_THAT(refusal(kInfoId, R"({"name":"  "})"),
              AllOf(HasSubstr("D311 invalid_input:"), HasSubstr("non-empty"), HasSubstr("Next:")));
  for (const char* name : {"../../admin", "shell/../../etc", "x?admin=1", "x#frag", "a/b", "Shell",
                           "shell name", "sh`id`", "é", "-x"}) {
    EXPECT_THAT(
        refusal(kInfoId, R"({"name":")" + std::string(name) + R"(","version":"1","tag":"2"})"),
        AllOf(HasSubstr("D311 invalid_input:"), HasSubstr("worker name"),
              HasSubstr("Next: call directory::registry::workers::list")));
  }
  EXPECT_THAT(refusal(kInfoId, R"({"name":"x2","version":"1","tag":"2"})"),
              AllOf(HasSubstr("D311"), HasSubstr("either version OR tag")));
  EXPECT_TRUE(server.targets().empty());
  EXPECT_THAT(refusal(kInfoId, R"({"name":"x2"})"),
              AllOf(HasSubstr("D310 not_found:"), HasSubstr("x2@latest")));
  down = true;
  EXPECT_THAT(refusal(kListId, "{}"), AllOf(HasSubstr("D320 registry_error:"), HasSubstr("503")));
}

TEST_F(RegistryFunctions, W19_AnOldAnswerSaysThatItIsOld) {
  cache = true;
  begin();
  EXPECT_EQ(ask(kListId, "{}").find("stale"), nullptr);
  down = true;
  // The cache keeps answers for a millisecond here.
  while (server.targets().size() < 2) ask(kListId, "{}");
  const Value stale = ask(kListId, "{}");
  ASSERT_NE(stale.find("stale"), nullptr);
  EXPECT_EQ(*stale.find("stale"), Value(true));
}

TEST_F(RegistryFunctions, TheRegistryCanBeReplaced) {
  begin();
  ask(kListId, "{}");
  TestServer other([](const TestServer::Request&) { return TestServer::Reply{.body = "{}"}; });
  sources::DownloadsOptions options = downloads->options();
  options.registry.url = other.url();
  downloads = std::make_shared<sources::Downloads>(options);
  EXPECT_TRUE(ask(kListId, "{}").find("workers")->as_array()->empty());
}

class EngineInfo : public RegistryFunctions {
 protected:
  // Plays the engine's own functions.
  void serve(std::string answer) {
    auto others = engine.on_frame;
    engine.on_frame = [this, others, answer](const Value& frame) {
      const std::string id = text(frame, "function_id");
      if (text(frame, "type") == "invokefunction" && id == "engine::functions::info") {
        engine.answer(frame, answer);
      } else if (text(frame, "type") == "invokefunction" && id == "engine::functions::list") {
        engine.answer(frame, R"(,"result":{"functions":[{"function_id":"probe::full"}]})");
      } else {
        others(frame);
      }
    };
  }
};

TEST_F(EngineInfo, EveryKeyIsThere) {
  serve(R"(,"result":{"function_id":"bare","registered_triggers":[]})");
  begin();
  EXPECT_EQ(json::to_text(ask(kEngineId, R"({"function_id":" a::b "})")),
            R"({"description":null,"function_id":"a::b","metadata":null,"registered_triggers":[],)"
            R"("request_schema":null,"response_schema":null,"worker_name":"a"})");
  EXPECT_TRUE(ask(kEngineId, R"({"function_id":"bare"})").find("worker_name")->is_null());
}

TEST_F(EngineInfo, W24_AnEmptyFormatDoesNotHideTheSchema) {
  serve(R"(,"result":{"namespace":"default","worker_name":"w","request_format":null,
      "request_schema":{"type":"object"},"response_format":{"type":"number"},
      "response_schema":{"type":"string"},"registered_triggers":[{"id":"t","trigger_type":"x"},
      {"id":5,"trigger_type":"x"}]})");
  begin();
  const Value info = ask(kEngineId, R"({"function_id":"probe::full"})");
  EXPECT_EQ(json::to_text(*info.find("request_schema")), R"({"type":"object"})");
  EXPECT_EQ(json::to_text(*info.find("response_schema")), R"({"type":"number"})");
  EXPECT_EQ(text(info, "namespace"), "default");
  EXPECT_EQ(json::to_text(*info.find("registered_triggers")),
            R"([{"config":{},"id":"t","trigger_type":"x"}])");
}

TEST_F(EngineInfo, W24_NotFoundIsCodedAndSuggests) {
  serve(R"(,"error":{"code":"NOT_FOUND","message":"no"})");
  begin();
  EXPECT_THAT(refusal(kEngineId, R"({"function_id":"probe::ful"})"),
              AllOf(HasSubstr("D340 not_found:"), HasSubstr("was not found"),
                    HasSubstr("Did you mean: probe::full?"),
                    HasSubstr("Next: call engine::functions::list")));
  EXPECT_THAT(refusal(kEngineId, R"({"function_id":"  "})"),
              AllOf(HasSubstr("D341"), HasSubstr("non-empty")));
}

TEST_F(EngineInfo, W24_IdsAreComparedOnAnotherThread) {
  serve(R"(,"error":{"code":"NOT_FOUND","message":"no"})");
  begin();
  BusyPool busy(worker.pool());
  const std::string missed = send(kEngineId, R"({"function_id":"probe::ful"})");
  // The loop goes on, also long after the engine has told its functions.
  for (int i = 0; i < 10; ++i) EXPECT_NE(ask("directory::prompts::list").find("prompts"), nullptr);
  EXPECT_FALSE(is_answered(missed));
  busy.end();
  EXPECT_THAT(json::to_text(outcome(missed)), HasSubstr("Did you mean: probe::full?"));
}

TEST_F(EngineInfo, W24_LongIdsAreRefusedOrGetNoSuggestion) {
  serve(R"(,"error":{"code":"NOT_FOUND","message":"no"})");
  begin();
  const auto missed = [this](size_t size) {
    return refusal(kEngineId, R"({"function_id":"probe::full)" +
                                  std::string(size - std::string_view("probe::full").size(), 'l') +
                                  "\"}");
  };
  EXPECT_THAT(missed(12), HasSubstr("Did you mean"));
  EXPECT_THAT(missed(1024), AllOf(HasSubstr("D340"), testing::Not(HasSubstr("Did you mean"))));
  EXPECT_THAT(missed(1025), HasSubstr("D123 invalid_input: `function_id` has 1025 characters"));
  EXPECT_THAT(missed(4'000'000), HasSubstr("D122 too_large:"));
}

TEST_F(EngineInfo, W24_OtherFailuresAreCoded) {
  serve(R"(,"error":{"code":"FORBIDDEN","message":"not yours"})");
  begin();
  EXPECT_THAT(refusal(kEngineId, R"({"function_id":"a::b"})"),
              AllOf(HasSubstr("D342 engine_error:"), HasSubstr("FORBIDDEN"), HasSubstr("Next:")));
}

// Every key of `theirs` is in `ours`; texts for people and the two spellings of "anything" aside.
void expect_within(const Value& theirs, const Value& ours, const std::string& where) {
  if (theirs == Value(true)) {
    EXPECT_EQ(ours.find("type"), nullptr) << where;
  } else if (theirs.as_object() == nullptr) {
    EXPECT_EQ(json::to_text(theirs), json::to_text(ours)) << where;
  } else {
    for (const auto& [key, value] : *theirs.as_object()) {
      const Value* same = ours.find(key);
      ASSERT_NE(same, nullptr) << where << "/" << key << " in " << json::to_text(ours);
      expect_within(value, *same, where + "/" + key);
    }
  }
}

TEST_F(RegistryFunctions, SchemasHoldEverythingThatWasRegisteredAt080) {
  begin();
  std::ifstream file(std::string(III_TEST_DATA) + "/directory-0.8.0/schemas.json");
  const auto recorded = json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  ASSERT_TRUE(recorded);
  size_t compared = 0;
  for (const Value& theirs : *recorded->find("functions")->as_array()) {
    for (const Value& ours : engine.of_type("registerfunction")) {
      const std::string id = text(ours, "id");
      if (id != text(theirs, "name") || (id != kListId && id != kInfoId && id != kEngineId))
        continue;
      expect_within(*theirs.find("request_schema"), *ours.find("request_format"), id + " in");
      expect_within(*theirs.find("response_schema"), *ours.find("response_format"), id + " out");
      ++compared;
    }
  }
  EXPECT_EQ(compared, 3U);
}

}  // namespace
}  // namespace iii::directory
