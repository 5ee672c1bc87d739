#include "bus/net/http_connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <ctime>
#include <utility>

#include "bus/net/http_exchange.h"
#include "bus/net/output_pool.h"
#include "foundation/base/discard.h"
#include "foundation/base/log.h"
#include "foundation/base/text.h"

namespace iii::net {
namespace {

// Read from one socket per turn.
constexpr size_t kReadPerTurn = 64 * 1024;
// Of the requests that a client sends before it has the answer to the one before.
constexpr size_t kMaxPipelined = 64 * 1024;
// How long a client has to close its side when the server stops.
constexpr Millis kLingerAtEnd{100};
// How often a client that is not being read is looked at.
constexpr Millis kHangupCheck{1'000};

bool is_of_server(std::string_view name) {
  for (const std::string_view own : {"content-length", "transfer-encoding", "connection", "date",
                                     "keep-alive", "access-control-allow-origin"}) {
    if (iequals(name, own)) return true;
  }
  return false;
}

void append_header(std::string& out, const HttpHeader& header) {
  out.append(header.name).append(": ").append(header.value).append("\r\n");
}

HttpAnswer no_route(const HttpRouter& router, const HttpRequest& head) {
  const std::string allowed =
      head.path == "*" ? "GET, HEAD, POST, DELETE, OPTIONS" : router.allowed(head.path);
  if (allowed.empty()) return http_error(404, "not_found", "Nothing is at this path.");
  HttpAnswer answer =
      head.method == "OPTIONS"
          ? HttpAnswer{.status = 204}
          : http_error(405, "method_not_allowed",
                       "This method is not allowed here. Allowed: " + allowed + ".");
  answer.headers.push_back({"Allow", allowed});
  return answer;
}

}  // namespace

const std::string& HttpSite::date(int64_t wall_ms) {
  const int64_t second = wall_ms / 1000;
  if (second == date_second_) return date_;
  date_second_ = second;
  const auto time = static_cast<time_t>(second);
  std::tm parts{};
  ::gmtime_r(&time, &parts);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &parts);
  date_.assign(text, size);
  return date_;
}

HttpConnection::HttpConnection(Loop& loop, Socket socket, std::shared_ptr<HttpSite> site,
                               std::string peer)
    : loop_(loop),
      socket_(std::move(socket)),
      site_(std::move(site)),
      peer_(std::move(peer)),
      output_(loop.outputs()) {}

HttpConnection::~HttpConnection() {
  loop_.cancel(timer_);
  site_->memory->set(*this, 0, 0);
}

void HttpConnection::start() {
  set_deadline(site_->options.head_timeout);
  wait_readable();
}

// ---- reading ----

bool HttpConnection::reads_requests() const {
  return state_ <= State::kBody && output_.bytes() <= site_->options.high_water;
}

bool HttpConnection::wants_input() const {
  if (input_ended_) return false;
  return reads_requests() || (state_ == State::kAnswering && unread().size() < kMaxPipelined);
}

void HttpConnection::wait_readable() {
  if (waiting_readable_ || state_ == State::kGone) return;
  waiting_readable_ = true;
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](ErrorCode) {
    self->waiting_readable_ = false;
    self->on_readable();
  });
}

void HttpConnection::on_readable() {
  if (state_ == State::kGone) return;
  if (is_over()) return discard_input();
  if (!wants_input()) {
    held_back_ = state_ <= State::kBody;
    return;
  }
  const ssize_t count = receive();
  if (count == 0) return input_ended();
  if (count < 0 && errno != EAGAIN && errno != EINTR) return finish();
  process();
}

ssize_t HttpConnection::receive() {
  if (input_.empty()) input_ = loop_.outputs().take();
  const size_t before = input_.size();
  size_t room = kReadPerTurn;
  if (state_ == State::kAnswering) room = std::min(room, kMaxPipelined - unread().size());
  ssize_t count = 0;
  int problem = 0;
  input_.resize_and_overwrite(before + room, [&](char* data, size_t) {
    count = ::recv(socket_.native_handle(), data + before, room, MSG_DONTWAIT);
    problem = errno;
    return before + static_cast<size_t>(std::max<ssize_t>(count, 0));
  });
  errno = problem;
  return count;
}

