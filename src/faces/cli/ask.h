// A question to the person at the terminal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace iii::cli {

// Whether somebody can answer: input and error output are a terminal.
bool can_ask();
// True for `y` and `yes`. No answer, and the end of the input, is a no.
bool ask(std::string_view question);
// What was typed, without white space around it. Nothing: the end of the input, or Ctrl-C.
std::optional<std::string> ask_line(std::string_view question);

}  // namespace iii::cli
