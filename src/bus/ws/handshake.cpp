#include "bus/ws/handshake.h"

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/sha.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "bus/ws/http_head.h"
#include "foundation/base/check.h"
#include "foundation/base/text.h"

namespace iii::ws {
namespace {

// RFC 6455 §1.3: what both sides append to the key before hashing it.
constexpr std::string_view kAcceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

template <size_t N>
std::string base64(const std::array<uint8_t, N>& bytes) {
  std::array<uint8_t, (N + 2) / 3 * 4 + 1> text;
  const int length = EVP_EncodeBlock(text.data(), bytes.data(), static_cast<int>(N));
  return {reinterpret_cast<const char*>(text.data()), static_cast<size_t>(length)};
}

std::string_view reason_phrase(int status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 426:
      return "Upgrade Required";
    case 429:
      return "Too Many Requests";
    case 500:
      return "Internal Server Error";
    case 503:
      return "Service Unavailable";
    default:
      return "Refused";
  }
}

// `GET /path HTTP/1.1`, one space each.
bool parse_request_line(std::string_view line, UpgradeRequest& request) {
  const std::vector<std::string_view> parts = split(line, ' ');
  if (parts.size() != 3) return false;
  const auto visible = [](char c) { return c > 0x20 && c < 0x7f; };
  if (!is_token(parts[0]) || parts[1].empty() || !std::ranges::all_of(parts[1], visible)) {
    return false;
  }
  if (parts[2] != "HTTP/1.1" && parts[2] != "HTTP/1.0") return false;
  request.method = parts[0];
  request.target = parts[1];
  request.minor_version = parts[2].back() - '0';
  return true;
}

// Can this still become a request? Says no to a TLS hello at its first byte, without waiting for
// more.
bool may_be_request(std::string_view head) {
  const size_t space = head.find(' ');
  if (space == 0) return false;
  return std::ranges::all_of(head.substr(0, space), is_token_char);
}

}  // namespace

