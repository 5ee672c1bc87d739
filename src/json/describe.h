// One description of a struct gives its decoder, its encoder and its JSON Schema (draft-07).
//
//   struct Greeting { std::string name; std::optional<int64_t> times; };
//   inline auto describe(json::Type<Greeting>) {
//     return json::object<Greeting>("Greeting", "Whom to greet, and how often.",
//         json::field("name", &Greeting::name, "Who is greeted."),
//         json::field("times", &Greeting::times, "How often; once when absent."));
//   }
//
// A std::optional member may be absent or null; other members are required unless `.optional()`
// says that the struct's own initialiser stands in. Unknown keys are ignored: engines add keys to
// payloads. Described enums: json::enumeration<E>("Name", {{E::kRead, "read"}, …}).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "base/result.h"
#include "json/slice.h"
#include "json/value.h"
#include "json/write.h"

namespace iii::json {

template <typename T>
struct Type {};

template <typename Owner, typename Member>
struct Field {
  using MemberType = Member;

  std::string_view name;
  Member Owner::* member;
  std::string_view description;
  std::string_view second_name = {};    // accepted instead of `name`
  std::string_view expected_word = {};  // in decode errors, instead of the type's own word
  std::string_view format = {};         // in the schema, instead of the type's own format
  bool has_default = false;
  bool writes_null = false;
  bool shows_null_default = false;
  std::optional<int64_t> minimum = {};
  std::optional<int64_t> maximum = {};
  std::optional<size_t> max_length = {};

