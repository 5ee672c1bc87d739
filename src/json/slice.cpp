#include "json/slice.h"

#include "json/value.h"

namespace iii::json {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

// Behind the closing quote of the string that starts at `at`.
size_t skip_string(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

size_t skip_value(std::string_view text, size_t at) {
  if (at >= text.size()) return text.size();
  if (text[at] == '"') return skip_string(text, at);
  if (text[at] != '{' && text[at] != '[') {
    while (at < text.size() && text[at] != ',' && text[at] != '}' && text[at] != ']' &&
           !is_space(text[at])) {
      ++at;
    }
    return at;
  }
  size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skip_string(text, at);
      continue;
    }
    ++at;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return at;
  }
  return text.size();
}

}  // namespace

Slice trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Kind kind_of(Slice value) {
  switch (value.empty() ? 'n' : value.front()) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kArray;
    case '"':
      return Kind::kString;
    case 't':
    case 'f':
      return Kind::kBoolean;
    case 'n':
      return Kind::kNull;
    default:
      // `-0` is a double in the public engine, and so are integers beyond 64 bits.
      if (value == "-0" || value.find_first_of(".eE") != Slice::npos) return Kind::kFloat;
      return Kind::kInteger;
  }
}

std::optional<std::string_view> plain_string(Slice value) {
  if (value.size() < 2 || value.front() != '"') return std::nullopt;
  const std::string_view inner = value.substr(1, value.size() - 2);
  if (inner.find('\\') != std::string_view::npos) return std::nullopt;
  return inner;
}

std::string string_of(Slice value) {
  if (const auto plain = plain_string(value)) return std::string(*plain);
  auto parsed = parse(value);
  if (!parsed || parsed->as_string() == nullptr) return {};
  return std::move(*parsed->as_string());
}

Walker::Walker(Slice container)
    : text_(container), object_(!container.empty() && container.front() == '{') {}

bool Walker::next(Slice& key, Slice& value) {
  at_ = skip_space(text_, at_);
  if (at_ < text_.size() && text_[at_] == ',') at_ = skip_space(text_, at_ + 1);
  if (at_ >= text_.size() || text_[at_] == '}' || text_[at_] == ']') return false;
  if (object_) {
    const size_t end = skip_string(text_, at_);
    key = text_.substr(at_, end - at_);
    at_ = skip_space(text_, end);
    at_ = skip_space(text_, at_ + 1);  // the colon
  }
  const size_t end = skip_value(text_, at_);
  if (end <= at_) return false;
  value = text_.substr(at_, end - at_);
  at_ = end;
  return true;
}

std::optional<Slice> member(Slice object, std::string_view key) {
  std::optional<Slice> found;
  Walker walker(object);
  Slice name;
  Slice value;
  while (walker.next(name, value)) {
    const auto plain = plain_string(name);
    if (plain ? *plain == key : string_of(name) == key) found = value;
  }
  return found;
}

}  // namespace iii::json
