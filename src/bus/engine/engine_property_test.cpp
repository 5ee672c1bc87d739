// Random lives of workers: whatever they do in whatever order, the books of the engine agree with
// each other, nothing points to somebody who is gone, and every call is answered as often as it
// must be.
//
// That it finds cascades without end was seen by taking the fix away: with `return true` in place
// of the depth check in Subscriptions::within_cascade and without the budget in
// Subscriptions::send, 12 of the 40 seeds (the first is 2) never end a turn. Calls that are made at
// once instead of in a slice are found by EngineSlices.ABuiltInIsNotCalledBeforeBusCallReturns.
#include <map>
#include <random>
#include <set>

#include "bus/engine/configuration/configuration.h"
#include "bus/engine/state/state.h"
#include "bus/engine/store/store.h"
#include "bus/engine/testing.h"

namespace iii::engine {
namespace {

class RandomBus {
 public:
  explicit RandomBus(uint32_t seed)
      : random_(seed),
        bus_(limits()),
        store_(Store::in_memory([this](std::move_only_function<void()> action) {
          bus_.timers.after(std::chrono::microseconds(0), std::move(action));
        })),
        configuration_(*store_, bus_.engine),
        state_(*store_, bus_.engine, &configuration_) {
    EXPECT_TRUE(configuration_.start());
    EXPECT_TRUE(state_.start());
    for (auto& list : {configuration_.functions(), state_.functions()}) {
      for (const BuiltinFunction& function : list) bus_.engine.add(function);
    }
    bus_.engine.add(configuration_.trigger_type());
    bus_.engine.add(state_.trigger_type());
    bus_.turn();
  }

  void step() {
    const auto roll = pick(100);
    if (peers_.empty() || (roll < 6 && peers_.size() < 8)) return connect();
    Peer& peer = *peers_[pick(peers_.size())];
    if (roll < 14) return announce(peer);
    if (roll < 24) return peer.serve(function());
    if (roll < 28) return peer.say(R"({"type":"unregisterfunction","id":")" + function() + R"("})");
    if (roll < 33) return peer.provide(type(), pick(3) == 0 ? R"(,"namespace":"x")" : "");
    if (roll < 41) return bind(peer);
    if (roll < 44) return peer.unbind(binding());
    if (roll < 48) return peer.judge(binding(), pick(2) == 0 ? kRefusal : "");
    if (roll < 68) return invoke(peer);
    if (roll < 90) return answer_one(peer);
    if (roll < 93) return reattach(peer);
    if (roll < 95) return bus_.timers.advance(Millis(pick(8000)));
    if (roll < 97) return peer.say(R"({"type":"nonsense"})");
    peer.leave();
  }

  // Everybody reads what it got, and those who were sent away are forgotten.
  void settle() {
    for (const auto& peer : peers_) read(*peer);
    std::erase_if(peers_, [this](const auto& peer) {
      if (peer->connected()) return false;
      todo_.erase(peer->id());
      return true;
    });
  }

  void check() const {
    std::set<const Worker*> alive;
    for (const auto& [id, worker] : bus_.engine.workers()) alive.insert(worker.get());
    EXPECT_EQ(alive.size(), peers_.size());
    check_calls(alive);
    check_functions(alive);
    check_triggers(alive);
  }

  // Everybody answers all it was asked; then nobody may be left waiting.
  void finish() {
    for (bool busy = true; busy;) {
      busy = false;
      settle();
      for (const auto& peer : peers_) {
        while (!todo_[peer->id()].empty()) {
          answer_one(*peer);
          busy = true;
        }
      }
    }
    bus_.timers.advance(protocol::kVerdictTimeout);
    settle();
    for (const auto& peer : peers_) {
      EXPECT_EQ(peer->worker().active_invocations(), 0U);
      EXPECT_EQ(peer->worker().ledger.calls.used_bytes(), 0U);
      for (const auto& [id, call] : calls_) {
        if (call.caller == peer->id()) {
          EXPECT_EQ(call.answers, 1) << id;
        }
      }
    }
  }

