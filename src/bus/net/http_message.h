// HTTP requests and responses as the handlers of a server see them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bus/ws/handshake.h"
#include "foundation/base/shared_bytes.h"

namespace iii::net {

using HttpHeader = ws::Header;
using HttpHeaders = std::vector<HttpHeader>;

struct HttpRequest {
  std::string method = {};  // as sent; methods are case-sensitive
  std::string path = {};    // of the target, up to `?`, as sent
  std::string query = {};   // after `?`, as sent, or empty
  HttpHeaders headers = {};
  std::string body = {};  // complete, without the chunked coding
  std::string peer = {};  // address of the client, without port

  // The first value of that header, names compared without case; nullptr when absent.
  const std::string* header(std::string_view name) const;
};

// A complete answer as a value, for checks that refuse a request.
struct HttpAnswer {
  int status = 200;
  HttpHeaders headers = {};
  std::string body = {};
  bool wrong_token = false;  // sent later to an address that has tried many (net/wrong_tokens.h)
};
// `{"error":{"code":…,"message":…}}`.
HttpAnswer http_error(int status, std::string_view code, std::string_view message);
// `{"code":…,"message":…}`.
HttpAnswer flat_error(int status, std::string_view code, std::string_view message);
// What http_error() gave, in the shape of flat_error(). Other answers stay as they are.
HttpAnswer flattened(HttpAnswer answer);
// With `Content-Type: application/json`.
HttpAnswer http_json(int status, std::string body);

// What one request is answered with: send() once, or begin_stream(), write()…, end(). At once or
// later, on the loop thread. Once the answer is complete or the client has left, every call is
// ignored. Whoever releases it without an answer causes a 500; a stream is ended.
//
// Content-Length, Transfer-Encoding, Connection and Date are the server's to write, and so are the
// CORS headers; they are ignored in `headers`. So are headers with line breaks in them.
class HttpResponse {
 public:
  virtual ~HttpResponse() = default;

  virtual void send(int status, HttpHeaders headers, std::string body) = 0;
  // A large body is not copied.
  virtual void send(int status, HttpHeaders headers, SharedBytes body) = 0;
  void send(HttpAnswer answer) {
    if (answer.wrong_token) return refuse_token(std::move(answer));
    send(answer.status, std::move(answer.headers), std::move(answer.body));
  }

  // A body whose end is not known yet, such as an event stream. What one loop turn writes leaves
  // together at the end of the turn.
  virtual void begin_stream(int status, HttpHeaders headers) = 0;
  virtual void write(std::string_view text) = 0;
  virtual void write(SharedBytes bytes) = 0;
  virtual void end() = 0;

  // What the client has not taken yet. A stream that exceeds `max_stream_bytes`, besides
  // its largest message, is closed.
  virtual size_t queued_bytes() const = 0;
  // False when the answer is complete, or nobody is there to take it.
  virtual bool is_open() const = 0;

  // Each may be set at any time, and replaces the one before; both come from the loop, never from
  // inside a call. Set neither to something that keeps this response alive for ever: they are
  // released when the answer is complete or the client has left.
  //
  // The client had fallen behind and has now taken everything. May come more than once.
  virtual void on_drained(std::move_only_function<void()> action) = 0;
  // The client has left, or the server ends the stream, before the answer was complete. Comes once;
  // not after send() or end(). The time to cancel what the answer was to be made of.
  virtual void on_closed(std::move_only_function<void()> action) = 0;

 protected:
  // Sends an answer to a wrong token, now or later.
  virtual void refuse_token(HttpAnswer answer) {
    send(answer.status, std::move(answer.headers), std::move(answer.body));
  }
};

using HttpHandler = std::function<void(HttpRequest, std::shared_ptr<HttpResponse>)>;

}  // namespace iii::net
