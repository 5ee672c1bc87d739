#include "bus/net/socket_connection.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bus/net/message_time.h"

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
    : Stream(loop, std::move(socket),
             {.stall_timeout = options.stall_timeout,
              .hangup_check = options.hangup_check,
              .linger = options.linger,
              .turn_budget = options.turn_budget},
             "connection", std::move(remote_ip), std::move(memory)),
      role_(role),
      options_(options),
      decoder_(role, options.limits, &loop.blocks()),
      encoder_(role, options.limits.max_frame) {}

SocketConnection::~SocketConnection() { loop_.cancel(hold_timer_); }

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
  proceed_later();
}

void SocketConnection::start(ConnectionEvents& events) {
  events_ = &events;
  proceed_later();
  if (is_over()) {  // it ended before start()
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

void SocketConnection::on_readable() {
  if (!reading()) return watch_hangup();
  const ssize_t count = receive(decoder_.prepare());
  if (count > 0) {
    decoder_.commit(static_cast<size_t>(count));
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    return finish();
  }
  proceed();
}

void SocketConnection::proceed() {
  auto now = loop_.now();
  const auto until = turn_end(now);
  proceeding_ = true;
  bool more = true;
  bool out_of_time = false;
  while (more && !out_of_time && !is_over() && reading()) {
    set_message_time(now);
    more = handle(decoder_.next());
    if (!more || !decoder_.has_unread()) continue;
    now = loop_.now();
    out_of_time = now >= until;
  }
  proceeding_ = false;
  if (is_over()) release_input();
  account();
  if (is_gone()) return;
  if (!is_over() && !reading()) return watch_hangup();
  if (!is_over() && out_of_time) return continue_later();
  wait_readable();
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
  report_later();
  end_output(false);
}

void SocketConnection::pause_reading() { paused_ = true; }

void SocketConnection::resume_reading() {
  if (!paused_) return;
  paused_ = false;
  proceed_later();
}

void SocketConnection::limit_unfinished(size_t bytes) {
  const bool raised = bytes > most_unfinished_;
  most_unfinished_ = bytes;
  if (raised) proceed_later();
}

void SocketConnection::on_peer_left() {
  if (!std::exchange(half_closed_, true) && events_ != nullptr) events_->on_half_closed();
}

// ---- a peer that asks for more than it takes ----

void SocketConnection::output_changed() {
  if (is_over()) return;
  if (held_back_) {
    if (output_.bytes() <= options_.high_water / 4) let_input_in();
  } else if (output_.bytes() > options_.high_water && role_ == ws::Role::kServer && !read_anyway_) {
    // Only servers: if both ends held back, each could wait for the other.
    hold_input_back();
  }
}

void SocketConnection::hold_input_back() {
  held_back_ = true;
  held_since_ = loop_.now();
  if (hold_timer_ == 0) watch_hold(options_.hold_patience);
}

void SocketConnection::watch_hold(std::chrono::steady_clock::duration delay) {
  const auto micros = std::chrono::ceil<std::chrono::microseconds>(delay);
  hold_timer_ = loop_.after(micros, [this, weak = weak_from_this()] {
    if (const auto self = weak.lock()) check_hold();
  });
}

// A peer that reads nothing until it has written everything would wait for ever.
void SocketConnection::check_hold() {
  hold_timer_ = 0;
  if (!held_back_ || is_over()) return;
  const auto idle = loop_.now() - std::max(held_since_, progress_);
  if (idle < options_.hold_patience) return watch_hold(options_.hold_patience - idle);
  read_anyway_ = true;
  let_input_in();
}

void SocketConnection::let_input_in() {
  held_back_ = false;
  proceed_later();
}

// ---- writing ----

void SocketConnection::send(ws::Opcode kind, std::string_view payload) {
  if (is_over()) return;
  encoder_.message(output_.tail(), kind, payload);
  queued();
}

void SocketConnection::send_parts(ws::Opcode kind, std::span<const SharedBytes> parts) {
  if (is_over()) return;
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
  if (is_over()) return;
  output_.append(std::move(message));
  queued();
}

void SocketConnection::ping(std::string_view payload) {
  if (is_over()) return;
  encoder_.control(output_.tail(), ws::Opcode::kPing, payload);
  queued();
}

void SocketConnection::queued() {
  Stream::queued();
  if (queued_bytes() > options_.max_queued_bytes) {
    return abort("it reads too slowly: more bytes wait for it than the limit allows");
  }
  output_changed();
  account();
}

void SocketConnection::on_written(size_t bytes) {
  if (held_back_) progress_ = loop_.now();
  if (bytes > 0) read_anyway_ = false;
  output_changed();
}

void SocketConnection::on_drained() {
  if (events_ != nullptr) events_->on_drained();
}

// ---- memory ----

void SocketConnection::charge(ptrdiff_t bytes) {
  charged_ += static_cast<size_t>(bytes);
  account();
}

// Not while a message of it is being looked at.
void SocketConnection::release_input() {
  if (!proceeding_) decoder_.clear();
}

// ---- ending ----

void SocketConnection::close(uint16_t code, std::string_view reason) {
  if (is_over()) return;
  farewell_ = {code, std::string(reason)};
  encoder_.close(output_.tail(), code, reason);
  end_output(may_stall_);
}

void SocketConnection::drop() {
  const auto ends = [this] { return state() == State::kLingering || is_gone(); };
  if (ends()) return;
  if (!is_blocked()) flush(SIZE_MAX);
  if (!ends()) half_close();
}

void SocketConnection::report_later() {
  if (std::exchange(reporting_, true)) return;
  loop_.spread([this, self = shared_from_this()] { report(); });
}

void SocketConnection::report() {
  const std::unique_ptr<ConnectionEvents> owned = std::move(owned_events_);
  ConnectionEvents* events = std::exchange(events_, nullptr);
  if (events != nullptr) events->on_closed(farewell_);
  reported_ = true;
  if (socket_closed_) over();
}

void SocketConnection::on_socket_closed() {
  socket_closed_ = true;
  if (reported_) over();
}

}  // namespace iii::net
