// The HTTP/1.1 side of a WebSocket: requests and responses as data, no I/O.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/result.h"

namespace iii::ws {

struct Header {
  std::string name = {};
  std::string value = {};
};

struct UpgradeRequest {
  std::string method = {};
  std::string target = {};  // as sent: path and query
  int minor_version = 1;
  std::vector<Header> headers = {};

  std::string_view path() const;   // target up to `?`
  std::string_view query() const;  // target after `?`, or empty
  // First value of that header, names compared without case; nullptr when absent.
  const std::string* header(std::string_view name) const;
  // Raw (still percent-encoded) value of a query parameter.
  std::optional<std::string_view> query_value(std::string_view key) const;
};

// What to answer instead of 101.
struct Refusal {
  int status = 404;
  std::string body = {};             // text/plain when not empty
  std::vector<Header> headers = {};  // extra headers, e.g. WWW-Authenticate
  bool wrong_token = false;          // sent later to an address that has tried many
};

// Reads one request head (server) from bytes that arrive in pieces.
class RequestReader {
 public:
  static constexpr size_t kMaxHead = 16 * 1024;

  enum class Status { kNeedMore, kDone, kBad };
  // Consumes from `bytes`; `consumed` tells how many belonged to the head (the rest are frames).
  Status feed(std::string_view bytes, size_t& consumed);
  const UpgradeRequest& request() const { return request_; }

 private:
  std::string head_;  // what has arrived of an incomplete head
  UpgradeRequest request_;
};

// Is this a well-formed upgrade? Same statuses and texts as the public engine (see the probe's
// `handshake` scenario): 405 for other methods, 426 for HTTP/1.0, 400 with a one-line text
// otherwise.
std::optional<Refusal> check_upgrade(const UpgradeRequest& request);

std::string accept_key(std::string_view sec_websocket_key);
// The 101 response: no extensions, and `headers` after those of the protocol.
std::string switching_protocols(const UpgradeRequest& request,
                                const std::vector<Header>& headers = {});
// Without a request (it could not be read): the public engine's answer to what is not HTTP.
std::string refusal_response(const Refusal& refusal, const UpgradeRequest* request);

// Client side.
struct ClientRequest {
  std::string host = {};  // value of the Host header
  std::string target = {};
  std::vector<Header> headers = {};
  std::string key = {};  // base64 of 16 random bytes
};
std::string random_key();
// Free of line breaks and other characters that would let a value become a second header.
bool sendable(const Header& header);
// Headers that are not sendable() are left out.
std::string upgrade_request(const ClientRequest& request);

class ResponseReader {
 public:
  enum class Status { kNeedMore, kUpgraded, kRefused, kBad };
  explicit ResponseReader(std::string key) : key_(std::move(key)) {}
  Status feed(std::string_view bytes, size_t& consumed);
  int http_status() const { return status_; }
  const std::string& reason() const { return reason_; }  // a sentence, when not upgraded

 private:
  bool parse_status_line(std::string_view line);

  std::string key_;
  std::string head_;
  int status_ = 0;
  std::string reason_;
};

}  // namespace iii::ws
