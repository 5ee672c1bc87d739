// The yardstick: our HTTP server and nothing behind it. The end-to-end tests use it, too.
#include <cstdio>
#include <cstdlib>
#include <unordered_set>

#include "bus/net/http_server.h"
#include "bus/net/loop.h"
#include "foundation/base/discard.h"
#include "process.h"
#include "roles.h"

namespace iii::bench {

namespace {

using Response = std::shared_ptr<net::HttpResponse>;

net::HttpRouter routes(std::unordered_set<Response>& streams) {
  net::HttpRouter router;
  router.post("/echo", [](net::HttpRequest request, const Response& response) {
    response->send(200, {{"Content-Type", "application/json"}}, std::move(request.body));
  });
  // As many bytes as the query says.
  router.post("/bytes", [text = shared_text(std::string(4 * 1024 * 1024, 'x'))](
                            const net::HttpRequest& request, const Response& response) {
    const size_t size = std::strtoul(request.query.c_str(), nullptr, 10);
    response->send(200, {{"Content-Type", "application/json"}},
                   SharedBytes{text, std::string_view(*text).substr(0, size)});
  });
  // What is posted to /publish goes to everybody who reads /stream.
  router.get("/stream", [&streams](const net::HttpRequest&, const Response& response) {
    streams.insert(response);
    response->on_closed([&streams, weak = std::weak_ptr(response)] { streams.erase(weak.lock()); });
    response->begin_stream(200, {{"Content-Type", "text/event-stream"}});
  });
  router.post("/publish", [&streams](const net::HttpRequest& request, const Response& response) {
    for (const Response& stream : streams) stream->write(request.body);
    response->send(204, {}, std::string());
  });
  return router;
}

}  // namespace

int serve_http_echo() {
  std::unordered_set<Response> streams;
  net::Loop loop;
  auto server = net::HttpServer::listen(loop, {}, routes(streams));
  if (!server) die(server.error().message);
  std::printf("port %d\n", (*server)->port());
  std::fflush(stdout);
  loop.on_stop_signals([&loop] { loop.stop(); });
  loop.run();
  server->reset();
  streams.clear();
  return 0;
}

}  // namespace iii::bench
