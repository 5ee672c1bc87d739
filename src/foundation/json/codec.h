// How the types that a described struct may hold are decoded, encoded and described. Each type has
// one constant Codec; the code that follows it is compiled once (decode.cpp, encode.cpp,
// describe_schema.cpp), so that a described struct costs a table and no code of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "foundation/json/slice.h"
#include "foundation/json/value.h"

namespace iii::json {

template <typename T>
struct Type {};

template <typename T>
concept Described = requires { describe(Type<T>{}); };
template <typename T>
concept DescribedEnum = Described<T> && std::is_enum_v<T>;
template <typename T>
concept DescribedObject = Described<T> && !std::is_enum_v<T>;

// A std::optional, a std::vector or a std::map, whatever its elements are.
struct Container {
  using Visit = bool (*)(void* context, std::string_view key, const void* element);

  void (*clear)(void* container);
  void* (*add)(void* container, std::string&& key);  // a new element; `key` is for maps
  // Visits the elements in order until a visit gives false; then gives false as well.
  bool (*each)(const void* container, void* context, Visit visit);
};

struct EnumDescription {
  std::string_view title;
  std::vector<std::pair<uint64_t, std::string_view>> words;  // values are zero-extended
};

struct ObjectDescription;

enum class Shape : uint8_t {
  kString,
  kBoolean,
  kInteger,
  kDouble,
  kRaw,
  kValue,
  kOptional,
  kArray,
  kMap,
  kEnum,
  kObject
};

struct Codec {
  Shape shape;
  bool is_signed = false;                // integers
  uint8_t bytes = 0;                     // integers and enums
  const Container* container = nullptr;  // kOptional, kArray, kMap
  const Codec* element = nullptr;        // kOptional, kArray, kMap
  const EnumDescription& (*enumeration)() = nullptr;
  const ObjectDescription& (*object)() = nullptr;
};

struct FieldDescription {
  std::string_view name;
  std::string_view description;
  const Codec* codec = nullptr;
  size_t offset = 0;                    // of the member in its struct
  std::string_view second_name = {};    // accepted instead of `name`
  std::string_view expected_word = {};  // in decode errors, instead of the type's own word
  std::string_view format = {};         // in the schema, instead of the type's own format
  bool has_default = false;
  bool writes_null = false;
  bool shows_null_default = false;
  std::optional<int64_t> minimum = {};
  std::optional<int64_t> maximum = {};
  std::optional<size_t> max_length = {};  // of a text, or of each text in a list; in characters

