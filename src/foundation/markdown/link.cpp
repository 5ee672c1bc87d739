#include "foundation/markdown/link.h"

#include <algorithm>
#include <cctype>

#include "foundation/base/text.h"

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

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || std::isalnum(byte) != 0;
}

// A bracket at the end belongs to the address only when the address opens it.
std::string_view without_punctuation(std::string_view address) {
  auto open = std::ranges::count(address, '(') - std::ranges::count(address, ')');
  while (!address.empty()) {
    const char last = address.back();
    const bool dropped = last == ')' ? open < 0 : std::string_view("?!.,:;*_~'\"").contains(last);
    if (!dropped) break;
    if (last == ')') ++open;
    address.remove_suffix(1);
  }
  return address;
}

}  // namespace

std::string_view bare_address(std::string_view text) {
  for (size_t at = text.find("http"); at != std::string_view::npos;
       at = text.find("http", at + 1)) {
    if (at > 0 && is_word(text[at - 1])) continue;
    std::string_view rest = text.substr(at);
    const size_t scheme = rest.starts_with("https://") ? 8 : rest.starts_with("http://") ? 7 : 0;
    if (scheme == 0 || rest.size() == scheme || !is_word(rest[scheme])) continue;
    const auto end = std::ranges::find_if(
        rest, [](char c) { return is_control(c) || c == ' ' || c == '<' || c == '>' || c == '"'; });
    return without_punctuation(rest.substr(0, static_cast<size_t>(end - rest.begin())));
  }
  return {};
}

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
