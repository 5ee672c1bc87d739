// The socket behind one end of a channel. Internal to this room.
#pragma once

#include <coroutine>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "bus/net/client.h"
#include "bus/sdk/channel.h"

namespace iii::sdk::channel_detail {

class Socket;
// Writers that said goodbye and still have bytes to deliver. Owned by the worker.
using Closing = std::set<std::shared_ptr<Socket>>;

// On the loop thread. Waiting readers and writers are woken by every change.
class Socket final : public std::enable_shared_from_this<Socket>, private net::ConnectionEvents {
 public:
  Socket(net::Loop& loop, Result<net::Url> url, net::ConnectOptions options,
         const std::shared_ptr<Closing>& closing)
      : loop_(loop), url_(std::move(url)), options_(std::move(options)), closing_(closing) {}

  void open();
  std::optional<ChannelItem> take_item();
  const std::optional<Error>& error() const { return error_; }
  bool is_closed() const { return state_ == State::kClosed; }
  Task<Result<void>> send(ws::Opcode kind, std::string data);
  // Opens first if need be, so that a reader hears the end even of a stream in which nothing was
  // sent.
  void close();
  void drop();

 private:
  friend class Change;
  enum class State { kNew, kConnecting, kOpen, kClosed };

  void on_message(ws::Opcode kind, std::string_view payload) override;
  void on_closed(const net::CloseInfo& info) override;
  void forget();
  void wake();

  net::Loop& loop_;
  const Result<net::Url> url_;
  const net::ConnectOptions options_;
  const std::weak_ptr<Closing> closing_;
  State state_ = State::kNew;
  bool close_wanted_ = false;
  std::optional<Error> error_;
  std::unique_ptr<net::Connecting> connecting_;
  std::shared_ptr<net::ClientConnection> connection_;
  std::deque<ChannelItem> items_;
  size_t item_bytes_ = 0;
  bool paused_ = false;
  std::coroutine_handle<> waiter_;
};

// `co_await` on it: goes on when anything about the socket has changed.
class Change {
 public:
  explicit Change(Socket& socket) : socket_(socket) {}
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;
  ~Change() { socket_.waiter_ = nullptr; }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { socket_.waiter_ = waiting; }
  void await_resume() const {}

 private:
  Socket& socket_;
};

}  // namespace iii::sdk::channel_detail
