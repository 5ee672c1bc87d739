#include "faces/cli/engine_link.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "bus/net/loop.h"
#include "bus/protocol/limits.h"
#include "bus/protocol/parser.h"
#include "bus/protocol/writer.h"
#include "faces/cli/interrupt.h"
#include "foundation/base/uuid.h"

namespace iii::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

Result<net::Url> parse_url(const std::string& text, const std::string& from) {
  Result<net::Url> url = net::Url::parse(text);
  if (!url) return fail("usage", from + ": " + url.error().message + ", not '" + text + "'");
  return url;
}

// What --address says without a scheme: `host`, `host:port`, `[::1]:port` or `::1`.
std::string with_scheme(const std::string& address) {
  if (address.find("://") != std::string::npos) return address;
  const bool bare_ip6 = !address.starts_with('[') && std::ranges::count(address, ':') > 1;
  return "ws://" + (bare_ip6 ? "[" + address + "]" : address);
}

bool names_port(std::string_view url) {
  url.remove_prefix(url.find("://") + 3);
  const std::string_view authority = url.substr(0, url.find_first_of("/?#"));
  const size_t colon = authority.rfind(':');
  return colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos;
}

// --address names a host: unlike in a URL, the port that it does not name is that of engines.
Result<net::Url> parse_address(const std::string& address) {
  const std::string text = with_scheme(address);
  Result<net::Url> url = net::Url::parse(text);
  if (!url) return fail("usage", "--address: " + url.error().message + ", not '" + address + "'");
  if (!url->secure && !names_port(text)) url->port = protocol::kDefaultPort;
  return url;
}

Error cannot_reach(const EngineAddress& address, const Error& why, EngineLink::Millis timeout) {
  if (why.code == "upgrade_refused" && why.message.find(" 401") != std::string::npos) {
    return {"unauthorized",
            "the server at " + address.text() +
                (address.token.empty() ? " requires a token" : " does not accept this token") +
                ". Next: pass --token TOKEN, or set III_TOKEN."};
  }
  if (why.code == "connect_timeout") {
    return {"unreachable",
            "Cannot reach an engine at " + address.text() + " within " +
                std::to_string(timeout.count()) +
                " ms.\nNext: check the address; a server that is slow to answer needs more time "
                "(--timeout-ms of `iii-directory trigger`)."};
  }
  return {"unreachable",
          "Cannot reach an engine at " + address.text() + ": " + why.message +
              "\nNext: start one with `iii-directory serve`, or name another with --url."};
}

}  // namespace

std::string EngineAddress::text() const {
  return std::string(url.secure ? "wss://" : "ws://") + url.authority() +
         (url.target == "/" ? "" : url.target);
}

