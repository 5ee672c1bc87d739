#include "bus/net/stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "bus/net/socket_options.h"
#include "foundation/base/log.h"

namespace iii::net {

Stream::Stream(Loop& loop, Socket socket, StreamLimits limits, std::string_view what,
               std::string peer, std::shared_ptr<MemoryBudget> memory)
    : loop_(loop),
      socket_(std::move(socket)),
      peer_(std::move(peer)),
      limits_(limits),
      output_(loop.outputs()),
      memory_(std::move(memory)),
      what_(what) {}

Stream::~Stream() {
  for (const TimerId timer : {stall_timer_, hangup_timer_, linger_timer_}) loop_.cancel(timer);
  if (memory_) memory_->set(*this, 0, 0);
}

// ---- reading ----

void Stream::wait_readable() {
  if (waiting_readable_ || input_ended_ || is_gone()) return;
  waiting_readable_ = true;
  auto readable = [self = shared_from_this()](auto...) {
    self->waiting_readable_ = false;
    if (self->is_gone()) return;
    if (self->is_over()) return self->discard_input();
    self->on_readable();
  };
  // Of what TLS has buffered the kernel knows nothing.
  if (tls_ && tls_->has_buffered()) return loop_.post(std::move(readable));
  socket_.async_wait(Socket::wait_read, std::move(readable));
}

ssize_t Stream::receive(std::span<char> room) {
  return net::receive(socket_.native_handle(), tls_.get(), room);
}

// Closing with unread input would make the kernel send a reset, which can overtake our last bytes.
void Stream::discard_input() {
  char scratch[16 * 1024];
  const ssize_t count = receive(scratch);
  if (count < 0 && errno != EAGAIN && errno != EINTR) return finish();
  if (count != 0) return wait_readable();
  on_input_end();
}

std::chrono::steady_clock::time_point Stream::turn_end(
    std::chrono::steady_clock::time_point now) const {
  // Many that flood share what one may use, so that a round of all of them stays short.
  return now + limits_.turn_budget / (1 + loop_.backlog());
}

// Events are never delivered from inside a call of ours, so a connection that may go on waits for
// its turn: posted work comes after everything that is ready now, and before what this turn adds.
void Stream::proceed_later() {
  if (std::exchange(proceed_due_, true)) return;
  loop_.post([self = shared_from_this()] {
    self->proceed_due_ = false;
    if (std::exchange(self->in_backlog_, false)) --self->loop_.backlog();
    if (!self->proceeding_) self->proceed();
  });
}

void Stream::continue_later() {
  if (proceed_due_) return;
  ++loop_.backlog();
  in_backlog_ = true;
  proceed_later();
}

// There are no events of a socket that is not read, so it is polled.
void Stream::watch_hangup() {
  if (hangup_timer_ != 0) return;
  hangup_timer_ = loop_.after(limits_.hangup_check, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_hangup();
  });
}

void Stream::check_hangup() {
  hangup_timer_ = 0;
  if (is_over() || reading()) return;
  pollfd look{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&look, 1, 0) > 0) {
    if ((look.revents & (POLLERR | POLLHUP)) != 0) return finish();
    on_peer_left();
  }
  if (is_over() || reading()) return;
  on_hangup_checked();
  watch_hangup();
}

// ---- writing ----

void Stream::queued() {
  if (blocked_) return;
  if (output_.bytes() > kEarlyFlush) {
    flush(kWrittenPerTurn);
  } else if (!std::exchange(flush_due_, true)) {
    loop_.at_turn_end([self = shared_from_this()] {
      self->flush_due_ = false;
      if (!self->blocked_) self->flush(kWrittenPerTurn);
    });
  }
}

