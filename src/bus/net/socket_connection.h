// The one implementation of Connection, for both roles. Internal to this room.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bus/net/client.h"
#include "bus/net/connection.h"
#include "bus/net/stream.h"
#include "bus/ws/decoder.h"
#include "bus/ws/encoder.h"

namespace iii::net {

// Always waits on its socket until that is closed, so that an open connection keeps itself alive.
class SocketConnection final : public ClientConnection, public Stream {
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

  void send(ws::Opcode kind, std::string_view payload) override;
  void send_parts(ws::Opcode kind, std::span<const SharedBytes> parts) override;
  void send_encoded(SharedBytes message) override;
  void ping(std::string_view payload) override;
  void close(uint16_t code, std::string_view reason) override;
  void drop() override;
  void pause_reading() override;
  void resume_reading() override;
  void allow_stalls() override { Stream::allow_stalls(); }
  void limit_unfinished(size_t bytes) override;
  bool is_open() const override { return !is_over(); }
  size_t queued_bytes() const override { return output_.bytes(); }
  bool accepts(size_t bytes) const override {
    return queued_bytes() + bytes <= options_.max_queued_bytes;
  }
  void charge(ptrdiff_t bytes) override;
  const std::string& remote_ip() const override { return peer_; }

 private:
  // Reading.
  void on_readable() override;
  void proceed() override;
  bool reading() const override {
    return !paused_ && !held_back_ && decoder_.unfinished() < most_unfinished_;
  }
  size_t input_bytes() const override { return decoder_.buffered() + charged_; }
  void release_input() override;
  bool handle(const ws::Event& event);
  void on_message(ws::Opcode kind, std::string_view payload);
  void on_peer_close(const ws::Event& event);
  void on_input_end() override { finish(); }
  void on_peer_left() override;
  void on_hangup_checked() override { ping({}); }

  // Writing.
  void queued();
  void output_changed();
  void on_written(size_t bytes) override;
  void on_drained() override;

  // A peer that asks for more than it takes.
  void hold_input_back();
  void watch_hold(std::chrono::steady_clock::duration delay);
  void check_hold();
  void let_input_in();

  // Ending.
  void on_ended() override { report_later(); }
  void on_socket_closed() override;
  void report_later();
  void report();

  const ws::Role role_;
  const ConnectionOptions options_;
  ws::Decoder decoder_;
  ws::Encoder encoder_;

  ConnectionEvents* events_ = nullptr;
  std::unique_ptr<ConnectionEvents> owned_events_;
  CloseInfo farewell_;
  bool reporting_ = false;
  bool reported_ = false;
  bool socket_closed_ = false;

  bool paused_ = false;
  bool held_back_ = false;    // the peer takes less than it asks for
  bool read_anyway_ = false;  // … but took nothing at all, so it is read until it does
  bool half_closed_ = false;
  size_t most_unfinished_ = SIZE_MAX;
  std::chrono::steady_clock::time_point held_since_;
  TimerId hold_timer_ = 0;
  size_t charged_ = 0;
};

}  // namespace iii::net
