#include "faces/cli/args.h"

#include <algorithm>
#include <charconv>

#include "foundation/base/text.h"

namespace iii::cli {

namespace {

const Option* find_option(const Verb& verb, std::string_view word) {
  const auto it = std::ranges::find_if(verb.options, [word](const Option& option) {
    return word.starts_with("--")
               ? word.substr(2) == option.name
               : word.size() == 2 && option.letter != 0 && word[1] == option.letter;
  });
  return it == verb.options.end() ? nullptr : &*it;
}

// `-v` where there is `-V`.
const Option* same_letter(const Verb& verb, std::string_view word) {
  if (word.size() != 2 || word[0] != '-') return nullptr;
  const auto it = std::ranges::find_if(verb.options, [word](const Option& option) {
    return option.letter != 0 && iequals(word.substr(1), std::string_view(&option.letter, 1));
  });
  return it == verb.options.end() ? nullptr : &*it;
}

std::unexpected<Error> unknown(const Verb& verb, std::string_view word) {
  std::vector<std::string> names;
  for (const Option& option : verb.options) names.push_back("--" + std::string(option.name));
  std::string message = "unexpected argument '" + std::string(word) + "'";
  if (const Option* same = same_letter(verb, word)) {
    message +=
        std::string(". Did you mean -") + same->letter + " (--" + std::string(same->name) + ")?";
  } else if (const std::string meant = did_you_mean(word, names); !meant.empty()) {
    message += "." + meant;
  }
  const std::string of = verb.name.empty() ? "" : " " + std::string(verb.name);
  return fail("usage", message + "\nNext: see `" + std::string(kProgram) + of + " --help`.");
}

Result<void> check_choice(const Option& option, const std::string& value) {
  if (option.choices.empty()) return {};
  std::vector<std::string> known;
  for (const std::string_view word : split(option.choices, ' ')) known.emplace_back(word);
  if (std::ranges::find(known, value) != known.end()) return {};
  return fail("usage", "--" + std::string(option.name) + ": '" + value + "' is not one of " +
                           join(known, ", ") + "." + did_you_mean(value, known));
}

Result<void> check_words(const Verb& verb, const std::vector<std::string>& words) {
  if (words.size() > verb.most_words) return unknown(verb, words[verb.most_words]);
  if (words.size() >= verb.least_words) return {};
  return fail("usage", "an argument is missing. Usage: " + std::string(kProgram) + " " +
                           std::string(verb.usage.front()) + "\nNext: see `" +
                           std::string(kProgram) + " " + std::string(verb.name) + " --help`.");
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const std::string_view meant = nearest(word, known);
  return meant.empty() ? "" : " Did you mean " + std::string(meant) + "?";
}

std::optional<std::string> Args::value(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::nullopt : std::optional(it->second.back());
}

std::vector<std::string> Args::all(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

Result<Args> parse_args(const Verb& verb, std::span<const std::string> words) {
  Args args;
  bool options_over = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (options_over || word.size() < 2 || word[0] != '-') {
      if (verb.most_words == 0) return unknown(verb, word);
      args.positionals_.push_back(word);
      continue;
    }
    if (word == "--") {
      options_over = true;
      continue;
    }
    const size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const Option* option = find_option(verb, std::string_view(word).substr(0, equals));
    if (option == nullptr) return unknown(verb, word);
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
    if (auto known = check_choice(*option, value); !known) return std::unexpected(known.error());
    args.values_[std::string(option->name)].push_back(std::move(value));
  }
  if (args.has("help")) return args;
  if (auto right = check_words(verb, args.positionals_); !right) {
    return std::unexpected(right.error());
  }
  return args;
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
