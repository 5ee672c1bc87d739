#include <cmath>
#include <cstring>

#include "foundation/base/text.h"
#include "foundation/json/describe.h"

namespace iii::json {

namespace {

constexpr size_t kMaxPathShown = 200;  // characters of the path in an error

template <typename Number>
Number load(const void* value) {
  Number number;
  std::memcpy(&number, value, sizeof number);
  return number;
}

uint64_t load_unsigned(const Codec& codec, const void* value) {
  switch (codec.bytes) {
    case 1:
      return load<uint8_t>(value);
    case 2:
      return load<uint16_t>(value);
    case 4:
      return load<uint32_t>(value);
    default:
      return load<uint64_t>(value);
  }
}

int64_t load_signed(const Codec& codec, const void* value) {
  const int unused = 64 - 8 * codec.bytes;
  return static_cast<int64_t>(load_unsigned(codec, value) << unused) >> unused;
}

// Where the first number stands that JSON cannot express: `.a[3].b`. Nothing: there is none.
std::optional<std::string> find_inexpressible(const Value& value) {
  if (const double* number = value.as_double()) {
    return std::isfinite(*number) ? std::nullopt : std::optional<std::string>("");
  }
  if (const Array* array = value.as_array()) {
    for (size_t i = 0; i < array->size(); ++i) {
      if (auto path = find_inexpressible((*array)[i])) return "[" + std::to_string(i) + "]" + *path;
    }
  } else if (const Object* object = value.as_object()) {
    for (const auto& [key, member] : *object) {
      if (auto path = find_inexpressible(member)) return "." + key + *path;
    }
  }
  return std::nullopt;
}

class Encoder {
 public:
  // Strict: stops at a number that JSON cannot express. Otherwise null is written for it.
  Encoder(std::string& out, bool strict) : out_(out), strict_(strict) {}

  // False: it stopped, at `path`.
  bool write(const Codec& codec, const void* value) {
    switch (codec.shape) {
      case Shape::kString:
        append_string(out_, *static_cast<const std::string*>(value));
        return true;
      case Shape::kBoolean:
        out_ += *static_cast<const bool*>(value) ? "true" : "false";
        return true;
      case Shape::kInteger:
        write_integer(codec, value);
        return true;
      case Shape::kDouble:
        append_number(out_, *static_cast<const double*>(value));
        return !strict_ || std::isfinite(*static_cast<const double*>(value));
      case Shape::kRaw:
        out_ += static_cast<const Raw*>(value)->text;
        return true;
      case Shape::kValue:
        return write_parsed(*static_cast<const Value*>(value));
      case Shape::kOptional:
      case Shape::kArray:
      case Shape::kMap:
        return write_elements(codec, value);
      case Shape::kEnum:
        write_enum(codec, value);
        return true;
      case Shape::kObject:
        return write_object(codec.object(), value);
    }
    return true;
  }

  const std::string& path() const { return path_; }

 private:
  struct Elements {
    Encoder& encoder;
    const Codec& codec;  // of the container
    size_t count = 0;
  };

  bool stopped_in(const std::string& step) {
    path_.insert(0, step);
    return false;
  }

  void write_integer(const Codec& codec, const void* value) {
    if (codec.is_signed) {
      append_number(out_, load_signed(codec, value));
    } else {
      append_number(out_, load_unsigned(codec, value));
    }
  }

  void write_enum(const Codec& codec, const void* value) {
    const uint64_t number = load_unsigned(codec, value);
    for (const auto& [meaning, text] : codec.enumeration().words) {
      if (meaning == number) return append_string(out_, text);
    }
    out_ += "null";
  }

  bool write_parsed(const Value& value) {
    if (strict_) {
      if (const auto path = find_inexpressible(value)) return stopped_in(*path);
    }
    append(out_, value);
    return true;
  }

  static bool write_element(void* context, std::string_view key, const void* value) {
    Elements& at = *static_cast<Elements*>(context);
    Encoder& self = at.encoder;
    const size_t index = at.count++;
    if (index > 0) self.out_ += ',';
    if (at.codec.shape == Shape::kMap) {
      append_string(self.out_, key);
      self.out_ += ':';
    }
    if (self.write(*at.codec.element, value)) return true;
    if (at.codec.shape == Shape::kMap) return self.stopped_in("." + std::string(key));
    if (at.codec.shape == Shape::kArray) return self.stopped_in("[" + std::to_string(index) + "]");
    return false;
  }

  bool write_elements(const Codec& codec, const void* value) {
    Elements elements{*this, codec};
    if (codec.shape != Shape::kOptional) out_ += codec.shape == Shape::kArray ? '[' : '{';
    if (!codec.container->each(value, &elements, write_element)) return false;
    if (codec.shape != Shape::kOptional) {
      out_ += codec.shape == Shape::kArray ? ']' : '}';
    } else if (elements.count == 0) {
      out_ += "null";
    }
    return true;
  }

  bool write_object(const ObjectDescription& type, const void* owner) {
    out_ += '{';
    bool first = true;
    for (const FieldDescription& field : type.fields) {
      const void* const value = field.of(owner);
      if (!field.writes_null && is_absent(*field.codec, value)) continue;
      if (!first) out_ += ',';
      first = false;
      append_string(out_, field.name);
      out_ += ':';
      if (!write(*field.codec, value)) return stopped_in("." + std::string(field.name));
    }
    out_ += '}';
    return true;
  }

  static bool is_absent(const Codec& codec, const void* value) {
    const auto stop = [](void*, std::string_view, const void*) { return false; };
    return codec.shape == Shape::kOptional && codec.container->each(value, nullptr, stop);
  }

  std::string& out_;
  const bool strict_;
  std::string path_;
};

}  // namespace

void encode_value(const Codec& codec, const void* value, std::string& out) {
  Encoder(out, false).write(codec, value);
}

Result<std::string> encode_strictly(const Codec& codec, const void* value) {
  std::string out;
  Encoder encoder(out, true);
  if (encoder.write(codec, value)) return out;
  std::string_view path = encoder.path();
  if (path.starts_with('.')) path.remove_prefix(1);
  const std::string what =
      path.empty() ? "the value" : "`" + std::string(utf8_prefix(path, kMaxPathShown)) + "`";
  return fail("serialization_error",
              what +
                  " is NaN or infinite, which JSON cannot express. Next: give null or a finite "
                  "number instead.");
}

}  // namespace iii::json
