// One finding about a file, and what its code means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iii::risks {

// Ordered: a later one is worse.
enum class Severity : uint8_t { kLow, kMedium, kHigh };

std::string_view severity_word(Severity severity);  // `low`, `medium`, `high`

struct Risk {
  std::string code;  // stable: codes.h
  Severity severity = Severity::kLow;
  uint32_t line = 0;               // from 1; 0: the file as a whole
  std::optional<uint32_t> column;  // from 1, in characters
  std::string excerpt;             // printable, at most kMaxExcerpt bytes; may be empty
  std::string message;             // what was recognised

  bool operator==(const Risk&) const = default;
};

inline constexpr size_t kMaxExcerpt = 160;

struct CodeInfo {
  std::string_view code;
  Severity severity = Severity::kLow;  // the worst that a finding with this code can have
  std::string_view title;              // what was recognised, a sentence without a full stop
  std::string_view why;                // why it matters
  std::string_view action;             // what to do
};

// Null: there is no such code.
const CodeInfo* find_code(std::string_view code);

}  // namespace iii::risks
