#include "bus/ws/handshake.h"

#include <gmock/gmock.h>

#include "bus/ws/http_head.h"

namespace iii::ws {
namespace {

constexpr std::string_view kUpgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

std::string request_text(std::string_view first_line, std::string_view headers = kUpgrade) {
  return std::string(first_line) + "\r\nHost: 127.0.0.1\r\n" + std::string(headers) + "\r\n";
}

std::string without(std::string_view line_start) {
  std::string headers(kUpgrade);
  const size_t at = headers.find(line_start);
  return headers.erase(at, headers.find("\r\n", at) + 2 - at);
}

std::string with(std::string_view from, std::string_view to) {
  std::string headers(kUpgrade);
  return headers.replace(headers.find(from), from.size(), to);
}

// What a server without any other paths answers.
std::string answer(const std::string& text) {
  RequestReader reader;
  size_t consumed = 0;
  if (reader.feed(text, consumed) != RequestReader::Status::kDone) {
    return refusal_response({400, "", {}}, nullptr);
  }
  const UpgradeRequest& request = reader.request();
  if (request.path() != "/") return refusal_response({}, &request);
  if (const auto refusal = check_upgrade(request)) return refusal_response(*refusal, &request);
  return switching_protocols(request);
}

std::string plain(std::string_view status, std::string_view body) {
  return std::string(status) + "\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

constexpr std::string_view kSwitching =
    "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n"
    "sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
constexpr std::string_view kNotHttp =
    "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

// The expected answers are those of the public engine 0.23.0-rc.4 to the same requests.
TEST(Handshake, UpgradesAsThePublicEngine) {
  const std::string get = "GET / HTTP/1.1";
  EXPECT_EQ(answer(request_text(get)), kSwitching);
  EXPECT_EQ(answer(request_text("GET /?token=x HTTP/1.1")), kSwitching);
  EXPECT_EQ(answer(request_text(get, std::string(kUpgrade) +
                                         "Sec-WebSocket-Extensions: permessage-deflate\r\n"
                                         "Sec-WebSocket-Protocol: a, b\r\n")),
            kSwitching);
  EXPECT_EQ(answer(request_text(get, with("websocket", "WebSocket"))), kSwitching);
  EXPECT_EQ(answer(request_text(get, with(" Upgrade", " keep-alive, Upgrade"))), kSwitching);
  EXPECT_EQ(answer("GET / HTTP/1.1\r\n" + std::string(kUpgrade) + "\r\n"), kSwitching);
  EXPECT_THAT(answer(request_text(get, with("dGhlIHNhbXBsZSBub25jZQ==", "abc"))),
              ::testing::HasSubstr("sec-websocket-accept: zwKd5BnoWxQ6GxTxxSmBSHGHX9M=\r\n"));
}

TEST(Handshake, RefusesIncompleteUpgradesAsThePublicEngine) {
  const std::string get = "GET / HTTP/1.1";
  const std::string bad = "HTTP/1.1 400 Bad Request";
  const std::string connection = plain(bad, "Connection header did not include 'upgrade'");
  const std::string upgrade = plain(bad, "`Upgrade` header did not include 'websocket'");
  const std::string version = plain(bad, "`Sec-WebSocket-Version` header did not include '13'");
  EXPECT_EQ(answer(request_text(get, "")), connection);
  EXPECT_EQ(answer(request_text(get, without("Connection"))), connection);
  EXPECT_EQ(answer(request_text(get, without("Upgrade: "))), upgrade);
  EXPECT_EQ(answer(request_text(get, with("websocket", "h2c"))), upgrade);
  EXPECT_EQ(answer(request_text(get, without("Sec-WebSocket-Key"))),
            plain(bad, "`Sec-WebSocket-Key` header missing"));
  EXPECT_EQ(answer(request_text(get, without("Sec-WebSocket-Version"))), version);
  EXPECT_EQ(answer(request_text(get, with("13", "8"))), version);
}

TEST(Handshake, RefusesOtherMethodsVersionsAndPathsAsThePublicEngine) {
  const std::string other =
      "HTTP/1.1 405 Method Not Allowed\r\nallow: GET,HEAD\r\ncontent-length: 0\r\n\r\n";
  EXPECT_EQ(answer(request_text("POST / HTTP/1.1")), other);
  EXPECT_EQ(answer(request_text("OPTIONS / HTTP/1.1", "")), other);
  EXPECT_EQ(answer(request_text("HEAD / HTTP/1.1", "")),
            "HTTP/1.1 405 Method Not Allowed\r\ncontent-type: text/plain; charset=utf-8\r\n"
            "content-length: 28\r\n\r\n");
  EXPECT_EQ(answer(request_text("GET / HTTP/1.0")),
            plain("HTTP/1.0 426 Upgrade Required",
                  "WebSocket request couldn't be upgraded since no upgrade state was present"));
  EXPECT_EQ(answer(request_text("GET /nope HTTP/1.1")),
            "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
  EXPECT_EQ(answer("hello\r\n\r\n"), kNotHttp);
  EXPECT_EQ(answer(std::string("\x16\x03\x01\x00\x05hello", 10)), kNotHttp);
}

TEST(Handshake, PutsExtraHeadersIntoTheUpgrade) {
  const UpgradeRequest request{.method = "GET", .target = "/", .minor_version = 1, .headers = {}};
  const std::string plain = switching_protocols(request);
  EXPECT_EQ(switching_protocols(request, {{"x-iii-capabilities", "tcp-nodelay"}}),
            plain.substr(0, plain.size() - 2) + "x-iii-capabilities: tcp-nodelay\r\n\r\n");
}

TEST(Handshake, PutsExtraHeadersIntoRefusals) {
  const UpgradeRequest request{.method = "GET", .target = "/", .minor_version = 1, .headers = {}};
  EXPECT_EQ(
      refusal_response({401, "", {{"WWW-Authenticate", "Bearer"}, {"bad", "a\r\nb: c"}}}, &request),
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\ncontent-length: 0\r\n\r\n");
}

TEST(RequestReader, ReadsTheSameHoweverTheBytesArrive) {
  const std::string text = request_text("GET /ws/channels/c?key=a%20b&dir=read HTTP/1.1");
  for (const size_t piece : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, text.size()}) {
    RequestReader reader;
    RequestReader::Status status = RequestReader::Status::kNeedMore;
    std::string_view left = text;
    while (status == RequestReader::Status::kNeedMore && !left.empty()) {
      size_t consumed = 0;
      const std::string_view bytes = left.substr(0, piece);
      status = reader.feed(bytes, consumed);
      ASSERT_EQ(consumed, bytes.size());
      left.remove_prefix(consumed);
    }
    ASSERT_EQ(status, RequestReader::Status::kDone);
    const UpgradeRequest& request = reader.request();
    EXPECT_EQ(request.path(), "/ws/channels/c");
    EXPECT_EQ(request.query_value("key"), "a%20b");
    EXPECT_EQ(request.query_value("dir"), "read");
    EXPECT_EQ(request.query_value("di"), std::nullopt);
    ASSERT_NE(request.header("UPGRADE"), nullptr);
    EXPECT_EQ(*request.header("UPGRADE"), "websocket");
    EXPECT_EQ(request.header("origin"), nullptr);
  }
}

TEST(RequestReader, LeavesFramesBehindTheHead) {
  RequestReader reader;
  size_t consumed = 0;
  const std::string text = request_text("GET / HTTP/1.1");
  EXPECT_EQ(reader.feed(text + "frames", consumed), RequestReader::Status::kDone);
  EXPECT_EQ(consumed, text.size());
}

TEST(RequestReader, HeadLimitIsInclusive) {
  const std::string start = "GET / HTTP/1.1\r\nx: ";
  const auto status = [&](size_t size) {
    const std::string text = start + std::string(size - start.size() - 4, 'x') + "\r\n\r\n";
    RequestReader reader;
    size_t consumed = 0;
    return reader.feed(text, consumed);
  };
  EXPECT_EQ(status(RequestReader::kMaxHead), RequestReader::Status::kDone);
  EXPECT_EQ(status(RequestReader::kMaxHead + 1), RequestReader::Status::kBad);
}

TEST(RequestReader, LimitsTheNumberOfHeaders) {
  const auto status = [](int count) {
    std::string text = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < count; ++i) text += "a: b\r\n";
    RequestReader reader;
    size_t consumed = 0;
    return reader.feed(text + "\r\n", consumed);
  };
  EXPECT_EQ(status(100), RequestReader::Status::kDone);
  EXPECT_EQ(status(101), RequestReader::Status::kBad);
}

TEST(RequestReader, RefusesWhatIsNotStrictHttp) {
  for (const std::string_view text :
       {"GET / HTTP/2.0\r\n\r\n", "GET / http/1.1\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1 \r\n\r\n", "GET /a b HTTP/1.1\r\n\r\n", "GET /\x7f HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nname : v\r\n\r\n", "GET / HTTP/1.1\r\n: v\r\n\r\n",
        "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\na: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\na: b\nc: d\r\n\r\n", "GET / HTTP/1.1\r\na: b\rc\r\n\r\n",
        "GET / HTTP/1.1\r\na: \x01\r\n\r\n", "\r\n\r\n", " / HTTP/1.1\r\n\r\n", "{\"a\":1}"}) {
    RequestReader reader;
    size_t consumed = 0;
    EXPECT_EQ(reader.feed(text, consumed), RequestReader::Status::kBad) << text;
  }
}

TEST(UpgradeRequest, FindsQueryValues) {
  const UpgradeRequest request{.method = "GET", .target = "/p?a=1&b=&c&a=2&=x", .headers = {}};
  EXPECT_EQ(request.query(), "a=1&b=&c&a=2&=x");
  EXPECT_EQ(request.query_value("a"), "1");
  EXPECT_EQ(request.query_value("b"), "");
  EXPECT_EQ(request.query_value("c"), "");
  EXPECT_EQ(request.query_value("d"), std::nullopt);
  const UpgradeRequest bare{.method = "GET", .target = "/p", .headers = {}};
  EXPECT_EQ(bare.query(), "");
  EXPECT_EQ(bare.query_value("a"), std::nullopt);
}

TEST(ClientHandshake, ServerAcceptsItsRequest) {
  const std::string key = random_key();
  EXPECT_EQ(key.size(), 24u);
  EXPECT_NE(key, random_key());
  const std::string text = upgrade_request({.host = "h:1",
                                            .target = "/x?y",
                                            .headers = {{"x-demo", "1"}, {"evil", "a\r\nb"}},
                                            .key = key});
  RequestReader reader;
  size_t consumed = 0;
  ASSERT_EQ(reader.feed(text, consumed), RequestReader::Status::kDone);
  EXPECT_EQ(check_upgrade(reader.request()), std::nullopt);
  EXPECT_EQ(*reader.request().header("host"), "h:1");
  EXPECT_EQ(*reader.request().header("x-demo"), "1");
  EXPECT_EQ(reader.request().header("evil"), nullptr);
  const std::string reply = switching_protocols(reader.request());
  for (const size_t piece : {size_t{1}, size_t{5}, reply.size()}) {
    ResponseReader response(key);
    ResponseReader::Status status = ResponseReader::Status::kNeedMore;
    for (size_t at = 0; at < reply.size(); at += piece) {
      ASSERT_EQ(status, ResponseReader::Status::kNeedMore);
      status = response.feed(std::string_view(reply).substr(at, piece), consumed);
    }
    EXPECT_EQ(status, ResponseReader::Status::kUpgraded);
  }
}

struct Reply {
  std::string text;
  ResponseReader::Status status;
  std::string reason;
};

TEST(ClientHandshake, JudgesTheServersAnswer) {
  using Status = ResponseReader::Status;
  const std::string ok = "HTTP/1.1 101 S\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n";
  const std::string accept = "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n";
  const std::string wrong = "the server's Sec-WebSocket-Accept does not match the key it was sent";
  const std::string other = "the server switched to something that is not a WebSocket";
  const std::string extra = "the server chose an extension or subprotocol that was not offered";
  const Reply replies[] = {
      {ok + accept + "\r\n", Status::kUpgraded, ""},
      {ok + "\r\n", Status::kBad, wrong},
      {ok + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOO=\r\n\r\n", Status::kBad, wrong},
      {"HTTP/1.1 101 S\r\nUpgrade: websocket\r\n" + accept + "\r\n", Status::kBad, other},
      {"HTTP/1.1 101\r\nConnection: Upgrade\r\n" + accept + "\r\n", Status::kBad, other},
      {ok + accept + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n", Status::kBad, extra},
      {ok + accept + "Sec-WebSocket-Protocol: a\r\n\r\n", Status::kBad, extra},
      {"HTTP/1.1 404 Not Found\r\n\r\n", Status::kRefused,
       "the server answered 404 Not Found instead of upgrading"},
      {"HTTP/1.1 503\r\n\r\n", Status::kRefused, "the server answered 503 instead of upgrading"},
      {"HTTP/1.1 2x0 OK\r\n\r\n", Status::kBad, "the answer is not HTTP"},
      {"SSH-2.0-x", Status::kBad, "the answer is not HTTP"},
      {"HTTP/1.1 200 OK\r\nx: " + std::string(RequestReader::kMaxHead, 'x'), Status::kBad,
       "the head of the answer is too long"},
  };
  for (const Reply& reply : replies) {
    ResponseReader reader("dGhlIHNhbXBsZSBub25jZQ==");
    size_t consumed = 0;
    EXPECT_EQ(reader.feed(reply.text, consumed), reply.status) << reply.text;
    EXPECT_EQ(reader.reason(), reply.reason);
  }
}

}  // namespace
}  // namespace iii::ws