// Closing with unread input would make the kernel send a reset, which can overtake our last bytes.
void HttpConnection::discard_input() {
  if (input_ended_) return;
  char scratch[16 * 1024];
  const ssize_t count = ::recv(socket_.native_handle(), scratch, sizeof scratch, MSG_DONTWAIT);
  if (count < 0 && errno != EAGAIN && errno != EINTR) return finish();
  if (count != 0) return wait_readable();
  input_ended_ = true;
  if (state_ == State::kLingering) finish();
}

// It may still listen, but most who close have left. A stream would go on for ever.
void HttpConnection::input_ended() {
  input_ended_ = true;
  if (state_ != State::kAnswering) return process();
  if (streaming_) return finish();
  tell_closed();
}

void HttpConnection::process() {
  const auto until = loop_.now() + site_->options.turn_budget / (1 + loop_.backlog());
  processing_ = true;
  bool out_of_time = false;
  while (!out_of_time && reads_requests() && step()) out_of_time = loop_.now() >= until;
  processing_ = false;
  release_input();
  account();
  if (is_over()) return;
  if (reads_requests()) {
    if (draining_ && state_ <= State::kHead) return close_after_flush();
    if (out_of_time) return continue_later();
    if (input_ended_) return close_after_flush();
  }
  held_back_ = state_ <= State::kBody && !reads_requests();
  if (wants_input()) return wait_readable();
  if (state_ != State::kAnswering) return;
  if (input_ended_) return input_ended();
  set_deadline(kHangupCheck);
}

void HttpConnection::continue_later() {
  if (process_due_) return;
  ++loop_.backlog();
  in_backlog_ = true;
  process_later();
}

void HttpConnection::process_later() {
  if (process_due_) return;
  process_due_ = true;
  loop_.post([self = shared_from_this()] {
    self->process_due_ = false;
    if (std::exchange(self->in_backlog_, false)) --self->loop_.backlog();
    if (!self->is_over()) self->process();
  });
}

// Returns whether there may be more to do with what has been read.
bool HttpConnection::step() {
  if (state_ == State::kIdle) {
    read_ += std::min(unread().find_first_not_of("\r\n"), unread().size());
    if (unread().empty()) return false;
    begin_request();
  }
  size_t used = 0;
  const HttpParser::Status status = parser_->feed(unread(), used);
  read_ += used;
  switch (status) {
    case HttpParser::Status::kNeedMore:
      if (state_ == State::kHead && !std::exchange(head_timed_, true)) {
        set_deadline(site_->options.head_timeout);
      }
      return false;
    case HttpParser::Status::kHead:
      on_head();
      return true;
    case HttpParser::Status::kDone:
      dispatch();
      return true;
    case HttpParser::Status::kBad:
      refuse(parser_->refusal(), true);
      return false;
  }
  return false;
}

void HttpConnection::begin_request() {
  const HttpServerOptions& options = site_->options;
  parser_.emplace(HttpParserLimits{options.max_head_bytes, options.max_headers});
  state_ = State::kHead;
  head_timed_ = false;
  route_ = nullptr;
  area_ = nullptr;
  cors_.clear();
  is_head_ = is_1_0_ = streaming_ = false;
  keep_alive_ = true;
}

void HttpConnection::on_head() {
  HttpRequest& head = parser_->request();
  head.peer = peer_;
  is_head_ = head.method == "HEAD";
  is_1_0_ = parser_->is_1_0();
  keep_alive_ = parser_->keeps_alive();
  if (const auto refusal = examine(head)) return refuse(*refusal, parser_->has_body());
  state_ = State::kBody;
  if (!parser_->has_body()) return;
  parser_->limit_body(max_body());
  body_seen_ = 0;
  set_deadline(site_->options.body_period);
  if (head.header("Expect") == nullptr || is_1_0_ || !unread().empty()) return;
  output_.tail().append("HTTP/1.1 100 Continue\r\n\r\n");
  queued();
}

size_t HttpConnection::max_body() const {
  return route_->options.max_body_bytes.value_or(site_->options.max_body_bytes);
}

