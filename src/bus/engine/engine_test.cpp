// Greeting, what is dropped, teardown and reattach (wire §1.1, §3.1, §4; rows E02–E04,
// E10, E11).
#include "bus/engine/engine.h"

#include <set>

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// ---- greeting ----

TEST(EngineGreeting, E02_IsTheFirstFrameAndNamesIdAndToken) {
  TestBus bus;
  Peer a(bus);
  EXPECT_EQ(a.greeting(), R"({"type":"workerregistered","worker_id":")" + a.id() +
                              R"(","reattach_token":")" + a.token() +
                              R"(","features":["observe.v1","observe.v2"]})");
}

TEST(EngineGreeting, E02_EveryConnectionGetsItsOwnIdAndToken) {
  TestBus bus;
  Peer a(bus);
  Peer b(bus);
  const std::set<std::string> all{a.id(), a.token(), b.id(), b.token()};
  EXPECT_EQ(all.size(), 4U);
}

TEST(EngineGreeting, E02_TheTokenNeverLeavesItsOwnSocket) {
  TestBus bus;
  Peer a(bus, "a");
  Peer b(bus, "b");
  for (const char* function : {"engine::workers::list", "worker::list"}) {
    EXPECT_EQ(json::to_text(b.result_of(function)).find(a.token()), std::string::npos) << function;
  }
  const json::Value info = b.result_of("engine::workers::info", R"({"name":"a"})");
  EXPECT_EQ(json::to_text(info).find(a.token()), std::string::npos);
}

// ---- dropped frames ----

class DroppedFrame : public ::testing::TestWithParam<const char*> {};

TEST_P(DroppedFrame, E03_IsAnsweredWithNothingAndTheConnectionStays) {
  TestBus bus;
  Peer a(bus, "a");
  a.say(GetParam());
  EXPECT_THAT(a.take(), IsEmpty());
  a.say(R"({"type":"ping"})");
  EXPECT_THAT(a.take(), ElementsAre(R"({"type":"pong"})"));
}

INSTANTIATE_TEST_SUITE_P(
    Malformed, DroppedFrame,
    ::testing::Values(
        "", "  \n", "not json", "null", "[]", "3", "{}", R"({"type":"nope"})", R"({"type":3})",
        R"({"type":"PING"})", R"({"type":"ping"}{"type":"ping"})", R"({"type":"ping",})",
        R"({"type":"ping","type":"ping"})", R"({"type":"unregistertriggertype","id":"t"})",
        R"({"type":"registerfunction"})", R"({"type":"registerfunction","id":5})",
        R"({"type":"registertriggertype","id":"t"})",
        R"({"type":"invokefunction","invocation_id":"not-a-uuid","function_id":"engine::workers::list","data":{}})",
        R"({"type":"invokefunction","function_id":"engine::workers::list","data":{},"action":{"type":"Void"}})",
        R"({"type":"invokefunction","invocation_id":"00000000-0000-4000-8000-000000000001","function_id":"nope","data":"\ud800"})",
        R"({"type":"invokefunction","invocation_id":"00000000-0000-4000-8000-000000000001","function_id":"nope","data":1E400})"));

TEST(EngineDroppedFrames, E03_AreLoggedOncePerConnectionAndCounted) {
  TestBus bus;
  Peer a(bus, "careless");
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 50; ++i) a.say("broken");
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1) << log;
  EXPECT_THAT(log, HasSubstr("worker careless"));
  EXPECT_EQ(a.worker().dropped_frames, 50U);
  ::testing::internal::CaptureStderr();
  a.leave();
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("50 of its frames"));
}

TEST(EngineDroppedFrames, E03_WhatOnlyEnginesSayIsIgnored) {
  TestBus bus;
  Peer a(bus, "a");
  a.say(R"({"type":"workerregistered","worker_id":"x"})");
  a.say(R"({"type":"registrationrejected","code":"c","namespace":"n","owner_worker_id":""})");
  a.say(R"({"type":"error","error":{"code":"c","message":"m"}})");
  a.say(R"({"type":"pong"})");
  a.say(R"({"type":"registerservice","id":"s"})");
  EXPECT_THAT(a.take(), IsEmpty());
  EXPECT_EQ(a.worker().dropped_frames, 0U);
}

TEST(EngineFrames, E04_StrayKeysNullIdsAndTheDefaultNamespaceAreAccepted) {
  TestBus bus;
  Peer a(bus, "a");
  a.provide("t");
  a.say(
      R"({"type":"registertrigger","message_type":"registertrigger","id":"b","trigger_type":"t","function_id":"f","config":null})");
  EXPECT_EQ(text_at(a.take_one(), "type"), "registertrigger");
  a.serve("f");
  a.say(R"({"type":"invokefunction","invocation_id":null,"function_id":"f","data":1})");
  EXPECT_EQ(text_at(a.take_one(), "type"), "invokefunction");
  a.invoke(1, "f", "1", R"(,"namespace":"default")");
  EXPECT_EQ(text_at(a.take_one(), "invocation_id"), uuid(1));
}

// ---- teardown ----