  bool is_required() const { return !has_default && codec->shape != Shape::kOptional; }
  const void* of(const void* owner) const { return static_cast<const char*>(owner) + offset; }
  void* of(void* owner) const { return static_cast<char*>(owner) + offset; }
};

struct ObjectDescription {
  std::string_view title;
  std::string_view description;
  std::vector<FieldDescription> fields;
  // Hands a struct with the values of its initialisers to `use`.
  void (*with_defaults)(void* context, void (*use)(void* context, const void* defaults));
};

// The only description of each type, made on first use.
template <typename T>
const ObjectDescription& object_of() {
  static const ObjectDescription description = describe(Type<T>{});
  return description;
}
template <typename T>
const EnumDescription& enum_of() {
  static const EnumDescription description = describe(Type<T>{});
  return description;
}

namespace codec_detail {

template <typename T>
struct Access {
  static constexpr bool kKnown = false;
};

template <typename T>
struct Access<std::optional<T>> {
  static constexpr bool kKnown = true;
  static constexpr Shape kShape = Shape::kOptional;
  using Element = T;
  static void clear(void* container) { static_cast<std::optional<T>*>(container)->reset(); }
  static void* add(void* container, std::string&& /*key*/) {
    return &static_cast<std::optional<T>*>(container)->emplace();
  }
  static bool each(const void* container, void* context, Container::Visit visit) {
    const auto& value = *static_cast<const std::optional<T>*>(container);
    return !value || visit(context, {}, &*value);
  }
};

template <typename T>
struct Access<std::vector<T>> {
  static constexpr bool kKnown = true;
  static constexpr Shape kShape = Shape::kArray;
  using Element = T;
  static void clear(void* container) { static_cast<std::vector<T>*>(container)->clear(); }
  static void* add(void* container, std::string&& /*key*/) {
    return &static_cast<std::vector<T>*>(container)->emplace_back();
  }
  static bool each(const void* container, void* context, Container::Visit visit) {
    for (const T& element : *static_cast<const std::vector<T>*>(container)) {
      if (!visit(context, {}, &element)) return false;
    }
    return true;
  }
};

template <typename T, typename Less>
struct Access<std::map<std::string, T, Less>> {
  using Map = std::map<std::string, T, Less>;
  static constexpr bool kKnown = true;
  static constexpr Shape kShape = Shape::kMap;
  using Element = T;
  static void clear(void* container) { static_cast<Map*>(container)->clear(); }
  static void* add(void* container, std::string&& key) {
    return &(*static_cast<Map*>(container))[std::move(key)];
  }
  static bool each(const void* container, void* context, Container::Visit visit) {
    for (const auto& [key, element] : *static_cast<const Map*>(container)) {
      if (!visit(context, key, &element)) return false;
    }
    return true;
  }
};

template <typename T>
inline constexpr Container kContainer{&Access<T>::clear, &Access<T>::add, &Access<T>::each};

template <typename T>
constexpr Codec make_codec();

}  // namespace codec_detail

template <typename T>
inline constexpr Codec kCodec = codec_detail::make_codec<T>();

namespace codec_detail {

template <typename T>
constexpr Codec make_codec() {
  if constexpr (std::is_same_v<T, std::string>) {
    return {.shape = Shape::kString};
  } else if constexpr (std::is_same_v<T, bool>) {
    return {.shape = Shape::kBoolean};
  } else if constexpr (std::is_same_v<T, double>) {
    return {.shape = Shape::kDouble};
  } else if constexpr (std::is_integral_v<T>) {
    return {.shape = Shape::kInteger, .is_signed = std::is_signed_v<T>, .bytes = sizeof(T)};
  } else if constexpr (std::is_same_v<T, Raw>) {
    return {.shape = Shape::kRaw};
  } else if constexpr (std::is_same_v<T, Value>) {
    return {.shape = Shape::kValue};
  } else if constexpr (Access<T>::kKnown) {
    return {.shape = Access<T>::kShape,
            .container = &kContainer<T>,
            .element = &kCodec<typename Access<T>::Element>};
  } else if constexpr (DescribedEnum<T>) {
    return {.shape = Shape::kEnum, .bytes = sizeof(T), .enumeration = &enum_of<T>};
  } else {
    static_assert(DescribedObject<T>, "describe(json::Type<T>) is missing or not yet declared");
    return {.shape = Shape::kObject, .object = &object_of<T>};
  }
}

}  // namespace codec_detail

// The length of a text that may have any: of a field that takes what the input as a whole may hold.
inline constexpr size_t kAnyLength = SIZE_MAX;

// ---- what follows the tables

using Problem = std::optional<std::string>;  // nothing: decoded

// `out` is a value of the codec's type. `expected` stands in errors for the name of a number type.
Problem decode_value(const Codec& codec, Slice value, void* out, std::string_view expected);
void encode_value(const Codec& codec, const void* value, std::string& out);
// As encode_value; a number that JSON cannot express is an error that says where it stands.
Result<std::string> encode_strictly(const Codec& codec, const void* value);
// `text_length`: what texts of fields without a length of their own have at most (see LongText).
// kAnyLength: the schema tells no lengths, not those of fields either.
Value schema_of(const Codec& codec, std::optional<size_t> text_length = {});

// A text that is longer than its field allows. Lengths are in characters (code points), as
// `maxLength` of JSON Schema counts them: whatever fits the schema is accepted.
struct LongText {
  std::string field;
  size_t length = 0;
  size_t most = 0;
};
// The first one. `most` counts where a field does not say. What does not fit its type otherwise is
// passed over; `value` is valid JSON.
std::optional<LongText> long_text(const Codec& codec, Slice value, size_t most);

}  // namespace iii::json
