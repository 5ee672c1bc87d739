// The lists and details of 0.4.1 and 0.5.1 on engines of different ages, and when an engine fails.
#include "directory/legacy/introspect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "directory/discovery/engine_info.h"
#include "directory/discovery/guides.h"
#include "directory/reading/fixture_for_test.h"

namespace iii::directory {
namespace {

using json::Value;
using testing::HasSubstr;

class Introspect : public DirectoryTest {
 protected:
  Introspect() {
    engine.on_frame = [this](const Value& frame) { received(frame); };
  }
  void begin() {
    open_library();
    guides = std::make_unique<Guides>(*library,
                                      [this](uint16_t) { return content_options.roots[0].path; });
    add_introspection_041(table, client, *guides);
    add_introspection_051(table, client, *guides);
    add_engine_info(table, client, worker.pool(), guides.get());
    serve();
  }
  // An engine before 0.13.
  void be_old() {
    answers["engine::functions::list"] = R"({"functions":[
        {"function_id":"mem::observe","description":"Records","request_format":{"type":"object"}},
        {"function_id":"mem::recall","description":null}]})";
    answers["engine::workers::list"] = R"({"workers":[
        {"id":"w","name":"memory","status":"connected","functions":["mem::recall","mem::observe"]}]})";
    answers["engine::triggers::list"] = R"({"triggers":[
        {"id":"t","trigger_type":"mem::on","function_id":"mem::observe","config":{"a":1},
         "metadata":{"m":2}}]})";
    answers["engine::trigger-types::list"] = R"({"trigger_types":[
        {"id":"mem::on","description":"On","trigger_request_format":{"x":1},
         "call_request_format":{"y":2}}]})";
  }

  std::map<std::string, std::string> answers;   // what functions of the engine answer
  std::map<std::string, std::string> failures;  // their codes
  std::vector<std::string> asked;
  std::unique_ptr<Guides> guides;

 private:
  void received(const Value& frame) {
    if (text(frame, "type") != "invokefunction") return;
    const std::string id = text(frame, "function_id");
    asked.push_back(id);
    if (const auto found = answers.find(id); found != answers.end()) {
      return engine.answer(frame, ",\"result\":" + found->second);
    }
    const auto code = failures.find(id);
    engine.answer(frame, R"(,"error":{"code":")" +
                             (code != failures.end() ? code->second : "function_not_found") +
                             R"(","message":"it broke"})");
  }
};

TEST_F(Introspect, EveryDetailIsFoundOnAnEngineBefore013) {
  be_old();
  begin();
  const Value function = ask("directory::function-info", R"({"function_id":"mem::observe"})");
  EXPECT_EQ(text(function, "worker_name"), "memory");
  EXPECT_EQ(json::to_text(*function.find("request_schema")), R"({"type":"object"})");
  EXPECT_EQ(json::to_text(*function.find("registered_triggers")),
            R"([{"config":{"a":1},"id":"t","trigger_type":"mem::on"}])");
  const Value type = ask("directory::trigger-info", R"({"id":"mem::on"})");
  EXPECT_EQ(json::to_text(*type.find("configuration_schema")), R"({"x":1})");
  EXPECT_EQ(json::to_text(*type.find("return_schema")), R"({"y":2})");
  EXPECT_EQ(*type.find("instance_count"), Value(1));
  const Value trigger = ask("directory::registered-trigger-info", R"({"id":"t"})");
  EXPECT_EQ(json::to_text(*trigger.find("metadata")), R"({"m":2})");
  EXPECT_EQ(text(*trigger.find("function"), "name"), "observe");
  EXPECT_EQ(text(*trigger.find("trigger"), "name"), "on");
  const Value worker_row = ask("directory::worker-info", R"({"name":"memory"})");
  EXPECT_EQ(json::to_text(*worker_row.find("functions")),
            R"([{"description":null,"function_id":"mem::recall","name":"recall"},)"
            R"({"description":"Records","function_id":"mem::observe","name":"observe"}])");
  EXPECT_THAT(refusal("directory::function-info", R"({"function_id":"mem::observ"})"),
              HasSubstr("Did you mean: mem::observe"));
}

TEST_F(Introspect, RowsAndDetailsNameTheNamespace) {
  answers["engine::functions::list"] = R"({"functions":[
      {"function_id":"dup::fn","namespace":"shop","worker_name":"b"},
      {"function_id":"dup::fn","namespace":"office","worker_name":"a"}]})";
  answers["engine::workers::list"] = R"({"workers":[]})";
  answers["engine::functions::info"] =
      R"({"function_id":"dup::fn","namespace":"shop","worker_name":"b"})";
  begin();
  EXPECT_EQ(
      json::to_text(ask("directory::engine::functions::list")),
      R"({"functions":[)"
      R"({"description":null,"function_id":"dup::fn","namespace":"office","worker_name":"a"},)"
      R"({"description":null,"function_id":"dup::fn","namespace":"shop","worker_name":"b"}]})");
  for (const char* id : {"directory::function-info", "directory::engine::functions::info"}) {
    const Value found = ask(id, R"({"function_id":"dup::fn","namespace":"shop"})");
    EXPECT_EQ(text(found, "namespace"), "shop") << id;
  }
}

