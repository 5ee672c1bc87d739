// How people write where a repository is; only text, nothing is asked or checked here.
#include <algorithm>
#include <vector>

#include "directory/sources/git_discover.h"
#include "directory/sources/source.h"
#include "foundation/base/text.h"

namespace iii::sources {

namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '_' || c == '-';
}

bool is_name(std::string_view text) {
  return !text.empty() && !text.starts_with('.') && !text.starts_with('-') &&
         std::ranges::all_of(text, is_name_character);
}

std::optional<std::string> if_any(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

// `left<sign>right` → left, and right as the result.
std::optional<std::string> cut_at(std::string_view& text, char sign) {
  const size_t at = text.find(sign);
  if (at == std::string_view::npos) return std::nullopt;
  const std::optional<std::string> right = if_any(text.substr(at + 1));
  text = text.substr(0, at);
  return right;
}

// The page of a folder or file: `…/tree/REF/path`, `…/-/tree/REF/path`, `…/blob/REF/path/SKILL.md`.
bool take_page(RepoAddress& address, std::string_view url) {
  const size_t path = url.find('/', url.find("://") + 3);
  if (path == std::string_view::npos) return false;
  for (const std::string_view word : {"/-/tree/", "/-/blob/", "/tree/", "/blob/"}) {
    const size_t at = url.find(word, path + 1);
    // Owner and repository come before it.
    const bool owned = at != std::string_view::npos &&
                       url.substr(path + 1, at - path - 1).find('/') != std::string_view::npos;
    if (!owned) continue;
    std::string_view rest = url.substr(at + word.size());
    rest = rest.substr(0, rest.find('?'));
    while (rest.ends_with('/')) rest.remove_suffix(1);
    const size_t slash = std::min(rest.find('/'), rest.size());
    if (slash == 0) return false;
    address.repo = url.substr(0, at);
    address.ref = percent_decode(rest.substr(0, slash));
    std::string folder = slash < rest.size() ? percent_decode(rest.substr(slash + 1)) : ".";
    if (word.ends_with("/blob/")) {
      const size_t last = folder.rfind('/');
      folder = last == std::string::npos ? "." : folder.substr(0, last);
    }
    address.path = std::move(folder);
    return true;
  }
  return false;
}

RepoAddress parse_https(std::string_view text) {
  RepoAddress address;
  std::string_view url = text;
  std::optional<std::string> ref = cut_at(url, '#');
  if (take_page(address, url)) {
    if (ref) address.ref = std::move(ref);
    return address;
  }
  address.ref = std::move(ref);
  // `…/repo@skill`; an '@' before the path belongs to the host.
  const size_t path = url.find('/', url.find("://") + 3);
  const size_t at = path == std::string_view::npos ? path : url.find('@', path);
  if (at != std::string_view::npos) {
    address.skill = if_any(url.substr(at + 1));
    url = url.substr(0, at);
  }
  address.repo = url;
  return address;
}

// `owner/repo[/path][@skill][#ref]`
std::optional<RepoAddress> parse_short(std::string_view text) {
  RepoAddress address;
  address.ref = cut_at(text, '#');
  address.skill = cut_at(text, '@');
  while (text.ends_with('/')) text.remove_suffix(1);
  const std::vector<std::string_view> parts = split(text, '/');
  if (parts.size() < 2 || !is_name(parts[0]) || !is_name(parts[1])) return std::nullopt;
  const size_t owner_and_repo = parts[0].size() + 1 + parts[1].size();
  address.repo =
      "https://" + std::string(kDefaultGitHost) + "/" + std::string(text.substr(0, owner_and_repo));
  if (parts.size() > 2) address.path = text.substr(owner_and_repo + 1);
  return address;
}

}  // namespace

bool is_local_word(std::string_view text) {
  return text == "." || text == ".." || text.starts_with("./") || text.starts_with("../") ||
         text.starts_with('/') || text.starts_with("~/") || text.starts_with("file:");
}

RepoAddress parse_repo(std::string_view text) {
  RepoAddress as_it_is{.repo = std::string(text), .skill = {}, .path = {}, .ref = {}};
  // What git would not take for an address is left to the checks, which say why.
  const bool odd =
      is_local_word(text) || text.starts_with('-') || text.find("::") != std::string_view::npos ||
      std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (odd) return as_it_is;
  if (text.starts_with("https://")) return parse_https(text);
  if (text.starts_with("ssh://") || text.starts_with("git@")) {
    RepoAddress address;
    std::string_view url = text;
    address.ref = cut_at(url, '#');
    address.repo = url;
    return address;
  }
  if (text.find("://") != std::string_view::npos) return as_it_is;
  // `host.name/owner/repo`: people copy addresses without their beginning.
  const size_t slash = text.find('/');
  const bool host = slash != std::string_view::npos && text.substr(0, slash).find('.') < slash &&
                    text.find('/', slash + 1) != std::string_view::npos &&
                    is_name(text.substr(0, slash));
  if (host) return parse_https("https://" + std::string(text));
  return parse_short(text).value_or(as_it_is);
}

}  // namespace iii::sources
