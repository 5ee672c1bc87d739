#include "bus/net/socket_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bus/net/message_time.h"
#include "bus/net/socket_options.h"
#include "foundation/base/log.h"

namespace iii::net {
namespace {

// What [offset, offset + length) of a message has of the part that begins at `start`.
std::string_view overlap(std::string_view part, size_t start, size_t offset, size_t length) {
  const size_t from = std::max(start, offset);
  const size_t to = std::min(start + part.size(), offset + length);
  return from < to ? part.substr(from - start, to - from) : std::string_view();
}

// How much of a message belongs to the owner of this part.
size_t bytes_of_owner(std::span<const SharedBytes> parts, const SharedBytes& of) {
  size_t bytes = 0;
  for (const SharedBytes& part : parts) bytes += part.owner == of.owner ? part.bytes.size() : 0;
  return bytes;
}

}  // namespace

SocketConnection::SocketConnection(Loop& loop, Socket socket, ws::Role role,
                                   const ConnectionOptions& options, std::string remote_ip,
                                   std::shared_ptr<MemoryBudget> memory)
    : loop_(loop),
      socket_(std::move(socket)),
      role_(role),
      options_(options),
      remote_ip_(std::move(remote_ip)),
      decoder_(role, options.limits, &loop.blocks()),
      encoder_(role, options.limits.max_frame),
      output_(loop.outputs()),
      memory_(std::move(memory)) {}

SocketConnection::~SocketConnection() {
  for (const TimerId timer : {stall_timer_, linger_timer_, hangup_timer_, patience_timer_}) {
    loop_.cancel(timer);
  }
  if (memory_) memory_->set(*this, 0, 0);
}

void SocketConnection::write_raw(std::string_view bytes) {
  output_.tail().append(bytes);
  queued();
}

void SocketConnection::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<char> room = decoder_.prepare();
    const size_t count = std::min(room.size(), bytes.size());
    std::memcpy(room.data(), bytes.data(), count);
    decoder_.commit(count);
    bytes.remove_prefix(count);
  }
}

void SocketConnection::open(std::unique_ptr<ConnectionEvents> events) {
  owned_events_ = std::move(events);
  events_ = owned_events_.get();
  deliver_later();
}

void SocketConnection::start(ConnectionEvents& events) {
  events_ = &events;
  deliver_later();
  if (state_ != State::kOpen) {  // it ended before start()
    reporting_ = false;
    report_later();
  }
}

void SocketConnection::abandon() {
  events_ = nullptr;
  owned_events_.reset();
  drop();
}

// ---- reading ----

void SocketConnection::wait_readable() {
  if (waiting_readable_ || state_ == State::kGone) return;
  waiting_readable_ = true;
  if (tls_ && tls_->has_buffered()) {  // of which the kernel knows nothing
    return loop_.post([self = shared_from_this()] {
      self->waiting_readable_ = false;
      self->on_readable();
    });
  }
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode) {
    self->waiting_readable_ = false;
    self->on_readable();
  });
}

void SocketConnection::on_readable() {
  if (state_ == State::kGone) return;
  if (state_ != State::kOpen) return discard_input();
  if (!reading()) return not_reading();
  const std::span<char> room = decoder_.prepare();
  const ssize_t count = receive(socket_.native_handle(), tls_.get(), room);
  if (count > 0) {
    decoder_.commit(static_cast<size_t>(count));
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    return finish();
  }
  deliver();
}

// Closing with unread input would make the kernel send a reset, which can overtake our last bytes.
void SocketConnection::discard_input() {
  char scratch[16 * 1024];
  const ssize_t count = receive(socket_.native_handle(), tls_.get(), scratch);
  if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR)) return finish();
  wait_readable();
}

void SocketConnection::deliver() {
  // Many that flood share what one may use, so that a round of all of them stays short.
  auto now = loop_.now();
  const auto until = now + options_.turn_budget / (1 + loop_.backlog());
  delivering_ = true;
  bool more = true;
  bool out_of_time = false;
  while (more && !out_of_time && state_ == State::kOpen && reading()) {
    set_message_time(now);
    more = handle(decoder_.next());
    if (!more || !decoder_.has_unread()) continue;
    now = loop_.now();
    out_of_time = now >= until;
  }
  delivering_ = false;
  if (state_ != State::kOpen) release_input();
  account();
  if (state_ == State::kGone) return;
  if (state_ == State::kOpen && !reading()) return not_reading();
  if (state_ == State::kOpen && out_of_time) return continue_later();
  wait_readable();
}

