// Which requests of a browser are answered: rules about headers, as pure functions. Host and Origin
// have been looked at before (net/http_access.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bus/net/http_message.h"
#include "bus/net/http_router.h"

namespace iii::console {

// What holds for everything under /console.
net::HttpArea console_area();

// For the page itself: another site may link to it, nothing else.
std::optional<net::HttpAnswer> check_page(const net::HttpRequest& head);
// For what the page reads: no other site.
std::optional<net::HttpAnswer> check_read(const net::HttpRequest& head);
// For what changes something or calls something: only a script of our own page can send this. The
// Origin has to be there, and X-Console, which no form and no page of another origin can set.
std::optional<net::HttpAnswer> check_act(const net::HttpRequest& head);
// The same, with a body.
std::optional<net::HttpAnswer> check_json_act(const net::HttpRequest& head);

bool accepts_gzip(const net::HttpRequest& head);
bool accepts_html(const net::HttpRequest& head);
// The values of that cookie; a browser may send several.
std::vector<std::string_view> cookies(const net::HttpRequest& head, std::string_view name);

}  // namespace iii::console
