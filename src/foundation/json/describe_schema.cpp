#include <algorithm>

#include "foundation/json/describe.h"

namespace iii::json {

namespace {

Value integer_schema(const Codec& codec) {
  const std::string bits = std::to_string(8 * codec.bytes);
  if (codec.is_signed) return Object{{"type", "integer"}, {"format", "int" + bits}};
  return Object{{"type", "integer"}, {"format", "uint" + bits}, {"minimum", 0}};
}

// The same, or null.
Value with_null(Value schema) {
  Object& object = *schema.as_object();
  if (object.empty()) return schema;  // anything already includes null
  if (const auto type = object.find("type"); type != object.end()) {
    type->second = Array{type->second, "null"};
    return schema;
  }
  return Object{{"anyOf", Array{std::move(schema), Object{{"type", "null"}}}}};
}

Value with_description(Value schema, std::string_view description) {
  if (description.empty()) return schema;
  Object& object = *schema.as_object();
  // Draft-07 ignores everything beside a `$ref`, so a described reference is wrapped.
  if (object.contains("$ref")) schema = Object{{"allOf", Array{std::move(schema)}}};
  schema.as_object()->insert_or_assign("description", description);
  return schema;
}

void add_limits(Object& schema, const FieldDescription& field) {
  if (field.minimum) schema.insert_or_assign("minimum", *field.minimum);
  if (field.maximum) schema.insert_or_assign("maximum", *field.maximum);
  if (!field.format.empty()) schema.insert_or_assign("format", field.format);
  if (field.shows_null_default) schema.insert_or_assign("default", nullptr);
}

Value text_schema(size_t most) {
  if (most == kAnyLength) return Object{{"type", "string"}};
  return Object{{"type", "string"}, {"maxLength", static_cast<uint64_t>(most)}};
}

// Nested described types are collected in `definitions_`.
class SchemaWriter {
 public:
  explicit SchemaWriter(std::optional<size_t> text_length)
      : text_length_(text_length.value_or(kAnyLength)), tells_lengths_(text_length != kAnyLength) {}

  Value value(const Codec& codec) { return value(codec, text_length_); }

  // Texts of it have at most so many characters.
  Value value(const Codec& codec, size_t most) {
    switch (codec.shape) {
      case Shape::kString:
        return text_schema(most);
      case Shape::kBoolean:
        return Object{{"type", "boolean"}};
      case Shape::kInteger:
        return integer_schema(codec);
      case Shape::kDouble:
        return Object{{"format", "double"}, {"type", "number"}};
      case Shape::kRaw:
      case Shape::kValue:
        return Object{};
      case Shape::kOptional:
        return with_null(value(*codec.element, most));
      case Shape::kArray:
        return Object{{"type", "array"}, {"items", value(*codec.element, most)}};
      case Shape::kMap:
        return Object{{"type", "object"}, {"additionalProperties", value(*codec.element, most)}};
      case Shape::kEnum:
        return enum_reference(codec.enumeration());
      case Shape::kObject:
        return object_reference(codec.object());
    }
    return Object{};
  }

  Value object(const ObjectDescription& type) {
    Object properties;
    Array required;
    for (const FieldDescription& field : type.fields) {
      Value schema = with_description(value(*field.codec, length_of(field)), field.description);
      add_limits(*schema.as_object(), field);
      if (field.has_default && field.codec->shape != Shape::kOptional) {
        add_default(*schema.as_object(), type, field);
      }
      if (field.is_required()) required.emplace_back(field.name);
      properties.insert_or_assign(std::string(field.name), std::move(schema));
    }
    Object out{{"type", "object"}};
    if (!properties.empty()) out.emplace("properties", std::move(properties));
    if (!required.empty()) {
      std::ranges::sort(required, {}, [](const Value& name) { return *name.as_string(); });
      out.emplace("required", std::move(required));
    }
    return out;
  }

  Object definitions() && { return std::move(definitions_); }

 private:
  Value enum_reference(const EnumDescription& type) {
    Array words;
    for (const auto& [meaning, text] : type.words) words.emplace_back(text);
    definitions_.insert_or_assign(std::string(type.title),
                                  Object{{"type", "string"}, {"enum", std::move(words)}});
    return Object{{"$ref", "#/definitions/" + std::string(type.title)}};
  }

  Value object_reference(const ObjectDescription& type) {
    const std::string title(type.title);
    if (!definitions_.contains(title)) {
      definitions_.emplace(title, Object{});  // ends the recursion of a type that holds itself
      definitions_.insert_or_assign(title, with_description(object(type), type.description));
    }
    return Object{{"$ref", "#/definitions/" + title}};
  }

  static void add_default(Object& schema, const ObjectDescription& type,
                          const FieldDescription& field) {
    struct Context {
      const FieldDescription& field;
      std::string text;
    } context{field, {}};
    type.with_defaults(&context, [](void* to, const void* defaults) {
      auto& [wanted, text] = *static_cast<Context*>(to);
      encode_value(*wanted.codec, wanted.of(defaults), text);
    });
    if (auto value = parse(context.text)) {
      schema.insert_or_assign("default", std::move(*value));
    }
  }

  size_t length_of(const FieldDescription& field) const {
    return tells_lengths_ ? field.max_length.value_or(text_length_) : kAnyLength;
  }

  const size_t text_length_;
  const bool tells_lengths_;
  Object definitions_;
};

}  // namespace

ObjectDescription make_object(std::string_view title, std::string_view description,
                              std::initializer_list<const FieldDescription*> fields) {
  ObjectDescription out{title, description, {}, nullptr};
  out.fields.reserve(fields.size());
  for (const FieldDescription* field : fields) out.fields.push_back(*field);
  return out;
}

Value schema_of(const Codec& codec, std::optional<size_t> text_length) {
  SchemaWriter writer(text_length);
  const ObjectDescription* const type = codec.shape == Shape::kObject ? &codec.object() : nullptr;
  Value schema = type != nullptr ? writer.object(*type) : writer.value(codec);
  Object& root = *schema.as_object();
  root.insert_or_assign("$schema", "http://json-schema.org/draft-07/schema#");
  if (type != nullptr && !type->title.empty()) root.insert_or_assign("title", type->title);
  if (type != nullptr && !type->description.empty()) {
    root.insert_or_assign("description", type->description);
  }
  Object definitions = std::move(writer).definitions();
  if (!definitions.empty()) root.insert_or_assign("definitions", std::move(definitions));
  return schema;
}

}  // namespace iii::json