  // May be absent: the struct's initialiser is the default.
  constexpr Field optional() const {
    Field f = *this;
    f.has_default = true;
    return f;
  }
  // An empty std::optional is written as null instead of being left out.
  constexpr Field nullable() const {
    Field f = *this;
    f.writes_null = true;
    return f;
  }
  // The schema says `"default": null`.
  constexpr Field null_default() const {
    Field f = *this;
    f.shows_null_default = true;
    return f;
  }
  constexpr Field alias(std::string_view other) const {
    Field f = *this;
    f.second_name = other;
    return f;
  }
  constexpr Field as(std::string_view word, std::string_view schema_format) const {
    Field f = *this;
    f.expected_word = word;
    f.format = schema_format;
    return f;
  }
  constexpr Field range(int64_t low, int64_t high) const {
    Field f = *this;
    f.minimum = low;
    f.maximum = high;
    return f;
  }
  // Most characters a string may have.
  constexpr Field length(size_t most) const {
    Field f = *this;
    f.max_length = most;
    return f;
  }
};

template <typename Owner, typename Member>
constexpr Field<Owner, Member> field(std::string_view name, Member Owner::* member,
                                     std::string_view description) {
  return Field<Owner, Member>{.name = name, .member = member, .description = description};
}

template <typename Owner, typename... Fields>
struct ObjectDescription {
  std::string_view title;
  std::string_view description;
  std::tuple<Fields...> fields;
};

template <typename Owner, typename... Members>
constexpr auto object(std::string_view title, std::string_view description,
                      Field<Owner, Members>... fields) {
  return ObjectDescription<Owner, Field<Owner, Members>...>{title, description, {fields...}};
}

template <typename E>
struct EnumDescription {
  std::string_view title;
  std::vector<std::pair<E, std::string_view>> words;
};

template <typename E>
EnumDescription<E> enumeration(std::string_view title,
                               std::vector<std::pair<E, std::string_view>> words) {
  return {title, std::move(words)};
}

// ---- decoding
// -------------------------------------------------------------------------------------

// What stands where something else was expected: ``invalid type: integer `5`, expected a string``.
std::string type_mismatch(Slice value, std::string_view expected);
std::string describe_value(
    Slice value);  // ``integer `5` ``, `string "x"`, `null`, `map`, `sequence`

using Problem = std::optional<std::string>;  // nothing: decoded

Problem decode_into(Slice value, std::string& out, std::string_view expected);
Problem decode_into(Slice value, bool& out, std::string_view expected);
Problem decode_into(Slice value, double& out, std::string_view expected);
Problem decode_into(Slice value, Raw& out, std::string_view expected);
Problem decode_into(Slice value, Value& out, std::string_view expected);
Problem decode_signed(Slice value, int64_t low, int64_t high, std::string_view expected,
                      int64_t& out);
Problem decode_unsigned(Slice value, uint64_t high, std::string_view expected, uint64_t& out);

template <typename T>
concept Described = requires { describe(Type<T>{}); };
template <typename T>
concept DescribedEnum = Described<T> && std::is_enum_v<T>;
template <typename T>
concept DescribedObject = Described<T> && !std::is_enum_v<T>;

template <typename T>
  requires std::is_integral_v<T>
Problem decode_into(Slice value, T& out, std::string_view expected) {
  if constexpr (std::is_signed_v<T>) {
    int64_t wide = 0;
    Problem problem =
        decode_signed(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                      expected.empty() ? (sizeof(T) == 8 ? "i64" : "i32") : expected, wide);
    if (!problem) out = static_cast<T>(wide);
    return problem;
  } else {
    uint64_t wide = 0;
    Problem problem = decode_unsigned(value, std::numeric_limits<T>::max(),
                                      expected.empty() ? (sizeof(T) == 8   ? "u64"
                                                          : sizeof(T) == 4 ? "u32"
                                                                           : "u16")
                                                       : expected,
                                      wide);
    if (!problem) out = static_cast<T>(wide);
    return problem;
  }
}

template <DescribedEnum E>
Problem decode_into(Slice value, E& out, std::string_view expected);
template <DescribedObject T>
Problem decode_into(Slice value, T& out, std::string_view expected);
template <typename T>
Problem decode_into(Slice value, std::vector<T>& out, std::string_view expected);
template <typename T>
Problem decode_into(Slice value, std::optional<T>& out, std::string_view expected);
template <typename T>
Problem decode_into(Slice value, std::map<std::string, T>& out, std::string_view expected);

template <typename T>
Problem decode_into(Slice value, std::optional<T>& out, std::string_view expected) {
  if (value == "null") {
    out.reset();
    return std::nullopt;
  }
  return decode_into(value, out.emplace(), expected);
}

template <typename T>
Problem decode_into(Slice value, std::vector<T>& out, std::string_view expected) {
  if (kind_of(value) != Kind::kArray) return type_mismatch(value, "a sequence");
  out.clear();
  Walker walker(value);
  Slice key;
  Slice element;
  while (walker.next(key, element)) {
    if (Problem problem = decode_into(element, out.emplace_back(), expected)) return problem;
  }
  return std::nullopt;
}

template <typename T>
Problem decode_into(Slice value, std::map<std::string, T>& out, std::string_view expected) {
  if (kind_of(value) != Kind::kObject) return type_mismatch(value, "a map");
  out.clear();
  Walker walker(value);
  Slice key;
  Slice element;
  while (walker.next(key, element)) {
    if (Problem problem = decode_into(element, out[string_of(key)], expected)) return problem;
  }
  return std::nullopt;
}

template <DescribedEnum E>
Problem decode_into(Slice value, E& out, std::string_view /*expected*/) {
  const auto description = describe(Type<E>{});
  if (kind_of(value) != Kind::kString) return type_mismatch(value, "a string");
  const std::string word = string_of(value);
  std::string choices;
  for (const auto& [meaning, text] : description.words) {
    if (text == word) {
      out = meaning;
      return std::nullopt;
    }
    choices += (choices.empty() ? "`" : ", `") + std::string(text) + "`";
  }
  return "unknown variant `" + word + "`, expected one of " + choices;
}

namespace describe_detail {

template <typename T>
constexpr bool is_optional = false;
template <typename T>
constexpr bool is_optional<std::optional<T>> = true;

Problem check_limits(Slice value, std::string_view name, const std::optional<int64_t>& minimum,
                     const std::optional<int64_t>& maximum,
                     const std::optional<size_t>& max_length);

template <typename Owner, typename Member>
Problem decode_field(Slice object, const Field<Owner, Member>& f, Owner& out) {
  std::optional<Slice> value = member(object, f.name);
  if (!f.second_name.empty()) {
    const std::optional<Slice> second = member(object, f.second_name);
    if (value && second) return "duplicate field `" + std::string(f.name) + "`";
    if (second) value = second;
  }
  if (!value) {
    if (f.has_default || is_optional<Member>) return std::nullopt;
    return "missing field `" + std::string(f.name) + "`";
  }
  // An explicit null for a field with a default counts as absent.
  if (f.has_default && !is_optional<Member> && *value == "null") return std::nullopt;
  if (Problem problem = decode_into(*value, out.*f.member, f.expected_word)) return problem;
  return check_limits(*value, f.name, f.minimum, f.maximum, f.max_length);
}

}  // namespace describe_detail

template <DescribedObject T>
Problem decode_into(Slice value, T& out, std::string_view /*expected*/) {
  const auto description = describe(Type<T>{});
  if (kind_of(value) != Kind::kObject) {
    return type_mismatch(value, "struct " + std::string(description.title));
  }
  Problem problem;
  std::apply(
      [&](const auto&... f) {
        static_cast<void>(
            ((problem = describe_detail::decode_field(value, f, out), problem.has_value()) || ...));
      },
      description.fields);
  return problem;
}

// `text` must be valid JSON. The error's message is the reason alone, e.g. ``missing field `id` ``.
template <typename T>
Result<T> decode(std::string_view text) {
  T out{};
  if (Problem problem = decode_into(trimmed(text), out, {})) {
    return fail("deserialization_error", std::move(*problem));
  }
  return out;
}

// ---- encoding
// -------------------------------------------------------------------------------------

inline void encode_to(std::string& out, const std::string& s) { append_string(out, s); }
inline void encode_to(std::string& out, bool b) { out += b ? "true" : "false"; }
inline void encode_to(std::string& out, double d) { append_number(out, d); }
inline void encode_to(std::string& out, const Raw& raw) { out += raw.text; }
inline void encode_to(std::string& out, const Value& value) { append(out, value); }
template <typename T>
  requires(std::is_integral_v<T> && !std::is_same_v<T, bool>)
void encode_to(std::string& out, T number) {
  if constexpr (std::is_signed_v<T>) {
    append_number(out, static_cast<int64_t>(number));
  } else {
    append_number(out, static_cast<uint64_t>(number));
  }
}
template <DescribedEnum E>
void encode_to(std::string& out, E value);
template <DescribedObject T>
void encode_to(std::string& out, const T& value);
template <typename T>
void encode_to(std::string& out, const std::vector<T>& values);
template <typename T>
void encode_to(std::string& out, const std::map<std::string, T>& values);

template <typename T>
void encode_to(std::string& out, const std::optional<T>& value) {
  if (value) {
    encode_to(out, *value);
  } else {
    out += "null";
  }
}

template <typename T>
void encode_to(std::string& out, const std::vector<T>& values) {
  out += '[';
  bool first = true;
  for (const auto& value : values) {
    if (!first) out += ',';
    first = false;
    encode_to(out, static_cast<const T&>(value));
  }
  out += ']';
}

template <typename T>
void encode_to(std::string& out, const std::map<std::string, T>& values) {
  out += '{';
  bool first = true;
  for (const auto& [key, value] : values) {
    if (!first) out += ',';
    first = false;
    append_string(out, key);
    out += ':';
    encode_to(out, value);
  }
  out += '}';
}

template <DescribedEnum E>
void encode_to(std::string& out, E value) {
  for (const auto& [meaning, text] : describe(Type<E>{}).words) {
    if (meaning == value) return append_string(out, text);
  }
  out += "null";
}

namespace describe_detail {

template <typename Owner, typename Member>
void encode_field(std::string& out, const Field<Owner, Member>& f, const Owner& owner) {
  const Member& value = owner.*f.member;
  if constexpr (is_optional<Member>) {
    if (!value && !f.writes_null) return;
  }
  if (out.back() != '{') out += ',';
  append_string(out, f.name);
  out += ':';
  encode_to(out, value);
}

}  // namespace describe_detail

template <DescribedObject T>
void encode_to(std::string& out, const T& value) {
  const auto description = describe(Type<T>{});
  out += '{';
  std::apply([&](const auto&... f) { (describe_detail::encode_field(out, f, value), ...); },
             description.fields);
  out += '}';
}

template <typename T>
std::string encode(const T& value) {
  std::string out;
  encode_to(out, value);
  return out;
}

// ---- schema
// ---------------------------------------------------------------------------------------

namespace describe_detail {

// What a type looks like in a schema; nested described types are collected in `definitions`.
template <typename T>
struct SchemaOf;

struct SchemaParts {
  Object definitions;
};

Value integer_schema(bool is_signed, size_t bytes);
Value with_null(Value schema);  // the same, or null
Value property(Value schema, std::string_view description);
Value finish_schema(Value root, std::string_view title, std::string_view description,
                    Object definitions);
void narrow(Value& schema, const std::optional<int64_t>& minimum,
            const std::optional<int64_t>& maximum, const std::optional<size_t>& max_length,
            std::string_view format, bool null_default);

template <typename T>
Value schema_of(SchemaParts& parts) {
  if constexpr (std::is_same_v<T, std::string>) {
    return Object{{"type", "string"}};
  } else if constexpr (std::is_same_v<T, bool>) {
    return Object{{"type", "boolean"}};
  } else if constexpr (std::is_same_v<T, double>) {
    return Object{{"format", "double"}, {"type", "number"}};
  } else if constexpr (std::is_integral_v<T>) {
    return integer_schema(std::is_signed_v<T>, sizeof(T));
  } else if constexpr (std::is_same_v<T, Raw> || std::is_same_v<T, Value>) {
    return Object{};
  } else {
    return SchemaOf<T>::make(parts);
  }
}

template <typename T>
struct SchemaOf<std::optional<T>> {
  static Value make(SchemaParts& parts) { return with_null(schema_of<T>(parts)); }
};
template <typename T>
struct SchemaOf<std::vector<T>> {
  static Value make(SchemaParts& parts) {
    return Object{{"type", "array"}, {"items", schema_of<T>(parts)}};
  }
};
template <typename T>
struct SchemaOf<std::map<std::string, T>> {
  static Value make(SchemaParts& parts) {
    return Object{{"type", "object"}, {"additionalProperties", schema_of<T>(parts)}};
  }
};
template <DescribedEnum E>
struct SchemaOf<E> {
  static Value make(SchemaParts& parts) {
    const auto description = describe(Type<E>{});
    Array words;
    for (const auto& [meaning, text] : description.words) words.emplace_back(text);
    parts.definitions.insert_or_assign(std::string(description.title),
                                       Object{{"type", "string"}, {"enum", std::move(words)}});
    return Object{{"$ref", "#/definitions/" + std::string(description.title)}};
  }
};

template <DescribedObject T>
Value object_schema(SchemaParts& parts) {
  const auto description = describe(Type<T>{});
  Object properties;
  std::vector<std::string> required;
  const T defaults{};
  const auto add = [&]<typename Member>(const Field<T, Member>& f) {
    Value schema = property(schema_of<Member>(parts), f.description);
    narrow(schema, f.minimum, f.maximum, f.max_length, f.format, f.shows_null_default);
    if (f.has_default && !is_optional<Member>) {
      if (auto value = parse(encode(defaults.*f.member))) {
        schema.as_object()->insert_or_assign("default", std::move(*value));
      }
    }
    if (!f.has_default && !is_optional<Member>) required.emplace_back(f.name);
    properties.insert_or_assign(std::string(f.name), std::move(schema));
  };
  std::apply([&](const auto&... f) { (add(f), ...); }, description.fields);
  Object out{{"type", "object"}};
  if (!properties.empty()) out.emplace("properties", std::move(properties));
  if (!required.empty()) {
    std::sort(required.begin(), required.end());
    out.emplace("required", Array(required.begin(), required.end()));
  }
  return out;
}

template <DescribedObject T>
struct SchemaOf<T> {
  static Value make(SchemaParts& parts) {
    const std::string title(describe(Type<T>{}).title);
    if (!parts.definitions.contains(title)) {
      parts.definitions.emplace(title, Object{});  // ends the recursion of a type that holds itself
      parts.definitions.insert_or_assign(title, object_schema<T>(parts));
    }
    return Object{{"$ref", "#/definitions/" + title}};
  }
};

}  // namespace describe_detail

// A whole schema document, with `$schema`, `title` and `definitions`.
template <typename T>
Value schema() {
  describe_detail::SchemaParts parts;
  if constexpr (DescribedObject<T>) {
    const auto description = describe(Type<T>{});
    Value root = describe_detail::object_schema<T>(parts);
    return describe_detail::finish_schema(std::move(root), description.title,
                                          description.description, std::move(parts.definitions));
  } else {
    Value root = describe_detail::schema_of<T>(parts);
    return describe_detail::finish_schema(std::move(root), "", "", std::move(parts.definitions));
  }
}

}  // namespace iii::json
