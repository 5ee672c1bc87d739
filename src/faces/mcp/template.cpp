#include "faces/mcp/template.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "foundation/base/text.h"

namespace iii::mcp {

namespace {

constexpr std::string_view kAllArguments = "arguments";
constexpr std::string_view kAllPlaceholder = "$ARGUMENTS";
constexpr size_t kMaxArguments = 64;
constexpr size_t kMaxNameBytes = 64;

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kMaxNameBytes) return false;
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!letter(text[0])) return false;
  return std::ranges::all_of(
      text, [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '.'; });
}

struct Placeholder {
  enum class Kind { kName, kAll, kWord };
  Kind kind = Kind::kName;
  std::string_view name = {};
  size_t word = 0;  // from 1
  size_t length = 0;
};

std::optional<Placeholder> placeholder_at(std::string_view text) {
  if (text.starts_with("{{")) {
    const size_t end = text.find("}}", 2);
    if (end == std::string_view::npos || end > kMaxNameBytes + 16) return std::nullopt;
    const std::string_view name = trim(text.substr(2, end - 2));
    if (!is_name(name)) return std::nullopt;
    return Placeholder{.name = name, .length = end + 2};
  }
  if (text.starts_with(kAllPlaceholder)) {
    return Placeholder{.kind = Placeholder::Kind::kAll, .length = kAllPlaceholder.size()};
  }
  // `$10` and `$1.50` are amounts of money, not the first word.
  if (text.size() < 2 || text[0] != '$' || text[1] < '1' || text[1] > '9') return std::nullopt;
  const bool more =
      text.size() > 2 && ((text[2] >= '0' && text[2] <= '9') ||
                          (text[2] == '.' && text.size() > 3 && text[3] >= '0' && text[3] <= '9'));
  if (more) return std::nullopt;
  return Placeholder{
      .kind = Placeholder::Kind::kWord, .word = static_cast<size_t>(text[1] - '0'), .length = 2};
}

// Calls `literal` and `found` for the parts of the text, in order.
void walk(std::string_view text, const std::function<void(std::string_view)>& literal,
          const std::function<void(const Placeholder&, std::string_view)>& found) {
  while (!text.empty()) {
    const size_t at = text.find_first_of("{$");
    if (at == std::string_view::npos) return literal(text);
    literal(text.substr(0, at));
    text.remove_prefix(at);
    if (const std::optional<Placeholder> placeholder = placeholder_at(text)) {
      found(*placeholder, text.substr(0, placeholder->length));
      text.remove_prefix(placeholder->length);
    } else {
      literal(text.substr(0, 1));
      text.remove_prefix(1);
    }
  }
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) out.push_back(std::exchange(word, {}));
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) out.push_back(std::move(word));
  return out;
}

std::string text_member(const json::Value& object, std::string_view key) {
  const json::Value* value = object.find(key);
  return value != nullptr && value->as_string() != nullptr ? *value->as_string() : std::string();
}

TemplateArgument declared_argument(const json::Value& value) {
  if (value.as_string() != nullptr) return {.name = *value.as_string(), .declared = true};
  TemplateArgument out{.name = text_member(value, "name"),
                       .description = text_member(value, "description"),
                       .declared = true};
  const json::Value* required = value.find("required");
  out.required = required != nullptr && required->as_bool() != nullptr && *required->as_bool();
  for (const std::string_view key : {"values", "enum", "choices"}) {
    const json::Value* values = value.find(key);
    if (values == nullptr || values->as_array() == nullptr) continue;
    for (const json::Value& each : *values->as_array()) {
      if (each.as_string() != nullptr) out.values.push_back(*each.as_string());
    }
  }
  return out;
}

bool knows(const std::vector<TemplateArgument>& arguments, std::string_view name) {
  return std::ranges::find(arguments, name, &TemplateArgument::name) != arguments.end();
}

}  // namespace

std::vector<TemplateArgument> template_arguments(const json::Value& frontmatter,
                                                 std::string_view text) {
  std::vector<TemplateArgument> out;
  const auto add = [&out](TemplateArgument argument) {
    if (out.size() >= kMaxArguments || !is_name(argument.name)) return;
    if (!knows(out, argument.name)) out.push_back(std::move(argument));
  };
  if (const json::Value* declared = frontmatter.find("arguments")) {
    if (declared->as_array() != nullptr) {
      for (const json::Value& each : *declared->as_array()) add(declared_argument(each));
    } else if (declared->as_string() != nullptr) {
      for (std::string& word : words_of(*declared->as_string()))
        add({.name = std::move(word), .declared = true});
    }
  }
  const bool declares = !out.empty();
  const std::string hint = text_member(frontmatter, "argument-hint");
  walk(
      text, [](std::string_view) {},
      [&](const Placeholder& found, std::string_view) {
        switch (found.kind) {
          case Placeholder::Kind::kName:
            return add({.name = std::string(found.name)});
          case Placeholder::Kind::kWord:
            if (declares && found.word <= out.size()) return;
            [[fallthrough]];
          case Placeholder::Kind::kAll:
            return add(
                {.name = std::string(kAllArguments),
                 .description = hint.empty() ? "What follows the name of the prompt." : hint});
        }
      });
  return out;
}

std::string render_template(std::string_view text, const std::vector<TemplateArgument>& arguments,
                            const ArgumentValues& values) {
  const auto all = values.find(kAllArguments);
  const std::vector<std::string> words =
      all != values.end() ? words_of(all->second) : std::vector<std::string>();
  const auto value_of = [&](std::string_view name) -> std::optional<std::string> {
    if (const auto found = values.find(name); found != values.end()) return found->second;
    const auto argument = std::ranges::find(arguments, name, &TemplateArgument::name);
    if (argument != arguments.end() && argument->declared) return "";
    return std::nullopt;
  };
  std::string out;
  walk(
      text, [&out](std::string_view literal) { out += literal; },
      [&](const Placeholder& found, std::string_view written) {
        std::optional<std::string> value;
        switch (found.kind) {
          case Placeholder::Kind::kName:
            value = value_of(found.name);
            break;
          case Placeholder::Kind::kAll:
            value = all != values.end() ? all->second : "";
            break;
          case Placeholder::Kind::kWord:
            if (found.word <= words.size()) {
              value = words[found.word - 1];
            } else if (all == values.end() && found.word <= arguments.size()) {
              value = value_of(arguments[found.word - 1].name).value_or("");
            } else {
              value = "";
            }
            break;
        }
        out += value ? *value : std::string(written);
      });
  return out;
}

}  // namespace iii::mcp
