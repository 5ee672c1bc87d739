#include "cli/one_call.h"

#include <unistd.h>

#include <memory>
#include <utility>

#include "base/uuid.h"
#include "json/write.h"
#include "net/client.h"
#include "net/loop.h"
#include "protocol/parser.h"
#include "protocol/writer.h"

namespace iii::cli {

namespace {

// Lives on the stack of call_once while its loop runs.
class Caller final : public net::ConnectionEvents {
 public:
  explicit Caller(const OneCall& call) : call_(call), id_(ids_.next()) {}

  CallOutcome run() {
    net::Url url;
    url.host = call_.address;
    url.port = call_.port;
    net::ConnectOptions options;
    options.timeout = std::min<std::chrono::milliseconds>(options.timeout, call_.timeout);
    if (!call_.token.empty()) options.headers.push_back({"Authorization", "Bearer " + call_.token});
    const auto attempt =
        net::connect(loop_, url, std::move(options),
                     [this](Result<std::shared_ptr<net::ClientConnection>> connected) {
                       opened(std::move(connected));
                     });
    loop_.after(call_.timeout, [this] {
      end(CallOutcome::Kind::kTimedOut,
          "Timed out waiting for the engine to answer " + call_.function_id + " (" +
              std::to_string(call_.timeout.count()) + " ms). Next: raise --timeout-ms.");
    });
    loop_.run();
    return std::move(outcome_);
  }

  void on_message(ws::Opcode, std::string_view text) override {
    const auto frame = parser_.parse(text);
    if (!frame) return;
    if (const auto* refused = std::get_if<protocol::ConnectionError>(&*frame)) {
      return end(CallOutcome::Kind::kUnreachable,
                 "The engine refuses this connection: " + std::string(refused->error.message));
    }
    const auto* answer = std::get_if<protocol::InvocationResult>(&*frame);
    if (answer == nullptr || answer->invocation_id != id_) return;
    if (!answer->error)
      return end(CallOutcome::Kind::kResult, std::string(answer->result.value_or("null")));
    json::Object error{{"code", answer->error->code}, {"message", answer->error->message}};
    error.emplace("stacktrace", answer->error->stacktrace ? json::Value(*answer->error->stacktrace)
                                                          : json::Value());
    end(CallOutcome::Kind::kRemoteError, json::to_text(error));
  }

  void on_closed(const net::CloseInfo&) override {
    end(CallOutcome::Kind::kUnreachable, "The engine closed the connection before it answered.");
  }

 private:
  void opened(Result<std::shared_ptr<net::ClientConnection>> connected) {
    if (!connected) {
      return end(CallOutcome::Kind::kUnreachable,
                 "Cannot reach an engine at ws://" + call_.address + ":" +
                     std::to_string(call_.port) + ": " + connected.error().message +
                     "\nNext: start one with `iii-directory serve`, or pass --address and --port.");
    }
    connection_ = std::move(*connected);
    connection_->start(*this);
    // Engines show who is connected; several of us may be at the same time, so the name carries the
    // pid.
    const std::string pid = std::to_string(::getpid());
    const std::string hello =
        R"({"runtime":"cpp","name":"iii-cli:trigger-)" + pid + R"(","pid":)" + pid + "}";
    protocol::InvokeFunction announce;
    announce.function_id = "engine::workers::register";
    announce.data = hello;
    announce.action = protocol::Action::kVoid;
    connection_->send(ws::Opcode::kText, protocol::to_text(announce));
    protocol::InvokeFunction frame;
    frame.invocation_id = id_;
    frame.function_id = call_.function_id;
    frame.data = call_.payload;
    if (call_.name_space) frame.name_space = *call_.name_space;
    connection_->send(ws::Opcode::kText, protocol::to_text(frame));
  }

  void end(CallOutcome::Kind kind, std::string text) {
    if (std::exchange(over_, true)) return;
    outcome_ = {kind, std::move(text)};
    if (connection_) connection_->close(ws::kCloseNormal, "");
    loop_.at_turn_end([this] { loop_.stop(); });
  }

  const OneCall& call_;
  net::Loop loop_;
  RandomIds ids_;
  Uuid id_;
  protocol::Parser parser_;
  std::shared_ptr<net::ClientConnection> connection_;
  CallOutcome outcome_;
  bool over_ = false;
};

}  // namespace

CallOutcome call_once(const OneCall& call) { return Caller(call).run(); }

}  // namespace iii::cli
