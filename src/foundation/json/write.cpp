#include "foundation/json/write.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace iii::json {

namespace {

constexpr std::array<bool, 256> make_escape_table() {
  std::array<bool, 256> table{};
  for (size_t i = 0; i < 0x20; ++i) table[i] = true;
  table['"'] = table['\\'] = true;
  return table;
}

constexpr auto kNeedsEscape = make_escape_table();

char* write_escape(char* to, char c) {
  static constexpr char kDigits[] = "0123456789abcdef";
  *to++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      *to++ = c;
      return to;
    case '\b':
      *to++ = 'b';
      return to;
    case '\f':
      *to++ = 'f';
      return to;
    case '\n':
      *to++ = 'n';
      return to;
    case '\r':
      *to++ = 'r';
      return to;
    case '\t':
      *to++ = 't';
      return to;
    default:
      *to++ = 'u';
      *to++ = '0';
      *to++ = '0';
      *to++ = kDigits[static_cast<unsigned char>(c) >> 4];
      *to++ = kDigits[static_cast<unsigned char>(c) & 15];
      return to;
  }
}

// Writes `text` to `to`, where six bytes for each byte are free, and returns the end. Eight bytes
// at a step: in each byte that needs an escape the highest bit of `found` is set; bits beyond the
// first may be false.
char* write_escaped(char* to, std::string_view text) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighBits = 0x8080808080808080;
  const auto below = [](uint64_t word, uint64_t limit) {
    return (word - kOnes * limit) & ~word & kHighBits;
  };
  size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    while (at + 8 <= text.size()) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + at, 8);
      std::memcpy(to, &word, 8);
      const uint64_t found =
          below(word, 0x20) | below(word ^ (kOnes * '"'), 1) | below(word ^ (kOnes * '\\'), 1);
      if (found == 0) {
        at += 8;
        to += 8;
        continue;
      }
      const size_t plain = static_cast<size_t>(std::countr_zero(found)) / 8;
      at += plain + 1;
      to = write_escape(to + plain, text[at - 1]);
    }
  }
  for (; at < text.size(); ++at) {
    if (kNeedsEscape[static_cast<unsigned char>(text[at])]) {
      to = write_escape(to, text[at]);
    } else {
      *to++ = text[at];
    }
  }
  return to;
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
  constexpr size_t kStep = 512;
  std::array<char, 6 * kStep> escaped;  // not initialised: only what was written is read
  // A document grows by about one escape per line.
  if (text.size() > kStep) out.reserve(out.size() + text.size() + text.size() / 16);
  out += '"';
  for (; !text.empty(); text.remove_prefix(std::min(kStep, text.size()))) {
    const char* const end = write_escaped(escaped.data(), text.substr(0, kStep));
    out.append(escaped.data(), static_cast<size_t>(end - escaped.data()));
  }
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
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
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
