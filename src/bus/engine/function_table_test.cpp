#include "bus/engine/function_table.h"

#include <gmock/gmock.h>

#include "bus/protocol/limits.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FunctionPtr make(std::string id, std::string name_space = "default",
                 std::optional<std::string> metadata = {}) {
  auto function = std::make_shared<Function>();
  function->id = std::move(id);
  function->name_space = std::move(name_space);
  function->metadata = std::move(metadata);
  return function;
}

TEST(FunctionTable, FindsByNamespaceAndId) {
  FunctionTable table;
  EXPECT_EQ(table.find_default("f"), nullptr);
  table.put(make("f"));
  table.put(make("f", "x"));
  table.put(make("g", "x"));
  EXPECT_EQ((*table.find("x", "f"))->name_space, "x");
  EXPECT_EQ((*table.find_default("f"))->name_space, "default");
  EXPECT_EQ(table.find_default("g"), nullptr);
  EXPECT_EQ(table.find("y", "f"), nullptr);
  EXPECT_THAT(table.namespaces_of("f"), ElementsAre("default", "x"));
  EXPECT_THAT(table.namespaces_of("nope"), IsEmpty());
}

TEST(FunctionTable, CutsLongNamesOfNamespacesForPeople) {
  FunctionTable table;
  table.put(make("f", std::string(100'000, 'z')));
  EXPECT_EQ(table.namespaces_for_people("f").size(), protocol::kMaxWorkerText);
}

TEST(FunctionTable, RemovesOnlyTheVeryFunctionAndNotItsSuccessor) {
  FunctionTable table;
  const FunctionPtr old = make("f", "x");
  const FunctionPtr successor = make("f", "x");
  table.put(old);
  table.put(successor);
  table.remove(*old);
  EXPECT_EQ(*table.find("x", "f"), successor);
  table.remove(*successor);
  EXPECT_EQ(table.find("x", "f"), nullptr);
  EXPECT_THAT(table.namespaces_of("f"), IsEmpty());
  table.remove(*successor);
}

TEST(FunctionTable, CountsWhenIdsAppearAndDisappearNotWhenTheyAreReplaced) {
  FunctionTable table;
  const uint64_t start = table.changes();
  table.put(make("f"));
  EXPECT_EQ(table.changes(), start + 1);
  const FunctionPtr again = make("f");
  table.put(again);
  EXPECT_EQ(table.changes(), start + 1);
  table.remove(*again);
  EXPECT_EQ(table.changes(), start + 2);
}

TEST(FunctionTable, VisitsEveryFunctionOnce) {
  FunctionTable table;
  for (const char* name_space : {"default", "x", "y"}) table.put(make("f", name_space));
  std::vector<std::string> seen;
  table.each([&](const FunctionPtr& f) { seen.push_back(f->name_space); });
  EXPECT_THAT(seen, ::testing::UnorderedElementsAre("default", "x", "y"));
}

TEST(Function, InternalIsWhatTheEngineOrItsOwnerHides) {
  EXPECT_TRUE(make("engine::x")->internal());
  EXPECT_FALSE(make("engine::queue::enqueue")->internal());
  EXPECT_FALSE(make("engines::x")->internal());
  EXPECT_TRUE(make("a::b", "default", R"({ "internal" : true })")->internal());
  for (const char* shown : {R"({"internal":"true"})", R"({"internal":false})", "[]", "null",
                            R"({"in":{"internal":true}})", R"("internal")"}) {
    EXPECT_FALSE(make("a::b", "default", shown)->internal()) << shown;
  }
}

TEST(Function, WithoutANamedOwnerTheFirstSegmentSpeaksForIt) {
  EXPECT_EQ(make("a::b::c")->worker_name(), "a");
  EXPECT_EQ(make("plain")->worker_name(), "plain");
  EXPECT_EQ(make("")->worker_name(), "");
}

}  // namespace
}  // namespace iii::engine
