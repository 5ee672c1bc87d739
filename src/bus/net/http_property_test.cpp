// Clients with mutated and random bytes: the server answers or closes, whatever comes and
// however it is cut.
#include <gmock/gmock.h>

#include <random>

#include "bus/net/http_fixture_for_test.h"
#include "bus/net/http_parser.h"

namespace iii::net {
namespace {

std::vector<std::string> seeds() {
  return {
      request("GET", "/hello"),
      request("POST", "/echo", "Content-Type: application/json\r\n", R"({"jsonrpc":"2.0"})"),
      request("POST", "/echo", "Transfer-Encoding: chunked\r\n") +
          "5;a=\"b\"\r\nhello\r\n0\r\nX: y\r\n\r\n",
      request("POST", "/echo", "Expect: 100-continue\r\nContent-Length: 3\r\n") + "abc",
      request("OPTIONS", "/echo",
              "Origin: http://127.0.0.1\r\nAccess-Control-Request-Method: GET\r\n"),
      "GET http://localhost/hello?q HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      request("HEAD", "/hello", "X: folded\r\n value\r\n") + request("GET", "/nothing"),
  };
}

std::string mutated(std::string text, std::mt19937& random, const std::vector<std::string>& all) {
  static const std::vector<std::string> pieces = {"\r\n",
                                                  "\n",
                                                  "\r",
                                                  "\r\n\r\n",
                                                  ":",
                                                  " ",
                                                  "\t",
                                                  "0",
                                                  "-1",
                                                  "ffffffffffffffff",
                                                  "\0",
                                                  "Content-Length: 5\r\n",
                                                  "Transfer-Encoding: chunked\r\n",
                                                  "Host: x\r\n",
                                                  "HTTP/1.1",
                                                  ";",
                                                  "\""};
  const auto below = [&](size_t limit) { return limit == 0 ? 0 : random() % limit; };
  for (size_t changes = 1 + below(4); changes > 0; --changes) {
    const size_t at = below(text.size() + 1);
    switch (below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, below(20));
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.insert(at, text.substr(below(text.size() + 1), below(40)));
        break;
      case 4:
        text += all[below(all.size())];
        break;
      default:
        for (size_t i = 0; i < 10; ++i) text.insert(at, 1, static_cast<char>(below(256)));
    }
  }
  return text;
}

class HttpPropertyTest : public HttpTest {};

TEST_F(HttpPropertyTest, AnythingIsAnsweredOrClosed) {
  router.get("/stream-and-end", [](HttpRequest, Response response) {
    response->begin_stream(200, {});
    response->write("x");
    response->end();
  });
  listen({.head_timeout = Millis(5), .body_period = Millis(5), .idle_timeout = Millis(5)});
  std::mt19937 random(20'261'117);
  const auto all = seeds();
  for (int round = 0; round < 40; ++round) {
    std::vector<RawPeer> peers(20);
    for (RawPeer& peer : peers) {
      const std::string bytes = mutated(all[random() % all.size()], random, all);
      const size_t cut = random() % (bytes.size() + 1);
      peer.connect(http->port());
      peer.try_write(std::string_view(bytes).substr(0, cut));
      run_until([] { return true; }, "a turn");
      peer.try_write(std::string_view(bytes).substr(cut));
    }
    // The server's limits of time end each of them.
    for (RawPeer& peer : peers) read_to_end(peer);
    peers.clear();
  }
  run_until([&] { return http->connections() == 0; }, "no connection left");
  EXPECT_EQ(status_of(request("GET", "/hello")), 200);
}

// What arrives in one piece and what arrives byte by byte is the same request.
TEST_F(HttpPropertyTest, CutsMakeNoDifference) {
  std::mt19937 random(7);
  const auto all = seeds();
  const auto parse = [](std::string_view bytes, size_t piece) {
    HttpParser parser({.max_head_bytes = 4'000, .max_headers = 20});
    std::string seen;
    std::string buffer;
    for (;;) {
      size_t used = 0;
      const HttpParser::Status status = parser.feed(buffer, used);
      buffer.erase(0, used);
      if (status == HttpParser::Status::kHead) {
        parser.limit_body(1'000);
        seen += parser.request().method + " " + parser.request().path + "|";
      } else if (status == HttpParser::Status::kDone) {
        return seen + parser.request().body;
      } else if (status == HttpParser::Status::kBad) {
        return seen + std::to_string(parser.refusal().status);
      } else if (bytes.empty()) {
        return seen + "more";
      } else {
        buffer += bytes.substr(0, piece);
        bytes.remove_prefix(std::min(piece, bytes.size()));
      }
    }
  };
  int differ = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string bytes = mutated(all[random() % all.size()], random, all);
    const std::string whole = parse(bytes, bytes.size() + 1);
    const std::string cut = parse(bytes, 1 + random() % 7);
    // A bad head may be noticed before or after its end has come.
    if (whole != cut && !whole.ends_with("more") && !cut.ends_with("more")) ++differ;
  }
  EXPECT_EQ(differ, 0);
}

}  // namespace
}  // namespace iii::net
