// The words of a command line, by the description of its verb; mistakes give errors that teach.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/verb.h"
#include "foundation/base/result.h"

namespace iii::cli {

class Args {
 public:
  bool has(std::string_view option) const { return values_.contains(option); }
  // Of an option given several times, the last value.
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> all(std::string_view option) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  friend Result<Args> parse_args(const Verb& verb, std::span<const std::string> words);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> positionals_;
};

// `--name value`, `--name=value`, `-n value`; `--` ends the options. With `--help` nothing else is
// checked. Error code `usage`.
Result<Args> parse_args(const Verb& verb, std::span<const std::string> words);

// A whole number from `low` to `high`, or an Error that names the option.
Result<int64_t> number(std::string_view option, std::string_view text, int64_t low, int64_t high);

// ` Did you mean x?`, or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& known);

}  // namespace iii::cli