// Everything that can be refused before the body is read.
std::optional<HttpAnswer> HttpConnection::examine(const HttpRequest& head) {
  const HttpAccess& access = site_->options.access;
  const HttpRouter& router = site_->router;
  area_ = router.area_of(head.path);
  const bool own_pages_only = area_ != nullptr && area_->own_pages_only;
  // First, because its refusal says what is different here.
  if (own_pages_only) {
    if (auto refusal = check_own_origin(parser_->authority(), head)) return refusal;
  }
  if (auto refusal = check_host_and_origin(access, parser_->authority(), head)) return refusal;
  if (!own_pages_only) cors_ = cors_headers(access, head);
  if (is_preflight(head) && !own_pages_only) {  // browsers send no token with it
    const std::string allowed = router.allowed(head.path);
    return allowed.empty() ? no_route(router, head) : answer_preflight(head, allowed);
  }
  route_ = router.find(head.method, head.path);
  if (route_ == nullptr || route_->options.needs_token) {
    if (auto refusal = check_token(access, head)) return refusal;
  }
  if (route_ == nullptr) return no_route(router, head);
  const std::string* expect = head.header("Expect");
  if (expect != nullptr && !iequals(*expect, "100-continue")) {
    return http_error(417, "expectation_failed", "The only expectation here is `100-continue`.");
  }
  if (route_->options.check) {
    if (auto refusal = route_->options.check(head)) return refusal;
  }
  if (parser_->announced_bytes().value_or(0) > max_body()) {
    return http_error(
        413, "body_too_large",
        fmt::format("The body may have {} bytes. Next: send less in one request.", max_body()));
  }
  return std::nullopt;
}

void HttpConnection::dispatch() {
  HttpRequest request = std::move(parser_->request());
  parser_.reset();
  route_->handler(std::move(request), begin_exchange());
}

std::shared_ptr<HttpExchange> HttpConnection::begin_exchange() {
  state_ = State::kAnswering;
  no_deadline();
  auto exchange = std::make_shared<HttpExchange>(shared_from_this());
  exchange_ = exchange.get();
  return exchange;
}

void HttpConnection::refuse_token(std::move_only_function<void()> answer) {
  site_->wrong_tokens->refuse(peer_, std::move(answer));
}

void HttpConnection::refuse(HttpAnswer refusal, bool close) {
  if (close) keep_alive_ = false;
  parser_.reset();
  state_ = State::kAnswering;
  if (area_ != nullptr && area_->flat_errors) refusal = flattened(std::move(refusal));
  if (refusal.wrong_token) return begin_exchange()->send(std::move(refusal));
  const auto body = shared_text(std::move(refusal.body));
  answer(refusal.status, refusal.headers, {body, *body});
}

// Not while the parser looks at it.
void HttpConnection::release_input() {
  if (processing_) return;
  if (is_over()) {
    parser_.reset();
    read_ = input_.size();
  }
  if (read_ == input_.size()) {
    loop_.outputs().give(std::exchange(input_, {}));
  } else {
    input_.erase(0, read_);
  }
  read_ = 0;
}

// ---- answering ----

void HttpConnection::write_head(int status, const HttpHeaders& headers, std::string_view framing) {
  if (draining_) keep_alive_ = false;
  std::string& out = output_.tail();
  fmt::format_to(std::back_inserter(out), "HTTP/1.1 {} {}\r\nDate: {}\r\n", status,
                 std::string_view(boost::beast::http::obsolete_reason(
                     static_cast<boost::beast::http::status>(status))),
                 site_->date(loop_.wall_ms()));
  for (const HttpHeader& header : headers) {
    if (!is_of_server(header.name) && ws::sendable(header)) append_header(out, header);
  }
  if (area_ != nullptr) {
    for (const HttpHeader& header : area_->headers) append_header(out, header);
  }
  for (const HttpHeader& header : cors_) append_header(out, header);
  out.append(framing);
  if (!keep_alive_) {
    out.append("Connection: close\r\n");
  } else if (is_1_0_) {
    out.append("Connection: keep-alive\r\n");
  }
  out.append("\r\n");
}

void HttpConnection::append(SharedBytes bytes) {
  if (!bytes.owner || bytes.bytes.size() < kSharedBytes) {
    output_.tail().append(bytes.bytes);
  } else {
    output_.append(site_->memory->share(std::move(bytes)));
  }
}

void HttpConnection::answer(int status, const HttpHeaders& headers, SharedBytes body) {
  if (is_over()) return;
  const bool bodiless = status < 200 || status == 204 || status == 304;
  write_head(status, headers,
             bodiless ? "" : fmt::format("Content-Length: {}\r\n", body.bytes.size()));
  if (!bodiless && !is_head_) append(std::move(body));
  queued();
  answered();
}

