#include "net/http_router.h"

#include <algorithm>
#include <utility>

namespace iii::net {

HttpRouter& HttpRouter::on(std::string method, std::string path, HttpHandler handler,
                           HttpRouteOptions options) {
  routes_[std::move(path)].push_back(
      {.method = std::move(method), .handler = std::move(handler), .options = std::move(options)});
  return *this;
}

const HttpRoute* HttpRouter::find(std::string_view method, std::string_view path) const {
  const auto at = routes_.find(path);
  if (at == routes_.end()) return nullptr;
  const auto with = [&](std::string_view wanted) -> const HttpRoute* {
    const auto route = std::ranges::find(at->second, wanted, &HttpRoute::method);
    return route == at->second.end() ? nullptr : &*route;
  };
  const HttpRoute* found = with(method);
  return found == nullptr && method == "HEAD" ? with("GET") : found;
}

std::string HttpRouter::allowed(std::string_view path) const {
  const auto at = routes_.find(path);
  if (at == routes_.end()) return {};
  std::string methods;
  for (const HttpRoute& route : at->second) {
    methods += route.method + ", ";
    if (route.method == "GET") methods += "HEAD, ";
  }
  return methods + "OPTIONS";
}

}  // namespace iii::net
