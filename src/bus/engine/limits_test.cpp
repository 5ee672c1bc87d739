// Every limit of the core, at the limit and one beyond it; each refusal is logged once per
// connection.
#include "bus/engine/limits.h"

#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string blob(size_t bytes) { return std::string(bytes, 'x'); }

std::string log_of(const std::function<void()>& action) {
  ::testing::internal::CaptureStderr();
  action();
  return ::testing::internal::GetCapturedStderr();
}

size_t lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(EngineLimit, UnansweredCallsOfOneConnection) {
  EngineLimits limits;
  limits.max_calls_per_worker = 2;
  TestBus bus(limits);
  Peer callee(bus, "callee");
  Peer caller(bus, "caller");
  callee.serve("f");
  caller.invoke(1, "f");
  caller.invoke(2, "f");
  EXPECT_THAT(caller.take(), IsEmpty());
  const std::string log = log_of([&] {
    caller.invoke(3, "f");
    caller.invoke(4, "f");
  });
  EXPECT_EQ(lines(log), 1U) << log;
  EXPECT_THAT(caller.take(),
              ElementsAre(HasSubstr(R"("code":"too_many_calls")"), HasSubstr(uuid(4))));
  EXPECT_EQ(callee.take().size(), 2U);
  callee.answer(uuid(1), R"("result":1)");
  caller.take();
  caller.invoke(5, "f");
  EXPECT_THAT(caller.take(), IsEmpty()) << "room again";
}

TEST(EngineLimit, VoidCallsAreNotRememberedAndNotLimited) {
  EngineLimits limits;
  limits.max_calls_per_worker = 1;
  TestBus bus(limits);
  Peer a(bus, "a");
  a.serve("f");
  for (uint64_t id = 1; id <= 10; ++id) a.invoke(id, "f", "1", R"(,"action":{"type":"void"})");
  EXPECT_EQ(a.take().size(), 10U);
  EXPECT_EQ(a.worker().active_invocations(), 0U);
}

TEST(EngineLimit, JobsForASilentQueueCountAsUnansweredCalls) {
  EngineLimits limits;
  limits.max_calls_per_worker = 1;
  TestBus bus(limits);
  Peer queue(bus, "queue");
  Peer caller(bus, "caller");
  queue.serve("engine::queue::enqueue");
  constexpr char kEnqueue[] = R"(,"action":{"type":"enqueue","queue":"q"})";
  caller.invoke(1, "f", "1", kEnqueue);
  caller.invoke(2, "f", "1", kEnqueue);
  EXPECT_THAT(caller.take(), ElementsAre(HasSubstr("too_many_calls")));
  EXPECT_EQ(queue.take().size(), 1U);
}

TEST(EngineLimit, VerdictsThatAreWaitedForCountAsUnansweredCalls) {
  EngineLimits limits;
  limits.max_calls_per_worker = 1;
  TestBus bus(limits);
  Peer provider(bus, "provider");
  Peer maker(bus, "maker");
  provider.provide("t");
  constexpr char kT[] = R"({"trigger_type":"t","function_id":"f"})";
  maker.invoke(1, "engine::register_trigger", kT);
  maker.invoke(2, "engine::register_trigger", kT);
  EXPECT_THAT(maker.take(), ElementsAre(HasSubstr("too_many_calls")));
}

TEST(EngineLimit, BytesKeptOfUnansweredCalls) {
  EngineLimits limits;
  limits.max_call_bytes_per_worker = 1000;
  TestBus bus(limits);
  Peer callee(bus, "callee");
  Peer caller(bus, "caller");
  callee.serve("f");
  caller.invoke(1, "f", "1", R"(,"baggage":")" + blob(999) + '"');  // and one byte of id
  EXPECT_THAT(caller.take(), IsEmpty());
  caller.invoke(2, "f", "1", R"(,"traceparent":"")");
  EXPECT_THAT(caller.take(), ElementsAre(HasSubstr("too_many_calls")));
  callee.answer(uuid(1), R"("result":1)");
  caller.take();
  EXPECT_EQ(caller.worker().ledger.calls.used_bytes(), 0U);
  caller.invoke(3, "engine::log::info", R"({"message":"m"})");
  EXPECT_EQ(caller.worker().ledger.calls.used_bytes(), 0U);
}

