// What a connection can make large is done in pieces, between which others get their turn.
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string registration(int number) {
  return R"({"type":"registerfunction","id":"f)" + std::to_string(number) + R"("})";
}

// Ends a connection as Peer::leave() does, without the turn of the loop that follows there.
void end(TestBus& bus, Peer& peer) { bus.engine.disconnected(peer.release()); }

TEST(EngineSlices, ALargeTeardownIsCutIntoPiecesAndItsFunctionsAreGoneAtOnce) {
  TestBus bus;
  Peer caller(bus, "caller");
  Peer callee(bus, "callee");
  for (int i = 0; i < 1000; ++i) callee.serve("f" + std::to_string(i));
  for (uint64_t i = 0; i < 1000; ++i) caller.invoke(i + 1, "f" + std::to_string(i));
  const std::shared_ptr<Worker> leaving = callee.worker().shared_from_this();

  end(bus, callee);
  EXPECT_GT(leaving->functions.size(), 0U) << "all at once";
  EXPECT_THAT(caller.take(), IsEmpty());
  size_t found = 0;
  bus.engine.functions().each(
      [&](const FunctionPtr& f) { found += f->builtin == nullptr ? 1 : 0; });
  EXPECT_EQ(found, 0U);
  EXPECT_EQ(bus.engine.functions().find_default("f999"), nullptr);

  // Whoever comes next may have the same ids, and keeps them.
  Peer successor(bus, "callee");
  successor.serve("f999");
  bus.turn();
  EXPECT_THAT(caller.take(), AllOf(SizeIs(1000), Each(HasSubstr("invocation_stopped"))));
  EXPECT_NE(bus.engine.functions().find_default("f999"), nullptr);
  EXPECT_EQ(leaving->functions.size() + leaving->running, 0U);
  EXPECT_EQ(leaving->ledger.stored.used() + leaving->ledger.stored.used_bytes(), 0U);
}

TEST(EngineSlices, TheCallsOfALargeCallerAreForgottenAndItsAnswersGoNowhere) {
  TestBus bus;
  Peer callee(bus, "callee");
  Peer caller(bus, "caller");
  callee.serve("f");
  for (uint64_t i = 1; i <= 1000; ++i) caller.invoke(i, "f");
  const std::shared_ptr<Worker> leaving = caller.worker().shared_from_this();
  end(bus, caller);
  EXPECT_GT(leaving->calls_made.size(), 0U) << "all at once";
  callee.answer(uuid(1000), R"("result":1)");
  bus.turn();
  EXPECT_EQ(callee.worker().running, 0U);
  EXPECT_EQ(leaving->ledger.calls.used() + leaving->ledger.calls.used_bytes(), 0U);
}

TEST(EngineSlices, RegistrationsThatWaitedAreReplayedInPiecesBeforeAnythingElse) {
  TestBus bus;
  Peer worker(bus);
  for (int i = 0; i < 1000; ++i) worker.say(registration(i));
  Peer other(bus, "other");
  // The announce itself, without the turn that follows in say().
  const std::string announce =
      R"({"type":"invokefunction","invocation_id":")" + uuid(1) +
      R"(","function_id":"engine::workers::register","data":{"name":"w","pid":1}})";
  std::string padded = announce + std::string(ws::kPadding, ' ');
  bus.engine.received(worker.worker(), std::string_view(padded).substr(0, announce.size()));
  EXPECT_TRUE(worker.paused());
  EXPECT_THAT(worker.take(), IsEmpty());
  EXPECT_LT(worker.worker().functions.size(), 1000U) << "all at once";
  bus.turn();
  EXPECT_FALSE(worker.paused());
  EXPECT_THAT(worker.take(), SizeIs(1));
  EXPECT_EQ(worker.worker().functions.size(), 1000U);
}

TEST(EngineSlices, AConnectionMayEndDuringTheReplay) {
  TestBus bus;
  Peer worker(bus);
  for (int i = 0; i < 1000; ++i) worker.say(registration(i));
  const std::string announce =
      R"({"type":"invokefunction","function_id":"engine::workers::register","data":{"name":"w"}})";
  std::string padded = announce + std::string(ws::kPadding, ' ');
  bus.engine.received(worker.worker(), std::string_view(padded).substr(0, announce.size()));
  worker.leave();
  EXPECT_EQ(bus.engine.functions().find_default("f0"), nullptr);
}

TEST(EngineSlices, ABuiltInIsNotCalledBeforeBusCallReturns) {
  TestBus bus;
  int called = 0;
  BuiltinFunction function;
  function.id = "test::count";
  function.handler = [&called](const CallInfo& info, std::string_view, Reply reply) {
    EXPECT_EQ(info.depth, 3U);
    EXPECT_EQ(info.owner, 77U);
    ++called;
    reply("1");
  };
  bus.engine.add(function);
  int replies = 0;
  bus.engine.call(
      {.function_id = "test::count", .data = "{}", .metadata = {}, .owner = 77, .depth = 3},
      [&](const Outcome&) { ++replies; });
  bus.engine.call({.function_id = "nowhere", .data = "{}", .metadata = {}}, [&](const Outcome& o) {
    EXPECT_EQ(o.error().code, "function_not_found");
    ++replies;
  });
  EXPECT_EQ(called + replies, 0);
  bus.turn();
  EXPECT_EQ(called, 1);
  EXPECT_EQ(replies, 2);
}

