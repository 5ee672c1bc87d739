#include "bus/net/http_router.h"

#include <algorithm>
#include <utility>

namespace iii::net {

HttpRouter& HttpRouter::on(std::string method, std::string path, HttpHandler handler,
                           HttpRouteOptions options) {
  routes_[std::move(path)].push_back(
      {.method = std::move(method), .handler = std::move(handler), .options = std::move(options)});
  return *this;
}

HttpRouter& HttpRouter::below(std::string method, std::string prefix, HttpHandler handler,
                              HttpRouteOptions options) {
  prefixes_[std::move(prefix)].push_back(
      {.method = std::move(method), .handler = std::move(handler), .options = std::move(options)});
  return *this;
}

HttpRouter& HttpRouter::area(std::string path, HttpArea area) {
  areas_[std::move(path)] = std::move(area);
  return *this;
}

const HttpRouter::Routes* HttpRouter::routes_of(std::string_view path) const {
  if (const auto exact = routes_.find(path); exact != routes_.end()) return &exact->second;
  const Routes* longest = nullptr;
  size_t length = 0;
  // There are few of them.
  for (const auto& [prefix, routes] : prefixes_) {
    if (prefix.size() < length || !path.starts_with(prefix)) continue;
    longest = &routes;
    length = prefix.size();
  }
  return longest;
}

const HttpRoute* HttpRouter::find(std::string_view method, std::string_view path) const {
  const Routes* routes = routes_of(path);
  if (routes == nullptr) return nullptr;
  const auto with = [&](std::string_view wanted) -> const HttpRoute* {
    const auto route = std::ranges::find(*routes, wanted, &HttpRoute::method);
    return route == routes->end() ? nullptr : &*route;
  };
  const HttpRoute* found = with(method);
  return found == nullptr && method == "HEAD" ? with("GET") : found;
}

std::string HttpRouter::allowed(std::string_view path) const {
  const Routes* routes = routes_of(path);
  if (routes == nullptr) return {};
  std::string methods;
  for (const HttpRoute& route : *routes) {
    methods += route.method + ", ";
    if (route.method == "GET") methods += "HEAD, ";
  }
  return methods + "OPTIONS";
}

const HttpArea* HttpRouter::area_of(std::string_view path) const {
  for (const auto& [root, area] : areas_) {
    if (!path.starts_with(root)) continue;
    if (path.size() == root.size() || path[root.size()] == '/') return &area;
  }
  return nullptr;
}

}  // namespace iii::net
