#include "bus/ws/http_head.h"

#include <algorithm>

#include "foundation/base/text.h"

namespace iii::ws {
namespace {

constexpr std::string_view kEnd = "\r\n\r\n";
constexpr size_t kMaxHeaders = 100;

std::string_view trim_spaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

HeadStatus gather_head(std::string& head, std::string_view bytes, size_t limit, size_t& consumed) {
  // The end may lie across the border between this piece and the last.
  const size_t before = head.size();
  const size_t from = before < kEnd.size() ? 0 : before - (kEnd.size() - 1);
  const size_t taken = std::min(bytes.size(), limit - std::min(limit, before));
  head.append(bytes.substr(0, taken));
  const size_t end = head.find(kEnd, from);
  if (end == std::string::npos) {
    consumed = taken;
    return head.size() >= limit ? HeadStatus::kTooLong : HeadStatus::kNeedMore;
  }
  head.resize(end + kEnd.size());
  consumed = head.size() - before;
  return HeadStatus::kWhole;
}

bool is_token_char(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

bool is_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == '\t' || (byte >= 0x20 && byte != 0x7f);
  });
}

std::optional<HttpHead> parse_head(std::string_view text) {
  HttpHead head;
  size_t end = text.find("\r\n");
  head.start_line = text.substr(0, end);
  for (text.remove_prefix(end + 2); !text.starts_with("\r\n"); text.remove_prefix(end + 2)) {
    end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || head.headers.size() == kMaxHeaders) return std::nullopt;
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trim_spaces(line.substr(colon + 1));
    if (!is_token(name) || !is_field_value(value)) return std::nullopt;
    head.headers.push_back({std::string(name), std::string(value)});
  }
  return head;
}

bool list_has(std::string_view list, std::string_view token) {
  for (const std::string_view item : split(list, ',')) {
    if (iequals(trim_spaces(item), token)) return true;
  }
  return false;
}

const std::string* find_header(const std::vector<Header>& headers, std::string_view name) {
  const auto found = std::ranges::find_if(
      headers, [name](const Header& header) { return iequals(header.name, name); });
  return found == headers.end() ? nullptr : &found->value;
}

}  // namespace iii::ws
