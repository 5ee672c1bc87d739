// Which handler answers which method and path.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/http_message.h"

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

// What holds for everything below a path, also where nothing is.
struct HttpArea {
  // Added to every answer, refusals included.
  HttpHeaders headers = {};
  // Only pages that this server itself has served may send requests; pages of other allowed origins
  // get no answer that they could read.
  bool own_pages_only = false;
  // Refusals have the shape `{"code":…,"message":…}`.
  bool flat_errors = false;
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
  // Every path that begins with `prefix`, which ends with `/`. A route for the exact path and a
  // longer prefix go first, also for methods that they do not have.
  HttpRouter& below(std::string method, std::string prefix, HttpHandler handler,
                    HttpRouteOptions options = {});
  // `path` itself and everything below it.
  HttpRouter& area(std::string path, HttpArea area);

  // Null when there is none.
  const HttpRoute* find(std::string_view method, std::string_view path) const;
  // The value of an `Allow` header; empty when nothing is at this path.
  std::string allowed(std::string_view path) const;
  // Null when the path belongs to none.
  const HttpArea* area_of(std::string_view path) const;

 private:
  using Routes = std::vector<HttpRoute>;  // of one path or prefix, by method

  const Routes* routes_of(std::string_view path) const;

  std::map<std::string, Routes, std::less<>> routes_;
  std::map<std::string, Routes, std::less<>> prefixes_;
  std::map<std::string, HttpArea, std::less<>> areas_;
};

}  // namespace iii::net
