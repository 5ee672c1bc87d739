// Command lines: one table per command gives parsing, errors that teach, and the help text.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace iii::cli {

struct Option {
  std::string_view name;        // without the dashes
  std::string_view value = {};  // what to call its value in the help; empty for a switch
  std::string_view help = {};
  char letter = 0;  // short form
};

struct Command {
  std::string_view usage;
  std::string_view summary;
  std::vector<Option> options;
  bool positionals = false;
};

class Args {
 public:
  bool has(std::string_view option) const { return values_.contains(option); }
  // Of an option given several times, the last value.
  std::optional<std::string> value(std::string_view option) const;
  std::vector<std::string> all(std::string_view option) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

 private:
  friend Result<Args> parse_args(const Command& command, std::span<const std::string> words);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> positionals_;
};

// `--name value`, `--name=value`, `-n value`; `--` ends the options. Error code `usage`.
Result<Args> parse_args(const Command& command, std::span<const std::string> words);

std::string help_text(const Command& command);

// A whole number from `low` to `high`, or an Error that names the option.
Result<int64_t> number(std::string_view option, std::string_view text, int64_t low, int64_t high);

}  // namespace iii::cli
