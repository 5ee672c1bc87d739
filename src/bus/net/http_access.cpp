#include "bus/net/http_access.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

#include "bus/net/authority.h"
#include "foundation/base/bearer.h"
#include "foundation/base/text.h"

namespace iii::net {
namespace {

// As people configure it: an IPv6 address may be in brackets.
std::string_view without_brackets(std::string_view host) {
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

std::string_view authority_of(std::string_view origin) {
  const size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ? origin : origin.substr(scheme + 3);
}

bool means_every_interface(std::string_view host) { return host == "0.0.0.0" || host == "::"; }

bool host_allowed(const HttpAccess& access, std::string_view authority) {
  const Result<Authority> asked = parse_authority(authority);
  if (!asked) return false;
  std::string_view host = asked->host;
  if (host.ends_with('.')) host.remove_suffix(1);
  if (is_loopback(host)) return true;
  for (const std::string& own : access.hosts) {
    const std::string_view name = without_brackets(own);
    if (means_every_interface(name) || iequals(name, host)) return true;
  }
  return std::ranges::any_of(access.allowed_origins, [&](std::string_view origin) {
    const Result<Authority> page = parse_authority(authority_of(origin));
    return page && iequals(page->host, host);
  });
}

// A page that this server itself has served is as good as the server.
bool origin_allowed(const HttpAccess& access, std::string_view host, std::string_view origin) {
  if (!host.empty() && iequals(origin, "http://" + std::string(host))) return true;
  return std::ranges::any_of(access.allowed_origins,
                             [&](std::string_view allowed) { return iequals(allowed, origin); });
}

bool has_several(const HttpRequest& head, std::string_view name) {
  return std::ranges::count_if(head.headers, [&](const HttpHeader& header) {
           return iequals(header.name, name);
         }) > 1;
}

}  // namespace

bool is_loopback(std::string_view host) {
  if (iequals(host, "localhost") || host == "[::1]") return true;
  const std::string text(host);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six{};
  return ::inet_pton(AF_INET6, text.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::optional<HttpAnswer> check_host_and_origin(const HttpAccess& access, std::string_view host,
                                                const HttpRequest& head) {
  if (!host.empty() && !host_allowed(access, host)) {
    return http_error(403, "host_not_allowed",
                      "This server does not answer to the name in the Host header. Next: use "
                      "127.0.0.1 or localhost, or start it with --host, or with --allow-origin for "
                      "an origin with that name.");
  }
  const std::string* origin = head.header("Origin");
  if (origin == nullptr) return std::nullopt;
  if (has_several(head, "Origin") || !origin_allowed(access, host, *origin)) {
    return http_error(403, "origin_not_allowed",
                      "This server does not accept requests from web pages of this origin. Next: "
                      "start it with --allow-origin to permit one.");
  }
  return std::nullopt;
}

std::optional<HttpAnswer> check_own_origin(std::string_view host, const HttpRequest& head) {
  const std::string* origin = head.header("Origin");
  if (origin == nullptr) return std::nullopt;
  // The scheme is looked at by check_host_and_origin(): a page over TLS comes through a proxy whose
  // origin is allowed.
  if (!host.empty() && iequals(authority_of(*origin), host)) return std::nullopt;
  return http_error(403, "origin_not_allowed",
                    "Only pages of this server itself may send this request, whatever "
                    "--allow-origin says. Next: open its own page.");
}

std::optional<HttpAnswer> check_token(const HttpAccess& access, const HttpRequest& head) {
  if (access.token.empty()) return std::nullopt;
  const std::string* authorization = head.header("Authorization");
  if (authorization != nullptr && is_bearer(*authorization, access.token)) return std::nullopt;
  HttpAnswer answer = http_error(401, "token_required",
                                 "This server requires a token. Next: send `Authorization: Bearer "
                                 "<token>`.");
  answer.headers.push_back({"WWW-Authenticate", "Bearer"});
  answer.wrong_token = authorization != nullptr && names_bearer(*authorization);
  return answer;
}

bool is_preflight(const HttpRequest& head) {
  return head.method == "OPTIONS" && head.header("Origin") != nullptr &&
         head.header("Access-Control-Request-Method") != nullptr;
}

HttpAnswer answer_preflight(const HttpRequest& head, std::string_view allowed_methods) {
  HttpAnswer answer{.status = 204, .headers = {}, .body = {}};
  answer.headers.push_back({"Access-Control-Allow-Methods", std::string(allowed_methods)});
  if (const std::string* wanted = head.header("Access-Control-Request-Headers")) {
    answer.headers.push_back({"Access-Control-Allow-Headers", *wanted});
  }
  answer.headers.push_back({"Access-Control-Max-Age", "600"});
  return answer;
}

HttpHeaders cors_headers(const HttpAccess& access, const HttpRequest& head) {
  const std::string* origin = head.header("Origin");
  if (origin == nullptr) return {};
  HttpHeaders headers{{"Access-Control-Allow-Origin", *origin}, {"Vary", "Origin"}};
  if (!access.exposed_headers.empty()) {
    headers.push_back({"Access-Control-Expose-Headers", join(access.exposed_headers, ", ")});
  }
  return headers;
}

}  // namespace iii::net
