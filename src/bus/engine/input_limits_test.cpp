// How large the input of a built-in may be: what is larger is refused before it is decoded.
#include <memory>
#include <string>

#include "bus/engine/fake_bus.h"
#include "bus/engine/state/state.h"
#include "bus/engine/store/fake_store.h"
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr size_t kMebibyte = 1024UL * 1024;

// An object of exactly so many bytes, whose members `head` begins.
std::string input_of(std::string_view head, size_t bytes) {
  std::string text = "{" + std::string(head) + ",\"filler\":\"";
  text.append(bytes - text.size() - 2, 'x');
  return text + "\"}";
}

size_t limit_of(const TestBus& bus, std::string_view id) {
  for (const BuiltinFunction& function : bus.engine.builtin_functions()) {
    if (function.id == id) return function.max_input_bytes;
  }
  ADD_FAILURE() << id;
  return 0;
}

TEST(BuiltinInput, IsTakenUpToItsLimitAndRefusedBeyond) {
  TestBus bus;
  Peer peer(bus, "peer");
  struct Case {
    std::string_view function;
    std::string_view head;
  };
  for (const auto& [function, head] :
       {Case{"engine::functions::list", R"("prefix":"none")"},
        Case{"engine::functions::info", R"("function_id":"engine::stats")"},
        Case{"engine::workers::list", R"("search":"peer")"},
        Case{"engine::stats", R"("functions":false)"},
        Case{"engine::workers::register", R"("name":"peer","pid":7)"},
        Case{"engine::log::info", R"("message":"m")"},
        Case{"engine::register_trigger", R"("trigger_type":"t","function_id":"f","config":1)"}}) {
    const size_t most = limit_of(bus, function);
    EXPECT_LE(most, kMebibyte) << function;
    EXPECT_THAT(peer.refusal_of(function, input_of(head, most)), StartsWith("<accepted"))
        << function;
    const size_t jobs = bus.background.jobs;
    EXPECT_THAT(peer.refusal_of(function, input_of(head, most + 1)),
                AllOf(StartsWith("payload_too_large"), HasSubstr(function),
                      HasSubstr(std::to_string(most)), HasSubstr("Next:")))
        << function;
    EXPECT_EQ(bus.background.jobs, jobs) << "refused without being looked at";
    EXPECT_EQ(peer.worker().ledger.calls.used(), 0U);
  }
}

TEST(BuiltinInput, EveryBuiltInHasALimit) {
  TestBus bus;
  for (const BuiltinFunction& function : bus.engine.builtin_functions()) {
    EXPECT_LE(function.max_input_bytes, kMebibyte) << function.id;
  }
}

// 64 MiB of these became 1.9 GB of values.
TEST(BuiltinInput, ManySmallValuesAreNotDecoded) {
  TestBus bus;
  Peer peer(bus, "peer");
  std::string ones = "[1";
  for (int i = 0; i < 1'000'000; ++i) ones += ",1";
  ones += "]";
  for (const std::string function : {"engine::stats", "engine::workers::register"}) {
    const std::string field = function == "engine::stats" ? "functions" : "features";
    peer.say_large(R"({"type":"invokefunction","invocation_id":")" + uuid(9) +
                   R"(","function_id":")" + function + R"(","data":{")" + field + "\":" + ones +
                   "}}");
    const size_t jobs = bus.background.jobs;
    bus.turn();
    EXPECT_EQ(bus.background.jobs, jobs) << "it was parsed as a frame, and no more";
    EXPECT_THAT(peer.take(), testing::ElementsAre(HasSubstr("payload_too_large"))) << function;
    EXPECT_FALSE(peer.paused());
  }
}

TEST(BuiltinInput, AnAnnounceThatIsTooLargeChangesNothing) {
  TestBus bus;
  Peer peer(bus, "peer");
  const std::string large = R"({"name":"other","pid":7,"description":")" +
                            std::string(kMaxInput, 'x') + R"(","features":["observe.v1"]})";
  EXPECT_THAT(peer.refusal_of("engine::workers::register", large), StartsWith("payload_too_large"));
  EXPECT_EQ(peer.worker().name, "peer");
  EXPECT_FALSE(peer.worker().observes);
  peer.say(R"({"type":"invokefunction","function_id":"engine::workers::register","data":)" + large +
           R"(,"action":{"type":"void"}})");
  EXPECT_EQ(peer.worker().name, "peer");
  EXPECT_TRUE(peer.take().empty());
}

