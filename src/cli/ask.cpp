#include "cli/ask.h"

#include <unistd.h>

#include <iostream>
#include <string>

#include "base/text.h"
#include "cli/output.h"

namespace iii::cli {

bool can_ask() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool ask(std::string_view question) {
  note("{} [y/N] ", question);
  std::string answer;
  if (!std::getline(std::cin, answer)) return false;
  const std::string word = ascii_lower(trim(answer));
  return word == "y" || word == "yes";
}

}  // namespace iii::cli
