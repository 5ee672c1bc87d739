// A worker's connection inside the process: frames go in and come out by plain calls.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>
#include <string_view>

#include "bus/net/loop.h"
#include "bus/sdk/worker.h"
#include "directory/library/library.h"
#include "foundation/json/value.h"
#include "process.h"

namespace iii::bench {

// The engine's end of a worker's line: frames go in and come out by plain calls.
class Line final : public sdk::Transport {
 public:
  explicit Line(net::Loop& loop) : loop_(loop) {}
  void open(sdk::TransportEvents& events) override { events_ = &events; }
  void send(std::string_view text) override {
    if (is_event(text)) return;
    if (on_answer) return on_answer();
    sent_ = text;
    if (waiting_) loop_.stop();
  }
  void send_encoded(SharedBytes frame) override { send(frame.bytes); }
  // Hears of answers, which are then not copied.
  std::function<void()> on_answer;
  void ping() override {}
  void close() override {}
  void drop() override {}

  void connect() {
    events_->on_open();
    deliver(R"({"type":"invocationresult","invocation_id":")" + id_of(sent_) +
            R"(","function_id":"engine::workers::register","result":{"success":true}})");
  }
  // Somebody listens, so that events are made.
  void listen_to_changes() {
    deliver(R"({"type":"registertrigger","id":"b","trigger_type":"directory::skills::on-change",)"
            R"("function_id":"bench::heard","config":{}})");
  }
  // A call as the engine would send it, built in advance.
  static std::string frame(std::string_view function, std::string_view data) {
    return fmt::format(R"({{"type":"invokefunction","invocation_id":)"
                       R"("11111111-1111-4111-8111-000000000001","function_id":"{}","data":{}}})",
                       function, data);
  }
  // The answer's whole frame. The loop runs only when the answer does not come at once.
  const std::string& call(std::string_view frame) {
    exchange(frame);
    // Nobody else is on this bus: there are no workers whose names could be meant.
    while (sent_.find(R"("type":"invokefunction")") != std::string::npos) {
      exchange(R"({"type":"invocationresult","invocation_id":")" + id_of(sent_) +
               R"(","function_id":"worker::list","result":{"workers":[]}})");
    }
    return sent_;
  }

  void deliver(std::string_view text) {
    frame_.assign(text).append(64, '\0');
    events_->on_text(std::string_view(frame_).substr(0, text.size()));
  }

 private:
  // Nobody waits for events, nor for the answer to the wish to hear of them.
  static bool is_event(std::string_view frame) {
    const std::string_view head = frame.substr(0, 512);
    return head.find("\"bench::heard\"") != std::string_view::npos ||
           head.find("\"triggerregistrationresult\"") != std::string_view::npos;
  }
  // Delivers one frame and waits for what is sent next.
  void exchange(std::string_view text) {
    sent_.clear();
    deliver(text);
    waiting_ = true;
    while (sent_.empty()) loop_.run();
    waiting_ = false;
  }
  static std::string id_of(std::string_view call) {
    const auto frame = json::parse(call);
    const json::Value* id = frame ? frame->find("invocation_id") : nullptr;
    if (id == nullptr || id->as_string() == nullptr) die("the worker sent no call");
    return *id->as_string();
  }

  net::Loop& loop_;
  bool waiting_ = false;
  sdk::TransportEvents* events_ = nullptr;
  std::string frame_;
  std::string sent_;
};

inline directory::LibraryOptions unfiltered() {
  directory::LibraryOptions options;
  options.installed.filter = false;
  return options;
}

}  // namespace iii::bench
