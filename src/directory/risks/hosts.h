// Classification of URLs by their host.
#pragma once

#include <cstdint>
#include <string_view>

namespace iii::risks {

struct Url {
  std::string_view scheme;  // lower case, as the word is; empty: the word has no `://`
  std::string_view host;    // without user, port and brackets
  std::string_view rest;    // from the path on
  size_t host_at = 0;       // in the word
};
// `word` in lower case. The first URL in it.
Url url_in(std::string_view word);

enum class HostKind : uint8_t {
  kNamed,
  kLocal,        // this machine or a private network
  kPlaceholder,  // reserved for documentation, or not a host at all: example.com, $host
  kAddress,      // a public address instead of a name
  kObscured,     // the same, disguised as something else
  kPaste,
  kWebhook,
  kChatWebhook,  // of a chat service: often meant
};
HostKind host_kind(const Url& url);

}  // namespace iii::risks