TEST(EngineLimit, AnUnansweredCallDoesNotKeepTheSchemasOfAFunctionThatIsGone) {
  TestBus bus;
  Peer callee(bus, "callee");
  Peer caller(bus, "caller");
  callee.serve("f");
  const std::weak_ptr<const Function> function = *bus.engine.functions().find_default("f");
  caller.invoke(1, "f");
  callee.say(R"({"type":"unregisterfunction","id":"f"})");
  EXPECT_TRUE(function.expired());
  callee.answer(uuid(1), R"("result":1)");
  EXPECT_EQ(text_at(caller.take_one(), "function_id"), "f");
}

TEST(EngineLimit, FunctionsOfOneConnection) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 3 * Ledger::kEntryBytes;
  TestBus bus(limits);
  Peer a(bus, "a");
  a.serve("f1");
  a.serve("f2");
  const std::string log = log_of([&] {
    a.serve("f3");
    a.serve("f4");
  });
  EXPECT_EQ(lines(log), 1U) << log;
  EXPECT_EQ(a.worker().functions.size(), 2U);
  EXPECT_EQ(bus.engine.functions().find_default("f3"), nullptr);
  a.say(R"({"type":"registerfunction","id":"f2","description":"replaced"})");
  EXPECT_EQ((*bus.engine.functions().find_default("f2"))->description, "replaced");
  a.say(R"({"type":"unregisterfunction","id":"f1"})");
  a.serve("f3");
  EXPECT_NE(bus.engine.functions().find_default("f3"), nullptr);
}

TEST(EngineLimit, BindingsOfOneConnection) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 3 * Ledger::kEntryBytes;
  TestBus bus(limits);
  Peer a(bus, "a");
  a.bind("b1", "t", "f");
  a.bind("b2", "t", "f");
  EXPECT_THAT(a.take(), IsEmpty());
  a.bind("b3", "t", "f");
  EXPECT_THAT(a.take(), ElementsAre(HasSubstr(R"("code":"trigger_registration_failed")")));
  a.bind("b2", "u", "f");
  EXPECT_THAT(a.take(), IsEmpty()) << "a replacement needs no room";
  EXPECT_EQ(bus.engine.triggers().bindings().find("b2")->second.binding->trigger_type, "u");
  Peer b(bus, "b");
  b.bind("b3", "t", "f");
  EXPECT_THAT(b.take(), IsEmpty()) << "others have room of their own";
}

TEST(EngineLimit, BindingsMadeByFunctionInOneNamespace) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 2 * Ledger::kEntryBytes;
  TestBus bus(limits);
  Peer a(bus, "a");
  constexpr char kT[] = R"({"trigger_type":"t","function_id":"f"})";
  const std::string id = text_at(a.result_of("engine::register_trigger", kT), "id");
  EXPECT_THAT(a.refusal_of("engine::register_trigger", kT), HasSubstr("too many"));
  Peer b(bus);
  b.announce("b", R"(,"namespace":"x")");
  EXPECT_TRUE(Uuid::parse(text_at(b.result_of("engine::register_trigger", kT), "id")))
      << "another namespace has room of its own";
  a.unbind(id);
  EXPECT_TRUE(Uuid::parse(text_at(a.result_of("engine::register_trigger", kT), "id")));
}

TEST(EngineLimit, BytesOfBindingsMadeByFunction) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 12'000;
  TestBus bus(limits);
  Peer a(bus, "a");
  const std::string large =
      R"({"trigger_type":"t","function_id":"f","config":")" + blob(5000) + R"("})";
  a.result_of("engine::register_trigger", large);
  EXPECT_THAT(a.refusal_of("engine::register_trigger", large), HasSubstr("too many"));
}

TEST(EngineLimit, TypesOfOneConnection) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 3 * Ledger::kEntryBytes;
  TestBus bus(limits);
  Peer a(bus, "a");
  a.provide("t1");
  a.provide("t2");
  const std::string log = log_of([&] {
    a.provide("t3");
    a.provide("t4");
  });
  EXPECT_EQ(lines(log), 1U) << log;
  EXPECT_EQ(bus.engine.triggers().type({"default", "t3"}), nullptr);
  Peer binder(bus, "binder");
  binder.bind("b", "t2", "f");
  a.take();
  a.provide("t2");
  EXPECT_EQ(a.take().size(), 1U) << "registering again is no new type: bindings are replayed";
  Peer b(bus, "b");
  b.provide("t1");
  b.provide("t1");
  EXPECT_EQ(b.worker().ledger.stored.used(), 1U) << "waiting for a type counts, once";
  b.provide("t2");
  b.provide("t3");
  EXPECT_EQ(bus.engine.triggers().type({"default", "t3"}), nullptr);
}

