// The one implementation of Connection, for both roles. Internal to this room.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bus/net/asio.h"
#include "bus/net/client.h"
#include "bus/net/connection.h"
#include "bus/net/loop.h"
#include "bus/net/memory_budget.h"
#include "bus/net/output_queue.h"
#include "bus/net/tls_session.h"
#include "bus/ws/decoder.h"
#include "bus/ws/encoder.h"

namespace iii::net {

// Lives as long as somebody holds it or an operation of its socket is pending; the socket is always
// being waited on until it is closed, so an open connection keeps itself alive.
//
// open ──close(), peer's Close──▶ flushing ──all written──▶ lingering ──peer's FIN, deadline──▶
// gone
//   └───────── drop() ────────────────────────────────────────▲            ▲
//   └───────── violation, stalled peer, socket error, peer's FIN ──────────┘
class SocketConnection final : public ClientConnection,
                               private MemoryBudget::Holder,
                               public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(Loop& loop, Socket socket, ws::Role role, const ConnectionOptions& options,
                   std::string remote_ip, std::shared_ptr<MemoryBudget> memory = nullptr);
  ~SocketConnection() override;

  // Before anything else: all bytes go through `tls` (none: plain).
  void encrypt(std::unique_ptr<TlsSession> tls) { tls_ = std::move(tls); }
  // Bytes of the handshake: what we answer, and what came behind the peer's head.
  void write_raw(std::string_view bytes);
  void feed(std::string_view bytes);
  // From here on events are delivered. The server gives its events away, a client lends them.
  void open(std::unique_ptr<ConnectionEvents> events);
  void start(ConnectionEvents& events) override;
  // No events any more, not even on_closed; the connection is dropped.
  void abandon();
  // Called when the TCP connection is closed for good and on_closed has come.
  void when_over(std::move_only_function<void()> action) { when_over_ = std::move(action); }

  void send(ws::Opcode kind, std::string_view payload) override;
  void send_parts(ws::Opcode kind, std::span<const SharedBytes> parts) override;
  void send_encoded(SharedBytes message) override;
  void ping(std::string_view payload) override;
  void close(uint16_t code, std::string_view reason) override;
  void drop() override;
  void pause_reading() override;
  void resume_reading() override;
  void allow_stalls() override;
  void limit_unfinished(size_t bytes) override;
  bool is_open() const override { return state_ == State::kOpen; }
  size_t queued_bytes() const override { return output_.bytes(); }
  bool accepts(size_t bytes) const override {
    return queued_bytes() + bytes <= options_.max_queued_bytes;
  }
  void charge(ptrdiff_t bytes) override;
  const std::string& remote_ip() const override { return remote_ip_; }

 private:
  enum class State { kOpen, kFlushing, kLingering, kGone };

  // Reading.
  bool reading() const {
    return !paused_ && !held_back_ && decoder_.unfinished() < most_unfinished_;
  }
  void not_reading();
  void check_hangup();
  void hold_input_back();
  void be_patient(std::chrono::steady_clock::duration delay);
  void check_patience();
  void let_input_in();
  void wait_readable();
  void on_readable();
  void discard_input();
  void deliver();
  void deliver_later();
  void continue_later();
  bool handle(const ws::Event& event);
  void on_message(ws::Opcode kind, std::string_view payload);
  void on_peer_close(const ws::Event& event);

  // Writing.
  void queued();
  void flush(size_t most);
  ssize_t write_some(size_t most, size_t& wanted);
  ssize_t write_encrypted(std::span<const iovec> parts);
  void wait_writable();
  void output_changed();
  void watch_for_stall(std::chrono::milliseconds delay);
  void check_stall();

  // Memory.
  void account();
  void give_up() override;
  void release_input();

  // Ending.
  void linger(bool patiently = false);
  void start_linger_timer();
  void half_close();
  void abort(std::string_view why);
  void finish();
  void report_later();
  void report();
  void over();

  Loop& loop_;
  Socket socket_;
  std::unique_ptr<TlsSession> tls_;  // none: plain
  const ws::Role role_;
  const ConnectionOptions options_;
  const std::string remote_ip_;
  ws::Decoder decoder_;
  ws::Encoder encoder_;

  State state_ = State::kOpen;
  ConnectionEvents* events_ = nullptr;
  std::unique_ptr<ConnectionEvents> owned_events_;
  std::move_only_function<void()> when_over_;
  CloseInfo farewell_;
  bool reporting_ = false;
  bool reported_ = false;
  bool closed_ = false;  // the socket

  bool waiting_readable_ = false;
  bool paused_ = false;
  bool held_back_ = false;  // the peer takes less than it asks for
  bool gave_way_ = false;   // … but took nothing at all, so it is read until it does
  bool half_closed_ = false;
  size_t most_unfinished_ = SIZE_MAX;
  TimerId hangup_timer_ = 0;
  std::chrono::steady_clock::time_point held_since_;
  TimerId patience_timer_ = 0;
  bool delivering_ = false;
  bool delivery_due_ = false;
  bool in_backlog_ = false;

  OutputQueue output_;
  bool flush_due_ = false;
  bool blocked_ = false;  // the socket is full, or has had its share of this turn
  bool may_stall_ = false;
  std::chrono::steady_clock::time_point progress_;
  TimerId stall_timer_ = 0;
  TimerId linger_timer_ = 0;

  const std::shared_ptr<MemoryBudget> memory_;
  size_t charged_ = 0;
};

}  // namespace iii::net
