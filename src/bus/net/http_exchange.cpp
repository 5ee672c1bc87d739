#include "bus/net/http_exchange.h"

#include "foundation/base/discard.h"

namespace iii::net {

HttpExchange::~HttpExchange() {
  if (const auto connection = std::exchange(connection_, nullptr)) connection->unanswered();
}

void HttpExchange::send(int status, HttpHeaders headers, std::string body) {
  const auto owner = shared_text(std::move(body));
  send(status, std::move(headers), SharedBytes{owner, *owner});
}

void HttpExchange::send(int status, HttpHeaders headers, SharedBytes body) {
  if (!connection_ || phase_ != Phase::kUnanswered) return;
  phase_ = Phase::kDone;
  const auto connection = connection_;
  connection->answer(status, headers, std::move(body));
}

void HttpExchange::refuse_token(HttpAnswer answer) {
  if (!connection_) return;
  connection_->refuse_token([self = shared_from_this(), answer = std::move(answer)]() mutable {
    self->send(answer.status, std::move(answer.headers), std::move(answer.body));
  });
}

void HttpExchange::begin_stream(int status, HttpHeaders headers) {
  if (!connection_ || phase_ != Phase::kUnanswered) return;
  phase_ = Phase::kStreaming;
  const auto connection = connection_;
  connection->begin_stream(status, headers);
}

void HttpExchange::write(std::string_view text) { write(SharedBytes{nullptr, text}); }

void HttpExchange::write(SharedBytes bytes) {
  if (!connection_ || phase_ != Phase::kStreaming || bytes.bytes.empty()) return;
  const auto connection = connection_;
  connection->write_stream(std::move(bytes));
}

void HttpExchange::end() {
  if (!connection_ || phase_ != Phase::kStreaming) return;
  phase_ = Phase::kDone;
  const auto connection = connection_;
  connection->end_stream();
}

void HttpExchange::on_drained(std::move_only_function<void()> action) {
  if (connection_) on_drained_ = std::move(action);
}

void HttpExchange::on_closed(std::move_only_function<void()> action) {
  if (connection_) on_closed_ = std::move(action);
}

void HttpExchange::drained() {
  const auto self = shared_from_this();
  auto action = std::exchange(on_drained_, {});
  if (!action) return;
  action();
  // It stays for the next time, unless it was replaced or nothing can come any more.
  if (connection_ && !on_drained_) on_drained_ = std::move(action);
}

void HttpExchange::detach() {
  const auto self = shared_from_this();
  const auto connection = std::exchange(connection_, nullptr);
  const auto drained = std::exchange(on_drained_, {});
  const auto closed = std::exchange(on_closed_, {});
  phase_ = Phase::kDone;
}

}  // namespace iii::net