// What is stored of one connection is counted to the byte: after everything is gone, nothing is
// left.
TEST(EngineLimit, StoredBytesOfFunctionsTypesAndBindings) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 30'000;
  TestBus bus(limits);
  Peer a(bus, "a");
  const std::string big = '"' + blob(9000) + '"';
  a.say(R"({"type":"registerfunction","id":"f","metadata":)" + big + "}");
  a.provide("t", R"(,"call_request_format":)" + big);
  EXPECT_NE(bus.engine.functions().find_default("f"), nullptr);
  EXPECT_NE(bus.engine.triggers().type({"default", "t"}), nullptr);
  a.say(R"({"type":"registerfunction","id":"g","metadata":)" + big + "}");
  a.provide("u", R"(,"call_request_format":)" + big);
  a.bind("b", "t", "f", R"(,"metadata":)" + big);
  EXPECT_EQ(bus.engine.functions().find_default("g"), nullptr);
  EXPECT_EQ(bus.engine.triggers().type({"default", "u"}), nullptr);
  EXPECT_THAT(a.take(), ElementsAre(HasSubstr("trigger_registration_failed")));
  // The same again replaces, and so needs no room of its own.
  a.say(R"({"type":"registerfunction","id":"f","description":"2","metadata":)" + big + "}");
  EXPECT_EQ((*bus.engine.functions().find_default("f"))->description, "2");
  a.say(R"({"type":"unregisterfunction","id":"f"})");
  a.bind("b", "t", "f", R"(,"metadata":)" + big);
  EXPECT_EQ(a.take().size(), 1U);
  const std::shared_ptr<Ledger> ledger = a.worker().shared_ledger();
  a.leave();
  EXPECT_EQ(ledger->stored.used_bytes(), 0U);
  EXPECT_EQ(ledger->stored.used(), 0U);
}

TEST(EngineLimit, ALongNamespaceIsPaidForByEveryFunctionInIt) {
  EngineLimits limits;
  limits.max_stored_bytes_per_worker = 30'000;
  TestBus bus(limits);
  Peer a(bus);
  a.announce("a", R"(,"namespace":")" + blob(9000) + '"');
  for (const char* id : {"f1", "f2", "f3", "f4"}) a.serve(id);
  EXPECT_EQ(a.worker().functions.size(), 2U);
}

TEST(EngineLimit, RegistrationsThatWaitForTheAnnounce) {
  const std::string frame = R"({"type":"registerfunction","id":"f"})";
  EngineLimits limits;
  limits.max_buffered_bytes = 2 * (frame.size() + sizeof(Worker::Buffered));
  TestBus bus(limits);
  Peer a(bus);
  a.say(frame);
  a.say(frame);
  EXPECT_TRUE(a.connected());
  a.say(frame);
  EXPECT_TRUE(a.was_ended());
  EXPECT_FALSE(a.politely());
  EXPECT_TRUE(bus.engine.workers().empty());
}

TEST(EngineLimit, RegistrationsThatWaitCountAsHeldByTheirConnection) {
  TestBus bus;
  Peer a(bus);
  a.say(R"({"type":"registerfunction","id":"f"})");
  EXPECT_GT(a.charged(), 0);
  a.announce("a");
  EXPECT_EQ(a.charged(), 0);
}

TEST(EngineLimit, EventsToATargetThatNeverAnswersAreNotRemembered) {
  TestBus bus;
  Peer a(bus, "silent");
  a.serve("watch");
  a.bind("b", "engine::workers-available", "watch");
  a.bind("c", "log", "watch");
  for (int i = 0; i < 20; ++i) Peer visitor(bus);
  Peer talker(bus, "talker");
  for (int i = 0; i < 20; ++i) talker.result_of("engine::log::debug", R"({"message":"m"})");
  EXPECT_GT(a.take().size(), 60U);
  EXPECT_EQ(a.worker().running, 0U);
}

}  // namespace
}  // namespace iii::engine
