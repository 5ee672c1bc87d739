// Fuzz target: the reader of HTTP requests neither crashes nor depends on how the bytes were cut,
// and never holds more than its limits.
//
// Input: one byte that chooses the size of the cuts, then the bytes of a request.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "bus/net/http_parser.h"
#include "foundation/base/check.h"

namespace {

using iii::net::HttpParser;

constexpr size_t kMaxHead = 4'000;
constexpr size_t kMaxHeaders = 20;
constexpr size_t kMaxBody = 1'000;

struct Outcome {
  HttpParser::Status status = HttpParser::Status::kNeedMore;
  std::string head = {};
  std::string body = {};
};

Outcome read(std::string_view bytes, size_t piece) {
  HttpParser parser({.max_head_bytes = kMaxHead, .max_headers = kMaxHeaders});
  Outcome outcome;
  std::string buffer;
  bool head_done = false;
  for (;;) {
    size_t used = 0;
    outcome.status = parser.feed(buffer, used);
    III_CHECK(used <= buffer.size());
    buffer.erase(0, used);
    if (head_done) III_CHECK(parser.request().body.size() <= kMaxBody);
    if (outcome.status == HttpParser::Status::kHead) {
      III_CHECK(!head_done);
      head_done = true;
      III_CHECK(parser.request().headers.size() <= kMaxHeaders);
      outcome.head = parser.request().method + " " + parser.request().path + "?" +
                     parser.request().query + " " + parser.authority();
      if (parser.announced_bytes().value_or(0) > kMaxBody) return outcome;  // the user's to refuse
      parser.limit_body(kMaxBody);
      continue;
    }
    if (outcome.status == HttpParser::Status::kDone) outcome.body = parser.request().body;
    if (outcome.status == HttpParser::Status::kBad) III_CHECK(parser.refusal().status >= 400);
    if (outcome.status != HttpParser::Status::kNeedMore || bytes.empty()) return outcome;
    buffer += bytes.substr(0, piece);
    bytes.remove_prefix(std::min(piece, bytes.size()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const size_t piece = 1 + data[0] % 64;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read(bytes, std::max<size_t>(bytes.size(), 1));
  const Outcome pieces = read(bytes, piece);
  // What is bad may be noticed earlier or later; what is good is the same.
  const auto good = [](const Outcome& o) { return o.status == HttpParser::Status::kDone; };
  III_CHECK(good(whole) == good(pieces));
  if (good(whole)) III_CHECK(whole.head == pieces.head && whole.body == pieces.body);
  return 0;
}
