// Helpers for tests of the engine core: a bus without sockets, with time that stands still, ids
// that count up, and peers that record what they receive.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/engine/builtins/catalog.h"
#include "bus/engine/builtins/events.h"
#include "bus/engine/builtins/introspection.h"
#include "bus/engine/builtins/management.h"
#include "bus/engine/builtins/observability.h"
#include "bus/engine/builtins/stats.h"
#include "bus/engine/channels.h"
#include "bus/engine/engine.h"
#include "bus/engine/fake_background.h"
#include "bus/ws/frame.h"
#include "foundation/base/fake_timers.h"
#include "foundation/base/uuid.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::json {

inline void PrintTo(const Value& value, std::ostream* out) { *out << to_text(value); }

}  // namespace iii::json

namespace iii::engine {

// Looks like a version 4 UUID and is easy to recognise in a failing test.
inline Uuid numbered(uint64_t n) {
  return {0x0000'0000'0000'4000ULL, 0x8000'0000'0000'0000ULL | n};
}
inline std::string uuid(uint64_t n) { return numbered(n).to_string(); }

// Counts up from 0x1000, so that tests may use small numbers for ids of their own.
class CountingIds final : public IdSource {
 public:
  Uuid next() override { return numbered(++last_); }
  uint64_t last() const { return last_; }

 private:
  uint64_t last_ = 0x1000;
};

inline json::Value parsed(std::string_view text) {
  Result<json::Value> value = json::parse(text);
  if (!value) {
    ADD_FAILURE() << "not JSON (" << value.error().message << "): " << text;
    return {};
  }
  return std::move(*value);
}

// The text of a member, or a mark that never equals anything useful.
inline std::string text_at(const json::Value& value, std::string_view key) {
  const json::Value* member = value.find(key);
  if (member == nullptr) return "<absent>";
  return member->as_string() != nullptr ? *member->as_string() : json::to_text(*member);
}

// The engine with everything it offers by itself except what needs a store.
class TestBus {
 public:
  explicit TestBus(EngineLimits limits = {}, ChannelLimits channel_limits = {})
      : background(timers),
        engine(timers, ids, background, limits),
        channels(timers, ids, channel_limits),
        catalog(engine, "0.0.0-test"),
        observability(engine, "0.0.0-test"),
        events(engine, catalog, limits.functions_poll) {
    for (auto& list : {function_introspection(catalog), trigger_introspection(catalog),
                       worker_introspection(catalog), observer_introspection(engine),
                       stats_functions(engine), management(engine, channels),
                       observability.functions(), events.sources(), events.functions()}) {
      for (const BuiltinFunction& function : list) engine.add(function);
    }
    for (BuiltinTriggerType& type : events.trigger_types()) engine.add(std::move(type));
    engine.add(observability.trigger_type());
    engine.listen(channels);
  }

  FakeTimers timers;
  // Runs what waits for the loop's next turn.
  void turn() { timers.advance(Millis(0)); }

