// One TCP connection without a protocol: what waits to be written, a peer that does not read, one
// that left, the end, and memory. Internal to this room.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bus/net/asio.h"
#include "bus/net/loop.h"
#include "bus/net/memory_budget.h"
#include "bus/net/output_queue.h"
#include "bus/net/tls_session.h"

namespace iii::net {

struct StreamLimits {
  std::chrono::milliseconds stall_timeout;
  std::chrono::milliseconds hangup_check;
  std::chrono::milliseconds linger;
  std::chrono::microseconds turn_budget;
};

// Lives as long as somebody holds it or an operation of its socket is pending.
//
// open ──end_output()──▶ flushing ──all written──▶ lingering ──peer's FIN, deadline──▶ gone
//   └──────────────────────── half_close() ────────────▲                               ▲
//   └───────────────── finish(): stalled peer, socket error, violation ────────────────┘
class Stream : private MemoryBudget::Holder, public std::enable_shared_from_this<Stream> {
 public:
  // Called when the socket is closed for good.
  void when_over(std::move_only_function<void()> action) { when_over_ = std::move(action); }

 protected:
  enum class State { kOpen, kFlushing, kLingering, kGone };

  // `what` names it in the log. Without `memory` nobody counts what it holds.
  Stream(Loop& loop, Socket socket, StreamLimits limits, std::string_view what, std::string peer,
         std::shared_ptr<MemoryBudget> memory);
  virtual ~Stream();

  // The socket of an open connection is readable.
  virtual void on_readable() = 0;
  // Goes on with what was read before; a later turn after proceed_later().
  virtual void proceed() = 0;
  // Whether input of this connection is being waited for.
  virtual bool reading() const = 0;
  virtual size_t input_bytes() const = 0;
  virtual void release_input() = 0;
  // The peer has sent its last byte, and what it said before is not listened to any more.
  virtual void on_input_end() = 0;
  // A peer that is not being read has sent its last byte. Comes again while that is so.
  virtual void on_peer_left() = 0;
  // The peer is there, and is still not being read.
  virtual void on_hangup_checked() {}
  // Bytes were written; perhaps none.
  virtual void on_written(size_t) {}
  // The socket was full and has now taken everything.
  virtual void on_drained() = 0;
  // Nothing is sent or heard any more. Comes once or twice.
  virtual void on_ended() = 0;
  virtual void on_socket_closed() { over(); }

  State state() const { return state_; }
  bool is_over() const { return state_ != State::kOpen; }
  bool is_gone() const { return state_ == State::kGone; }
  bool is_blocked() const { return blocked_; }

  // Reading.
  void wait_readable();
  ssize_t receive(std::span<char> room);
  void proceed_later();
  // The same, for one that has used up its part of this turn.
  void continue_later();
  std::chrono::steady_clock::time_point turn_end(std::chrono::steady_clock::time_point now) const;
  // While input is not waited for: looks from time to time whether the peer is there.
  void watch_hangup();

  // Writing.
  void queued();  // something was added to `output_`
  void flush(size_t most);
  void allow_stalls();

  // Memory.
  void account();

  // Ending. Nothing the peer says is listened to from here on.
  // It has limited time to take what is left, or when `patiently`: to close its side after that.
  void end_output(bool patiently);
  void half_close();
  void abort(std::string_view why);
  void finish();
  void over();

  Loop& loop_;
  Socket socket_;
  std::unique_ptr<TlsSession> tls_;  // none: plain
  const std::string peer_;
  StreamLimits limits_;
  OutputQueue output_;
  const std::shared_ptr<MemoryBudget> memory_;
  bool may_stall_ = false;
  bool proceeding_ = false;
  bool input_ended_ = false;
  bool waiting_readable_ = false;
  std::chrono::steady_clock::time_point progress_;  // when a blocked peer last took something

 private:
  void discard_input();
  ssize_t write_some(size_t most, size_t& wanted);
  void wait_writable();
  void watch_stall(std::chrono::milliseconds delay);
  void check_stall();
  void check_hangup();
  void start_linger_timer();
  void give_up() override;

  const std::string_view what_;
  std::move_only_function<void()> when_over_;
  State state_ = State::kOpen;
  bool proceed_due_ = false;
  bool in_backlog_ = false;
  bool flush_due_ = false;
  bool blocked_ = false;  // the socket is full, or has had its share of this turn
  TimerId stall_timer_ = 0;
  TimerId hangup_timer_ = 0;
  TimerId linger_timer_ = 0;
};

}  // namespace iii::net
