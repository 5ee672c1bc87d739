// What a check against a schema spends: every operation whose time depends on the value or the
// schema is paid for in steps. Internal to schema_check.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "foundation/json/schema_compiled.h"
#include "foundation/json/value.h"

namespace iii::json::schema_detail {

// What one step pays for, so that all steps take about the same time.
inline constexpr size_t kWrittenPerStep = 256;    // bytes
inline constexpr size_t kComparedPerStep = 1024;  // bytes
inline constexpr size_t kComparisonsPerStep = 32;
// Bytes times instructions of a regular expression for one step: the worst case of RE2.
inline constexpr size_t kSearchPerStep = 128;
inline constexpr size_t kKeywordsPerStep = 4;

// Of a key in an object. It may be compared with others that begin like it.
inline size_t steps_to_find(std::string_view key) { return 16 * key.size() / kComparedPerStep + 1; }

// Holds every 64-bit integer and every double exactly.
using Exact = long double;
Exact exact(const Value& number);
bool is_integer(const Value& value);

class Work {
 public:
  explicit Work(const Compiled& compiled)
      : compiled_(compiled), steps_left_(compiled.limits.max_steps) {}

  size_t steps() const { return compiled_.limits.max_steps - steps_left_; }

 protected:
  bool spend(size_t steps) {
    if (steps > steps_left_) {
      given_up_ = true;
      steps_left_ = 0;
      return false;
    }
    steps_left_ -= steps;
    return !given_up_;
  }
  void give_up() { given_up_ = true; }
  bool given_up() const { return given_up_; }

  // The value for a message.
  std::string text(const Value& value);
  bool matches(const std::string& pattern, std::string_view subject);
  // Equal for JSON Schema: 1 and 1.0 are. Ends at the first difference.
  bool equal(const Value& a, const Value& b);
  bool same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && spend(a.size() / kComparedPerStep) && a == b;
  }
  // Appends text that is the same for equal values. False: too many steps.
  bool append_canonical(std::string& out, const Value& value);

  const Compiled& compiled_;

 private:
  size_t steps_left_;
  bool given_up_ = false;
};

}  // namespace iii::json::schema_detail
