// Reads one HTTP request from bytes that arrive in pieces: Beast's parser with limits, no I/O.
// Internal to this room.
#pragma once

#include <boost/beast/http/basic_parser.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bus/net/http_message.h"

namespace iii::net {

struct HttpParserLimits {
  size_t max_head_bytes = 32 * 1024;
  size_t max_headers = 100;
};

class HttpParser final : private boost::beast::http::basic_parser<true> {
 public:
  explicit HttpParser(const HttpParserLimits& limits);
  ~HttpParser() override;

  enum class Status {
    kNeedMore,  // what was not consumed has to be given again, with more behind it
    kHead,      // once, as soon as the head is complete
    kDone,
    kBad,  // refusal() says why; the rest of the connection cannot be understood
  };
  Status feed(std::string_view bytes, size_t& consumed);

  // After kHead; the body and its limit come later.
  HttpRequest& request() { return request_; }
  const HttpRequest& request() const { return request_; }
  // The name that the request was sent to: of an absolute target, else of the Host header. Empty
  // when there is none, which HTTP/1.0 permits.
  const std::string& authority() const { return authority_; }
  bool keeps_alive() const { return keep_alive(); }
  bool is_1_0() const { return version_ == 10; }
  bool has_body() const { return !is_done(); }
  std::optional<uint64_t> announced_bytes() const;
  // Of what has no announced length. Before the first feed() after kHead.
  void limit_body(size_t bytes) { body_limit(bytes); }

  // After kBad.
  const HttpAnswer& refusal() const { return refusal_; }

 private:
  using View = boost::beast::string_view;
  using ErrorCode = boost::beast::error_code;
  using Length = boost::optional<std::uint64_t>;
  using Verb = boost::beast::http::verb;
  using Field = boost::beast::http::field;

  void on_request_impl(Verb, View method, View target, int version, ErrorCode&) override;
  void on_response_impl(int, View, int, ErrorCode&) override {}
  void on_field_impl(Field, View name, View value, ErrorCode& error) override;
  void on_header_impl(ErrorCode&) override {}
  void on_body_init_impl(const Length&, ErrorCode&) override {}
  size_t on_body_impl(View body, ErrorCode&) override;
  void on_chunk_header_impl(uint64_t, View, ErrorCode&) override {}
  size_t on_chunk_body_impl(uint64_t, View body, ErrorCode& error) override;
  void on_finish_impl(ErrorCode&) override {}

  Status on_head();
  Status bad(HttpAnswer refusal);
  Status bad(const ErrorCode& error);

  const HttpParserLimits limits_;
  HttpRequest request_;
  std::string target_;
  std::string authority_;
  HttpAnswer refusal_;
  size_t head_bytes_ = 0;
  int version_ = 11;
  bool told_head_ = false;
};

}  // namespace iii::net
