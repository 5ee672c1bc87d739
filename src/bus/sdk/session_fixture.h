// For tests: a Session whose engine, time and ids are in the test's hand.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bus/sdk/session.h"
#include "foundation/base/fake_timers.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::sdk {

class FakeTransport final : public Transport {
 public:
  void open(TransportEvents& events) override {
    events_ = &events;
    ++opens;
  }
  void send(std::string_view text) override { sent.emplace_back(text); }
  void ping() override { ++pings; }
  void close() override { ++closes; }
  void drop() override { ++drops; }

  void deliver(std::string_view text) {
    std::string padded(text);
    padded.append(64, '\0');
    events_->on_text(std::string_view(padded).substr(0, text.size()));
  }
  TransportEvents& events() { return *events_; }

  std::vector<std::string> sent;
  int opens = 0;
  int pings = 0;
  int closes = 0;
  int drops = 0;

 private:
  TransportEvents* events_ = nullptr;
};

// …0001, …0002, as version 4 UUIDs.
class CountingIds final : public IdSource {
 public:
  Uuid next() override { return {0x0000000000004000, 0x8000000000000000 + ++count_}; }

 private:
  uint64_t count_ = 0;
};

inline json::Value parsed(std::string_view text) {
  auto value = json::parse(text);
  EXPECT_TRUE(value.has_value()) << text;
  return value.value_or(json::Value());
}

inline std::string text_at(const json::Value& object, std::string_view key) {
  const json::Value* member = object.find(key);
  return member != nullptr && member->as_string() != nullptr ? *member->as_string() : "";
}

inline bool is_announce(const json::Value& frame) {
  return text_at(frame, "function_id") == "engine::workers::register";
}

class SessionTest : public testing::Test {
 protected:
  SessionTest() { make({}); }

  void make(SessionOptions options) {
    options.announcement = R"({"runtime":"cpp"})";
    session.emplace(
        std::move(options), transport, timers, ids, [] { return 0.0; },
        SessionListener{.on_ready = [this] { ++ready; },
                        .on_stopped =
                            [this](const std::optional<Error>& why) {
                              ++stopped;
                              fatal = why;
                            }});
  }

  // Everything sent since the last look.
  std::vector<json::Value> taken() {
    std::vector<json::Value> frames;
    for (const std::string& text : std::exchange(transport.sent, {}))
      frames.push_back(parsed(text));
    return frames;
  }
  // `type`, or `type:id` where a frame has one; the announce as `announce`.
  static std::string summary(const json::Value& frame) {
    if (is_announce(frame)) return "announce";
    for (const char* key : {"id", "function_id", "previous_worker_id"}) {
      if (const std::string id = text_at(frame, key); !id.empty())
        return text_at(frame, "type") + ":" + id;
    }
    return text_at(frame, "type");
  }
  std::vector<std::string> summaries() {
    std::vector<std::string> out;
    for (const json::Value& frame : taken()) out.push_back(summary(frame));
    return out;
  }

  void open() {
    if (session->state() == SessionState::kIdle) session->start();
    session->on_open();
  }
  // Answers the announce that was sent last.
  void answer_announce() {
    std::string id;
    for (const std::string& text : transport.sent) {
      if (const json::Value frame = parsed(text); is_announce(frame))
        id = text_at(frame, "invocation_id");
    }
    ASSERT_NE(id, "");
    transport.deliver(R"({"type":"invocationresult","invocation_id":")" + id +
                      R"(","function_id":"engine::workers::register","result":{"success":true}})");
  }
  void greet(const std::string& worker_id, const std::string& token) {
    transport.deliver(R"({"type":"workerregistered","worker_id":")" + worker_id +
                      R"(","reattach_token":")" + token + R"("})");
  }
  void connect() {
    open();
    answer_announce();
    transport.sent.clear();
  }

  Result<void> add_echo(const std::string& id) {
    return session->add_function({.id = id,
                                  .description = "",
                                  .request_format = {},
                                  .response_format = {},
                                  .metadata = {},
                                  .invocation = {}},
                                 [this](Invocation in) {
                                   const std::string data = in.data;
                                   session->answer(in, std::optional(data));
                                 });
  }
  void call(const std::string& id, std::optional<Millis> timeout = {}) {
    OutgoingCall outgoing{.function_id = id};
    outgoing.timeout = timeout;
    session->call(outgoing,
                  [this](Reply<json::Raw> reply) { replies.push_back(std::move(reply)); });
  }

  FakeTimers timers;
  CountingIds ids;
  FakeTransport transport;
  int ready = 0;
  int stopped = 0;
  std::optional<Error> fatal;
  std::vector<Reply<json::Raw>> replies;
  std::optional<Session> session;
};

}  // namespace iii::sdk
