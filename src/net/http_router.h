// Which handler answers which method and path.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_message.h"

namespace iii::net {

struct HttpRouteOptions {
  // A larger body is refused with 413, before it is read when its length is announced.
  std::optional<size_t> max_body_bytes = {};  // else the server's
  // False: answered without a token, even when the server requires one. The checks of Host and
  // Origin always apply.
  bool needs_token = true;
  // Sees the head of a request before its body is read; an answer refuses the request.
  std::function<std::optional<HttpAnswer>(const HttpRequest& head)> check = {};
};

struct HttpRoute {
  std::string method = {};
  HttpHandler handler = {};
  HttpRouteOptions options = {};
};

class HttpRouter {
 public:
  // Paths are compared byte by byte. GET answers HEAD as well.
  HttpRouter& get(std::string path, HttpHandler handler, HttpRouteOptions options = {}) {
    return on("GET", std::move(path), std::move(handler), std::move(options));
  }
  HttpRouter& post(std::string path, HttpHandler handler, HttpRouteOptions options = {}) {
    return on("POST", std::move(path), std::move(handler), std::move(options));
  }
  HttpRouter& on(std::string method, std::string path, HttpHandler handler,
                 HttpRouteOptions options = {});

  // Null when there is none.
  const HttpRoute* find(std::string_view method, std::string_view path) const;
  // The value of an `Allow` header; empty when nothing is at this path.
  std::string allowed(std::string_view path) const;

 private:
  std::map<std::string, std::vector<HttpRoute>, std::less<>> routes_;
};

}  // namespace iii::net