void HttpConnection::begin_stream(int status, const HttpHeaders& headers) {
  if (is_over()) return;
  chunked_ = !is_1_0_;
  if (!chunked_) keep_alive_ = false;
  streaming_ = true;
  largest_write_ = 0;
  write_head(status, headers, chunked_ ? "Transfer-Encoding: chunked\r\n" : "");
  queued();
  if (!is_head_ || is_over()) return;
  tell_closed();
  answered();
}

void HttpConnection::write_stream(SharedBytes bytes) {
  if (is_over()) return;
  const size_t size = bytes.bytes.size();
  if (chunked_) fmt::format_to(std::back_inserter(output_.tail()), "{:x}\r\n", size);
  append(std::move(bytes));
  if (chunked_) output_.tail().append("\r\n");
  queued();
  // One large message says nothing about its reader: it is what comes on top that counts.
  largest_write_ = std::max(largest_write_, size);
  if (!is_over() && output_.bytes() > site_->options.max_stream_bytes + largest_write_) {
    abort("it reads a stream too slowly: more bytes wait for it than the limit allows");
  }
}

void HttpConnection::end_stream() {
  if (is_over()) return;
  if (chunked_) output_.tail().append("0\r\n\r\n");
  queued();
  answered();
}

void HttpConnection::unanswered() {
  exchange_ = nullptr;
  if (is_over()) return;
  if (streaming_) return end_stream();
  refuse(http_error(500, "no_answer", "The request was not answered."), false);
}

void HttpConnection::answered() {
  streaming_ = false;
  detach_exchange();
  if (is_over()) return;
  if (!keep_alive_ || draining_) return close_after_flush();
  state_ = State::kIdle;
  set_deadline(site_->options.idle_timeout);
  const bool waits = waiting_readable_ && unread().empty() && !input_ended_;
  if (!processing_ && !waits) process_later();
}

void HttpConnection::tell_closed() {
  if (exchange_ == nullptr) return;
  auto action = exchange_->take_on_closed();
  if (!action) return;
  loop_.spread([self = shared_from_this(), then = std::move(action)]() mutable {
    if (!self->abandoned_) then();
  });
}

void HttpConnection::detach_exchange() {
  if (HttpExchange* exchange = std::exchange(exchange_, nullptr)) exchange->detach();
}

// ---- writing ----

void HttpConnection::queued() {
  if (!blocked_) {
    if (output_.bytes() > kEarlyFlush) {
      flush(false);
    } else if (!std::exchange(flush_due_, true)) {
      loop_.at_turn_end([self = shared_from_this()] {
        self->flush_due_ = false;
        if (!self->blocked_) self->flush(false);
      });
    }
  }
  account();
}

void HttpConnection::flush(bool was_blocked) {
  size_t most = kWrittenPerTurn;
  bool progress = !was_blocked;
  while (state_ != State::kGone && output_.bytes() > 0) {
    size_t wanted = 0;
    const ssize_t count = output_.send(socket_.native_handle(), most, wanted);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno != EAGAIN) return finish();
    const size_t written = count < 0 ? 0 : static_cast<size_t>(count);
    output_.consume(written);
    most -= written;
    if (written > 0) progress = true;
    if (held_back_ && reads_requests()) {
      held_back_ = false;
      process_later();
    }
    if (output_.bytes() == 0 || (written == wanted && most > 0)) continue;
    if (progress) progress_ = loop_.now();
    return wait_writable();
  }
  if (state_ == State::kGone) return;
  account();
  if (state_ == State::kFlushing) half_close();
}

void HttpConnection::wait_writable() {
  blocked_ = true;
  account();
  if (state_ == State::kGone) return;
  arm();
  socket_.async_wait(Socket::wait_write, [self = shared_from_this()](ErrorCode) {
    self->blocked_ = false;
    self->on_writable();
  });
}

void HttpConnection::on_writable() {
  if (state_ == State::kGone) return;
  flush(true);
  if (is_over()) return;
  if (output_.bytes() == 0 && exchange_ != nullptr) exchange_->drained();
}

// ---- time ----

void HttpConnection::set_deadline(Millis delay) {
  deadline_ = loop_.now() + delay;
  arm();
}

