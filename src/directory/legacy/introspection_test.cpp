// The engine as 0.4.1 and 0.5.1 showed it: owners, filters, order, summaries.
#include "directory/legacy/introspection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "directory/legacy/registry_041.h"

namespace iii::directory {
namespace {

using json::Object;
using json::Value;
using testing::ElementsAre;

Value parsed(std::string_view text) { return json::parse(text).value(); }

// As an engine of today answers.
EngineLists lists() {
  EngineLists out;
  out.functions = functions_in(parsed(R"({"functions":[
      {"function_id":"mem::observe","worker_name":"memory","description":"Records an event"},
      {"function_id":"mail::send","worker_name":"mailer","description":"Sends MAIL"},
      {"function_id":"orphan","description":"No owner"},
      {"function_id":"left::over"},
      {"worker_name":"no id"}]})"));
  out.workers = workers_in(parsed(R"({"workers":[
      {"id":"w2","name":"memory","status":"connected","runtime":"rust","description":"says"},
      {"id":"w1","name":null,"status":"connected","runtime":"node"},
      {"id":"w3","name":"mailer","status":"available","runtime":"node","function_count":2,
       "connected_at_ms":5,"active_invocations":1}]})"));
  out.types = types_in(parsed(R"({"triggers":[
      {"id":"mail::on-bounce","description":"Bounced"},{"id":"cron","description":"Clock"}]})"),
                       "triggers");
  out.triggers = triggers_in(parsed(R"({"registered_triggers":[
      {"id":"t2","trigger_type":"cron","function_id":"mem::observe","config":{"at":"noon"}},
      {"id":"t1","trigger_type":"mail::on-bounce","function_id":"mail::send"}]})"),
                             "registered_triggers");
  return out;
}

template <typename Rows, typename Member>
std::vector<std::string> column(const Rows& rows, Member member) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.push_back(row.*member);
  return out;
}

std::vector<std::string> functions(const IdFilter& filter) {
  return column(list_functions<Line::k041>(lists(), filter).functions,
                &FunctionEntry<Line::k041>::id);
}

TEST(Introspection, FunctionsAreSortedAndEveryFilterMustHold) {
  EXPECT_THAT(functions({}), ElementsAre("left::over", "mail::send", "mem::observe", "orphan"));
  EXPECT_THAT(functions({.search = "MEM"}), ElementsAre("mem::observe"));
  EXPECT_THAT(functions({.search = "mail"}), ElementsAre("mail::send"));
  EXPECT_THAT(functions({.search = "event"}), ElementsAre("mem::observe"));
  EXPECT_THAT(functions({.prefix = "m"}), ElementsAre("mail::send", "mem::observe"));
  EXPECT_THAT(functions({.prefix = "M"}), ElementsAre());
  EXPECT_THAT(functions({.worker = "memory"}), ElementsAre("mem::observe"));
  EXPECT_THAT(functions({.worker = "left"}), ElementsAre("left::over"));
  EXPECT_THAT(functions({.search = "send", .prefix = "mem"}), ElementsAre());
}

TEST(Introspection, AnEmptyFilterMatchesEverythingButNoOwner) {
  EXPECT_EQ(functions({.search = ""}).size(), 4U);
  EXPECT_EQ(functions({.prefix = ""}).size(), 4U);
  EXPECT_EQ(functions({.worker = ""}).size(), 0U);
}

TEST(Introspection, TheOwnerIsTheWorkerElseTheFirstPartElseNobody) {
  const Owners owners(lists());
  EXPECT_EQ(owners.of("mem::observe"), "memory");
  EXPECT_EQ(owners.of("left::over"), "left");
  EXPECT_EQ(owners.of("orphan"), std::nullopt);
  EXPECT_EQ(owners.of("::odd"), std::nullopt);
}

TEST(Introspection, OnOlderEnginesTheLastWorkerThatListsAFunctionOwnsIt) {
  EngineLists old = lists();
  old.workers = workers_in(parsed(R"({"workers":[{"id":"a","name":"first","functions":["x::y"]},
      {"id":"b","name":"second","functions":["x::y"]},{"id":"c","functions":["x::y"]}]})"));
  EXPECT_EQ(Owners(old).of("x::y"), "second");
}

