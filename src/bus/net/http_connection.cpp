#include "bus/net/http_connection.h"

#include <fmt/format.h>
#include <algorithm>
#include <boost/beast/http/status.hpp>
#include <cerrno>
#include <ctime>
#include <utility>

#include "bus/net/http_exchange.h"
#include "bus/net/output_pool.h"
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
    : Stream(loop, std::move(socket),
             {.stall_timeout = site->options.stall_timeout,
              .hangup_check = kHangupCheck,
              .linger = site->options.linger,
              .turn_budget = site->options.turn_budget},
             "HTTP connection", std::move(peer), site->memory),
      site_(std::move(site)) {}

HttpConnection::~HttpConnection() { loop_.cancel(timer_); }

void HttpConnection::start() {
  set_deadline(site_->options.head_timeout);
  wait_readable();
}

// ---- reading ----

bool HttpConnection::reads_requests() const {
  return !is_over() && phase_ <= Phase::kBody && output_.bytes() <= site_->options.high_water;
}

bool HttpConnection::reading() const {
  if (input_ended_) return false;
  return reads_requests() || (phase_ == Phase::kAnswering && unread().size() < kMaxPipelined);
}

void HttpConnection::on_readable() {
  if (!reading()) {
    held_back_ = phase_ <= Phase::kBody;
    return;
  }
  if (input_.empty()) input_ = loop_.outputs().take();
  const size_t before = input_.size();
  size_t room = kReadPerTurn;
  if (phase_ == Phase::kAnswering) room = std::min(room, kMaxPipelined - unread().size());
  ssize_t count = 0;
  int problem = 0;
  input_.resize_and_overwrite(before + room, [&](char* data, size_t) {
    count = receive({data + before, room});
    problem = errno;
    return before + static_cast<size_t>(std::max<ssize_t>(count, 0));
  });
  if (count == 0) return on_input_end();
  if (count < 0 && problem != EAGAIN && problem != EINTR) return finish();
  proceed();
}

// It may still listen, but most who close have left. A stream would go on for ever.
void HttpConnection::on_input_end() {
  input_ended_ = true;
  if (state() == State::kLingering) return finish();
  if (is_over()) return;
  if (phase_ != Phase::kAnswering) return proceed();
  on_peer_left();
}

void HttpConnection::on_peer_left() {
  if (streaming_) return finish();
  tell_closed();
}

void HttpConnection::proceed() {
  if (is_over()) return;
  const auto until = turn_end(loop_.now());
  proceeding_ = true;
  bool out_of_time = false;
  while (!out_of_time && reads_requests() && step()) out_of_time = loop_.now() >= until;
  proceeding_ = false;
  release_input();
  account();
  if (is_over()) return;
  if (reads_requests()) {
    if (draining_ && phase_ <= Phase::kHead) return close_after_flush();
    if (out_of_time) return continue_later();
    if (input_ended_) return close_after_flush();
  }
  held_back_ = phase_ <= Phase::kBody && !reads_requests();
  if (reading()) return wait_readable();
  if (phase_ != Phase::kAnswering) return;
  if (input_ended_) return on_peer_left();
  watch_hangup();
}

// Returns whether there may be more to do with what has been read.
bool HttpConnection::step() {
  if (phase_ == Phase::kIdle) {
    read_ += std::min(unread().find_first_not_of("\r\n"), unread().size());
    if (unread().empty()) return false;
    begin_request();
  }
  size_t used = 0;
  const HttpParser::Status status = parser_->feed(unread(), used);
  read_ += used;
  switch (status) {
    case HttpParser::Status::kNeedMore:
      if (phase_ == Phase::kHead && !std::exchange(head_timed_, true)) {
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
  phase_ = Phase::kHead;
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
  phase_ = Phase::kBody;
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
  phase_ = Phase::kAnswering;
  no_deadline();
  auto exchange =
      std::make_shared<HttpExchange>(std::static_pointer_cast<HttpConnection>(shared_from_this()));
  exchange_ = exchange.get();
  return exchange;
}

void HttpConnection::refuse_token(std::move_only_function<void()> answer) {
  site_->wrong_tokens->refuse(peer_, std::move(answer));
}

void HttpConnection::refuse(HttpAnswer refusal, bool close) {
  if (close) keep_alive_ = false;
  parser_.reset();
  phase_ = Phase::kAnswering;
  if (area_ != nullptr && area_->flat_errors) refusal = flattened(std::move(refusal));
  if (refusal.wrong_token) return begin_exchange()->send(std::move(refusal));
  const auto body = shared_text(std::move(refusal.body));
  answer(refusal.status, refusal.headers, {body, *body});
}

// Not while the parser looks at it.
void HttpConnection::release_input() {
  if (proceeding_) return;
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
  phase_ = Phase::kIdle;
  set_deadline(site_->options.idle_timeout);
  const bool waits = waiting_readable_ && unread().empty() && !input_ended_;
  if (!proceeding_ && !waits) proceed_later();
}

void HttpConnection::tell_closed() {
  if (exchange_ == nullptr) return;
  auto action = exchange_->take_on_closed();
  if (!action) return;
  loop_.spread([this, self = shared_from_this(), then = std::move(action)]() mutable {
    if (!abandoned_) then();
  });
}

void HttpConnection::detach_exchange() {
  if (HttpExchange* exchange = std::exchange(exchange_, nullptr)) exchange->detach();
}

// ---- writing ----

void HttpConnection::queued() {
  Stream::queued();
  account();
}

void HttpConnection::on_written(size_t) {
  if (!held_back_ || !reads_requests()) return;
  held_back_ = false;
  proceed_later();
}

void HttpConnection::on_drained() {
  if (exchange_ != nullptr) exchange_->drained();
}

// ---- time ----

// One timer that is set early rather than moved often: a deadline changes with every request.
void HttpConnection::set_deadline(Millis delay) {
  deadline_ = loop_.now() + delay;
  if (deadline_ >= armed_) return;
  loop_.cancel(timer_);
  armed_ = deadline_;
  timer_ = loop_.after(delay, [this, weak = weak_from_this()] {
    if (const auto self = weak.lock()) on_timer();
  });
}

void HttpConnection::on_timer() {
  timer_ = 0;
  armed_ = Time::max();
  if (is_over() || deadline_ == Time::max()) return;
  const auto left = std::chrono::ceil<Millis>(deadline_ - loop_.now());
  if (left > Millis(0)) return set_deadline(left);
  no_deadline();
  on_deadline();
}

void HttpConnection::on_deadline() {
  switch (phase_) {
    case Phase::kIdle:
      return close_after_flush();
    case Phase::kHead:
      return refuse(http_error(408, "timeout", "The request took too long to arrive."), true);
    case Phase::kBody:
      return check_body_rate();
    case Phase::kAnswering:
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

// ---- ending ----

size_t HttpConnection::input_bytes() const {
  return input_.size() + (parser_ ? parser_->request().body.size() : 0);
}

void HttpConnection::drain() {
  draining_ = true;
  limits_.linger = std::min(limits_.linger, kLingerAtEnd);
  if (is_over() || proceeding_) return;
  if (phase_ <= Phase::kHead) return close_after_flush();
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
  no_deadline();
  end_output(true);
}

void HttpConnection::on_ended() {
  loop_.cancel(std::exchange(timer_, 0));
  tell_closed();
  detach_exchange();
}

}  // namespace iii::net