void Stream::flush(size_t most) {
  while (!is_gone() && output_.bytes() > 0) {
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
    if (stall_timer_ != 0) progress_ = loop_.now();
    on_written(written);
    if (output_.bytes() > 0 && (written < wanted || most == 0)) return wait_writable();
  }
  if (is_gone()) return;
  loop_.cancel(std::exchange(stall_timer_, 0));
  account();
  if (state_ == State::kFlushing) half_close();
}

ssize_t Stream::write_some(size_t most, size_t& wanted) {
  if (!tls_) return output_.send(socket_.native_handle(), most, wanted);
  std::array<iovec, 16> parts;
  const OutputQueue::Gathered gathered = output_.gather(parts, most);
  wanted = gathered.bytes;
  ssize_t total = 0;
  for (const iovec& part : std::span(parts).first(gathered.parts)) {
    const ssize_t count = tls_->send({static_cast<const char*>(part.iov_base), part.iov_len});
    if (count < 0) return total > 0 ? total : count;
    total += count;
    if (static_cast<size_t>(count) < part.iov_len) break;
  }
  return total;
}

void Stream::wait_writable() {
  blocked_ = true;
  account();
  if (is_gone()) return;
  if (stall_timer_ == 0 && !may_stall_) {
    progress_ = loop_.now();
    watch_stall(limits_.stall_timeout);
  }
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](ErrorCode) {
    self->blocked_ = false;
    if (!self->is_gone()) self->flush(kWrittenPerTurn);
    if (!self->is_over() && self->output_.bytes() == 0) self->on_drained();
  });
}

void Stream::allow_stalls() {
  may_stall_ = true;
  allow_closed_window(socket_.native_handle());
}

void Stream::watch_stall(std::chrono::milliseconds delay) {
  stall_timer_ = loop_.after(delay, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_stall();
  });
}

void Stream::check_stall() {
  stall_timer_ = 0;
  if (!blocked_ || is_gone()) return;
  const auto idle = std::chrono::duration_cast<std::chrono::milliseconds>(loop_.now() - progress_);
  if (idle >= limits_.stall_timeout) return abort("it stopped reading");
  watch_stall(limits_.stall_timeout - idle);
}

// ---- memory ----

void Stream::account() {
  if (memory_ == nullptr) return;
  const size_t shared = output_.shared_bytes();
  const size_t own = is_gone() ? 0 : input_bytes() + output_.bytes() - shared;
  memory_->set(*this, own, shared);
}

void Stream::give_up() {
  abort("all connections together hold more memory than the limit allows, and it holds most");
}

// ---- ending ----

void Stream::end_output(bool patiently) {
  const auto self = shared_from_this();
  state_ = State::kFlushing;
  release_input();
  if (!patiently) start_linger_timer();
  if (!blocked_) flush(kWrittenPerTurn);
  wait_readable();
}

void Stream::start_linger_timer() {
  if (linger_timer_ != 0) return;
  linger_timer_ = loop_.after(limits_.linger, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->finish();
  });
}

void Stream::half_close() {
  if (input_ended_) return finish();
  state_ = State::kLingering;
  output_.clear();
  release_input();
  account();
  if (tls_) tls_->close();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  start_linger_timer();
  wait_readable();
  on_ended();
}

void Stream::abort(std::string_view why) {
  if (is_gone()) return;
  log_warn("{} of {} ended: {}", what_, peer_, why);
  finish();
}

void Stream::finish() {
  if (is_gone()) return;
  const auto self = shared_from_this();
  state_ = State::kGone;
  output_.clear();
  release_input();
  account();
  for (TimerId* timer : {&stall_timer_, &linger_timer_, &hangup_timer_}) {
    loop_.cancel(std::exchange(*timer, 0));
  }
  on_ended();
  // Closing a socket takes 50 µs and more, and thousands may end at once.
  loop_.spread([self] {
    ErrorCode ignored;
    self->socket_.close(ignored);
    self->on_socket_closed();
  });
}

void Stream::over() {
  if (auto action = std::exchange(when_over_, {})) action();
}

}  // namespace iii::net
