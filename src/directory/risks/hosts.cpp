#include "directory/risks/hosts.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "directory/risks/matcher.h"

namespace iii::risks {

namespace {

// Hosts, and what is below them.
constexpr auto kPasteHosts = std::to_array<std::string_view>(
    {"pastebin.com", "paste.ee",  "pastes.dev",    "paste.rs",     "dpaste.com", "dpaste.org",
     "hastebin.com", "rentry.co", "ghostbin.com",  "controlc.com", "ix.io",      "sprunge.us",
     "termbin.com",  "0x0.st",    "transfer.sh",   "file.io",      "gofile.io",  "anonfiles.com",
     "catbox.moe",   "temp.sh",   "bashupload.com"});
constexpr auto kWebhookHosts = std::to_array<std::string_view>(
    {"webhook.site",       "requestbin.com",    "requestbin.net",
     "requestcatcher.com", "pipedream.net",     "beeceptor.com",
     "hookbin.com",        "oastify.com",       "burpcollaborator.net",
     "interact.sh",        "oast.pro",          "oast.live",
     "oast.fun",           "oast.me",           "dnslog.cn",
     "ngrok.io",           "ngrok.app",         "ngrok-free.app",
     "ngrok-free.dev",     "trycloudflare.com", "loca.lt",
     "serveo.net"});

struct ChatHost {
  std::string_view host;
  std::string_view path;  // beginning of the path
};
constexpr auto kChatHosts = std::to_array<ChatHost>({{"discord.com", "/api/webhooks"},
                                                     {"discordapp.com", "/api/webhooks"},
                                                     {"api.telegram.org", "/bot"},
                                                     {"hooks.slack.com", "/"}});

using Octets = std::array<uint8_t, 4>;

// Four decimal numbers.
std::optional<Octets> dotted(std::string_view host) {
  Octets out{};
  for (size_t part = 0; part < 4; ++part) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(host.data(), host.data() + host.size(), number);
    const auto length = static_cast<size_t>(end - host.data());
    if (error != std::errc() || length > 3 || number > 255) return std::nullopt;
    out.at(part) = static_cast<uint8_t>(number);
    host.remove_prefix(length);
    if (part < 3) {
      if (!host.starts_with('.')) return std::nullopt;
      host.remove_prefix(1);
    }
  }
  return host.empty() ? std::optional(out) : std::nullopt;
}

// One number for all four octets, or hexadecimal or octal parts: browsers and curl accept them.
bool is_obscured(std::string_view host) {
  if (host.starts_with("0x")) {
    return host.size() > 4 &&
           host.substr(2).find_first_not_of("0123456789abcdefx.") == std::string_view::npos;
  }
  const bool digits = host.find_first_not_of("0123456789") == std::string_view::npos;
  return digits && host.size() >= 8 && host.size() <= 10;
}

// Loopback, private, link-local, shared, benchmark, multicast and reserved.
bool is_local(const Octets& o) {
  return o[0] == 0 || o[0] == 10 || o[0] == 127 || (o[0] == 100 && (o[1] & 0xc0U) == 64) ||
         (o[0] == 169 && o[1] == 254) || (o[0] == 172 && (o[1] & 0xf0U) == 16) ||
         (o[0] == 192 && o[1] == 168) || (o[0] == 198 && (o[1] & 0xfeU) == 18) || o[0] >= 224;
}

// RFC 5737, and what people write instead; public resolvers, which have no better name.
bool is_placeholder(const Octets& o) {
  const auto is = [&o](uint8_t a, uint8_t b, uint8_t c) {
    return o[0] == a && o[1] == b && o[2] == c;
  };
  return is(192, 0, 2) || is(198, 51, 100) || is(203, 0, 113) || is(1, 2, 3) || is(1, 1, 1) ||
         is(1, 0, 0) || is(8, 8, 8) || is(8, 8, 4) || is(9, 9, 9);
}

HostKind kind_of_v6(std::string_view host) {
  if (host == "::1" || host == "::" || host.starts_with("fe80") || host.starts_with("fc") ||
      host.starts_with("fd")) {
    return HostKind::kLocal;
  }
  if (host.starts_with("2001:db8") || host.find_first_not_of("0123456789abcdef:.") != host.npos) {
    return HostKind::kPlaceholder;
  }
  return HostKind::kAddress;
}

bool is_below(std::string_view host, std::string_view domain) {
  if (!host.ends_with(domain)) return false;
  return host.size() == domain.size() || host[host.size() - domain.size() - 1] == '.';
}

bool is_placeholder_name(std::string_view host) {
  if (host.empty() ||
      host.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-_") != std::string_view::npos) {
    return true;  // $host, {domain}, …
  }
  for (const std::string_view domain :
       {"example.com", "example.org", "example.net", "example", "test", "invalid", "yourdomain.com",
        "your-domain.com", "domain.com", "mysite.com"}) {
    if (is_below(host, domain)) return true;
  }
  return host.starts_with("your-") || host.contains(".your-") || host == "xxx";
}

bool is_local_name(std::string_view host) {
  return is_below(host, "localhost") || is_below(host, "local") || is_below(host, "internal") ||
         !host.contains('.');
}

}  // namespace

