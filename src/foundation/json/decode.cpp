#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::json {

std::string describe_value(Slice value) {
  switch (kind_of(value)) {
    case Kind::kNull:
      return "null";
    case Kind::kBoolean:
      return "boolean `" + std::string(value) + "`";
    case Kind::kInteger:
      return "integer `" + echoed(value) + "`";
    case Kind::kFloat:
      return "floating point `" + echoed(value) + "`";
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

namespace {

std::string wrong_value(Slice value, std::string_view expected) {
  return "invalid value: " + describe_value(value) + ", expected " + std::string(expected);
}

// The whole text must be the number.
template <typename Number>
bool read_number(Slice text, Number& out) {
  return std::from_chars(text.data(), text.data() + text.size(), out).ec == std::errc{};
}

Problem decode_string(Slice value, std::string& out) {
  if (kind_of(value) != Kind::kString) return type_mismatch(value, "a string");
  out = string_of(value);
  return std::nullopt;
}

Problem decode_boolean(Slice value, bool& out) {
  if (kind_of(value) != Kind::kBoolean) return type_mismatch(value, "a boolean");
  out = value == "true";
  return std::nullopt;
}

Problem decode_double(Slice value, double& out) {
  const Kind kind = kind_of(value);
  if (kind != Kind::kInteger && kind != Kind::kFloat) return type_mismatch(value, "f64");
  // from_chars gives no number below the smallest double (1e-400); strtod gives zero. Valid JSON
  // holds none above the largest.
  if (!read_number(value, out)) out = std::strtod(std::string(value).c_str(), nullptr);
  return std::nullopt;
}

Problem decode_parsed(Slice value, Value& out) {
  auto parsed = parse(value);
  if (!parsed) return std::move(parsed.error().message);
  out = std::move(*parsed);
  return std::nullopt;
}

// Integers and enums are kept as bytes, whatever their C++ type.
void store_integer(void* out, size_t bytes, uint64_t value) {
  const auto store = [out](auto number) { std::memcpy(out, &number, sizeof number); };
  switch (bytes) {
    case 1:
      return store(static_cast<uint8_t>(value));
    case 2:
      return store(static_cast<uint16_t>(value));
    case 4:
      return store(static_cast<uint32_t>(value));
    default:
      return store(value);
  }
}

Problem decode_signed(const Codec& codec, Slice value, void* out, std::string_view expected) {
  if (expected.empty()) expected = codec.bytes == 8 ? "i64" : "i32";
  if (kind_of(value) != Kind::kInteger) return type_mismatch(value, expected);
  const int64_t high = INT64_MAX >> (64 - 8 * codec.bytes);
  int64_t number = 0;
  if (!read_number(value, number) || number > high || number < -high - 1) {
    return wrong_value(value, expected);
  }
  store_integer(out, codec.bytes, static_cast<uint64_t>(number));
  return std::nullopt;
}

Problem decode_unsigned(const Codec& codec, Slice value, void* out, std::string_view expected) {
  if (expected.empty()) expected = codec.bytes == 8 ? "u64" : codec.bytes == 4 ? "u32" : "u16";
  if (kind_of(value) != Kind::kInteger) return type_mismatch(value, expected);
  uint64_t number = 0;
  if (!read_number(value, number) || number > UINT64_MAX >> (64 - 8 * codec.bytes)) {
    return wrong_value(value, expected);
  }
  store_integer(out, codec.bytes, number);
  return std::nullopt;
}

Problem decode_enum(const Codec& codec, Slice value, void* out) {
  if (kind_of(value) != Kind::kString) return type_mismatch(value, "a string");
  const std::string word = string_of(value);
  std::string choices;
  for (const auto& [meaning, text] : codec.enumeration().words) {
    if (text == word) {
      store_integer(out, codec.bytes, meaning);
      return std::nullopt;
    }
    choices += (choices.empty() ? "`" : ", `") + std::string(text) + "`";
  }
  return "unknown variant `" + echoed(word) + "`, expected one of " + choices;
}

Problem decode_elements(const Codec& codec, Slice value, void* out, std::string_view expected) {
  codec.container->clear(out);
  Walker walker(value);
  Slice key;
  Slice element;
  while (walker.next(key, element)) {
    std::string name = codec.shape == Shape::kMap ? string_of(key) : std::string();
    void* const added = codec.container->add(out, std::move(name));
    if (Problem problem = decode_value(*codec.element, element, added, expected)) return problem;
  }
  return std::nullopt;
}

Problem check_limits(const FieldDescription& field, Slice value) {
  if ((field.minimum || field.maximum) && kind_of(value) == Kind::kInteger) {
    int64_t number = 0;
    if (!read_number(value, number) || (field.minimum && number < *field.minimum) ||
        (field.maximum && number > *field.maximum)) {
      return std::string(field.name) + ": must be from " +
             std::to_string(field.minimum.value_or(0)) + " to " +
             std::to_string(field.maximum.value_or(0)) + ", not " + echoed(value);
    }
  }
  if (field.max_length && long_text(*field.codec, value, *field.max_length)) {
    return std::string(field.name) + ": longer than " + std::to_string(*field.max_length) +
           " characters";
  }
  return std::nullopt;
}

// What the object holds for one field.
struct Found {
  Slice value;
  bool by_name = false;
  bool by_second_name = false;
};

// One pass over the object. Of equal keys the last one counts.
void find_fields(Slice object, const std::vector<FieldDescription>& fields, Found* found) {
  Walker walker(object);
  Slice key;
  Slice value;
  std::string unescaped;
  while (walker.next(key, value)) {
    std::string_view name;
    if (const auto plain = plain_string(key)) {
      name = *plain;
    } else {
      unescaped = string_of(key);
      name = unescaped;
    }
    for (size_t i = 0; i < fields.size(); ++i) {
      const bool by_name = fields[i].name == name;
      if (!by_name && (fields[i].second_name != name || name.empty())) continue;
      found[i].value = value;
      (by_name ? found[i].by_name : found[i].by_second_name) = true;
      break;
    }
  }
}

Problem decode_field(const FieldDescription& field, const Found& found, void* owner) {
  if (found.by_name && found.by_second_name) {
    return "duplicate field `" + std::string(field.name) + "`";
  }
  if (!found.by_name && !found.by_second_name) {
    if (!field.is_required()) return std::nullopt;
    return "missing field `" + std::string(field.name) + "`";
  }
  // An explicit null for a field with a default counts as absent.
  const bool optional = field.codec->shape == Shape::kOptional;
  if (field.has_default && !optional && found.value == "null") return std::nullopt;
  if (Problem problem =
          decode_value(*field.codec, found.value, field.of(owner), field.expected_word)) {
    return problem;
  }
  return check_limits(field, found.value);
}

Problem decode_object(const ObjectDescription& type, Slice value, void* out) {
  if (kind_of(value) != Kind::kObject) {
    return type_mismatch(value, "struct " + std::string(type.title));
  }
  std::array<Found, 16> few;
  std::vector<Found> many;
  Found* found = few.data();
  if (type.fields.size() > few.size()) {
    many.resize(type.fields.size());
    found = many.data();
  }
  find_fields(value, type.fields, found);
  // In the order of the description, so that of several errors always the same one is reported.
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (Problem problem = decode_field(type.fields[i], found[i], out)) return problem;
  }
  return std::nullopt;
}

std::optional<LongText> long_field(const ObjectDescription& type, Slice value, size_t most) {
  std::vector<Found> found(type.fields.size());
  find_fields(value, type.fields, found.data());
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i].by_name && !found[i].by_second_name) continue;
    const FieldDescription& field = type.fields[i];
    auto problem = long_text(*field.codec, found[i].value, field.max_length.value_or(most));
    if (!problem) continue;
    if (problem->field.empty()) problem->field = field.name;
    return problem;
  }
  return std::nullopt;
}

