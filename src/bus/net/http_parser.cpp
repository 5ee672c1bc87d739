#include "bus/net/http_parser.h"

#include <algorithm>

#include "foundation/base/discard.h"
#include "foundation/base/text.h"

namespace iii::net {
namespace {

namespace http = boost::beast::http;

// Of a line of the chunked coding, and of the trailers.
constexpr size_t kMaxChunkHead = 16 * 1024;

size_t count_of(const HttpHeaders& headers, std::string_view name) {
  return static_cast<size_t>(std::ranges::count_if(
      headers, [&](const HttpHeader& header) { return iequals(header.name, name); }));
}

HttpAnswer malformed(std::string_view message) { return http_error(400, "bad_request", message); }

}  // namespace

HttpParser::HttpParser(const HttpParserLimits& limits) : limits_(limits) {
  header_limit(static_cast<uint32_t>(limits.max_head_bytes));
  body_limit(boost::none);  // an announced length is compared when the head has been looked at
  eager(false);
}

HttpParser::~HttpParser() {
  if (request_.body.capacity() >= kDiscardBytes) discard(std::move(request_.body));
}

std::optional<uint64_t> HttpParser::announced_bytes() const {
  const Length length = content_length();
  return length ? std::optional<uint64_t>(*length) : std::nullopt;
}

HttpParser::Status HttpParser::feed(std::string_view bytes, size_t& consumed) {
  consumed = 0;
  if (told_head_ && is_done()) return Status::kDone;
  if (told_head_ && bytes.empty()) return Status::kNeedMore;
  ErrorCode error;
  consumed = put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  if (!told_head_) head_bytes_ += consumed;
  if (head_bytes_ > limits_.max_head_bytes) error = http::error::header_limit;
  if (error && error != http::error::need_more) return bad(error);
  if (!told_head_ && is_header_done()) return on_head();
  if (told_head_ && is_done()) return Status::kDone;
  if (told_head_ && bytes.size() - consumed > kMaxChunkHead) {
    return bad(malformed("A chunk of the body begins with too long a line."));
  }
  return Status::kNeedMore;
}

// What Beast leaves to its user: the rules by which two readers could disagree about where a
// request ends.
HttpParser::Status HttpParser::on_head() {
  told_head_ = true;
  eager(true);
  const std::string* coding = request_.header("Transfer-Encoding");
  if (coding != nullptr && (!chunked() || !iequals(*coding, "chunked"))) {
    return bad(http_error(501, "not_implemented", "The only transfer coding here is `chunked`."));
  }
  if (coding != nullptr && is_1_0()) return bad(malformed("HTTP/1.0 has no transfer coding."));
  const size_t hosts = count_of(request_.headers, "Host");
  if (hosts > 1 || (hosts == 0 && !is_1_0())) {
    return bad(malformed("A request needs one Host header."));
  }
  if (const std::string* host = request_.header("Host")) authority_ = *host;
  std::string_view target = target_;
  const size_t scheme = target.find("://");
  if (!target.starts_with('/') && scheme != std::string_view::npos) {
    target.remove_prefix(scheme + 3);
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    authority_ = target.substr(0, end);
    target.remove_prefix(end);
  }
  const size_t query = std::min(target.find('?'), target.size());
  request_.path = query == 0 ? "/" : target.substr(0, query);
  if (query < target.size()) request_.query = target.substr(query + 1);
  return Status::kHead;
}

void HttpParser::on_request_impl(Verb, View method, View target, int version, ErrorCode&) {
  request_.method = method;
  target_ = target;
  version_ = version;
}

void HttpParser::on_field_impl(Field, View name, View value, ErrorCode& error) {
  if (told_head_) return;  // a trailer
  if (request_.headers.size() >= limits_.max_headers) {
    error = http::error::header_limit;
    return;
  }
  request_.headers.push_back({std::string(name), std::string(value)});
}

size_t HttpParser::on_body_impl(View body, ErrorCode&) {
  request_.body.append(body);
  return body.size();
}

size_t HttpParser::on_chunk_body_impl(uint64_t, View body, ErrorCode& error) {
  return on_body_impl(body, error);
}

HttpParser::Status HttpParser::bad(HttpAnswer refusal) {
  refusal_ = std::move(refusal);
  return Status::kBad;
}

HttpParser::Status HttpParser::bad(const ErrorCode& error) {
  if (error == http::error::header_limit) {
    return bad(http_error(431, "head_too_large", "The head of the request is too large."));
  }
  if (error == http::error::body_limit) {
    return bad(http_error(413, "body_too_large", "The body of the request is too large."));
  }
  if (error == http::error::bad_version) {
    return bad(http_error(505, "version_not_supported", "This server speaks HTTP/1.1."));
  }
  return bad(malformed("This is not an HTTP/1.1 request: " + error.message() + "."));
}

}  // namespace iii::net
