#include "app/daemon/local_transport.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "bus/engine/embedded.h"
#include "foundation/json/slice.h"

namespace iii::daemon {
namespace {

// A worker that calls its own function twice, first with a large payload.
class CallsItself final : public sdk::TransportEvents {
 public:
  CallsItself(net::Loop& loop, engine::Engine& engine) : loop_(loop), transport_(loop, engine) {}

  std::vector<size_t> run() {
    transport_.open(*this);
    loop_.run();
    return payloads_;
  }

  void on_open() override {
    transport_.send(R"({"type":"registerfunction","id":"test::f"})");
    transport_.send(
        R"({"type":"invokefunction","invocation_id":"0190a5da-c967-74bb-cceb-302099a80571",)"
        R"("function_id":"engine::workers::register","data":{"name":"test"}})");
  }
  void on_text(std::string_view text) override {
    const std::string type = json::string_of(json::member(text, "type").value());
    if (type == "invocationresult") {
      transport_.send_encoded(transport_.encode(call(std::string(2'000'000, 'x'))));
      transport_.send(call("small"));
    } else if (type == "invokefunction") {
      payloads_.push_back(json::member(text, "data")->size() - 2);
      if (payloads_.size() == 2) loop_.stop();
    }
  }
  void on_alive() override {}
  void on_closed(std::string_view) override { ADD_FAILURE() << "nobody ends this connection"; }

 private:
  static std::string call(const std::string& payload) {
    return R"({"type":"invokefunction","function_id":"test::f","action":{"type":"void"},"data":")" +
           payload + "\"}";
  }

  net::Loop& loop_;
  LocalTransport transport_;
  std::vector<size_t> payloads_;
};

TEST(LocalTransport, WhatFollowsALargeTextWaitsForIt) {
  net::Loop loop;
  const auto embedded = engine::Embedded::start(loop, {});
  ASSERT_TRUE(embedded.has_value()) << embedded.error().message;
  CallsItself worker(loop, (*embedded)->engine());
  EXPECT_THAT(worker.run(), testing::ElementsAre(2'000'000, 5));
}

}  // namespace
}  // namespace iii::daemon