TEST(BuiltinInput, TheEnginesOwnCallsHaveTheSameLimit) {
  TestBus bus;
  std::vector<std::string> answers;
  for (const size_t bytes : {kMaxInput, kMaxInput + 1}) {
    bus.engine.call({.function_id = "engine::functions::list",
                     .data = input_of(R"("prefix":"none")", bytes),
                     .metadata = {}},
                    [&](const Outcome& outcome) {
                      answers.push_back(outcome ? "accepted" : outcome.error().code);
                    });
  }
  bus.turn();
  EXPECT_THAT(answers, testing::ElementsAre("accepted", "payload_too_large"));
}

TEST(BuiltinInput, FeaturesAreFoundAmongAnything) {
  TestBus bus;
  Peer peer(bus);
  peer.announce("peer", R"(,"features":[1,null,{"observe.v2":1},"observe.v","observe\u002ev1"])");
  EXPECT_TRUE(peer.worker().observes);
  EXPECT_FALSE(peer.worker().observes_v2);
  Peer odd(bus);
  odd.announce("odd", R"(,"features":{"a":"observe.v1"})");
  EXPECT_TRUE(odd.connected());
  EXPECT_FALSE(odd.worker().observes);
}

class StateInput : public testing::Test {
 protected:
  StateInput() { EXPECT_TRUE(state_.start()); }
  std::string call(std::string_view function, std::string_view data) {
    return shown(call_builtin(state_.functions(), function, data, [this] {
      bus_.turn();
      store_.turn();
      bus_.turn();
    }));
  }

  FakeStore::Disk disk_;
  FakeBus bus_;
  FakeStore store_{&disk_};
  State state_{store_, bus_, nullptr};
};

TEST_F(StateInput, AValueMayBeLarge) {
  const std::string value = '"' + std::string(2 * kMebibyte, 'x') + '"';
  EXPECT_THAT(call("state::set", R"({"scope":"s","key":"k","value":)" + value + "}"),
              StartsWith(R"({"new_value")"));
}

// The longest names, all escaped: what can be stored can be read and removed.
TEST_F(StateInput, NamesMayBeEscaped) {
  const StateLimits limits;
  std::string name;
  for (size_t i = 0; i < limits.max_name_bytes; ++i) name += "\\u0001";
  const std::string names = R"("scope":")" + name + R"(","key":")" + name + '"';
  EXPECT_THAT(call("state::set", "{" + names + R"(,"value":7})"), StartsWith(R"({"new_value":7)"));
  EXPECT_EQ(call("state::get", "{" + names + "}"), "7");
  EXPECT_EQ(call("state::list", R"({"scope":")" + name + "\"}"), "[7]");
  EXPECT_EQ(call("state::delete", "{" + names + "}"), "7");
  EXPECT_THAT(call("state::get", input_of(names, kMebibyte)), StartsWith("payload_too_large"));
}

TEST_F(StateInput, AnUpdateHasALimitOfItsOwn) {
  const auto update = [](size_t bytes) {
    return input_of(R"("scope":"s","key":"k","ops":[{"type":"set","path":"a","value":1}])", bytes);
  };
  EXPECT_THAT(call("state::update", update(State::kMaxUpdateInput)),
              StartsWith(R"({"new_value":{"a":1})"));
  EXPECT_THAT(call("state::update", update(State::kMaxUpdateInput + 1)),
              StartsWith("payload_too_large"));
}

TEST_F(StateInput, OpsAreCountedBeforeTheyAreDecoded) {
  std::string ops = "[1";
  for (size_t i = 0; i < StateLimits{}.max_ops; ++i) ops += ",1";
  ops += "]";
  EXPECT_THAT(call("state::update", R"({"scope":"s","key":"k","ops":)" + ops + "}"),
              AllOf(StartsWith("UPDATE_ERROR: 10001 ops"), Not(HasSubstr("deserialize"))));
}

}  // namespace
}  // namespace iii::engine