Url url_in(std::string_view word) {
  Url url;
  const size_t mark = word.find("://");
  if (mark == std::string_view::npos) return url;
  size_t begin = mark;
  while (begin > 0 && word[begin - 1] >= 'a' && word[begin - 1] <= 'z') --begin;
  url.scheme = word.substr(begin, mark - begin);
  url.host_at = mark + 3;
  std::string_view rest = word.substr(mark + 3);
  const size_t path = std::min(rest.find_first_of("/?#"), rest.size());
  url.rest = rest.substr(path);
  std::string_view authority = rest.substr(0, path);
  if (const size_t user = authority.rfind('@'); user != std::string_view::npos) {
    authority.remove_prefix(user + 1);
    url.host_at += user + 1;
  }
  if (authority.starts_with('[')) {
    url.host = authority.substr(1, std::min(authority.find(']'), authority.size()) - 1);
  } else {
    url.host = authority.substr(0, authority.find_first_of(":,"));
  }
  return url;
}

HostKind host_kind(const Url& url) {
  const std::string_view host = url.host;
  if (host.contains(':')) return kind_of_v6(host);
  if (const std::optional<Octets> octets = dotted(host)) {
    if (is_local(*octets)) return HostKind::kLocal;
    return is_placeholder(*octets) ? HostKind::kPlaceholder : HostKind::kAddress;
  }
  if (is_obscured(host)) return HostKind::kObscured;
  if (is_placeholder_name(host)) return HostKind::kPlaceholder;
  const auto is_listed = [&](std::string_view domain) { return is_below(host, domain); };
  if (std::ranges::any_of(kPasteHosts, is_listed)) return HostKind::kPaste;
  if (std::ranges::any_of(kWebhookHosts, is_listed)) return HostKind::kWebhook;
  for (const ChatHost& chat : kChatHosts) {
    if (is_listed(chat.host) && url.rest.starts_with(chat.path)) return HostKind::kChatWebhook;
  }
  return is_local_name(host) ? HostKind::kLocal : HostKind::kNamed;
}

void match_hosts(const Line& line, Sink& sink) {
  for (const Token& token : line.tokens.all()) {
    if (token.kind != TokenKind::kWord || !token.text.contains("://")) continue;
    sink.count(kPasteHosts.size() + kWebhookHosts.size());
    const Url url = url_in(token.text);
    const std::string name(url.host);
    const size_t at = token.at + url.host_at;
    const auto say = [&](std::string_view code, Severity severity, const char* what) {
      sink.found(code, in_place(severity, line), at, what + name);
    };
    const HostKind kind = host_kind(url);
    if (kind == HostKind::kAddress) {
      say(code::kRawAddress, Severity::kLow, "a URL with the address ");
    } else if (kind == HostKind::kObscured) {
      say(code::kRawAddress, Severity::kMedium, "a URL whose address is written as ");
    } else if (kind == HostKind::kPaste) {
      say(code::kPasteHost, Severity::kMedium, "an address at ");
    } else if (kind == HostKind::kWebhook) {
      say(code::kWebhookHost, Severity::kMedium, "an address at ");
    } else if (kind == HostKind::kChatWebhook) {
      say(code::kWebhookHost, Severity::kLow, "a webhook of ");
    }
  }
}

}  // namespace iii::risks