void SocketConnection::continue_later() {
  if (delivery_due_) return;
  ++loop_.backlog();
  in_backlog_ = true;
  deliver_later();
}

// Events are never delivered from inside a call of ours, so a resumed connection waits for its
// turn: posted work comes after everything that is ready now, and before what this turn adds.
void SocketConnection::deliver_later() {
  if (delivery_due_) return;
  delivery_due_ = true;
  loop_.post([self = shared_from_this()] {
    self->delivery_due_ = false;
    if (std::exchange(self->in_backlog_, false)) --self->loop_.backlog();
    if (!self->delivering_) self->deliver();
  });
}

// Returns whether another event may follow.
bool SocketConnection::handle(const ws::Event& event) {
  switch (event.kind) {
    case ws::EventKind::kNeedMore:
      return false;
    case ws::EventKind::kText:
      on_message(ws::Opcode::kText, event.payload);
      return true;
    case ws::EventKind::kBinary:
      on_message(ws::Opcode::kBinary, event.payload);
      return true;
    case ws::EventKind::kPing:
      encoder_.control(output_.tail(), ws::Opcode::kPong, event.payload);
      queued();
      if (events_ != nullptr) events_->on_ping();
      return true;
    case ws::EventKind::kPong:
      if (events_ != nullptr) events_->on_pong();
      return true;
    case ws::EventKind::kClose:
      on_peer_close(event);
      return false;
    case ws::EventKind::kError:
      // As the public engine does: no Close frame, the peer sees 1006.
      abort(event.payload);
      return false;
  }
  return false;
}

void SocketConnection::on_message(ws::Opcode kind, std::string_view payload) {
  if (events_ == nullptr) return;
  if (payload.size() <= kLargeMessage) return events_->on_message(kind, payload);
  events_->on_large_message(kind, decoder_.take_message());
}

void SocketConnection::on_peer_close(const ws::Event& event) {
  farewell_ = {event.close_code, std::string(event.payload)};
  if (options_.answer_close) encoder_.close(output_.tail(), event.close_code, event.payload);
  state_ = State::kFlushing;
  report_later();
  linger();
}

void SocketConnection::pause_reading() { paused_ = true; }

void SocketConnection::resume_reading() {
  if (!paused_) return;
  paused_ = false;
  deliver_later();
}

void SocketConnection::limit_unfinished(size_t bytes) {
  const bool raised = bytes > most_unfinished_;
  most_unfinished_ = bytes;
  if (raised) deliver_later();
}

// There are no events of a socket that is not read, so it is polled.
void SocketConnection::not_reading() {
  if (hangup_timer_ != 0) return;
  hangup_timer_ = loop_.after(options_.hangup_check, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_hangup();
  });
}

void SocketConnection::check_hangup() {
  hangup_timer_ = 0;
  if (state_ != State::kOpen || reading()) return;
  pollfd look{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&look, 1, 0) > 0) {
    if ((look.revents & (POLLERR | POLLHUP)) != 0) return finish();
    if (!std::exchange(half_closed_, true) && events_ != nullptr) events_->on_half_closed();
  }
  if (state_ != State::kOpen || reading()) return;
  // The FIN of a peer that left may wait behind bytes that are not read; its kernel answers a ping
  // with a reset.
  ping({});
  not_reading();
}

// ---- a peer that asks for more than it takes ----

void SocketConnection::output_changed() {
  if (state_ != State::kOpen) return;
  if (held_back_) {
    if (output_.bytes() <= options_.high_water / 4) let_input_in();
  } else if (output_.bytes() > options_.high_water && role_ == ws::Role::kServer && !gave_way_) {
    // Only servers: if both ends held back, each could wait for the other.
    hold_input_back();
  }
}

void SocketConnection::hold_input_back() {
  held_back_ = true;
  held_since_ = loop_.now();
  if (patience_timer_ == 0) be_patient(options_.hold_patience);
}

void SocketConnection::be_patient(std::chrono::steady_clock::duration delay) {
  const auto micros = std::chrono::ceil<std::chrono::microseconds>(delay);
  patience_timer_ = loop_.after(micros, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_patience();
  });
}

