#include "markdown/link.h"

#include <algorithm>

#include "base/text.h"

namespace iii::markdown {

namespace {

constexpr size_t kMaxScheme = 32;

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }
bool is_slash(char c) { return c == '/' || c == '\\'; }

// Browsers drop tabs and line ends anywhere, and blanks around.
std::string cleaned(std::string_view address) {
  std::string out;
  for (const char c : address) {
    if (!is_control(c)) out += c;
  }
  const size_t first = out.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return out.substr(first, out.find_last_not_of(' ') - first + 1);
}

Link refused(std::string href, std::string_view scheme) {
  return {.kind = LinkKind::kRefused,
          .href = std::move(href),
          .scheme = std::string(scheme.substr(0, kMaxScheme))};
}

}  // namespace

std::string_view kind_word(LinkKind kind) {
  switch (kind) {
    case LinkKind::kSkill:
      return "skill";
    case LinkKind::kWeb:
      return "web";
    case LinkKind::kAnchor:
      return "anchor";
    case LinkKind::kRefused:
      return "refused";
  }
  return "refused";
}

Link classify_link(std::string_view address) {
  if (address.size() > kMaxAddress) {
    return refused(std::string(utf8_prefix(address.substr(0, kMaxAddress), 64)), "too long");
  }
  std::string href = cleaned(address);
  if (href.empty() || href.front() == '#') return {.kind = LinkKind::kAnchor, .href = href};
  if (href.size() > 1 && is_slash(href[0]) && is_slash(href[1])) return refused(href, "//");
  const size_t colon = href.find(':');
  const size_t path = href.find_first_of("/\\?#");
  if (colon == std::string::npos || path < colon) return {.kind = LinkKind::kSkill, .href = href};
  std::string scheme = ascii_lower(std::string_view(href).substr(0, colon));
  std::erase(scheme, ' ');
  const std::string_view rest = std::string_view(href).substr(colon + 1);
  if (scheme == "iii" && rest.starts_with("//")) return {.kind = LinkKind::kSkill, .href = href};
  const bool web = (scheme == "http" || scheme == "https") && rest.starts_with("//") &&
                   rest.size() > 2 && !is_slash(rest[2]);
  // The scheme as it is compared, so that nothing odd is left in it.
  if (web && href.find(' ') == std::string::npos) {
    return {.kind = LinkKind::kWeb, .href = scheme + ":" + std::string(rest)};
  }
  return refused(std::move(href), scheme);
}

}  // namespace iii::markdown
