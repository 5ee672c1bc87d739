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
//
// Members may be strings, bool, double, integers, Raw, Value, described structs and enums, and
// std::optional, std::vector and std::map<std::string, …> of these.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "foundation/base/result.h"
#include "foundation/json/codec.h"
#include "foundation/json/slice.h"
#include "foundation/json/value.h"
#include "foundation/json/write.h"

namespace iii::json {

// The modifiers change the field in place: a description is one expression of temporaries.
template <typename Owner>
struct Field : FieldDescription {
  // May be absent: the struct's initialiser is the default.
  Field&& optional() && {
    has_default = true;
    return std::move(*this);
  }
  // An empty std::optional is written as null instead of being left out.
  Field&& nullable() && {
    writes_null = true;
    return std::move(*this);
  }
  // The schema says `"default": null`.
  Field&& null_default() && {
    shows_null_default = true;
    return std::move(*this);
  }
  Field&& alias(std::string_view other) && {
    second_name = other;
    return std::move(*this);
  }
  Field&& as(std::string_view word, std::string_view schema_format) && {
    expected_word = word;
    format = schema_format;
    return std::move(*this);
  }
  Field&& range(int64_t low, int64_t high) && {
    minimum = low;
    maximum = high;
    return std::move(*this);
  }
  // Most characters that a text, or each text in a list, may have. kAnyLength: no limit of its own.
  Field&& length(size_t most) && {
    max_length = most;
    return std::move(*this);
  }
};

// The texts must live as long as the program: literals.
template <typename Owner, typename Member>
Field<Owner> field(std::string_view name, Member Owner::* member, std::string_view description) {
  // In the ABI that clang and gcc share, a pointer to a data member is its offset.
  static_assert(sizeof member == sizeof(size_t));
  return {{.name = name,
           .description = description,
           .codec = &kCodec<Member>,
           .offset = std::bit_cast<size_t>(member)}};
}

ObjectDescription make_object(std::string_view title, std::string_view description,
                              std::initializer_list<const FieldDescription*> fields);

// Fields may be those of the first base class of Owner.
template <typename Owner, typename... Owners>
  requires(std::is_base_of_v<Owners, Owner> && ...)
ObjectDescription object(std::string_view title, std::string_view description,
                         const Field<Owners>&... fields) {
  ObjectDescription out = make_object(title, description, {&fields...});
  out.with_defaults = [](void* context, void (*use)(void*, const void*)) {
    const Owner defaults{};
    use(context, &defaults);
  };
  return out;
}

template <typename E>
EnumDescription enumeration(std::string_view title,
                            std::initializer_list<std::pair<E, std::string_view>> words) {
  using Number = std::make_unsigned_t<std::underlying_type_t<E>>;
  EnumDescription out{title, {}};
  for (const auto& [value, word] : words) out.words.emplace_back(static_cast<Number>(value), word);
  return out;
}

// ---- decoding

// What stands where something else was expected: ``invalid type: integer `5`, expected a string``.
std::string type_mismatch(Slice value, std::string_view expected);
// ``integer `5` ``, `string "x"`, `null`, `map`, `sequence`
std::string describe_value(Slice value);

template <typename T>
Problem decode_into(Slice value, T& out, std::string_view expected) {
  return decode_value(kCodec<T>, value, &out, expected);
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

// Always valid JSON: NaN and infinities, which JSON cannot express, become null.
template <typename T>
void encode_to(std::string& out, const T& value) {
  encode_value(kCodec<T>, &value, out);
}

template <typename T>
std::string encode(const T& value) {
  std::string out;
  encode_to(out, value);
  return out;
}

// For values that others made: NaN and infinities are a `serialization_error` that names the field.
template <typename T>
Result<std::string> try_encode(const T& value) {
  return encode_strictly(kCodec<T>, &value);
}

// ---- schema

// A whole schema document, with `$schema`, `title` and `definitions`. schema_of() also takes the
// length of texts that say nothing about theirs.
template <typename T>
Value schema() {
  return schema_of(kCodec<T>);
}

}  // namespace iii::json
