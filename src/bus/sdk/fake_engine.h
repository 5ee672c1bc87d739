// For tests: a transport to an engine that the test plays. Runs on a real loop.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bus/sdk/transport.h"
#include "bus/sdk/worker.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::sdk {

// Answers the announce, keeps every other frame, and lets calls of the worker's own functions come
// back to it. `on_frame` hears each frame as it arrives.
class FakeEngine {
 public:
  explicit FakeEngine(net::Loop& loop) : loop_(loop) {}

  Worker::MakeTransport transport() {
    return [this](net::Loop&) { return std::make_unique<FakeTransport>(*this); };
  }

  void send(std::string_view text) {
    loop_.post([line = line_, padded = std::string(text) + std::string(kPadding, '\0')] {
      const auto text = std::string_view(padded).substr(0, padded.size() - kPadding);
      if (line->events != nullptr) line->events->on_text(text);
    });
  }
  void drop() {
    loop_.post([line = line_] { line->end("the engine ended the connection"); });
  }
  void invoke(const std::string& function, const std::string& data, const std::string& rest = "") {
    send(R"({"type":"invokefunction","invocation_id":"11111111-1111-4111-8111-00000000000)" +
         std::to_string(++calls_) + R"(","function_id":")" + function + R"(","data":)" + data +
         rest + "}");
  }
  void answer(const json::Value& call, const std::string& rest) {
    send(R"({"type":"invocationresult","invocation_id":")" +
         *call.find("invocation_id")->as_string() + R"(","function_id":"x")" + rest + "}");
  }
  // Runs the loop until `count` frames of that type have come, or five seconds have passed.
  std::vector<json::Value> wait_for(const std::string& type, size_t count) {
    wanted_ = [this, type, count] { return of_type(type).size() >= count; };
    run();
    return of_type(type);
  }
  // Runs the loop until `done` holds.
  void run_until(std::function<bool()> done) {
    wanted_ = std::move(done);
    run();
  }
  std::vector<json::Value> of_type(const std::string& type) const {
    std::vector<json::Value> found;
    for (const json::Value& frame : frames) {
      if (*frame.find("type")->as_string() == type) found.push_back(frame);
    }
    return found;
  }

  std::vector<json::Value> frames;
  std::function<void(const json::Value&)> on_frame = [](const json::Value&) {};
  // For the end of a test: a worker says goodbye when what `on_frame` uses may be gone already.
  void deafen() {
    on_frame = [](const json::Value&) {};
  }
  std::string greeting;  // more members of it
  std::string compose;   // what `compose::status` answers; empty: it does not exist
  int connections = 0;
  int departures = 0;

 private:
  static constexpr size_t kPadding = 64;

  // One connection; without events once the worker has left.
  struct Line {
    TransportEvents* events;

    void end(std::string_view why) {
      if (TransportEvents* told = std::exchange(events, nullptr)) told->on_closed(why);
    }
  };

  class FakeTransport final : public Transport {
   public:
    explicit FakeTransport(FakeEngine& engine) : engine_(engine) {}
    ~FakeTransport() override { drop(); }

    void open(TransportEvents& events) override {
      line_ = std::make_shared<Line>(&events);
      post([](FakeEngine& engine, const std::shared_ptr<Line>& line) {
        engine.connected(line);
        line->events->on_open();
      });
    }
    void send(std::string_view text) override {
      post([text = std::string(text)](FakeEngine& engine, const std::shared_ptr<Line>&) {
        engine.received(text);
      });
    }
    void ping() override {
      post([](FakeEngine&, const std::shared_ptr<Line>& line) { line->events->on_alive(); });
    }
    void close() override {
      post([](FakeEngine& engine, const std::shared_ptr<Line>& line) {
        ++engine.departures;
        line->end("closed");
      });
    }
    void drop() override {
      const std::shared_ptr<Line> line = std::exchange(line_, nullptr);
      if (line && std::exchange(line->events, nullptr) != nullptr) ++engine_.departures;
    }

   private:
    // Runs `action` on a later turn, if the worker is still there.
    template <typename Action>
    void post(Action action) {
      if (!line_) return;
      engine_.loop_.post([&engine = engine_, line = line_, action = std::move(action)] {
        if (line->events != nullptr) action(engine, line);
      });
    }

    FakeEngine& engine_;
    std::shared_ptr<Line> line_;
  };

  void connected(std::shared_ptr<Line> line) {
    line_ = std::move(line);
    ++connections;
    send(R"({"type":"workerregistered","worker_id":"w1","reattach_token":"t1")" + greeting + "}");
  }
  void received(std::string_view text) {
    json::Value frame = json::parse(text).value();
    const json::Value* function = frame.find("function_id");
    if (function && *function == json::Value("engine::workers::register")) {
      return answer(frame, R"(,"result":{"success":true})");
    }
    if (function && *function == json::Value("compose::status")) return answer_compose(frame);
    frames.push_back(frame);
    on_frame(frame);
  }
  void answer_compose(const json::Value& frame) {
    if (!compose.empty()) return answer(frame, ",\"result\":" + compose);
    answer(frame, R"(,"error":{"code":"function_not_found","message":"nobody"})");
  }

  void run() {
    // Ends a test that would hang, also on a machine that is busy with other things.
    const TimerId limit = loop_.after(Millis(60'000), [this] {
      ADD_FAILURE() << "nothing more happened";
      loop_.stop();
    });
    check();
    loop_.run();
    loop_.cancel(limit);
  }
  void check() {
    if (wanted_()) return loop_.stop();
    loop_.after(Millis(1), [this] { check(); });
  }

  net::Loop& loop_;
  std::shared_ptr<Line> line_;
  std::function<bool()> wanted_;
  int calls_ = 0;
};

}  // namespace iii::sdk
