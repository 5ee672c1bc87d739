#include "bus/protocol/trace.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "foundation/base/text.h"

namespace iii::protocol {

namespace {

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool all_zero(std::string_view text) {
  return text.find_first_not_of('0') == std::string_view::npos;
}

// Key and still encoded value of one list member, its properties cut off.
std::optional<std::pair<std::string_view, std::string_view>> entry_of(std::string_view member) {
  member = member.substr(0, member.find(';'));
  const size_t equals = member.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view key = trim(member.substr(0, equals));
  if (key.empty()) return std::nullopt;
  return std::pair{key, trim(member.substr(equals + 1))};
}

// Function ids are arbitrary text: what a baggage value may not hold is percent-encoded.
void append_value(std::string& out, std::string_view value) {
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain =
        byte > 0x20 && byte < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\' && c != '%';
    if (plain) {
      out += c;
    } else {
      out += percent_encode(std::string_view(&c, 1));
    }
  }
}

}  // namespace

bool valid_traceparent(std::string_view text) {
  if (text.size() != 55 || !text.starts_with("00-") || text[35] != '-' || text[52] != '-') {
    return false;
  }
  const std::string_view trace = text.substr(3, 32);
  const std::string_view span = text.substr(36, 16);
  return is_hex(trace) && is_hex(span) && is_hex(text.substr(53)) && !all_zero(trace) &&
         !all_zero(span);
}

std::string forwarded_baggage(std::string_view from_caller, std::string_view function_id) {
  std::string out;
  for (const std::string_view member : split(from_caller, ',')) {
    const auto entry = entry_of(member);
    if (!entry || entry->first == "iii.function.id") continue;
    out += entry->first;
    out += '=';
    out += entry->second;
    out += ',';
  }
  out += "iii.function.id=";
  append_value(out, function_id);
  return out;
}

std::map<std::string, std::string> baggage_entries(std::string_view baggage) {
  std::map<std::string, std::string> out;
  for (const std::string_view member : split(baggage, ',')) {
    if (const auto entry = entry_of(member)) {
      out.insert_or_assign(std::string(entry->first), percent_decode(entry->second));
    }
  }
  return out;
}

}  // namespace iii::protocol