  void empty() {
    for (const auto& peer : peers_) {
      peer->leave();
      todo_.erase(peer->id());
    }
    peers_.clear();
    bus_.timers.advance(protocol::kVerdictTimeout);
    check();
    for (const std::shared_ptr<Ledger>& ledger : ledgers_) {
      for (const Quota* quota : {&ledger->calls, &ledger->stored, &ledger->events}) {
        EXPECT_EQ(quota->used(), 0U);
        EXPECT_EQ(quota->used_bytes(), 0U);
      }
    }
    size_t own = 0;
    bus_.engine.functions().each(
        [&](const FunctionPtr& f) { own += f->builtin == nullptr ? 1 : 0; });
    EXPECT_EQ(own, 0U);
    for (const auto& [key, entry] : bus_.engine.triggers().types())
      EXPECT_NE(entry->builtin, nullptr);
    for (const auto& [id, bound] : bus_.engine.triggers().bindings()) {
      EXPECT_EQ(bound.maker, nullptr);
    }
  }

 private:
  static constexpr char kRefusal[] = R"({"code":"bad","message":"no"})";

  struct Call {
    std::string caller;
    int answers = 0;
  };

  size_t pick(size_t below) { return random_() % below; }
  std::string function() { return "f" + std::to_string(pick(8)); }
  std::string type() {
    static constexpr const char* kOwn[] = {"worker", "state", "configuration"};
    return pick(3) == 0 ? kOwn[pick(3)] : "t" + std::to_string(pick(3));
  }
  // What a binding calls: a worker's function, or one of the engine's own that fires events itself.
  std::string target() {
    static constexpr const char* kOwn[] = {"state::set", "state::delete", "configuration::register",
                                           "engine::register_trigger"};
    return pick(3) == 0 ? kOwn[pick(4)] : function();
  }
  // Small, so that cascades end soon.
  static EngineLimits limits() { return EngineLimits{.max_cascade_calls = 100}; }
  std::string binding() { return "b" + std::to_string(pick(12)); }

  void connect() {
    peers_.push_back(std::make_unique<Peer>(bus_));
    ledgers_.push_back(peers_.back()->worker().shared_ledger());
  }

  void announce(Peer& peer) {
    peer.announce("w" + std::to_string(pick(10)), pick(3) == 0 ? R"(,"namespace":"x")" : "");
  }

  void bind(Peer& peer) {
    const std::string extra = pick(4) == 0 ? R"(,"trigger_namespace":"x")" : "";
    if (pick(5) > 0) return peer.bind(binding(), type(), target(), extra);
    begin(
        peer, "engine::register_trigger",
        R"({"trigger_type":")" + type() + R"(","function_id":")" + target() + R"(","config":{}})");
  }

  void begin(Peer& peer, const std::string& target, const std::string& data,
             const std::string& extra = "") {
    const uint64_t id = ++last_call_;
    calls_[uuid(id)].caller = peer.id();
    peer.invoke(id, target, data, extra);
  }

