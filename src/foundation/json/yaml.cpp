#include "foundation/json/yaml.h"

#include <yaml.h>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace iii::json {

namespace {

bool all_digits(std::string_view text, int base) {
  if (text.empty()) return false;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : 99;
    if (digit >= base) return false;
  }
  return true;
}

// Digits with an optional prefix for the base. Nothing when it is not a 64-bit integer.
std::optional<Value> integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  if (text.starts_with("0b")) base = 2;
  if (base != 10) text.remove_prefix(2);
  if (!all_digits(text, base)) return std::nullopt;
  if (base == 10 && text.size() > 1 && text.front() == '0') return std::nullopt;
  uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (read.ec != std::errc{}) return std::nullopt;
  if (!negative) return Value(number);
  if (number > static_cast<uint64_t>(INT64_MAX) + 1) return std::nullopt;
  return Value(static_cast<int64_t>(0 - number));
}

std::optional<Value> floating(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') || digits.starts_with('-')) digits.remove_prefix(1);
  // `007` is a name, not a number; so are `1_000`, `.inf` (JSON has no infinity) and a lone dot.
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') {
    return std::nullopt;
  }
  if (digits.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  if (digits.find_first_of("0123456789") == std::string_view::npos) return std::nullopt;
  if (digits[0] == 'e' || digits[0] == 'E') return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(number)) return std::nullopt;
  return Value(number);
}

// Owns a libyaml parser and builds a value from its events.
class Reader {
 public:
  Reader(std::string_view text, size_t max_depth) : max_depth_(max_depth) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                                 text.size());
  }
  ~Reader() {
    yaml_event_delete(&event_);
    yaml_parser_delete(&parser_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::optional<Value> document() {
    if (!expect(YAML_STREAM_START_EVENT) || !expect(YAML_DOCUMENT_START_EVENT)) return std::nullopt;
    Value value;
    if (!next()) return std::nullopt;
    places_.document = place_of(event_.start_mark);
    if (!read(value, 0)) return std::nullopt;
    if (!expect(YAML_DOCUMENT_END_EVENT)) return std::nullopt;
    if (!next()) return std::nullopt;
    if (event_.type != YAML_STREAM_END_EVENT) {
      refuse("there is more than one document");
      return std::nullopt;
    }
    return value;
  }

  // Of the document that was read, or where and why reading ended.
  YamlPlaces& places() { return places_; }

 private:
  bool next() {
    yaml_event_delete(&event_);
    if (yaml_parser_parse(&parser_, &event_) != 0) return true;
    places_.error = parser_.problem != nullptr ? parser_.problem : "it cannot be read";
    places_.error_place = place_of(parser_.problem_mark);
    return false;
  }
  bool expect(yaml_event_type_t type) {
    if (!next()) return false;
    return event_.type == type || refuse("it is empty");
  }
  static YamlPlace place_of(const yaml_mark_t& mark) { return {mark.line + 1, mark.column + 1}; }

  // False, with the reason and the place of the current event.
  bool refuse(std::string reason) {
    places_.error = std::move(reason);
    places_.error_place = place_of(event_.start_mark);
    return false;
  }

  std::string scalar_text() const {
    return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
  }

  // The current event begins the value. False on anything that is not taken, aliases among it.
  bool read(Value& out, size_t depth) {
    switch (event_.type) {
      case YAML_SCALAR_EVENT:
        return read_scalar(out);
      case YAML_SEQUENCE_START_EVENT:
        return may_nest(depth) && read_sequence(out, depth + 1);
      case YAML_MAPPING_START_EVENT:
        return may_nest(depth) && read_mapping(out, depth + 1);
      case YAML_ALIAS_EVENT:
        return refuse("aliases are not supported");
      default:
        return refuse("a value is missing");
    }
  }
  bool may_nest(size_t depth) { return depth < max_depth_ || refuse("it nests too deeply"); }

  bool read_scalar(Value& out) {
    const auto& scalar = event_.data.scalar;
    if (scalar.tag != nullptr) {
      // `!word` is more likely a text that looks like a tag than a tag.
      const std::string_view tag = reinterpret_cast<const char*>(scalar.tag);
      if (tag != YAML_STR_TAG) return refuse("the tag " + std::string(tag) + " is not supported");
      out = scalar_text();
      return true;
    }
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    out = plain ? plain_yaml_scalar(scalar_text()) : Value(scalar_text());
    return true;
  }

  bool read_sequence(Value& out, size_t depth) {
    Array array;
    while (next()) {
      if (event_.type == YAML_SEQUENCE_END_EVENT) {
        out = std::move(array);
        return true;
      }
      if (!read(array.emplace_back(), depth)) return false;
    }
    return false;
  }

  bool read_mapping(Value& out, size_t depth) {
    Object object;
    while (next()) {
      if (event_.type == YAML_MAPPING_END_EVENT) {
        out = std::move(object);
        return true;
      }
      if (event_.type != YAML_SCALAR_EVENT) return refuse("a key is not text");
      std::string key = scalar_text();
      if (object.contains(key)) return refuse("the key `" + key + "` is repeated");
      if (depth == 1) places_.lines[key] = event_.start_mark.line + 1;
      Value member;
      if (!next()) return false;
      if (depth == 1) places_.values[key] = place_of(event_.start_mark);
      if (!read(member, depth)) return false;
      object.emplace(std::move(key), std::move(member));
    }
    return false;
  }

  const size_t max_depth_;
  yaml_parser_t parser_{};
  yaml_event_t event_{};
  YamlPlaces places_;
};

}  // namespace

Value plain_yaml_scalar(std::string_view text) {
  for (const std::string_view word : {"", "~", "null", "Null", "NULL"}) {
    if (text == word) return nullptr;
  }
  for (const std::string_view word : {"true", "True", "TRUE"}) {
    if (text == word) return true;
  }
  for (const std::string_view word : {"false", "False", "FALSE"}) {
    if (text == word) return false;
  }
  if (auto number = integer(text)) return std::move(*number);
  if (auto number = floating(text)) return std::move(*number);
  return Value(text);
}

std::optional<Value> parse_yaml(std::string_view text, YamlLimits limits, YamlPlaces* places) {
  if (text.size() > limits.max_bytes) {
    if (places != nullptr) *places = {{}, {}, {}, "it is too large", {1, 1}};
    return std::nullopt;
  }
  Reader reader(text, limits.max_depth);
  std::optional<Value> value = reader.document();
  if (places != nullptr) *places = std::move(reader.places());
  return value;
}

}  // namespace iii::json