TEST(Introspection, OnlyTheEarlierLineHasNames) {
  const auto earlier = list_functions<Line::k041>(lists(), {.prefix = "mem"});
  EXPECT_EQ(json::encode(earlier),
            R"({"functions":[{"function_id":"mem::observe","name":"observe",)"
            R"("worker_name":"memory","description":"Records an event"}]})");
  const auto later = list_functions<Line::k051>(lists(), {.prefix = "mem"});
  EXPECT_EQ(json::encode(later), R"({"functions":[{"function_id":"mem::observe",)"
                                 R"("worker_name":"memory","description":"Records an event"}]})");
}

TEST(Introspection, TypesBelongToTheFirstPartOfTheirId) {
  const auto rows = list_types<Line::k041>(lists(), {}).triggers;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].id, "cron");
  EXPECT_EQ(rows[0].worker_name, std::nullopt);
  EXPECT_EQ(rows[1].worker_name, "mail");
  EXPECT_EQ(rows[1].name, "on-bounce");
  EXPECT_EQ(list_types<Line::k041>(lists(), {.worker = "mail"}).triggers.size(), 1U);
  EXPECT_EQ(list_types<Line::k041>(lists(), {.search = "cron clock"}).triggers.size(), 1U);
}

TEST(Introspection, BindingsAreFilteredExactlyAndSearchedInOneText) {
  const auto ids = [](const TriggerFilter& filter) {
    return column(list_triggers(lists(), filter).registered_triggers, &TriggerEntry::id);
  };
  EXPECT_THAT(ids({}), ElementsAre("t1", "t2"));
  EXPECT_THAT(ids({.trigger_type = "cron"}), ElementsAre("t2"));
  EXPECT_THAT(ids({.trigger_type = "cro"}), ElementsAre());
  EXPECT_THAT(ids({.function_id = "mail::send"}), ElementsAre("t1"));
  EXPECT_THAT(ids({.worker = "memory"}), ElementsAre("t2"));
  EXPECT_THAT(ids({.search = "t2 CRON mem"}), ElementsAre("t2"));
  EXPECT_EQ(list_triggers(lists(), {}).registered_triggers[0].config_summary, "{}");
}

TEST(Introspection, ASummaryHasEightyCharactersAndThenThreeDots) {
  const auto of_length = [](size_t letters) {
    std::string text;
    for (size_t i = 0; i < letters; ++i) text += "ä";
    return config_summary(Value(text));
  };
  EXPECT_EQ(of_length(78).size(), 2 + 78 * 2U);  // with its quotes exactly 80 characters
  EXPECT_FALSE(of_length(78).ends_with("..."));
  EXPECT_TRUE(of_length(79).ends_with("ä..."));
  EXPECT_EQ(of_length(79).size(), 1 + 79 * 2 + 3U);
  EXPECT_EQ(config_summary(Object{{"b", 1}, {"a", "x\ny"}}), R"({"a":"x\ny","b":1})");
}

TEST(Introspection, WorkersComeByNameThoseWithoutOneFirst) {
  const auto rows = list_workers(lists(), {}, false).workers;
  EXPECT_THAT(column(rows, &EngineWorker::id), ElementsAre("w1", "w3", "w2"));
  EXPECT_EQ(rows[2].description, std::nullopt);
  EXPECT_EQ(list_workers(lists(), {}, true).workers[2].description, "says");
  EXPECT_EQ(list_workers(lists(), {.search = "MEM"}, false).workers.size(), 1U);
  EXPECT_EQ(list_workers(lists(), {.runtime = "node"}, false).workers.size(), 2U);
  EXPECT_EQ(list_workers(lists(), {.status = "bogus"}, false).workers.size(), 0U);
}

