#include "faces/cli/verb.h"

#include <algorithm>

#include "faces/cli/width.h"
#include "foundation/base/text.h"

namespace iii::cli {

namespace {

constexpr size_t kWidestLine = 100;  // longer lines are hard to read
constexpr size_t kMostIndent = 30;

std::string head_of(const Option& option) {
  std::string out = option.letter != 0 ? std::string("-") + option.letter + ", --" : "    --";
  out += option.name;
  if (!option.value.empty()) out += " " + std::string(option.value);
  return out;
}

std::string paragraphs(std::string_view text, size_t width) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string> lines = wrapped(line, width);
    if (lines.empty()) out += "\n";
    for (const std::string& each : lines) out += each + "\n";
  }
  return out;
}

// `head` and, beside it or below, its explanation.
void add_row(std::string& out, const std::string& head, std::string_view text, size_t indent,
             size_t width) {
  out += "  " + head;
  size_t used = 2 + head.size();
  bool first = true;
  for (const std::string& line : wrapped(text, width > indent + 20 ? width - indent : 20)) {
    if (first && used + 2 <= indent) {
      out += std::string(indent - used, ' ');
    } else {
      out += "\n" + std::string(indent, ' ');
    }
    out += line;
    first = false;
    used = width;
  }
  out += "\n";
}

std::string options_text(const std::vector<Option>& options, size_t width) {
  std::string out = "\nOptions:\n";
  size_t widest = 0;
  for (const Option& option : options) widest = std::max(widest, head_of(option).size());
  const size_t indent = std::min(widest + 4, kMostIndent);
  for (const Option& option : options) add_row(out, head_of(option), option.help, indent, width);
  return out;
}

}  // namespace

std::string help_text(const Verb& verb, size_t width) {
  width = std::min(width, kWidestLine);
  std::string out = paragraphs(verb.summary, width);
  if (!verb.description.empty()) out += "\n" + paragraphs(verb.description, width);
  out += "\n";
  for (size_t i = 0; i < verb.usage.size(); ++i) {
    out += (i == 0 ? "Usage: " : "       ") + std::string(kProgram) + " " +
           std::string(verb.usage[i]) + "\n";
  }
  if (!verb.aliases.empty()) {
    out += "Also: ";
    for (size_t i = 0; i < verb.aliases.size(); ++i) {
      out += (i == 0 ? "" : ", ") + std::string(verb.aliases[i]);
    }
    out += "\n";
  }
  if (!verb.options.empty()) out += options_text(verb.options, width);
  if (!verb.examples.empty()) {
    out += "\nExamples:\n";
    size_t widest = 0;
    for (const Example& example : verb.examples) {
      widest = std::max(widest, kProgram.size() + 1 + example.command.size());
    }
    const size_t indent = std::min<size_t>(widest + 4, 60);
    for (const Example& example : verb.examples) {
      const std::string head = std::string(kProgram) + " " + std::string(example.command);
      add_row(out, head, example.what, indent, std::max(width, indent + 30));
    }
  }
  return out;
}

}  // namespace iii::cli
