// For tests: an HTTP server on the loop, raw clients, and a reader of responses that shares no code
// with the server.
#pragma once

#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bus/net/http_server.h"
#include "bus/net/net_fixture_for_test.h"
#include "foundation/base/text.h"

namespace iii::net {

struct SeenResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;
  bool complete = false;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

// Takes one response from the front of `bytes`; nothing when its head is not complete.
inline std::optional<SeenResponse> take_response(std::string_view& bytes, bool to_head = false) {
  const size_t end = bytes.find("\r\n\r\n");
  if (end == std::string_view::npos || !bytes.starts_with("HTTP/1.1 ")) return std::nullopt;
  SeenResponse seen;
  seen.status = std::stoi(std::string(bytes.substr(9, 3)));
  for (std::string_view line : split(bytes.substr(0, end), '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || line.starts_with("HTTP/")) continue;
    seen.headers[ascii_lower(line.substr(0, colon))] = trim(line.substr(colon + 1));
  }
  std::string_view rest = bytes.substr(end + 4);
  const auto take = [&](size_t count) {
    seen.body += rest.substr(0, count);
    const bool all = rest.size() >= count;
    rest.remove_prefix(std::min(count, rest.size()));
    return all;
  };
  if (to_head || seen.status < 200 || seen.status == 204 || seen.status == 304) {
    seen.complete = true;
  } else if (const std::string length = seen.header("content-length"); !length.empty()) {
    seen.complete = take(std::stoul(length));
  } else if (seen.header("transfer-encoding") == "chunked") {
    for (;;) {
      size_t size = 0;
      const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), size, 16);
      const auto line = static_cast<size_t>(read.ptr - rest.data());
      if (line == 0 || rest.size() < line + 2) break;
      rest.remove_prefix(line + 2);
      if (!take(size) || rest.size() < 2) break;
      rest.remove_prefix(2);
      if (size == 0) {
        seen.complete = true;
        break;
      }
    }
  } else {
    take(rest.size());  // until the connection ends
  }
  bytes = rest;
  return seen;
}

inline std::vector<SeenResponse> responses(std::string_view bytes) {
  std::vector<SeenResponse> all;
  while (auto one = take_response(bytes)) all.push_back(std::move(*one));
  return all;
}

inline std::string request(std::string_view method, std::string_view target,
                           std::string_view headers = "", std::string_view body = "") {
  std::string text = std::string(method) + " " + std::string(target) +
                     " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + std::string(headers);
  if (!body.empty()) text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text + "\r\n" + std::string(body);
}

class HttpTest : public NetTest {
 protected:
  using Response = std::shared_ptr<HttpResponse>;

  // `/echo` answers with the body, `/slow` is answered by the test (`waiting`), `/stream` begins a
  // stream that the test goes on with (`streams`).
  HttpTest() {
    router.get("/hello", [](HttpRequest, Response response) {
      response->send(200, {{"Content-Type", "text/plain"}}, "hello");
    });
    router.post("/echo", [this](HttpRequest request, Response response) {
      ++echoed;
      response->send(200, {}, request.body);
      last = std::move(request);
    });
    router.get("/slow", [this](HttpRequest, Response response) {
      response->on_closed([this] { ++closed; });
      waiting.push_back(std::move(response));
    });
    router.get("/stream", [this](HttpRequest, Response response) {
      response->on_closed([this] { ++closed; });
      response->begin_stream(200, {{"Content-Type", "text/event-stream"}});
      streams.push_back(std::move(response));
    });
  }

  void listen(HttpServerOptions options = {}) {
    auto listening = HttpServer::listen(loop, std::move(options), router);
    ASSERT_TRUE(listening) << listening.error().message;
    http = std::move(*listening);
  }
  void dial(RawPeer& peer, std::string_view bytes) {
    peer.connect(http->port());
    peer.write(bytes);
  }
  void read_until(RawPeer& peer, const std::function<bool()>& done, const char* what) {
    run_until(
        [&] {
          peer.read_some();
          return done();
        },
        what);
  }
  // Sends, and reads until `count` responses are complete.
  std::vector<SeenResponse> ask(RawPeer& peer, std::string_view bytes, size_t count = 1) {
    peer.got.clear();
    peer.write(bytes);
    return answers(peer, count);
  }
  std::vector<SeenResponse> answers(RawPeer& peer, size_t count = 1) {
    read_until(
        peer,
        [&] {
          const auto all = responses(peer.got);
          return all.size() >= count && all.back().complete;
        },
        "the answers");
    return responses(peer.got);
  }
  // On a connection of its own, which is read until the server closes it.
  std::vector<SeenResponse> exchange(std::string_view bytes) {
    RawPeer peer;
    dial(peer, bytes);
    read_to_end(peer);
    return responses(peer.got);
  }
  int status_of(std::string_view bytes) {
    RawPeer peer;
    dial(peer, bytes);
    const auto all = answers(peer);
    return all.empty() ? 0 : all.front().status;
  }

  HttpRouter router;
  std::unique_ptr<HttpServer> http;
  HttpRequest last;
  int echoed = 0;
  int closed = 0;
  std::vector<Response> waiting;
  std::vector<Response> streams;
};

}  // namespace iii::net
