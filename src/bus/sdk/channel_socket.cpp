#include "bus/sdk/channel_socket.h"

#include <utility>

#include "bus/sdk/core.h"

namespace iii::sdk::channel_detail {
namespace {

// A reader that lags behind stops the socket instead of filling the memory.
constexpr size_t kMaxItems = 64;
constexpr size_t kMaxItemBytes = 1024 * 1024;
// A writer waits while more than this has not left yet, and looks again after a moment.
constexpr size_t kMaxUnsent = 256 * 1024;
constexpr Millis kLookAgain{2};
constexpr std::string_view kGoodbye = "channel_close";

}  // namespace

void Socket::open() {
  if (state_ != State::kNew) return;
  if (!url_) {
    error_ = url_.error();
    state_ = State::kClosed;
    return;
  }
  state_ = State::kConnecting;
  auto done = [this](Result<std::shared_ptr<net::ClientConnection>> opened) {
    const auto self = shared_from_this();
    connecting_.reset();
    if (opened) {
      state_ = State::kOpen;
      connection_ = std::move(*opened);
      connection_->start(*this);
      if (close_wanted_) connection_->close(ws::kCloseNormal, kGoodbye);
    } else {
      state_ = State::kClosed;
      error_ =
          Error{"channel_failed", "the channel could not be opened: " + opened.error().message};
      forget();
    }
    wake();
  };
  connecting_ = net::connect(loop_, *url_, options_, std::move(done));
}

std::optional<ChannelItem> Socket::take_item() {
  if (items_.empty()) return std::nullopt;
  ChannelItem item = std::move(items_.front());
  items_.pop_front();
  item_bytes_ -= item.data.size();
  if (paused_ && connection_ && items_.size() < kMaxItems / 2 && item_bytes_ < kMaxItemBytes / 2) {
    paused_ = false;
    connection_->resume_reading();
  }
  return item;
}

Task<Result<void>> Socket::send(ws::Opcode kind, std::string data) {
  const auto self = shared_from_this();
  open();
  while (state_ == State::kConnecting) {
    Change change(*this);
    co_await change;
  }
  if (error_) co_return std::unexpected(*error_);
  if (state_ == State::kOpen) connection_->send(kind, data);
  while (state_ == State::kOpen && connection_->queued_bytes() > kMaxUnsent) {
    Sleep moment(loop_, kLookAgain);
    co_await moment;
  }
  if (state_ == State::kClosed)
    co_return fail("channel_closed", "the other end of the channel has closed");
  co_return Result<void>();
}

void Socket::close() {
  if (close_wanted_ || state_ == State::kClosed) return;
  close_wanted_ = true;
  open();
  if (state_ == State::kOpen) connection_->close(ws::kCloseNormal, kGoodbye);
  const auto closing = closing_.lock();
  if (closing && state_ != State::kClosed) closing->insert(shared_from_this());
}

void Socket::drop() {
  state_ = State::kClosed;
  connecting_.reset();
  connection_.reset();
}

void Socket::on_message(ws::Opcode kind, std::string_view payload) {
  const auto self = shared_from_this();
  items_.push_back({.is_text = kind == ws::Opcode::kText, .data = std::string(payload)});
  item_bytes_ += payload.size();
  if (items_.size() >= kMaxItems || item_bytes_ >= kMaxItemBytes) {
    paused_ = true;
    connection_->pause_reading();
  }
  wake();
}

void Socket::on_closed(const net::CloseInfo& /*info*/) {
  const auto self = shared_from_this();
  state_ = State::kClosed;
  connection_.reset();
  forget();
  wake();
}

void Socket::forget() {
  if (const auto closing = closing_.lock()) closing->erase(shared_from_this());
}

void Socket::wake() {
  if (const std::coroutine_handle<> waiting = std::exchange(waiter_, nullptr)) waiting.resume();
}

}  // namespace iii::sdk::channel_detail