std::optional<LongText> long_element(const Codec& element, Slice value, size_t most) {
  Walker walker(value);
  Slice key;
  Slice each;
  while (walker.next(key, each)) {
    if (auto problem = long_text(element, each, most)) return problem;
  }
  return std::nullopt;
}

}  // namespace

std::optional<LongText> long_text(const Codec& codec, Slice value, size_t most) {
  const Kind kind = kind_of(value);
  switch (codec.shape) {
    case Shape::kString: {
      // With its quotes and escapes it is never shorter than it has characters.
      if (kind != Kind::kString || value.size() <= most) return std::nullopt;
      const size_t length = utf8_length(string_of(value));
      if (length <= most) return std::nullopt;
      return LongText{.field = {}, .length = length, .most = most};
    }
    case Shape::kOptional:
      return long_text(*codec.element, value, most);
    case Shape::kArray:
      return kind == Kind::kArray ? long_element(*codec.element, value, most) : std::nullopt;
    case Shape::kMap:
      return kind == Kind::kObject ? long_element(*codec.element, value, most) : std::nullopt;
    case Shape::kObject:
      return kind == Kind::kObject ? long_field(codec.object(), value, most) : std::nullopt;
    default:
      return std::nullopt;
  }
}

Problem decode_value(const Codec& codec, Slice value, void* out, std::string_view expected) {
  switch (codec.shape) {
    case Shape::kString:
      return decode_string(value, *static_cast<std::string*>(out));
    case Shape::kBoolean:
      return decode_boolean(value, *static_cast<bool*>(out));
    case Shape::kInteger:
      return codec.is_signed ? decode_signed(codec, value, out, expected)
                             : decode_unsigned(codec, value, out, expected);
    case Shape::kDouble:
      return decode_double(value, *static_cast<double*>(out));
    case Shape::kRaw:
      static_cast<Raw*>(out)->text = value;
      return std::nullopt;
    case Shape::kValue:
      return decode_parsed(value, *static_cast<Value*>(out));
    case Shape::kOptional:
      codec.container->clear(out);
      if (value == "null") return std::nullopt;
      return decode_value(*codec.element, value, codec.container->add(out, {}), expected);
    case Shape::kArray:
      if (kind_of(value) != Kind::kArray) return type_mismatch(value, "a sequence");
      return decode_elements(codec, value, out, expected);
    case Shape::kMap:
      if (kind_of(value) != Kind::kObject) return type_mismatch(value, "a map");
      return decode_elements(codec, value, out, expected);
    case Shape::kEnum:
      return decode_enum(codec, value, out);
    case Shape::kObject:
      return decode_object(codec.object(), value, out);
  }
  return std::nullopt;
}

}  // namespace iii::json