TEST(Introspection, AWorkerIsShownWithItsFunctionsTypesAndBindings) {
  EngineLists all = lists();
  all.types.push_back({.id = "mailer::on-send", .description = "Sent"});
  const auto mailer = worker_detail<Line::k041>(all, "mailer");
  ASSERT_TRUE(mailer);
  EXPECT_EQ(mailer->worker.function_count, 2U);
  ASSERT_EQ(mailer->functions.size(), 1U);
  EXPECT_EQ(mailer->functions[0].name, "send");
  EXPECT_EQ(mailer->functions[0].description, "Sends MAIL");
  ASSERT_EQ(mailer->trigger_types.size(), 1U);
  EXPECT_EQ(mailer->trigger_types[0].id, "mailer::on-send");
  ASSERT_EQ(mailer->registered_triggers.size(), 1U);
  EXPECT_EQ(mailer->registered_triggers[0].id, "t1");
  EXPECT_FALSE(worker_detail<Line::k041>(all, "Mailer"));
}

// Defect: types were matched by the first part of their id, so `iii-directory` had none.
TEST(Introspection, ATypeBelongsToTheWorkerThatTheEngineNames) {
  EngineLists all = lists();
  all.types = types_in(parsed(R"({"triggers":[
      {"id":"directory::skills::on-change","worker_name":"mailer","description":"Changed"},
      {"id":"mailer::on-send","worker_name":"other","description":"Sent"}]})"),
                       "triggers");
  const auto mailer = worker_detail<Line::k041>(all, "mailer");
  ASSERT_TRUE(mailer);
  ASSERT_EQ(mailer->trigger_types.size(), 1U);
  EXPECT_EQ(mailer->trigger_types[0].id, "directory::skills::on-change");
  EXPECT_EQ(list_types<Line::k051>(all, {.worker = "mailer"}).triggers.size(), 1U);
  EXPECT_EQ(list_types<Line::k051>(all, {}).triggers[1].worker_name, "other");
  EXPECT_EQ(TypeEntry<Line::k041>(all.types[0]).worker_name, "mailer");
}

TEST(Introspection, OnOlderEnginesFunctionsComeInTheWorkersOwnOrder) {
  EngineLists old = lists();
  old.workers = workers_in(parsed(
      R"({"workers":[{"id":"a","name":"m","functions":["mem::observe","gone::x","mail::send"]}]})"));
  const auto worker = worker_detail<Line::k051>(old, "m");
  ASSERT_TRUE(worker);
  EXPECT_THAT(column(worker->functions, &WorkerFunction<Line::k051>::id),
              ElementsAre("mem::observe", "gone::x", "mail::send"));
  EXPECT_EQ(worker->functions[1].description, std::nullopt);
}

TEST(Introspection, SchemasAreReadUnderEitherName) {
  const auto rows = functions_in(parsed(
      R"({"functions":[{"function_id":"a","request_format":{"type":"object"},"request_schema":null,
          "response_schema":{"type":"string"}}]})"));
  EXPECT_EQ(*rows[0].request_schema, Value(Object{{"type", "object"}}));
  EXPECT_EQ(*rows[0].response_schema, Value(Object{{"type", "string"}}));
  const auto types = types_in(
      parsed(
          R"({"trigger_types":[{"id":"t","trigger_request_format":{},"call_request_format":5}]})"),
      "trigger_types");
  EXPECT_EQ(*types[0].configuration_schema, Value(Object{}));
  EXPECT_EQ(*types[0].request_schema, Value(5));
}

TEST(Introspection, WhatIsAbsentIsNullButNoGuideMeansNoKey) {
  const auto detail = function_detail<Line::k041>({.id = "a::b"}, {});
  EXPECT_EQ(json::encode(detail),
            R"({"function_id":"a::b","name":"b","worker_name":null,"description":null,)"
            R"("request_schema":null,"response_schema":null,"metadata":null,)"
            R"("registered_triggers":[]})");
}

TEST(Registry041, RowsAreSpelledAsTheyWere) {
  EXPECT_EQ(json::to_text(row_041(parsed(
                R"({"name":"resend","type":"binary","version":"1","author":
                    {"name":"iii","pfp":"p","verified":true}})"))),
            R"({"author":{"is_verified":true,"name":"iii","profile_picture":"p"},)"
            R"("description":null,"name":"resend","repo":null,"version":"1"})");
  EXPECT_EQ(*row_041(parsed(R"({"name":"x","author":null})")).find("author"), Value());
}

}  // namespace
}  // namespace iii::directory
