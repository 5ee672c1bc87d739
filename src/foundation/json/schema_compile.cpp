// Is this a JSON Schema? Everything the checker relies on is made sure of here, once.
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "foundation/base/text.h"
#include "foundation/base/utf8_head.h"
#include "foundation/json/schema_compiled.h"
#include "foundation/json/write.h"

namespace iii::json {

namespace schema_detail {

bool is_type_name(std::string_view name) {
  for (const std::string_view known :
       {"array", "boolean", "integer", "null", "number", "object", "string"}) {
    if (name == known) return true;
  }
  return false;
}

namespace {

// The beginning of the value's text: all of it, or more than `enough` bytes.
void append_beginning(std::string& out, const Value& value, size_t enough) {
  if (out.size() > enough) return;
  if (const std::string* text = value.as_string()) {
    append_string(out, std::string_view(*text).substr(0, enough + 1));
  } else if (const Array* array = value.as_array()) {
    out += '[';
    for (size_t i = 0; i < array->size() && out.size() <= enough; ++i) {
      if (i > 0) out += ',';
      append_beginning(out, (*array)[i], enough);
    }
    out += ']';
  } else if (const Object* object = value.as_object()) {
    out += '{';
    for (auto it = object->begin(); it != object->end() && out.size() <= enough; ++it) {
      if (it != object->begin()) out += ',';
      append_string(out, std::string_view(it->first).substr(0, enough + 1));
      out += ':';
      append_beginning(out, it->second, enough);
    }
    out += '}';
  } else {
    append(out, value);
  }
}

}  // namespace

std::string cut(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  text.resize(utf8_head(text, max_bytes).size());
  return text + "…";
}

std::string shown(const Value& value, size_t max_bytes) {
  std::string text;
  append_beginning(text, value, max_bytes);
  return cut(std::move(text), max_bytes);
}

std::string not_of_type(const Value& value, std::string_view type, size_t max_bytes) {
  return shown(value, max_bytes) + " is not of type \"" + std::string(type) + "\"";
}

const Value* resolve(const Value& root, std::string_view ref) {
  if (!ref.starts_with('#')) return nullptr;
  const std::string pointer = percent_decode(ref.substr(1));
  const Value* at = &root;
  if (pointer.empty()) return at;
  if (pointer.front() != '/') return nullptr;
  for (const std::string_view part : split(std::string_view(pointer).substr(1), '/')) {
    std::string key;
    for (size_t i = 0; i < part.size(); ++i) {
      const bool escaped = part[i] == '~' && i + 1 < part.size();
      if (escaped) ++i;
      key += escaped ? (part[i] == '1' ? '/' : '~') : part[i];
    }
    if (const Array* array = at->as_array()) {
      if (key.empty() || key.size() > 9 ||
          key.find_first_not_of("0123456789") != std::string::npos) {
        return nullptr;
      }
      const size_t index = std::stoul(key);
      if (index >= array->size()) return nullptr;
      at = &(*array)[index];
    } else {
      at = at->find(key);
      if (at == nullptr) return nullptr;
    }
  }
  return at;
}

namespace {

using Problem = std::optional<std::string>;

class Compiler {
 public:
  explicit Compiler(Compiled& out) : out_(out) {}

  // A list of places to look at instead of recursion: references may chain without end.
  Problem run() {
    add(out_.root);
    while (!todo_.empty()) {
      const Value* schema = todo_.back();
      todo_.pop_back();
      if (schema->as_bool() != nullptr) continue;
      const Object* object = schema->as_object();
      if (object == nullptr) {
        return text(*schema) + " is not of types \"boolean\", \"object\"";
      }
      for (const auto& [keyword, argument] : *object) {
        if (Problem problem = look_at(keyword, argument)) return problem;
      }
    }
    return std::nullopt;
  }

 private:
  std::string text(const Value& value) const { return shown(value, out_.limits.max_text); }
  Problem wrong_type(const Value& value, std::string_view type) const {
    return not_of_type(value, type, out_.limits.max_text);
  }

  void add(const Value& schema) {
    if (seen_.insert(&schema).second) todo_.push_back(&schema);
  }

  static bool is_one_of(std::string_view keyword, std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (keyword == name) return true;
    }
    return false;
  }

  Problem look_at(const std::string& keyword, const Value& argument) {
    if (is_one_of(keyword, {"additionalProperties", "propertyNames", "additionalItems", "contains",
                            "not", "if", "then", "else"})) {
      return schema(argument);
    }
    if (is_one_of(keyword, {"properties", "patternProperties", "definitions", "$defs",
                            "dependentSchemas"})) {
      return schema_map(argument, keyword == "patternProperties");
    }
    if (is_one_of(keyword, {"allOf", "anyOf", "oneOf", "prefixItems"})) {
      return schema_list(argument);
    }
    if (keyword == "items") {
      return argument.as_array() != nullptr ? schemas(argument) : schema(argument);
    }
    if (is_one_of(keyword, {"maxLength", "minLength", "maxItems", "minItems", "maxProperties",
                            "minProperties", "maxContains", "minContains"})) {
      return count(argument);
    }
    if (is_one_of(keyword,
                  {"maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf"})) {
      return number(argument, keyword == "multipleOf");
    }
    if (keyword == "type") return type(argument);
    if (keyword == "required") return names(argument);
    if (keyword == "pattern") return pattern(argument);
    if (keyword == "$ref") return reference(argument);
    if (keyword == "dependencies" || keyword == "dependentRequired") return dependencies(argument);
    if (keyword == "enum" && argument.as_array() == nullptr) return wrong_type(argument, "array");
    if (keyword == "uniqueItems" && argument.as_bool() == nullptr) {
      return wrong_type(argument, "boolean");
    }
    return std::nullopt;
  }