  void invoke(Peer& peer) {
    const std::string extra = pick(3) == 0 ? R"(,"namespace":"x")" : "";
    switch (pick(10)) {
      case 8:
        return begin(peer, pick(3) == 0 ? "state::delete" : "state::set",
                     R"({"scope":"s","key":")" + binding() + R"(","value":)" +
                         std::to_string(pick(9)) + "}");
      case 9:
        return begin(peer, "configuration::register",
                     R"({"id":")" + binding() +
                         R"(","name":"n","description":"d","schema":{},"initial_value":)" +
                         std::to_string(pick(9)) + "}");
      case 0:
        return peer.say(R"({"type":"invokefunction","function_id":")" + function() +
                        R"(","data":{},"action":{"type":"void"}})");
      case 1:
        return begin(peer, function(), "1", R"(,"action":{"type":"enqueue","queue":"q"})");
      case 2:
        return begin(peer, "engine::functions::list", "{}");
      case 3:
        return peer.serve("engine::queue::enqueue");
      default:
        return begin(peer, function(), R"({"a":1})", extra + R"(,"baggage":"k=v")");
    }
  }

  void answer_one(Peer& peer) {
    auto& waiting = todo_[peer.id()];
    if (waiting.empty()) return;
    const size_t at = pick(waiting.size());
    const std::string id = waiting[at];
    waiting.erase(waiting.begin() + static_cast<ptrdiff_t>(at));
    peer.answer(id, pick(4) == 0 ? R"("error":{"code":"c","message":"m"})" : R"("result":1)");
  }

  void reattach(Peer& peer) {
    const Peer& old = *peers_[pick(peers_.size())];
    const std::string& token = pick(2) == 0 ? old.token() : peer.token();
    peer.say(R"({"type":"reattach","previous_worker_id":")" + old.id() + R"(","reattach_token":")" +
             token + R"("})");
  }

  void read(Peer& peer) {
    for (const std::string& text : peer.take()) {
      const json::Value frame = parsed(text);
      const std::string kind = text_at(frame, "type");
      const std::string id = text_at(frame, "invocation_id");
      if (kind == "invokefunction") todo_[peer.id()].push_back(id);
      if (kind != "invocationresult") continue;
      Call& call = calls_[id];
      EXPECT_EQ(call.caller, peer.id()) << text;
      EXPECT_EQ(++call.answers, 1) << text;
    }
  }

  void check_calls(const std::set<const Worker*>& alive) const {
    for (const Worker* worker : alive) {
      EXPECT_GE(worker->ledger.calls.used(), worker->calls_made.size());
      EXPECT_EQ(worker->running, worker->calls_running.size());
      size_t held = 0;
      for (const PendingCall& call : worker->calls_made) {
        EXPECT_EQ(call.caller, worker);
        EXPECT_TRUE(alive.contains(call.callee));
        held += call.charge.bytes();
      }
      for (const PendingCall& call : worker->calls_running) {
        EXPECT_EQ(call.callee, worker);
        EXPECT_TRUE(call.caller == nullptr || alive.contains(call.caller));
      }
      EXPECT_GE(worker->ledger.calls.used_bytes(), held);
    }
  }

  void check_functions(const std::set<const Worker*>& alive) const {
    size_t in_table = 0;
    bus_.engine.functions().each([&](const FunctionPtr& f) {
      if (f->builtin != nullptr) return;
      ++in_table;
      ASSERT_TRUE(alive.contains(f->owner)) << f->id;
      EXPECT_TRUE(f->owner->functions.contains(f));
      EXPECT_EQ(f->name_space, f->owner->name_space);
    });
    size_t in_lists = 0;
    for (const Worker* worker : alive) in_lists += worker->functions.size();
    EXPECT_EQ(in_table, in_lists);
  }

  void check_triggers(const std::set<const Worker*>& alive) const {
    const TriggerTable& table = bus_.engine.triggers();
    std::map<const Worker*, size_t> provided;
    for (const auto& [key, entry] : table.types()) {
      if (entry->builtin != nullptr) continue;
      ASSERT_TRUE(alive.contains(entry->provider)) << key.id;
      ++provided[entry->provider];
    }
    size_t owned = 0;
    for (const auto& [id, bound] : table.bindings()) {
      if (const TriggerTypePtr type = bound.type.lock()) {
        EXPECT_EQ(table.type(type->key), type) << id;
      }
      EXPECT_TRUE(table.of_type(bound.binding->trigger_type).contains(id));
      if (bound.maker == nullptr) continue;
      ++owned;
      ASSERT_TRUE(alive.contains(bound.maker)) << id;
      EXPECT_TRUE(bound.maker->bindings.contains(id));
    }
    for (const Worker* worker : alive) {
      owned -= worker->bindings.size();
      const Ledger& ledger = worker->ledger;
      const size_t known = worker->functions.size() + worker->bindings.size() + provided[worker];
      EXPECT_GE(ledger.stored.used(), known) << "and the types that it waits for";
      EXPECT_EQ(ledger.stored.used_bytes() == 0, ledger.stored.used() == 0);
      EXPECT_EQ(ledger.events.used(), 0U);
    }
    EXPECT_EQ(owned, 0U);
  }

  std::mt19937 random_;
  TestBus bus_;
  std::unique_ptr<Store> store_;
  Configuration configuration_;
  State state_;
  std::vector<std::unique_ptr<Peer>> peers_;
  std::vector<std::shared_ptr<Ledger>> ledgers_;          // of everybody who ever connected
  std::map<std::string, std::vector<std::string>> todo_;  // by worker id: calls it has not answered
  std::map<std::string, Call> calls_;                     // by invocation id
  uint64_t last_call_ = 0x10'0000;
};

class EngineProperty : public ::testing::TestWithParam<uint32_t> {};

TEST_P(EngineProperty, BooksAgreeAndEveryCallIsAnsweredAsOftenAsItMust) {
  set_log_level(LogLevel::kOff);
  RandomBus bus(GetParam());
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    bus.step();
    bus.settle();
    bus.check();
  }
  bus.finish();
  bus.check();
  bus.empty();
  set_log_level(LogLevel::kInfo);
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineProperty, ::testing::Range(1U, 41U));

}  // namespace
}  // namespace iii::engine