  CountingIds ids;
  FakeBackground background;
  Engine engine;
  ChannelTable channels;
  Catalog catalog;
  Observability observability;
  BusEvents events;
};

using Frames = std::vector<std::string>;

// One connection, seen from the far end.
class Peer final : public Link {
 public:
  explicit Peer(TestBus& bus) : bus_(bus) {
    worker_ = &bus.engine.connected(*this, "127.0.0.1");
    id_ = worker_->id_text;
    token_ = worker_->token.to_string();
    greeting_ = received_.empty() ? "" : received_.front();
    received_.clear();
    bus.turn();
  }
  Peer(TestBus& bus, std::string_view name) : Peer(bus) { announce(name); }
  ~Peer() override { leave(); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void send(std::string_view frame) override {
    if (ended_) ADD_FAILURE() << "sent to a connection that has ended: " << frame;
    received_.emplace_back(frame);
  }
  void ended(bool politely) override {
    EXPECT_FALSE(ended_) << "ended twice";
    ended_ = true;
    politely_ = politely;
    worker_ = nullptr;
  }

  // One message to the engine and what follows from it in the next turn. In memory of exactly the
  // promised size, so that asan sees every read beyond it.
  void say(std::string_view frame) {
    ASSERT_NE(worker_, nullptr) << "this connection is over";
    ASSERT_FALSE(paused_) << "this connection is not read at present";
    std::vector<char> padded(frame.size() + ws::kPadding, ' ');
    std::copy(frame.begin(), frame.end(), padded.begin());
    bus_.engine.received(*worker_, {padded.data(), frame.size()});
    bus_.turn();
  }
  void leave() {
    if (worker_ == nullptr) return;
    ended_ = true;
    bus_.engine.disconnected(*std::exchange(worker_, nullptr));
    bus_.turn();
  }

  // One large message, as its socket hands it over.
  void say_large(std::string_view frame) {
    ASSERT_NE(worker_, nullptr) << "this connection is over";
    auto padded = std::make_shared<std::vector<char>>(frame.size() + ws::kPadding, ' ');
    std::copy(frame.begin(), frame.end(), padded->begin());
    bus_.engine.received(*worker_, SharedBytes{padded, {padded->data(), frame.size()}});
  }
  void send_parts(std::span<const SharedBytes> parts) override {
    for (const SharedBytes& part : parts) shared_bytes_ += part.owner ? part.bytes.size() : 0;
    Link::send_parts(parts);
  }
  void charge(ptrdiff_t bytes) override { charged_ += bytes; }
  // What the engine says that it keeps for us.
  ptrdiff_t charged() const { return charged_; }
  // What was not copied on its way to us.
  size_t shared_bytes() const { return shared_bytes_; }
  size_t room() const override { return room_; }
  void set_room(size_t bytes) { room_ = bytes; }
  bool pause() override {
    paused_ = true;
    return true;
  }
  void resume() override { paused_ = false; }
  bool paused() const { return paused_; }

  // What arrived since the last look.
  Frames take() { return std::exchange(received_, {}); }
  json::Value take_one() {
    const Frames frames = take();
    EXPECT_EQ(frames.size(), 1U) << ::testing::PrintToString(frames);
    return frames.size() == 1 ? parsed(frames.front()) : json::Value{};
  }

  // `extra` continues the payload, e.g. `,"namespace":"x"`.
  void announce(std::string_view name, std::string_view extra = "") {
    say(R"({"type":"invokefunction","function_id":"engine::workers::register","data":{"name":)" +
        quoted(name) + R"(,"pid":7)" + std::string(extra) + R"(},"action":{"type":"void"}})");
  }
  void serve(std::string_view function) {
    say(R"({"type":"registerfunction","id":)" + quoted(function) + "}");
  }
  void provide(std::string_view type, std::string_view extra = "") {
    say(R"({"type":"registertriggertype","id":)" + quoted(type) + R"(,"description":"d")" +
        std::string(extra) + "}");
  }
  void bind(std::string_view id, std::string_view type, std::string_view function,
            std::string_view extra = "") {
    say(R"({"type":"registertrigger","id":)" + quoted(id) + R"(,"trigger_type":)" + quoted(type) +
        R"(,"function_id":)" + quoted(function) + R"(,"config":{})" + std::string(extra) + "}");
  }
  void unbind(std::string_view id) {
    say(R"({"type":"unregistertrigger","id":)" + quoted(id) + "}");
  }
  // A provider's word on a binding; `error` is a whole error body or empty.
  void judge(std::string_view id, std::string_view error = "") {
    const std::string tail = error.empty() ? "" : R"(,"error":)" + std::string(error);
    say(R"({"type":"triggerregistrationresult","id":)" + quoted(id) +
        R"(,"trigger_type":"?","function_id":"?")" + tail + "}");
  }
  void invoke(uint64_t id, std::string_view function, std::string_view data = "{}",
              std::string_view extra = "") {
    say(R"({"type":"invokefunction","invocation_id":")" + uuid(id) + R"(","function_id":)" +
        quoted(function) + R"(,"data":)" + std::string(data) + std::string(extra) + "}");
  }
  // `outcome` is e.g. `"result":1`.
  void answer(std::string_view invocation_id, std::string_view outcome) {
    say(R"({"type":"invocationresult","invocation_id":")" + std::string(invocation_id) +
        R"(","function_id":"?",)" + std::string(outcome) + "}");
  }

  // Calls something that answers at once; the whole answer frame.
  json::Value ask(std::string_view function, std::string_view data = "{}") {
    invoke(++asked_, function, data);
    return take_one();
  }
  // The same, expecting success.
  json::Value result_of(std::string_view function, std::string_view data = "{}") {
    const json::Value answer = ask(function, data);
    const json::Value* result = answer.find("result");
    EXPECT_EQ(answer.find("error"), nullptr) << json::to_text(answer);
    return result != nullptr ? *result : json::Value{};
  }
  // The same, expecting a refusal: `code: message`.
  std::string refusal_of(std::string_view function, std::string_view data = "{}") {
    const json::Value answer = ask(function, data);
    const json::Value* error = answer.find("error");
    if (error == nullptr) return "<accepted: " + json::to_text(answer) + ">";
    return text_at(*error, "code") + ": " + text_at(*error, "message");
  }

  // Ends without the turn of the loop that follows in leave().
  Worker& release() {
    ended_ = true;
    return *std::exchange(worker_, nullptr);
  }
  size_t queued_bytes() const override { return unread; }
  size_t unread = 0;  // what the engine believes to be on its way to us
  void read_all() {
    unread = 0;
    bus_.engine.drained(*worker_);
    bus_.turn();
  }
  bool open() const override { return !cut_off; }
  bool cut_off = false;  // the connection is over, but the engine has not been notified yet

  bool connected() const { return worker_ != nullptr; }
  bool was_ended() const { return ended_; }
  bool politely() const { return politely_; }
  const std::string& id() const { return id_; }
  const std::string& token() const { return token_; }
  const std::string& greeting() const { return greeting_; }
  Worker& worker() { return *worker_; }

 private:
  static std::string quoted(std::string_view text) {
    std::string out;
    json::append_string(out, text);
    return out;
  }

  TestBus& bus_;
  Worker* worker_ = nullptr;
  std::string id_;
  std::string token_;
  std::string greeting_;
  Frames received_;
  bool ended_ = false;
  bool politely_ = false;
  bool paused_ = false;
  ptrdiff_t charged_ = 0;
  size_t room_ = SIZE_MAX;
  size_t shared_bytes_ = 0;
  uint64_t asked_ = 0x100;
};

}  // namespace iii::engine
