// The response object that a handler holds. Internal to this room.
#pragma once

#include <memory>
#include <utility>

#include "bus/net/http_connection.h"

namespace iii::net {

class HttpExchange final : public HttpResponse, public std::enable_shared_from_this<HttpExchange> {
 public:
  explicit HttpExchange(std::shared_ptr<HttpConnection> connection)
      : connection_(std::move(connection)) {}
  ~HttpExchange() override;

  using HttpResponse::send;
  void send(int status, HttpHeaders headers, std::string body) override;
  void send(int status, HttpHeaders headers, SharedBytes body) override;
  void begin_stream(int status, HttpHeaders headers) override;
  void write(std::string_view text) override;
  void write(SharedBytes bytes) override;
  void end() override;
  size_t queued_bytes() const override { return connection_ ? connection_->queued_bytes() : 0; }
  bool is_open() const override { return connection_ != nullptr; }
  void on_drained(std::move_only_function<void()> action) override;
  void on_closed(std::move_only_function<void()> action) override;

  // For the connection.
  void drained();
  std::move_only_function<void()> take_on_closed() { return std::exchange(on_closed_, {}); }
  // Nothing reaches the connection any more. May release this object.
  void detach();

 protected:
  void refuse_token(HttpAnswer answer) override;

 private:
  enum class Phase { kUnanswered, kStreaming, kDone };

  std::shared_ptr<HttpConnection> connection_;  // null once detached
  Phase phase_ = Phase::kUnanswered;
  std::move_only_function<void()> on_drained_;
  std::move_only_function<void()> on_closed_;
};

}  // namespace iii::net
