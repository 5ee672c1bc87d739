// engine::workers::list and ::info, worker::list (engine-functions §2.7–2.8, §6).
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<json::Value> rows(const json::Value& answer) {
  const json::Value* list = answer.find("workers");
  return list != nullptr && list->as_array() != nullptr ? *list->as_array()
                                                        : std::vector<json::Value>{};
}

class WorkerIntrospection : public ::testing::Test {
 protected:
  std::vector<std::string> names(std::string_view filter = "{}") {
    std::vector<std::string> out;
    for (const json::Value& row : rows(asker_.result_of("engine::workers::list", filter))) {
      out.push_back(text_at(row, "name"));
    }
    return out;
  }

  TestBus bus_;
  Peer asker_{bus_, "asker"};
};

TEST_F(WorkerIntrospection, ARowNamesEverythingWithNullForTheUnknown) {
  Peer a(bus_);
  a.announce("zeta", R"(,"runtime":"cpp","version":"1.2","os":"linux")");
  a.serve("zeta::f");
  const json::Value all = asker_.result_of("engine::workers::list", R"({"search":"ZET"})");
  ASSERT_EQ(rows(all).size(), 1U);
  EXPECT_EQ(
      rows(all)[0],
      parsed(
          R"({"name":"zeta","description":null,"version":"1.2","id":")" + a.id() +
          R"(","namespace":"default","runtime":"cpp","os":"linux","status":"connected","function_count":1,"connected_at_ms":)" +
          std::to_string(a.worker().connected_at_ms) +
          R"(,"active_invocations":0,"isolation":null,"ip_address":"127.0.0.1"})"));
}

TEST_F(WorkerIntrospection, TheAskingCallCountsAsActive) {
  const json::Value all = asker_.result_of("engine::workers::list", R"({"search":"asker"})");
  EXPECT_EQ(text_at(rows(all)[0], "active_invocations"), "1");
}

TEST_F(WorkerIntrospection, WithoutAPidAWorkerIsNotListedButHasAnInfo) {
  Peer a(bus_);
  a.result_of("engine::workers::register", R"({"name":"shy"})");
  EXPECT_THAT(names(), Not(Contains("shy")));
  const json::Value info = asker_.result_of("engine::workers::info", R"({"name":"shy"})");
  EXPECT_EQ(text_at(*info.find("worker"), "id"), a.id());
  EXPECT_EQ(info.find("worker")->find("pid"), nullptr);
}

TEST_F(WorkerIntrospection, TheEnginesOwnWorkersAreListedAndFilterable) {
  const auto own = names(R"({"runtime":"engine","status":"available"})");
  EXPECT_TRUE(std::is_sorted(own.begin(), own.end()));
  for (const char* name : {"configuration", "iii-engine-functions", "iii-observability",
                           "iii-state", "iii-telemetry", "iii-worker-manager"}) {
    EXPECT_THAT(own, Contains(name));
  }
  EXPECT_THAT(names(R"({"status":"connected"})"), ElementsAre("asker"));
}

TEST_F(WorkerIntrospection, InfoTellsWhatAWorkerServesProvidesAndHasBoundToIt) {
  Peer a(bus_, "shop");
  a.serve("shop::f");
  a.provide("shop-type");
  a.bind("b", "shop-type", "shop::f");
  const json::Value info = asker_.result_of("engine::workers::info", R"({"name":"shop"})");
  const json::Value& worker = *info.find("worker");
  EXPECT_EQ(text_at(worker, "internal"), "false");
  EXPECT_EQ(text_at(worker, "pid"), "7");
  EXPECT_THAT(text_at(info, "functions"), HasSubstr(R"("function_id":"shop::f")"));
  EXPECT_THAT(text_at(info, "trigger_types"), HasSubstr(R"("id":"shop-type")"));
  EXPECT_THAT(text_at(info, "registered_triggers"), HasSubstr(R"("id":"b")"));
}

TEST_F(WorkerIntrospection, InfoOfTheEnginesOwnWorkersWinsOverAConnectedNamesake) {
  Peer impostor(bus_, "iii-observability");
  const json::Value info =
      asker_.result_of("engine::workers::info", R"({"name":"iii-observability"})");
  EXPECT_EQ(text_at(*info.find("worker"), "status"), "available");
  EXPECT_EQ(text_at(*info.find("worker"), "internal"), "true");
  EXPECT_THAT(text_at(info, "functions"), HasSubstr("engine::log::info"));
  EXPECT_THAT(text_at(info, "trigger_types"), HasSubstr(R"("id":"log")"));
}

TEST_F(WorkerIntrospection, InfoSaysWhereANameIsAndWhenItIsAmbiguous) {
  Peer x(bus_);
  x.announce("twin", R"(,"namespace":"x")");
  EXPECT_EQ(text_at(*asker_.result_of("engine::workers::info", R"({"name":"twin"})").find("worker"),
                    "namespace"),
            "x");
  EXPECT_THAT(
      asker_.refusal_of("engine::workers::info", R"({"name":"twin","namespace":"default"})"),
      StartsWith("NOT_FOUND: Worker 'twin' is not connected in the requested namespace"));
  Peer d(bus_, "twin");
  EXPECT_THAT(asker_.refusal_of("engine::workers::info", R"({"name":"twin"})"),
              HasSubstr("ambiguous: it is connected in namespace(s): default, x."));
  EXPECT_EQ(asker_.refusal_of("engine::workers::info", R"({"name":")" + d.id() + R"("})"),
            "NOT_FOUND: Worker '" + d.id() + "' is not connected.");
}

TEST_F(WorkerIntrospection, WorkerListTakesANullPayloadAndSortsByName) {
  Peer b(bus_, "b");
  Peer a(bus_);
  a.result_of("engine::workers::register", R"({"name":"a","version":"2"})");
  Peer nameless(bus_);
  const json::Value all = asker_.result_of("worker::list", "null");
  EXPECT_EQ(all, parsed(R"({"workers":[
      {"name":"a","version":"2","running":true,"status":"running","pid":null},
      {"name":"asker","running":true,"status":"running","pid":7},
      {"name":"b","running":true,"status":"running","pid":7}]})"));
}

}  // namespace
}  // namespace iii::engine
