#include "cli/args.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace iii::cli {

namespace {

const Option* find_option(const Command& command, std::string_view word) {
  const auto it =
      std::find_if(command.options.begin(), command.options.end(), [word](const Option& option) {
        return word.starts_with("--")
                   ? word.substr(2) == option.name
                   : word.size() == 2 && option.letter != 0 && word[1] == option.letter;
      });
  return it == command.options.end() ? nullptr : &*it;
}

std::unexpected<Error> unknown(const Command& command, std::string_view word) {
  std::vector<std::string> names;
  for (const Option& option : command.options) names.push_back("--" + std::string(option.name));
  std::string message = "unexpected argument '" + std::string(word) + "'";
  if (const std::string_view meant = nearest(word, names); !meant.empty()) {
    message += ". Did you mean " + std::string(meant) + "?";
  }
  return fail("usage", message + "\nNext: see --help.");
}

}  // namespace

std::optional<std::string> Args::value(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::nullopt : std::optional(it->second.back());
}

std::vector<std::string> Args::all(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

Result<Args> parse_args(const Command& command, std::span<const std::string> words) {
  Args args;
  bool options_over = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (options_over || word.size() < 2 || word[0] != '-') {
      if (!command.positionals) return unknown(command, word);
      args.positionals_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_over = true;
      continue;
    }
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const Option* option = find_option(command, std::string_view(word).substr(0, equals));
    if (option == nullptr) return unknown(command, word);
    std::string value;
    if (option->value.empty()) {
      if (equals != std::string::npos) {
        return fail("usage", "--" + std::string(option->name) + " takes no value");
      }
    } else if (equals != std::string::npos) {
      value = word.substr(equals + 1);
    } else if (i + 1 < words.size()) {
      value = words[++i];
    } else {
      return fail("usage", "--" + std::string(option->name) +
                               " needs a value: " + std::string(option->value));
    }
    args.values_[std::string(option->name)].push_back(std::move(value));
  }
  return args;
}

std::string help_text(const Command& command) {
  std::string out =
      std::string(command.summary) + "\n\nUsage: " + std::string(command.usage) + "\n";
  if (command.options.empty()) return out;
  out += "\nOptions:\n";
  std::vector<std::string> heads;
  size_t width = 0;
  for (const Option& option : command.options) {
    std::string head = option.letter != 0 ? std::string("-") + option.letter + ", --" : "    --";
    head += std::string(option.name);
    if (!option.value.empty()) head += " " + std::string(option.value);
    width = std::max(width, head.size());
    heads.push_back(std::move(head));
  }
  for (size_t i = 0; i < heads.size(); ++i) {
    out += "  " + heads[i] + std::string(width - heads[i].size() + 2, ' ');
    out += std::string(command.options[i].help) + "\n";
  }
  return out;
}

Result<int64_t> number(std::string_view option, std::string_view text, int64_t low, int64_t high) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value < low ||
      value > high) {
    return fail("usage", "--" + std::string(option) + ": '" + std::string(text) +
                             "' is not a whole number from " + std::to_string(low) + " to " +
                             std::to_string(high));
  }
  return value;
}

}  // namespace iii::cli