// A peer that reads nothing until it has written everything would wait for ever.
void SocketConnection::check_patience() {
  patience_timer_ = 0;
  if (!held_back_ || state_ != State::kOpen) return;
  const auto idle = loop_.now() - std::max(held_since_, progress_);
  if (idle < options_.hold_patience) return be_patient(options_.hold_patience - idle);
  gave_way_ = true;
  let_input_in();
}

void SocketConnection::let_input_in() {
  held_back_ = false;
  deliver_later();
}

// ---- writing ----

void SocketConnection::send(ws::Opcode kind, std::string_view payload) {
  if (state_ != State::kOpen) return;
  encoder_.message(output_.tail(), kind, payload);
  queued();
}

void SocketConnection::send_parts(ws::Opcode kind, std::span<const SharedBytes> parts) {
  if (state_ != State::kOpen) return;
  size_t total = 0;
  std::vector<SharedBytes> shared;  // in place of those that are copied: nothing
  for (const SharedBytes& part : parts) {
    total += part.bytes.size();
    const bool share =
        role_ == ws::Role::kServer && part.owner && part.bytes.size() >= kSharedBytes;
    shared.push_back(share ? part : SharedBytes{});
  }
  if (memory_) {
    for (SharedBytes& part : shared) part = memory_->share(part, bytes_of_owner(parts, part));
  }
  const auto frame = [&](ws::Opcode opcode, bool fin, size_t offset, size_t length) {
    uint32_t key = encoder_.header(output_.tail(), opcode, fin, length);
    size_t start = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      const std::string_view piece = overlap(parts[i].bytes, start, offset, length);
      start += parts[i].bytes.size();
      if (shared[i].owner) {
        output_.append({shared[i].owner, piece});
      } else {
        key = encoder_.payload(output_.tail(), piece, key);
      }
    }
  };
  encoder_.split(kind, total, frame);
  queued();
}

void SocketConnection::send_encoded(SharedBytes message) {
  if (state_ != State::kOpen) return;
  output_.append(std::move(message));
  queued();
}

void SocketConnection::ping(std::string_view payload) {
  if (state_ != State::kOpen) return;
  encoder_.control(output_.tail(), ws::Opcode::kPing, payload);
  queued();
}

void SocketConnection::queued() {
  if (!blocked_) {
    if (queued_bytes() > kEarlyFlush) {
      flush(kWrittenPerTurn);
    } else if (!flush_due_) {
      flush_due_ = true;
      loop_.at_turn_end([self = shared_from_this()] {
        self->flush_due_ = false;
        if (!self->blocked_) self->flush(kWrittenPerTurn);
      });
    }
  }
  if (state_ != State::kGone && queued_bytes() > options_.max_queued_bytes) {
    return abort("it reads too slowly: more bytes wait for it than the limit allows");
  }
  output_changed();
  account();
}

void SocketConnection::flush(size_t most) {
  while (state_ != State::kGone && output_.bytes() > 0) {
    size_t wanted = 0;
    const ssize_t count = write_some(most, wanted);
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return wait_writable();
      return finish();
    }
    const auto written = static_cast<size_t>(count);
    output_.consume(written);
    most -= written;
    if (stall_timer_ != 0 || held_back_) progress_ = loop_.now();
    if (written > 0) gave_way_ = false;
    output_changed();
    if (output_.bytes() > 0 && (written < wanted || most == 0)) return wait_writable();
  }
  if (state_ == State::kGone) return;
  loop_.cancel(std::exchange(stall_timer_, 0));
  account();
  if (state_ == State::kFlushing) half_close();
}

ssize_t SocketConnection::write_some(size_t most, size_t& wanted) {
  if (!tls_) return output_.send(socket_.native_handle(), most, wanted);
  std::array<iovec, 16> parts;
  const OutputQueue::Gathered gathered = output_.gather(parts, most);
  wanted = gathered.bytes;
  return write_encrypted({parts.data(), gathered.parts});
}

ssize_t SocketConnection::write_encrypted(std::span<const iovec> parts) {
  ssize_t total = 0;
  for (const iovec& part : parts) {
    const ssize_t count = tls_->send({static_cast<const char*>(part.iov_base), part.iov_len});
    if (count < 0) return total > 0 ? total : count;
    total += count;
    if (static_cast<size_t>(count) < part.iov_len) break;
  }
  return total;
}

