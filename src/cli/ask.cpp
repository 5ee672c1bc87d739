#include "cli/ask.h"

#include <unistd.h>

#include <iostream>
#include <string>

#include "base/text.h"
#include "cli/output.h"

namespace iii::cli {

bool can_ask() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::optional<std::string> ask_line(std::string_view question) {
  note("{} ", question);
  std::string answer;
  if (!std::getline(std::cin, answer)) {
    note_text("\n");
    return std::nullopt;
  }
  return std::string(trim(answer));
}

bool ask(std::string_view question) {
  const std::string word = ascii_lower(ask_line(std::string(question) + " [y/N]").value_or(""));
  return word == "y" || word == "yes";
}

}  // namespace iii::cli