TEST(EngineSlices, LongListsAreMadeInPiecesAndElsewhere) {
  TestBus bus;
  Peer worker(bus, "w");
  for (int i = 0; i < 1000; ++i) worker.serve("g" + std::to_string(i));
  Peer asker(bus, "asker");
  const size_t jobs = bus.background.jobs;
  const json::Value functions = asker.result_of("engine::functions::list", R"({"worker":"w"})");
  EXPECT_EQ(functions.find("functions")->as_array()->size(), 1000U);
  EXPECT_EQ(bus.background.jobs, jobs + 1);
  std::vector<std::unique_ptr<Peer>> many;
  for (int i = 0; i < 200; ++i) {
    many.push_back(std::make_unique<Peer>(bus, "peer" + std::to_string(i)));
  }
  const json::Value workers = asker.result_of("engine::workers::list", R"({"search":"peer"})");
  EXPECT_EQ(workers.find("workers")->as_array()->size(), 200U);
  EXPECT_EQ(bus.background.jobs, jobs + 2);
}

// A few bytes ask about a great deal: the loop thread only collects what is meant, in slices.
TEST(EngineSlices, DescriptionsOfWhatIsLargeAreMadeElsewhere) {
  TestBus bus;
  Peer worker(bus, "w");
  const std::string schema = '"' + std::string(500'000, 's') + '"';
  worker.say(R"({"type":"registerfunction","id":"f","request_format":)" + schema + "}");
  worker.provide("t", R"(,"call_request_format":)" + schema);
  for (int i = 0; i < 300; ++i) worker.bind("b" + std::to_string(i), "t", "f");
  worker.take();
  Peer asker(bus, "asker");
  const auto asked = [&](std::string_view function, std::string_view data) {
    const size_t jobs = bus.background.jobs;
    const json::Value answer = asker.result_of(function, data);
    EXPECT_EQ(bus.background.jobs, jobs + 1) << function;
    return answer;
  };
  const auto size = [](const json::Value& answer, std::string_view key) {
    const json::Value* list = answer.find(key);
    return list != nullptr && list->as_array() != nullptr ? list->as_array()->size() : 0;
  };
  const json::Value info = asked("engine::workers::info", R"({"name":"w"})");
  EXPECT_EQ(size(info, "functions"), 1U);
  EXPECT_EQ(size(info, "trigger_types"), 1U);
  EXPECT_EQ(size(info, "registered_triggers"), 300U);
  const json::Value function = asked("engine::functions::info", R"({"function_id":"f"})");
  EXPECT_EQ(size(function, "registered_triggers"), 300U);
  const json::Value batch =
      asked("engine::functions::info", R"({"function_ids":["f","nowhere","f"]})");
  EXPECT_EQ(size(batch, "functions"), 2U);
  EXPECT_EQ(text_at(asked("engine::triggers::info", R"({"id":"t"})"), "instance_count"), "300");
  const json::Value binding = asked("engine::registered-triggers::info", R"({"id":"b7"})");
  EXPECT_EQ(text_at(*binding.find("trigger"), "instance_count"), "300");
  EXPECT_EQ(size(*binding.find("function"), "registered_triggers"), 300U);
  asked("engine::triggers::list", "{}");
  asked("engine::trigger-types::list", "{}");
}

TEST(EngineSlices, AnAnswerThatWouldBeTooLargeIsNotWritten) {
  EngineLimits limits;
  limits.max_message_bytes = 100'000;
  TestBus bus(limits);
  Peer worker(bus, "w");
  const std::string schema = '"' + std::string(90'000, 's') + '"';
  for (const char* id : {"f1", "f2", "f3"}) {
    worker.say(R"({"type":"registerfunction","id":")" + std::string(id) + R"(","request_format":)" +
               schema + "}");
    worker.provide("t" + std::string(id), R"(,"call_request_format":)" + schema);
  }
  worker.take();
  const size_t jobs = bus.background.jobs;
  EXPECT_THAT(worker.refusal_of("engine::functions::info", R"({"function_ids":["f1","f2","f3"]})"),
              testing::StartsWith("payload_too_large"));
  EXPECT_EQ(bus.background.jobs, jobs);
  EXPECT_THAT(worker.refusal_of("engine::trigger-types::list", "{}"),
              testing::StartsWith("payload_too_large"));
}

TEST(EngineSlices, CallsAreHeldBackFromAConnectionThatHasMuchToRead) {
  TestBus bus;
  Peer worker(bus, "w");
  worker.serve("f");
  worker.unread = 2 * 1024 * 1024;
  EXPECT_FALSE(bus.engine.accepts("default", "f"));
  EXPECT_TRUE(bus.engine.accepts("default", "state::get"));
  int ran = 0;
  bus.engine.when_accepts(1, "default", "f", [&ran] { ++ran; });
  bus.timers.advance(Millis(100));
  EXPECT_EQ(ran, 0);
  worker.read_all();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace iii::engine