void SocketConnection::wait_writable() {
  blocked_ = true;
  account();
  if (state_ == State::kGone) return;
  if (stall_timer_ == 0 && !may_stall_) {
    progress_ = loop_.now();
    watch_for_stall(options_.stall_timeout);
  }
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](ErrorCode) {
    self->blocked_ = false;
    if (self->state_ != State::kGone) self->flush(kWrittenPerTurn);
    if (self->state_ == State::kOpen && self->queued_bytes() == 0 && self->events_ != nullptr) {
      self->events_->on_drained();
    }
  });
}

void SocketConnection::allow_stalls() {
  may_stall_ = true;
  allow_closed_window(socket_.native_handle());
}

void SocketConnection::watch_for_stall(std::chrono::milliseconds delay) {
  stall_timer_ = loop_.after(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_stall();
  });
}

void SocketConnection::check_stall() {
  stall_timer_ = 0;
  if (!blocked_ || state_ == State::kGone) return;
  const auto idle = std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - progress_);
  if (idle >= options_.stall_timeout) return abort("it stopped reading");
  watch_for_stall(options_.stall_timeout - idle);
}

// ---- memory ----

void SocketConnection::charge(ptrdiff_t bytes) {
  charged_ += static_cast<size_t>(bytes);
  account();
}

void SocketConnection::account() {
  if (memory_ == nullptr) return;
  const bool gone = state_ == State::kGone;
  const size_t shared = output_.shared_bytes();
  const size_t own = gone ? 0 : decoder_.buffered() + output_.bytes() - shared + charged_;
  memory_->set(*this, own, shared);
}

void SocketConnection::give_up() {
  abort("all connections together hold more memory than the limit allows, and it holds most");
}

// Not while a message of it is being looked at.
void SocketConnection::release_input() {
  if (!delivering_) decoder_.clear();
}

// ---- ending ----

void SocketConnection::close(uint16_t code, std::string_view reason) {
  if (state_ != State::kOpen) return;
  farewell_ = {code, std::string(reason)};
  encoder_.close(output_.tail(), code, reason);
  state_ = State::kFlushing;
  release_input();
  linger(may_stall_);
}

void SocketConnection::drop() {
  if (state_ == State::kGone || state_ == State::kLingering) return;
  if (!blocked_) flush(SIZE_MAX);
  if (state_ == State::kGone || state_ == State::kLingering) return;
  half_close();
  linger();
}

// Nothing the peer says is listened to from here on, and it has limited time to take what is left;
// `patiently`: only after it has taken everything.
void SocketConnection::linger(bool patiently) {
  const auto self = shared_from_this();
  if (!patiently) start_linger_timer();
  if (!blocked_ && state_ == State::kFlushing) flush(kWrittenPerTurn);
  if (!delivering_) wait_readable();
}

void SocketConnection::start_linger_timer() {
  if (linger_timer_ != 0) return;
  linger_timer_ = loop_.after(options_.linger, [weak = weak_from_this()] {
    if (const auto alive = weak.lock()) alive->finish();
  });
}

void SocketConnection::half_close() {
  state_ = State::kLingering;
  output_.clear();
  release_input();
  account();
  if (tls_) tls_->close();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  start_linger_timer();
  report_later();
}

void SocketConnection::abort(std::string_view why) {
  if (state_ == State::kGone) return;
  log_warn("connection of {} ended: {}", remote_ip_, why);
  finish();
}

void SocketConnection::finish() {
  if (state_ == State::kGone) return;
  state_ = State::kGone;
  output_.clear();
  release_input();
  account();
  for (TimerId* timer : {&stall_timer_, &linger_timer_, &hangup_timer_, &patience_timer_}) {
    loop_.cancel(std::exchange(*timer, 0));
  }
  // Closing a socket takes 50 µs and more, and thousands may end at once.
  loop_.spread([self = shared_from_this()] {
    ErrorCode ignored;
    self->socket_.close(ignored);
    self->closed_ = true;
    if (self->reported_) self->over();
  });
  report_later();
}

void SocketConnection::report_later() {
  if (reporting_) return;
  reporting_ = true;
  loop_.spread([self = shared_from_this()] { self->report(); });
}

void SocketConnection::report() {
  const std::unique_ptr<ConnectionEvents> owned = std::move(owned_events_);
  ConnectionEvents* events = std::exchange(events_, nullptr);
  if (events != nullptr) events->on_closed(farewell_);
  reported_ = true;
  if (closed_) over();
}

void SocketConnection::over() {
  if (auto action = std::exchange(when_over_, {})) action();
}

}  // namespace iii::net
