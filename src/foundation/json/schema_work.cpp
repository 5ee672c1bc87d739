#include "foundation/json/schema_work.h"

#include <algorithm>
#include <cmath>

#include "foundation/json/write.h"

namespace iii::json::schema_detail {

namespace {

// An integral double as the text of the integer: JSON Schema calls 1 and 1.0 equal.
void append_canonical_number(std::string& out, const Value& number) {
  const double* d = number.as_double();
  if (d != nullptr && std::trunc(*d) == *d && *d > -9.2e18 && *d < 1.8e19) {
    if (*d < 0) return append_number(out, static_cast<int64_t>(*d));
    return append_number(out, static_cast<uint64_t>(*d));
  }
  append(out, number);
}

}  // namespace

Exact exact(const Value& number) {
  if (number.as_int() != nullptr) return static_cast<Exact>(*number.as_int());
  if (number.as_uint() != nullptr) return static_cast<Exact>(*number.as_uint());
  return static_cast<Exact>(*number.as_double());
}

bool is_integer(const Value& value) {
  if (const double* d = value.as_double()) return std::trunc(*d) == *d;
  return value.as_int() != nullptr || value.as_uint() != nullptr;
}

std::string Work::text(const Value& value) {
  std::string out = shown(value, compiled_.limits.max_text);
  spend(4 * out.size() / kWrittenPerStep + 1);  // it is copied into a list and a message
  return out;
}

bool Work::matches(const std::string& pattern, std::string_view subject) {
  const RE2& regex = *compiled_.patterns.find(pattern)->second;
  const size_t cost =
      subject.size() * static_cast<size_t>(regex.ProgramSize()) / kSearchPerStep + 1;
  return spend(cost + steps_to_find(pattern)) &&
         RE2::PartialMatch(re2::StringPiece(subject.data(), subject.size()), regex);
}

bool Work::equal(const Value& a, const Value& b) {
  if (!spend(1)) return false;
  if (a.is_number() && b.is_number()) return exact(a) == exact(b);
  if (const std::string* text_of_a = a.as_string()) {
    const std::string* text_of_b = b.as_string();
    return text_of_b != nullptr && same_text(*text_of_a, *text_of_b);
  }
  if (const Array* array = a.as_array()) {
    return b.as_array() != nullptr &&
           std::ranges::equal(*array, *b.as_array(),
                              [this](const Value& x, const Value& y) { return equal(x, y); });
  }
  if (const Object* object = a.as_object()) {
    return b.as_object() != nullptr &&
           std::ranges::equal(*object, *b.as_object(), [this](const auto& x, const auto& y) {
             return same_text(x.first, y.first) && equal(x.second, y.second);
           });
  }
  return a == b;
}

bool Work::append_canonical(std::string& out, const Value& value) {
  if (!spend(1)) return false;
  if (const Array* array = value.as_array()) {
    out += '[';
    for (const Value& element : *array) {
      if (!append_canonical(out, element)) return false;
      out += ',';
    }
    out += ']';
  } else if (const Object* object = value.as_object()) {
    out += '{';
    for (const auto& [key, member] : *object) {
      if (!spend(key.size() / kWrittenPerStep)) return false;
      append_string(out, key);
      out += ':';
      if (!append_canonical(out, member)) return false;
      out += ',';
    }
    out += '}';
  } else if (const std::string* text_of_it = value.as_string()) {
    if (!spend(text_of_it->size() / kWrittenPerStep)) return false;
    append_string(out, *text_of_it);
  } else {
    append_canonical_number(out, value);
  }
  return true;
}

}  // namespace iii::json::schema_detail
