#include "faces/console/access.h"

#include <algorithm>

#include "foundation/base/text.h"

namespace iii::console {

namespace {

using net::flat_error;
using net::HttpAnswer;
using net::HttpRequest;

constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";
constexpr std::string_view kPermissions =
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), screen-wake-lock=(), usb=()";

bool is(const HttpRequest& head, std::string_view header, std::string_view value) {
  const std::string* found = head.header(header);
  return found != nullptr && iequals(trim(*found), value);
}

// Browsers that send it cannot be made to lie by a page.
bool from_other_site(const HttpRequest& head) {
  const std::string* site = head.header("Sec-Fetch-Site");
  return site != nullptr && !iequals(*site, "same-origin") && !iequals(*site, "none");
}

HttpAnswer other_site() {
  return flat_error(403, "other_site", "Pages of other sites cannot use the console.");
}

// `a;q=0` takes nothing.
bool names(const HttpRequest& head, std::string_view header, std::string_view wanted) {
  const std::string* value = head.header(header);
  if (value == nullptr) return false;
  return std::ranges::any_of(split(*value, ','), [&](std::string_view part) {
    const size_t end = part.find(';');
    if (!iequals(trim(part.substr(0, end)), wanted)) return false;
    const std::string_view rest = end == std::string_view::npos ? "" : trim(part.substr(end + 1));
    return rest != "q=0" && rest != "q=0.0" && rest != "q=0.00" && rest != "q=0.000";
  });
}

}  // namespace

net::HttpArea console_area() {
  return {.headers = {{"Content-Security-Policy", std::string(kPolicy)},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cross-Origin-Opener-Policy", "same-origin"},
                      {"Cross-Origin-Resource-Policy", "same-origin"},
                      {"Permissions-Policy", std::string(kPermissions)}},
          .own_pages_only = true,
          .flat_errors = true};
}

std::optional<HttpAnswer> check_page(const HttpRequest& head) {
  if (!from_other_site(head)) return std::nullopt;
  const bool follows_link =
      is(head, "Sec-Fetch-Mode", "navigate") && is(head, "Sec-Fetch-Dest", "document");
  return follows_link ? std::nullopt : std::optional(other_site());
}

std::optional<HttpAnswer> check_read(const HttpRequest& head) {
  return from_other_site(head) ? std::optional(other_site()) : std::nullopt;
}

std::optional<HttpAnswer> check_act(const HttpRequest& head) {
  if (head.header("Origin") == nullptr) {
    return flat_error(403, "origin_required",
                      "This request needs an Origin header with the address of this server.");
  }
  const std::string* site = head.header("Sec-Fetch-Site");
  if (site != nullptr && !iequals(*site, "same-origin")) return other_site();
  if (!is(head, "X-Console", "1")) {
    return flat_error(403, "header_required", "This request needs the header `X-Console: 1`.");
  }
  return std::nullopt;
}

std::optional<HttpAnswer> check_json_act(const HttpRequest& head) {
  if (auto refusal = check_act(head)) return refusal;
  const std::string* type = head.header("Content-Type");
  const std::string_view media =
      type == nullptr ? "" : std::string_view(*type).substr(0, type->find(';'));
  if (iequals(trim(media), "application/json")) return std::nullopt;
  return flat_error(415, "json_required", "Content-Type must be application/json.");
}

bool accepts_gzip(const HttpRequest& head) { return names(head, "Accept-Encoding", "gzip"); }
bool accepts_html(const HttpRequest& head) { return names(head, "Accept", "text/html"); }

std::vector<std::string_view> cookies(const HttpRequest& head, std::string_view name) {
  std::vector<std::string_view> out;
  for (const net::HttpHeader& header : head.headers) {
    if (!iequals(header.name, "Cookie")) continue;
    for (const std::string_view part : split(header.value, ';')) {
      const std::string_view pair = trim(part);
      const size_t equals = pair.find('=');
      if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
        out.push_back(pair.substr(equals + 1));
      }
    }
  }
  return out;
}

}  // namespace iii::console
