#include "json/write.h"

#include <array>
#include <charconv>

namespace iii::json {

namespace {

constexpr std::array<bool, 256> make_escape_table() {
  std::array<bool, 256> table{};
  for (size_t i = 0; i < 0x20; ++i) table[i] = true;
  table['"'] = table['\\'] = true;
  return table;
}

constexpr auto kNeedsEscape = make_escape_table();

void append_escape(std::string& out, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\b':
      out += "\\b";
      return;
    case '\f':
      out += "\\f";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kDigits[static_cast<unsigned char>(c) >> 4];
      out += kDigits[static_cast<unsigned char>(c) & 15];
  }
}

template <typename Integer>
void append_integer(std::string& out, Integer number) {
  char text[24];
  const auto result = std::to_chars(text, text + sizeof text, number);
  out.append(text, result.ptr);
}

void append_indented(std::string& out, const Value& value, size_t level) {
  const auto new_line = [&out](size_t depth) {
    out += '\n';
    out.append(2 * depth, ' ');
  };
  if (const Array* array = value.as_array(); array != nullptr && !array->empty()) {
    out += '[';
    for (size_t i = 0; i < array->size(); ++i) {
      if (i > 0) out += ',';
      new_line(level + 1);
      append_indented(out, (*array)[i], level + 1);
    }
    new_line(level);
    out += ']';
  } else if (const Object* object = value.as_object(); object != nullptr && !object->empty()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ',';
      first = false;
      new_line(level + 1);
      append_string(out, key);
      out += ": ";
      append_indented(out, member, level + 1);
    }
    new_line(level);
    out += '}';
  } else {
    append(out, value);
  }
}

}  // namespace

void append_string(std::string& out, std::string_view text) {
  out += '"';
  size_t start = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!kNeedsEscape[static_cast<unsigned char>(text[i])]) continue;
    out.append(text, start, i - start);
    append_escape(out, text[i]);
    start = i + 1;
  }
  out.append(text, start);
  out += '"';
}

bool is_plain(std::string_view text) {
  bool escape = false;
  for (const char c : text) escape |= kNeedsEscape[static_cast<unsigned char>(c)];
  return !escape;
}

void append_number(std::string& out, int64_t number) { append_integer(out, number); }
void append_number(std::string& out, uint64_t number) { append_integer(out, number); }

void append_number(std::string& out, double number) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, number);
  const std::string_view written(text, static_cast<size_t>(result.ptr - text));
  out += written;
  if (written.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append(std::string& out, const Value& value) {
  if (const bool* b = value.as_bool()) {
    out += *b ? "true" : "false";
  } else if (const int64_t* i = value.as_int()) {
    append_number(out, *i);
  } else if (const uint64_t* u = value.as_uint()) {
    append_number(out, *u);
  } else if (const double* d = value.as_double()) {
    append_number(out, *d);
  } else if (const std::string* s = value.as_string()) {
    append_string(out, *s);
  } else if (const Array* array = value.as_array()) {
    out += '[';
    for (size_t n = 0; n < array->size(); ++n) {
      if (n > 0) out += ',';
      append(out, (*array)[n]);
    }
    out += ']';
  } else if (const Object* object = value.as_object()) {
    out += '{';
    bool first = true;
    for (const auto& [key, member] : *object) {
      if (!first) out += ',';
      first = false;
      append_string(out, key);
      out += ':';
      append(out, member);
    }
    out += '}';
  } else {
    out += "null";
  }
}

std::string to_text(const Value& value) {
  std::string out;
  append(out, value);
  return out;
}

std::string to_pretty_text(const Value& value) {
  std::string out;
  append_indented(out, value, 0);
  return out;
}

std::string compact(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      out += c;
      if (c == '\\') out += text[++i];
      if (c == '"') in_string = false;
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      out += c;
      in_string = c == '"';
    }
  }
  return out;
}

}  // namespace iii::json