  Problem schema(const Value& argument) {
    add(argument);
    return std::nullopt;
  }

  Problem schemas(const Value& argument) {
    for (const Value& element : *argument.as_array()) add(element);
    return std::nullopt;
  }

  Problem schema_list(const Value& argument) {
    const Array* array = argument.as_array();
    if (array == nullptr) return wrong_type(argument, "array");
    if (array->empty()) return "[] has less than 1 item";
    return schemas(argument);
  }

  Problem schema_map(const Value& argument, bool patterns) {
    const Object* object = argument.as_object();
    if (object == nullptr) return wrong_type(argument, "object");
    for (const auto& [key, member] : *object) {
      if (patterns) {
        if (Problem problem = regex(key)) return problem;
      }
      add(member);
    }
    return std::nullopt;
  }

  Problem count(const Value& argument) const {
    const int64_t* number = argument.as_int();
    if (number == nullptr) return wrong_type(argument, "integer");
    if (*number < 0) return text(argument) + " is less than the minimum of 0";
    return std::nullopt;
  }

  Problem number(const Value& argument, bool positive) const {
    if (!argument.is_number()) return wrong_type(argument, "number");
    const bool above = argument.as_uint() != nullptr ||
                       (argument.as_int() != nullptr && *argument.as_int() > 0) ||
                       (argument.as_double() != nullptr && *argument.as_double() > 0);
    if (positive && !above) return text(argument) + " is less than or equal to the minimum of 0";
    return std::nullopt;
  }

  Problem type(const Value& argument) const {
    const auto known = [](const Value& name) {
      return name.as_string() != nullptr && is_type_name(*name.as_string());
    };
    bool good = known(argument);
    if (const Array* array = argument.as_array()) {
      good = !array->empty();
      std::set<std::string> different;
      for (const Value& name : *array) {
        good = good && known(name) && different.insert(*name.as_string()).second;
      }
    }
    if (good) return std::nullopt;
    return text(argument) + " is not valid under any of the schemas listed in the 'anyOf' keyword";
  }

  Problem names(const Value& argument) const {
    const Array* array = argument.as_array();
    if (array == nullptr) return wrong_type(argument, "array");
    std::set<std::string> different;
    for (const Value& name : *array) {
      if (name.as_string() == nullptr) return wrong_type(name, "string");
      if (!different.insert(*name.as_string()).second) {
        return text(argument) + " has non-unique elements";
      }
    }
    return std::nullopt;
  }

  Problem dependencies(const Value& argument) {
    const Object* object = argument.as_object();
    if (object == nullptr) return wrong_type(argument, "object");
    for (const auto& [key, member] : *object) {
      if (member.as_array() == nullptr) {
        add(member);
      } else if (Problem problem = names(member)) {
        return problem;
      }
    }
    return std::nullopt;
  }

  Problem pattern(const Value& argument) {
    if (argument.as_string() == nullptr) return wrong_type(argument, "string");
    return regex(*argument.as_string());
  }

  Problem regex(const std::string& text_of_it) {
    if (out_.patterns.contains(text_of_it)) return std::nullopt;
    pattern_size_ += text_of_it.size();
    if (pattern_size_ > out_.limits.max_pattern_size) return patterns_too_large();
    RE2::Options options(RE2::Quiet);
    options.set_max_mem(256 * 1024);
    auto compiled = std::make_unique<RE2>(text_of_it, options);
    if (!compiled->ok()) return text(Value(text_of_it)) + " is not a \"regex\"";
    pattern_size_ += static_cast<size_t>(compiled->ProgramSize());
    if (pattern_size_ > out_.limits.max_pattern_size) return patterns_too_large();
    out_.patterns.emplace(text_of_it, std::move(compiled));
    return std::nullopt;
  }

  std::string patterns_too_large() const {
    return "the regular expressions are larger than " +
           std::to_string(out_.limits.max_pattern_size) + " bytes and instructions altogether";
  }

  Problem reference(const Value& argument) {
    const std::string* ref = argument.as_string();
    if (ref == nullptr) return wrong_type(argument, "string");
    const Value* target = resolve(out_.root, *ref);
    if (target == nullptr) {
      return text(argument) +
             " is not found in the schema (only references within it are followed)";
    }
    add(*target);
    return std::nullopt;
  }

  Compiled& out_;
  std::vector<const Value*> todo_;
  std::set<const Value*> seen_;
  size_t pattern_size_ = 0;
};

}  // namespace

}  // namespace schema_detail

Schema::Schema(std::unique_ptr<schema_detail::Compiled> compiled)
    : compiled_(std::move(compiled)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(Value schema, SchemaLimits limits) {
  auto compiled = std::make_unique<schema_detail::Compiled>();
  compiled->root = std::move(schema);
  compiled->limits = limits;
  if (auto problem = schema_detail::Compiler(*compiled).run()) {
    return fail("SCHEMA_INVALID", "invalid JSON Schema: " + *problem);
  }
  return Schema(std::move(compiled));
}

}  // namespace iii::json