std::string_view UpgradeRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view UpgradeRequest::query() const {
  const size_t mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

const std::string* UpgradeRequest::header(std::string_view name) const {
  return find_header(headers, name);
}

std::optional<std::string_view> UpgradeRequest::query_value(std::string_view key) const {
  for (const std::string_view pair : split(query(), '&')) {
    const size_t equals = pair.find('=');
    if (pair.substr(0, equals) != key) continue;
    return equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
  }
  return std::nullopt;
}

RequestReader::Status RequestReader::feed(std::string_view bytes, size_t& consumed) {
  switch (gather_head(head_, bytes, kMaxHead, consumed)) {
    case HeadStatus::kNeedMore:
      return may_be_request(head_) ? Status::kNeedMore : Status::kBad;
    case HeadStatus::kTooLong:
      return Status::kBad;
    case HeadStatus::kWhole:
      break;
  }
  std::optional<HttpHead> head = parse_head(head_);
  if (!head || !parse_request_line(head->start_line, request_)) return Status::kBad;
  request_.headers = std::move(head->headers);
  head_ = {};
  return Status::kDone;
}

std::optional<Refusal> check_upgrade(const UpgradeRequest& request) {
  if (request.method == "HEAD") return Refusal{405, "Request method must be `GET`", {}};
  if (request.method != "GET") return Refusal{405, "", {{"allow", "GET,HEAD"}}};
  const std::string* connection = request.header("connection");
  if (connection == nullptr || !list_has(*connection, "upgrade")) {
    return Refusal{400, "Connection header did not include 'upgrade'", {}};
  }
  const std::string* upgrade = request.header("upgrade");
  if (upgrade == nullptr || !iequals(*upgrade, "websocket")) {
    return Refusal{400, "`Upgrade` header did not include 'websocket'", {}};
  }
  if (request.header("sec-websocket-key") == nullptr) {
    return Refusal{400, "`Sec-WebSocket-Key` header missing", {}};
  }
  const std::string* version = request.header("sec-websocket-version");
  if (version == nullptr || *version != "13") {
    return Refusal{400, "`Sec-WebSocket-Version` header did not include '13'", {}};
  }
  // HTTP/1.0 knows no upgrade, however well the headers look.
  if (request.minor_version == 0) {
    return Refusal{
        426, "WebSocket request couldn't be upgraded since no upgrade state was present", {}};
  }
  return std::nullopt;
}

std::string accept_key(std::string_view sec_websocket_key) {
  std::string text(sec_websocket_key);
  text += kAcceptSuffix;
  std::array<uint8_t, SHA_DIGEST_LENGTH> digest;
  SHA1(reinterpret_cast<const uint8_t*>(text.data()), text.size(), digest.data());
  return base64(digest);
}

std::string switching_protocols(const UpgradeRequest& request, const std::vector<Header>& headers) {
  const std::string* key = request.header("sec-websocket-key");
  std::string text = fmt::format(
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
      "sec-websocket-accept: {}\r\n",
      accept_key(key != nullptr ? *key : std::string()));
  for (const Header& header : headers) text += header.name + ": " + header.value + "\r\n";
  return text + "\r\n";
}

std::string refusal_response(const Refusal& refusal, const UpgradeRequest* request) {
  const int minor = request != nullptr ? request->minor_version : 1;
  std::string text =
      fmt::format("HTTP/1.{} {} {}\r\n", minor, refusal.status, reason_phrase(refusal.status));
  if (request == nullptr) text += "connection: close\r\n";
  if (!refusal.body.empty()) text += "content-type: text/plain; charset=utf-8\r\n";
  for (const Header& header : refusal.headers) {
    if (sendable(header)) text += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  text += fmt::format("content-length: {}\r\n\r\n", refusal.body.size());
  if (request == nullptr || request->method != "HEAD") text += refusal.body;
  return text;
}

std::string random_key() {
  std::array<uint8_t, 16> bytes;
  III_CHECK(getentropy(bytes.data(), bytes.size()) == 0);
  return base64(bytes);
}

bool sendable(const Header& header) {
  return is_token(header.name) && is_field_value(header.value);
}

std::string upgrade_request(const ClientRequest& request) {
  std::string text = fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Key: {}\r\nSec-WebSocket-Version: 13\r\n",
      request.target, request.host, request.key);
  for (const Header& header : request.headers) {
    if (sendable(header)) text += fmt::format("{}: {}\r\n", header.name, header.value);
  }
  return text + "\r\n";
}

ResponseReader::Status ResponseReader::feed(std::string_view bytes, size_t& consumed) {
  const auto bad = [this](std::string why) {
    reason_ = std::move(why);
    return Status::kBad;
  };
  switch (gather_head(head_, bytes, RequestReader::kMaxHead, consumed)) {
    case HeadStatus::kNeedMore: {
      constexpr std::string_view kHttp = "HTTP/1.";
      const size_t known = std::min(head_.size(), kHttp.size());
      if (std::string_view(head_).substr(0, known) == kHttp.substr(0, known)) {
        return Status::kNeedMore;
      }
      return bad("the answer is not HTTP");
    }
    case HeadStatus::kTooLong:
      return bad("the head of the answer is too long");
    case HeadStatus::kWhole:
      break;
  }
  const std::optional<HttpHead> head = parse_head(head_);
  if (!head || !parse_status_line(head->start_line)) return bad("the answer is not HTTP");
  if (status_ != 101) {
    reason_ =
        fmt::format("the server answered {} instead of upgrading", head->start_line.substr(9));
    return Status::kRefused;
  }
  const std::string* upgrade = find_header(head->headers, "upgrade");
  const std::string* connection = find_header(head->headers, "connection");
  const std::string* accept = find_header(head->headers, "sec-websocket-accept");
  if (upgrade == nullptr || !iequals(*upgrade, "websocket") || connection == nullptr ||
      !list_has(*connection, "upgrade")) {
    return bad("the server switched to something that is not a WebSocket");
  }
  if (accept == nullptr || *accept != accept_key(key_)) {
    return bad("the server's Sec-WebSocket-Accept does not match the key it was sent");
  }
  // RFC 6455 §4.1: neither was offered, so neither may be chosen.
  if (find_header(head->headers, "sec-websocket-extensions") != nullptr ||
      find_header(head->headers, "sec-websocket-protocol") != nullptr) {
    return bad("the server chose an extension or subprotocol that was not offered");
  }
  head_ = {};
  return Status::kUpgraded;
}

// `HTTP/1.1 101 Switching Protocols`; the phrase may be missing.
bool ResponseReader::parse_status_line(std::string_view line) {
  if (line.size() < 12 || !line.starts_with("HTTP/1.") || (line[7] != '0' && line[7] != '1') ||
      line[8] != ' ' || (line.size() > 12 && line[12] != ' ') || !is_field_value(line)) {
    return false;
  }
  int status = 0;
  for (const char c : line.substr(9, 3)) {
    if (c < '0' || c > '9') return false;
    status = status * 10 + (c - '0');
  }
  status_ = status;
  return true;
}

}  // namespace iii::ws
