// Fuzz target: the readers of HTTP heads, in both roles, neither crash nor depend on how the bytes
// were cut; what they accept is what they would write.
//
// Input: one byte that chooses the size of the cuts, then the bytes of a request or response.
#include <cstdint>
#include <string>
#include <string_view>

#include "bus/ws/handshake.h"
#include "foundation/base/check.h"

namespace {

using namespace iii::ws;

template <typename Reader>
struct Outcome {
  typename Reader::Status status = Reader::Status::kNeedMore;
  size_t consumed = 0;
};

template <typename Reader>
Outcome<Reader> feed(Reader& reader, std::string_view bytes, size_t piece) {
  Outcome<Reader> outcome;
  while (!bytes.empty() && outcome.status == Reader::Status::kNeedMore) {
    size_t consumed = 0;
    const std::string_view now = bytes.substr(0, piece);
    outcome.status = reader.feed(now, consumed);
    III_CHECK(consumed <= now.size());
    if (outcome.status == Reader::Status::kNeedMore) III_CHECK(consumed == now.size());
    outcome.consumed += consumed;
    bytes.remove_prefix(consumed);
  }
  return outcome;
}

void check_request(std::string_view bytes, size_t piece) {
  RequestReader whole;
  RequestReader pieces;
  const auto expected = feed(whole, bytes, bytes.size());
  const auto got = feed(pieces, bytes, piece);
  III_CHECK(got.status == expected.status);
  if (got.status != RequestReader::Status::kDone) return;
  III_CHECK(got.consumed == expected.consumed);
  const UpgradeRequest& request = whole.request();
  III_CHECK(pieces.request().target == request.target);
  III_CHECK(pieces.request().headers.size() == request.headers.size());
  static_cast<void>(request.query_value("key"));

  // Written again, it reads the same.
  std::string text = request.method + " " + request.target + " HTTP/1." +
                     std::to_string(request.minor_version) + "\r\n";
  for (const Header& header : request.headers) {
    III_CHECK(sendable(header));
    text += header.name + ": " + header.value + "\r\n";
  }
  RequestReader again;
  if (text.size() + 2 <= RequestReader::kMaxHead) {
    III_CHECK(feed(again, text + "\r\n", 100).status == RequestReader::Status::kDone);
    for (size_t i = 0; i < request.headers.size(); ++i) {
      III_CHECK(again.request().headers[i].name == request.headers[i].name);
      III_CHECK(again.request().headers[i].value == request.headers[i].value);
    }
  }

  if (const auto refusal = check_upgrade(request)) {
    const std::string answer = refusal_response(*refusal, &request);
    III_CHECK(answer.starts_with("HTTP/1.") && answer.find("\r\n\r\n") != std::string::npos);
    return;
  }
  ResponseReader client(*request.header("sec-websocket-key"));
  const std::string answer = switching_protocols(request);
  III_CHECK(feed(client, answer, answer.size()).status == ResponseReader::Status::kUpgraded);
}

void check_response(std::string_view bytes, size_t piece) {
  ResponseReader whole("dGhlIHNhbXBsZSBub25jZQ==");
  ResponseReader pieces("dGhlIHNhbXBsZSBub25jZQ==");
  const auto expected = feed(whole, bytes, bytes.size());
  const auto got = feed(pieces, bytes, piece);
  III_CHECK(got.status == expected.status);
  III_CHECK(whole.http_status() == pieces.http_status());
  if (got.status == ResponseReader::Status::kRefused ||
      got.status == ResponseReader::Status::kBad) {
    III_CHECK(!whole.reason().empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const size_t piece = 1 + data[0] % 64;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  check_request(bytes, piece);
  check_response(bytes, piece);
  return 0;
}
