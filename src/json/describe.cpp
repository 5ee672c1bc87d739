#include "json/describe.h"

#include <charconv>

#include "base/text.h"

namespace iii::json {

std::string describe_value(Slice value) {
  switch (kind_of(value)) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "boolean `" + std::string(value) + "`";
    case Kind::kInteger:
      return "integer `" + std::string(value) + "`";
    case Kind::kFloat:
      return "floating point `" + std::string(value) + "`";
    case Kind::kString: {
      std::string text;
      append_string(text, utf8_prefix(string_of(value), 200));
      return "string " + text;
    }
    case Kind::kArray:
      return "sequence";
    case Kind::kObject:
      return "map";
  }
  return "nothing";
}

std::string type_mismatch(Slice value, std::string_view expected) {
  return "invalid type: " + describe_value(value) + ", expected " + std::string(expected);
}

Problem decode_into(Slice value, std::string& out, std::string_view /*expected*/) {
  if (kind_of(value) != Kind::kString) return type_mismatch(value, "a string");
  out = string_of(value);
  return std::nullopt;
}

Problem decode_into(Slice value, bool& out, std::string_view /*expected*/) {
  if (kind_of(value) != Kind::kBoolean) return type_mismatch(value, "a boolean");
  out = value == "true";
  return std::nullopt;
}

Problem decode_into(Slice value, double& out, std::string_view /*expected*/) {
  const Kind kind = kind_of(value);
  if (kind != Kind::kInteger && kind != Kind::kFloat) return type_mismatch(value, "f64");
  std::from_chars(value.data(), value.data() + value.size(), out);
  return std::nullopt;
}

Problem decode_into(Slice value, Raw& out, std::string_view /*expected*/) {
  out.text = std::string(value);
  return std::nullopt;
}

Problem decode_into(Slice value, Value& out, std::string_view /*expected*/) {
  auto parsed = parse(value);
  if (!parsed) return std::move(parsed.error().message);
  out = std::move(*parsed);
  return std::nullopt;
}

Problem decode_signed(Slice value, int64_t low, int64_t high, std::string_view expected,
                      int64_t& out) {
  if (kind_of(value) != Kind::kInteger) return type_mismatch(value, expected);
  const auto result = std::from_chars(value.data(), value.data() + value.size(), out);
  if (result.ec != std::errc{} || out < low || out > high) {
    return "invalid value: " + describe_value(value) + ", expected " + std::string(expected);
  }
  return std::nullopt;
}

Problem decode_unsigned(Slice value, uint64_t high, std::string_view expected, uint64_t& out) {
  if (kind_of(value) != Kind::kInteger) return type_mismatch(value, expected);
  const auto result = std::from_chars(value.data(), value.data() + value.size(), out);
  if (result.ec != std::errc{} || out > high) {
    return "invalid value: " + describe_value(value) + ", expected " + std::string(expected);
  }
  return std::nullopt;
}

namespace describe_detail {

Problem check_limits(Slice value, std::string_view name, const std::optional<int64_t>& minimum,
                     const std::optional<int64_t>& maximum,
                     const std::optional<size_t>& max_length) {
  const Kind kind = kind_of(value);
  if ((minimum || maximum) && kind == Kind::kInteger) {
    int64_t number = 0;
    const auto result = std::from_chars(value.data(), value.data() + value.size(), number);
    if (result.ec != std::errc{} || (minimum && number < *minimum) ||
        (maximum && number > *maximum)) {
      return std::string(name) + ": must be from " + std::to_string(minimum.value_or(0)) + " to " +
             std::to_string(maximum.value_or(0)) + ", not " + std::string(value);
    }
  }
  if (max_length && kind == Kind::kString && utf8_length(string_of(value)) > *max_length) {
    return std::string(name) + ": longer than " + std::to_string(*max_length) + " characters";
  }
  return std::nullopt;
}

Value integer_schema(bool is_signed, size_t bytes) {
  const std::string bits = std::to_string(8 * bytes);
  if (is_signed) return Object{{"type", "integer"}, {"format", "int" + bits}};
  return Object{{"type", "integer"}, {"format", "uint" + bits}, {"minimum", 0}};
}

Value with_null(Value schema) {
  Object& object = *schema.as_object();
  if (object.empty()) return schema;  // anything already includes null
  if (const auto type = object.find("type"); type != object.end()) {
    type->second = Array{type->second, "null"};
    return schema;
  }
  return Object{{"anyOf", Array{std::move(schema), Object{{"type", "null"}}}}};
}

Value property(Value schema, std::string_view description) {
  if (description.empty()) return schema;
  Object& object = *schema.as_object();
  // Draft-07 ignores everything beside a `$ref`, so a described reference is wrapped.
  if (object.contains("$ref")) schema = Object{{"allOf", Array{std::move(schema)}}};
  schema.as_object()->insert_or_assign("description", description);
  return schema;
}

Value finish_schema(Value root, std::string_view title, std::string_view description,
                    Object definitions) {
  Object& object = *root.as_object();
  object.insert_or_assign("$schema", "http://json-schema.org/draft-07/schema#");
  if (!title.empty()) object.insert_or_assign("title", title);
  if (!description.empty()) object.insert_or_assign("description", description);
  if (!definitions.empty()) object.insert_or_assign("definitions", std::move(definitions));
  return root;
}

void narrow(Value& schema, const std::optional<int64_t>& minimum,
            const std::optional<int64_t>& maximum, const std::optional<size_t>& max_length,
            std::string_view format, bool null_default) {
  Object& object = *schema.as_object();
  if (minimum) object.insert_or_assign("minimum", *minimum);
  if (maximum) object.insert_or_assign("maximum", *maximum);
  if (max_length) object.insert_or_assign("maxLength", static_cast<uint64_t>(*max_length));
  if (!format.empty()) object.insert_or_assign("format", format);
  if (null_default) object.insert_or_assign("default", nullptr);
}

}  // namespace describe_detail

}  // namespace iii::json