Result<EngineAddress> engine_address(const Args& args) {
  EngineAddress out;
  out.token = args.value("token").value_or(variable("III_TOKEN"));
  out.url.host = "127.0.0.1";
  out.url.port = protocol::kDefaultPort;
  const std::string from_environment = variable("III_URL");
  const auto address = args.value("address");
  const auto port = args.value("port");
  out.explicitly = args.has("url") || address || port || !from_environment.empty();
  std::optional<Result<net::Url>> url;
  if (const auto given = args.value("url")) {
    url = parse_url(*given, "--url");
  } else if (address) {
    url = parse_address(*address);
  } else if (!port && !from_environment.empty()) {
    url = parse_url(from_environment, "III_URL");
  } else if (port) {
    out.url.host = "localhost";
  }
  if (url) {
    if (!*url) return std::unexpected(url->error());
    out.url = **url;
  }
  if (port) {
    const auto parsed = number("port", *port, 1, 65'535);
    if (!parsed) return std::unexpected(parsed.error());
    out.url.port = static_cast<uint16_t>(*parsed);
  }
  return out;
}

class EngineLink::Impl final : public net::ConnectionEvents {
 public:
  Result<void> open(const EngineAddress& address, Millis timeout) {
    net::ConnectOptions options;
    options.timeout = timeout;
    if (!address.token.empty()) {
      options.headers.push_back({"Authorization", "Bearer " + address.token});
    }
    Result<void> result;
    const auto attempt = net::connect(
        loop_, address.url, std::move(options),
        [&](Result<std::shared_ptr<net::ClientConnection>> connected) {
          if (connected) {
            connection_ = std::move(*connected);
          } else {
            result = std::unexpected(cannot_reach(address, connected.error(), timeout));
          }
          loop_.stop();
        });
    loop_.run();
    if (!result) return result;
    connection_->start(*this);
    announce();
    return {};
  }

  Result<std::string> call(const Call& call) {
    if (closed_) return std::unexpected(*closed_);
    answer_.reset();
    stack_.clear();
    id_ = send(call.function_id, call.payload, call.name_space);
    const TimerId timer = loop_.after(call.timeout, [&] {
      end(fail("timed_out", "Timed out waiting for the engine to answer " + call.function_id +
                                " (" + std::to_string(call.timeout.count()) +
                                " ms). Next: raise --timeout-ms."));
    });
    call_ = &call;
    meanwhile_ = {};
    wait();
    loop_.run();
    call_ = nullptr;
    loop_.cancel(timer);
    loop_.cancel(waiting_);
    return std::move(*answer_);
  }

  void on_message(ws::Opcode, std::string_view text) override {
    const auto frame = parser_.parse(text);
    if (!frame) return;
    if (const auto* refused = std::get_if<protocol::ConnectionError>(&*frame)) {
      return end(fail("unreachable", "The engine refuses this connection: " +
                                         std::string(refused->error.message)));
    }
    const auto* answer = std::get_if<protocol::InvocationResult>(&*frame);
    if (answer == nullptr) return;
    if (call_ != nullptr && meanwhile_ && answer->invocation_id == *meanwhile_) {
      if (answer->error) return;  // it is not asked again
      meanwhile_.reset();
      return call_->on_meanwhile(answer->result.value_or("null"));
    }
    if (answer->invocation_id != id_) return;
    if (!answer->error) return end(std::string(answer->result.value_or("null")));
    stack_ = answer->error->stacktrace.value_or("");
    end(fail(std::string(answer->error->code), std::string(answer->error->message)));
  }

  void on_closed(const net::CloseInfo&) override {
    closed_ = Error{"unreachable", "The engine closed the connection before it answered."};
    end(std::unexpected(*closed_));
  }

  void close() {
    if (!connection_ || closed_) return;
    closed_ = Error{"unreachable", "closed"};
    connection_->close(ws::kCloseNormal, "");
    loop_.at_turn_end([this] { loop_.stop(); });
    loop_.run();
  }
  const std::string& stack() const { return stack_; }

 private:
  // Engines show who is connected; several of us may be at the same time, so the name carries the
  // pid.
  void announce() {
    const std::string pid = std::to_string(::getpid());
    const std::string hello =
        R"({"runtime":"cpp","name":"iii-cli:trigger-)" + pid + R"(","pid":)" + pid + "}";
    protocol::InvokeFunction announce;
    announce.function_id = "engine::workers::register";
    announce.data = hello;
    announce.action = protocol::Action::kVoid;
    connection_->send(ws::Opcode::kText, protocol::to_text(announce));
  }

  Uuid send(const std::string& function_id, const std::string& payload,
            const std::optional<std::string>& name_space) {
    protocol::InvokeFunction frame;
    const Uuid id = ids_.next();
    frame.invocation_id = id;
    frame.function_id = function_id;
    frame.data = payload;
    if (name_space) frame.name_space = *name_space;
    connection_->send(ws::Opcode::kText, protocol::to_text(frame));
    return id;
  }

  // While an answer is awaited. The signal handler only sets a flag.
  void wait(int turn = 1) {
    constexpr Millis kPause{50};
    constexpr int kTurns = 10;  // between two questions how far it is
    waiting_ = loop_.after(kPause, [this, turn] {
      if (was_interrupted()) return end(fail("interrupted", "Interrupted."));
      if (turn % kTurns == 0 && !meanwhile_ && !call_->meanwhile.empty()) {
        meanwhile_ = send(call_->meanwhile, "{}", std::nullopt);
      }
      wait(turn + 1);
    });
  }

  void end(Result<std::string> answer) {
    if (!answer_) answer_ = std::move(answer);
    loop_.stop();
  }

  net::Loop loop_;
  RandomIds ids_;
  Uuid id_;
  protocol::Parser parser_;
  std::shared_ptr<net::ClientConnection> connection_;
  std::optional<Result<std::string>> answer_;
  std::optional<Error> closed_;
  const Call* call_ = nullptr;     // whose answer is awaited
  std::optional<Uuid> meanwhile_;  // the question that was asked meanwhile
  TimerId waiting_ = 0;
  std::string stack_;
};

EngineLink::EngineLink(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EngineLink::~EngineLink() { impl_->close(); }

Result<std::unique_ptr<EngineLink>> EngineLink::open(const EngineAddress& address, Millis timeout) {
  auto impl = std::make_unique<Impl>();
  if (auto opened = impl->open(address, timeout); !opened) return std::unexpected(opened.error());
  return std::unique_ptr<EngineLink>(new EngineLink(std::move(impl)));
}

Result<std::string> EngineLink::call(const Call& call) { return impl_->call(call); }

const std::string& EngineLink::stack() const { return impl_->stack(); }

}  // namespace iii::cli