TEST_F(Introspect, AnIdInSeveralNamespacesIsRefusedWithTheirNames) {
  answers["engine::functions::list"] = R"({"functions":[
      {"function_id":"dup::fn","namespace":"shop"},{"function_id":"dup::fn","namespace":"office"},
      {"function_id":"dup::fn2","namespace":"other"}]})";
  failures["engine::functions::info"] = "NOT_FOUND";
  begin();
  for (const char* id : {"directory::function-info", "directory::engine::functions::info"}) {
    EXPECT_THAT(
        refusal(id, R"({"function_id":"dup::fn"})"),
        HasSubstr("is in several namespaces: office, shop. Next: call again with `namespace`."));
    EXPECT_THAT(refusal(id, R"({"function_id":"dup::fn","namespace":"mine"})"),
                HasSubstr("mine\", but in office, shop. Next: "));
  }
}

TEST_F(Introspect, ListsOfAnEngineBefore013) {
  be_old();
  begin();
  EXPECT_EQ(
      json::to_text(ask("directory::trigger-list")),
      R"({"triggers":[{"description":"On","id":"mem::on","name":"on","worker_name":"mem"}]})");
  EXPECT_EQ(json::to_text(ask("directory::engine::registered-triggers::list")),
            R"({"registered_triggers":[{"config_summary":"{\"a\":1}","function_id":"mem::observe",)"
            R"("id":"t","trigger_type":"mem::on","worker_name":"memory"}]})");
}

TEST_F(Introspect, ListsAreAskedForAnewAtEveryCall) {
  be_old();
  begin();
  EXPECT_EQ(ask("directory::function-list").find("functions")->as_array()->size(), 2U);
  answers["engine::functions::list"] = R"({"functions":[]})";
  EXPECT_EQ(ask("directory::function-list").find("functions")->as_array()->size(), 0U);
}

TEST_F(Introspect, AFailureNamesTheFunctionOfTheEngineThatFailed) {
  begin();
  const std::map<std::string, std::string> all = {
      {"engine::functions::list", R"({"functions":[]})"},
      {"engine::workers::list", R"({"workers":[]})"},
      {"engine::triggers::list", R"({"triggers":[{"id":"a","description":""}]})"},
      {"engine::registered-triggers::list", R"({"registered_triggers":[]})"}};
  for (const auto& [broken, text_of_it] : all) {
    answers = all;
    answers.erase(broken);
    failures = {{broken, "FORBIDDEN"}};
    const std::string said = refusal("directory::worker-info", R"({"name":"x"})");
    EXPECT_THAT(said, HasSubstr("D342 engine_error: " + broken + " failed (FORBIDDEN)"));
    EXPECT_THAT(said, HasSubstr(" Next: "));
  }
}

TEST_F(Introspect, AWorkerThatTheListLeavesOutIsFoundByItsName) {
  answers["engine::functions::list"] =
      R"({"functions":[{"function_id":"old::f","worker_name":"old"}]})";
  answers["engine::workers::list"] = R"({"workers":[]})";
  answers["engine::triggers::list"] = R"({"triggers":[{"id":"old::on","description":"On"}]})";
  answers["engine::registered-triggers::list"] = R"({"registered_triggers":[]})";
  answers["engine::workers::info"] =
      R"({"worker":{"id":"w","name":"old","status":"connected"},"functions":[]})";
  begin();
  const Value found = ask("directory::worker-info", R"({"name":"old"})");
  EXPECT_EQ(text(*found.find("worker"), "id"), "w");
  EXPECT_EQ(found.find("functions")->as_array()->size(), 1U);
  EXPECT_THAT(refusal("directory::worker-info", R"({"name":"odl"})"), HasSubstr("not found"));
}

TEST_F(Introspect, RowsThatMakeNoSenseAreLeftOut) {
  answers["engine::functions::list"] =
      R"({"functions":[5,null,{"function_id":7},{"function_id":"a"}]})";
  answers["engine::workers::list"] = R"({"workers":"none"})";
  begin();
  EXPECT_EQ(json::to_text(ask("directory::engine::functions::list")),
            R"({"functions":[{"description":null,"function_id":"a","worker_name":null}]})");
  EXPECT_EQ(json::to_text(ask("directory::engine::workers::list")), R"({"workers":[]})");
}

TEST_F(Introspect, GuidesAreReadOnAThreadForAnswers) {
  be_old();
  tree.put("global/guide.md", "---\ntype: how-to\nfunction_id: mem::observe\n---\nGuide.\n");
  begin();
  BusyPool busy(library->answer_threads());
  const std::string id = send("directory::function-info", R"({"function_id":"mem::observe"})");
  ask("directory::worker-list");
  EXPECT_FALSE(is_answered(id));
  busy.end();
  EXPECT_NE(outcome(id).find("result")->find("how_guide"), nullptr);
}

TEST_F(Introspect, GuidesOfAGreatManyDocumentsAreFoundAndFollowEdits) {
  be_old();
  for (int i = 0; i < 300; ++i) {
    tree.put("global/many/d" + std::to_string(i) + ".md", "# D\n\nText about x::y.\n");
  }
  tree.put("global/zz.md", "---\ntype: how-to\nfunction_id: mem::observe\n---\nGuide.\n");
  begin();
  const auto body = [this] {
    const Value found = ask("directory::function-info", R"({"function_id":"mem::observe"})");
    const Value* guide = found.find("how_guide");
    return guide != nullptr ? text(*guide, "body") : "(none)";
  };
  EXPECT_EQ(body(), "Guide.");
  tree.put("global/zz.md", "---\ntype: how-to\nfunction_id: mem::observe\n---\nEdited guide.\n");
  EXPECT_EQ(body(), "Edited guide.");
  tree.put("global/zz.md", "---\ntype: other\nfunction_id: mem::observe\n---\nNo guide now.\n");
  EXPECT_EQ(body(), "(none)");
}

}  // namespace
}  // namespace iii::directory