// What a leaving worker sets off, in one list, in the order in which the others hear of it.
TEST(EngineTeardown, E10_FollowsTheOrderOfSection44) {
  TestBus bus;
  Peer watcher(bus, "watcher");
  Peer leaver(bus, "leaver");
  watcher.serve("watch");
  watcher.bind("w", "engine::workers-available", "watch");
  watcher.provide("watched-type");
  leaver.serve("lost");
  leaver.provide("lost-type");
  leaver.bind("own", "watched-type", "f");
  watcher.bind("other", "lost-type", "f");
  watcher.invoke(1, "lost");
  watcher.take();

  leaver.leave();
  EXPECT_THAT(
      watcher.take(),
      ElementsAre(
          R"({"type":"invocationresult","invocation_id":")" + uuid(1) +
              R"(","function_id":"lost","error":{"code":"invocation_stopped","message":"Invocation stopped"}})",
          R"({"type":"unregistertrigger","id":"own","trigger_type":"watched-type"})",
          HasSubstr(R"("data":{"event":"worker_disconnected","worker_id":")" + leaver.id())));
  EXPECT_EQ(bus.engine.functions().find_default("lost"), nullptr);
  EXPECT_EQ(bus.engine.triggers().type({"default", "lost-type"}), nullptr);
  EXPECT_FALSE(bus.engine.triggers().bindings().find("other")->second.live());
  EXPECT_EQ(bus.engine.workers().size(), 1U);
}

TEST(EngineTeardown, E10_NoBufferedRegistrationIsAppliedAfterwards) {
  TestBus bus;
  Peer a(bus);
  a.serve("f");
  a.leave();
  bus.timers.advance(protocol::kRegistrationGrace * 2);
  EXPECT_EQ(bus.engine.functions().find_default("f"), nullptr);
}

TEST(EngineTeardown, E10_ASuccessorsRegistrationSurvives) {
  TestBus bus;
  Peer old(bus, "a");
  old.serve("f");
  Peer next(bus);
  next.say(R"({"type":"reattach","previous_worker_id":")" + old.id() + R"(","reattach_token":")" +
           old.token() + R"("})");
  next.announce("a");
  next.serve("f");
  EXPECT_EQ((*bus.engine.functions().find_default("f"))->owner, &next.worker());
}

TEST(EngineTeardown, TimersOfAnEngineThatIsGoneNeverFire) {
  FakeTimers timers;
  CountingIds ids;
  struct Sink final : Link {
    void send(std::string_view) override {}
    void ended(bool) override {}
  } link;
  {
    FakeBackground background(timers);
    Engine engine(timers, ids, background, {});
    engine.connected(link, "127.0.0.1");
  }
  timers.advance(std::chrono::hours(1));
}

// ---- reattach ----

class EngineReattach : public ::testing::Test {
 protected:
  EngineReattach() { old_.serve("f"); }

  void reattach(Peer& peer, const std::string& id, const std::string& token) {
    peer.say(R"({"type":"reattach","previous_worker_id":")" + id + R"(","reattach_token":")" +
             token + R"("})");
  }

  TestBus bus_;
  Peer old_{bus_, "worker"};
  Peer next_{bus_};
};

TEST_F(EngineReattach, E11_TheRightTokenRetiresTheOldConnectionAtOnce) {
  reattach(next_, old_.id(), old_.token());
  EXPECT_TRUE(old_.was_ended());
  EXPECT_FALSE(old_.politely());
  EXPECT_EQ(bus_.engine.functions().find_default("f"), nullptr);
  // The very next frames may claim what the old connection held.
  next_.serve("f");
  next_.announce("worker");
  EXPECT_TRUE(next_.connected());
  EXPECT_THAT(next_.take(), IsEmpty());
  EXPECT_EQ((*bus_.engine.functions().find_default("f"))->owner, &next_.worker());
}

TEST_F(EngineReattach, E11_CallsThatTheOldConnectionRanAreStopped) {
  Peer caller(bus_, "caller");
  caller.invoke(1, "f");
  reattach(next_, old_.id(), old_.token());
  EXPECT_THAT(caller.take(), ElementsAre(HasSubstr("invocation_stopped")));
}

TEST_F(EngineReattach, E11_AWrongTokenIsIgnored) {
  reattach(next_, old_.id(), next_.token());
  reattach(next_, old_.id(), "nonsense");
  EXPECT_TRUE(old_.connected());
}

TEST_F(EngineReattach, E11_AMissingTokenIsIgnored) {
  next_.say(R"({"type":"reattach","previous_worker_id":")" + old_.id() + R"("})");
  EXPECT_TRUE(old_.connected());
  EXPECT_THAT(next_.take(), IsEmpty());
}

TEST_F(EngineReattach, E11_UnknownOwnAndBrokenIdsAreIgnored) {
  reattach(next_, uuid(77), old_.token());
  reattach(next_, "not-a-uuid", old_.token());
  reattach(next_, next_.id(), next_.token());
  EXPECT_TRUE(old_.connected());
  EXPECT_TRUE(next_.connected());
}

TEST_F(EngineReattach, E11_ALateReattachIsHonouredToo) {
  next_.announce("another");
  next_.serve("g");
  reattach(next_, old_.id(), old_.token());
  EXPECT_TRUE(old_.was_ended());
  EXPECT_TRUE(next_.connected());
}

}  // namespace
}  // namespace iii::engine