void HttpConnection::no_deadline() { deadline_ = Time::max(); }

// One timer that is set early rather than moved often: a deadline changes with every request.
void HttpConnection::arm() {
  Time due = deadline_;
  if (blocked_) due = std::min(due, progress_ + site_->options.stall_timeout);
  if (due >= armed_) return;
  loop_.cancel(timer_);
  armed_ = due;
  const auto delay = std::chrono::ceil<std::chrono::microseconds>(due - loop_.now());
  timer_ = loop_.after(std::max(delay, std::chrono::microseconds(0)), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->on_timer();
  });
}

void HttpConnection::on_timer() {
  timer_ = 0;
  armed_ = Time::max();
  if (state_ == State::kGone) return;
  const Time now = loop_.now();
  if (blocked_ && now >= progress_ + site_->options.stall_timeout) {
    return abort("it stopped reading");
  }
  if (now >= deadline_) {
    no_deadline();
    on_deadline();
  }
  if (state_ != State::kGone) arm();
}

void HttpConnection::on_deadline() {
  switch (state_) {
    case State::kIdle:
      return close_after_flush();
    case State::kHead:
      return refuse(http_error(408, "timeout", "The request took too long to arrive."), true);
    case State::kBody:
      return check_body_rate();
    case State::kAnswering:
      return check_hangup();
    case State::kLingering:
      return finish();
    case State::kFlushing:
    case State::kGone:
      return;
  }
}

void HttpConnection::check_body_rate() {
  const size_t seen = parser_->request().body.size();
  const size_t arrived = seen - std::exchange(body_seen_, seen);
  if (reads_requests() && arrived < site_->options.min_body_bytes_per_period) {
    return refuse(http_error(408, "timeout", "The body of the request arrives too slowly."), true);
  }
  set_deadline(site_->options.body_period);
}

// There are no events of a socket that is not read, so it is polled.
void HttpConnection::check_hangup() {
  if (wants_input() || input_ended_) return;
  pollfd look{.fd = socket_.native_handle(), .events = POLLRDHUP, .revents = 0};
  if (::poll(&look, 1, 0) > 0) {
    if (streaming_ || (look.revents & (POLLERR | POLLHUP)) != 0) return finish();
    return tell_closed();
  }
  set_deadline(kHangupCheck);
}

// ---- ending ----

void HttpConnection::account() {
  if (state_ == State::kGone) return site_->memory->set(*this, 0, 0);
  const size_t shared = output_.shared_bytes();
  const size_t body = parser_ ? parser_->request().body.size() : 0;
  site_->memory->set(*this, input_.size() + body + output_.bytes() - shared, shared);
}

void HttpConnection::give_up() {
  abort("all connections together hold more memory than the limit allows, and it holds most");
}

void HttpConnection::drain() {
  draining_ = true;
  if (is_over() || processing_) return;
  if (state_ <= State::kHead) return close_after_flush();
  if (!streaming_) return;
  tell_closed();
  end_stream();
}

void HttpConnection::abandon() {
  abandoned_ = true;
  finish();
}

void HttpConnection::close_after_flush() {
  if (is_over()) return;
  state_ = State::kFlushing;
  no_deadline();
  release_input();
  if (output_.bytes() == 0) return half_close();
  if (!input_ended_) wait_readable();
}

void HttpConnection::half_close() {
  state_ = State::kLingering;
  if (input_ended_) return finish();
  ErrorCode ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  const Millis linger = site_->options.linger;
  set_deadline(draining_ ? std::min(linger, kLingerAtEnd) : linger);
  wait_readable();
}

void HttpConnection::abort(std::string_view why) {
  if (state_ == State::kGone) return;
  log_warn("HTTP connection of {} ended: {}", peer_, why);
  finish();
}

void HttpConnection::finish() {
  if (state_ == State::kGone) return;
  const auto self = shared_from_this();
  state_ = State::kGone;
  output_.clear();
  release_input();
  account();
  loop_.cancel(std::exchange(timer_, 0));
  tell_closed();
  detach_exchange();
  // Closing a socket takes 50 µs and more, and thousands may end at once.
  loop_.spread([self] {
    ErrorCode ignored;
    self->socket_.close(ignored);
    if (auto action = std::exchange(self->when_over_, {})) action();
  });
}

}  // namespace iii::net
