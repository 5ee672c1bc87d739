// Who may send requests: no web page that was not allowed, nobody without the token.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bus/net/http_message.h"

namespace iii::net {

// An address in 127.0.0.0/8, ::1, or the name localhost.
bool is_loopback(std::string_view host);

struct HttpAccess {
  // When set, requests need `Authorization: Bearer <token>`.
  std::string token = {};
  // Web pages of these origins (`https://app.example.com`) may send requests, and their hosts are
  // accepted as our own name.
  std::vector<std::string> allowed_origins = {};
  // What this server may be called in `Host`, besides loopback names and addresses. Any other name
  // is that of a web page whose owner had it resolve to this machine (DNS rebinding). An address
  // that means every interface, such as 0.0.0.0, allows every name; it takes a token to be safe.
  std::vector<std::string> hosts = {};
  // Response headers that pages of allowed origins may read.
  std::vector<std::string> exposed_headers = {};
};

// 403 for a wrong Host or Origin, 401 for a missing token; nothing when the request may come in.
// `host` is the authority that the request was sent to; empty when it names none.
std::optional<HttpAnswer> check_host_and_origin(const HttpAccess& access, std::string_view host,
                                                const HttpRequest& head);
// 403 when a page of another origin sent it, an allowed one included.
std::optional<HttpAnswer> check_own_origin(std::string_view host, const HttpRequest& head);
std::optional<HttpAnswer> check_token(const HttpAccess& access, const HttpRequest& head);

// Whether this asks, on behalf of a page, if a request would be allowed.
bool is_preflight(const HttpRequest& head);
HttpAnswer answer_preflight(const HttpRequest& head, std::string_view allowed_methods);
// For every answer to an allowed page; empty without an Origin.
HttpHeaders cors_headers(const HttpAccess& access, const HttpRequest& head);

}  // namespace iii::net
