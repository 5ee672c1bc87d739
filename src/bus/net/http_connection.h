// One client of an HTTP server: reads requests one after another, writes their answers in order.
// Internal to this room.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bus/net/http_parser.h"
#include "bus/net/http_server.h"
#include "bus/net/stream.h"

namespace iii::net {

class HttpExchange;

// What all connections of a server share.
struct HttpSite {
  HttpServerOptions options;
  HttpRouter router;
  std::shared_ptr<MemoryBudget> memory;
  std::shared_ptr<WrongTokens> wrong_tokens;

  const std::string& date(int64_t wall_ms);  // as for the Date header

 private:
  int64_t date_second_ = -1;
  std::string date_;
};

//            ┌───────────────── keep-alive ────────────────┐
//            ▼                                             │
// idle ─▶ reading a head ─▶ reading a body ─▶ answering ───┴─▶ end_output()
//
// One request at a time: the next one is looked at when the answer to this one is queued, so
// answers are in order, and a client that pipelines holds no more than its own input.
class HttpConnection final : public Stream {
 public:
  HttpConnection(Loop& loop, Socket socket, std::shared_ptr<HttpSite> site, std::string peer);
  ~HttpConnection();

  void start();
  // Finishes the request that is running; a stream is ended.
  void drain();
  // Closed at once; what was to be answered is told so.
  void drop() { finish(); }
  // No callbacks from here on; the connection is closed.
  void abandon();

  // For the exchange.
  void answer(int status, const HttpHeaders& headers, SharedBytes body);
  void begin_stream(int status, const HttpHeaders& headers);
  void write_stream(SharedBytes bytes);
  void end_stream();
  void unanswered();  // nobody is left who could answer
  // Calls `answer` when it is time to tell this client that its token is wrong.
  void refuse_token(std::move_only_function<void()> answer);
  size_t queued_bytes() const { return output_.bytes(); }

 private:
  enum class Phase { kIdle, kHead, kBody, kAnswering };

  bool reads_requests() const;

  // Reading.
  void on_readable() override;
  void proceed() override;
  bool reading() const override;
  size_t input_bytes() const override;
  void release_input() override;
  void on_input_end() override;
  void on_peer_left() override;
  bool step();
  void begin_request();
  void on_head();
  std::optional<HttpAnswer> examine(const HttpRequest& head);
  void dispatch();
  std::shared_ptr<HttpExchange> begin_exchange();
  size_t max_body() const;
  void refuse(HttpAnswer refusal, bool close);
  std::string_view unread() const { return std::string_view(input_).substr(read_); }

  // Writing.
  void write_head(int status, const HttpHeaders& headers, std::string_view framing);
  void append(SharedBytes bytes);
  void answered();
  void queued();
  void on_written(size_t bytes) override;
  void on_drained() override;

  // Time.
  void set_deadline(std::chrono::milliseconds delay);
  void no_deadline() { deadline_ = Time::max(); }
  void on_timer();
  void on_deadline();
  void check_body_rate();

  // Ending.
  void tell_closed();
  void detach_exchange();
  void on_ended() override;
  void close_after_flush();

  using Time = std::chrono::steady_clock::time_point;

  const std::shared_ptr<HttpSite> site_;

  Phase phase_ = Phase::kIdle;
  bool draining_ = false;
  bool abandoned_ = false;  // nobody is told anything any more
  bool held_back_ = false;  // the client takes less than it asks for

  std::string input_;
  size_t read_ = 0;  // of `input_`
  std::optional<HttpParser> parser_;
  bool head_timed_ = false;
  size_t body_seen_ = 0;  // at the last look at its rate

  // Of the request that is being answered.
  const HttpRoute* route_ = nullptr;
  const HttpArea* area_ = nullptr;
  HttpExchange* exchange_ = nullptr;
  HttpHeaders cors_;
  bool is_head_ = false;
  bool is_1_0_ = false;
  bool keep_alive_ = true;
  bool streaming_ = false;
  bool chunked_ = false;
  size_t largest_write_ = 0;  // of the stream

  Time deadline_ = Time::max();
  Time armed_ = Time::max();
  TimerId timer_ = 0;
};

}  // namespace iii::net
