// What the program writes for people and pipes: answers on stdout, everything else on stderr.
//
// Text from files, a registry or a peer cannot drive the terminal: it is escaped (base/utf8.h).
// No other file writes to these streams (tests/checks/terminal_output.sh).
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "faces/cli/styled.h"
#include "faces/cli/terminal.h"
#include "foundation/base/result.h"
#include "foundation/base/utf8.h"

namespace iii::cli {

// Whole lines: newlines and tabs stay.
void print_text(std::string_view text);
void note_text(std::string_view text);  // on stderr
// For much text of which every part was escaped before (base/utf8.h), to save doing it twice.
void print_escaped(std::string_view text);

// A document: to a pipe or a file every byte as it is; to a terminal as whole lines, where CR LF
// ends a line, too.
void print_document(std::string_view text, const Screen& screen);

// With colours where the screen has them.
void print_styled(const Styled& text, const Screen& screen);
// One value and a newline; escaped, which keeps its meaning.
void print_json(std::string_view text);

// Nobody reads stdout any more: there is no point in making more output.
bool reader_left();

// What was printed so far is written. The exit code that follows: 1 when that failed (a full disk),
// else `code`. A reader that went away is not a failure.
int finish_output(int code);

// `Error: …` on stderr; gives the exit code that belongs to it: 2 for `usage`, 130 for
// `interrupted`, else 1.
int complain(const Error& error);

namespace output_detail {

template <typename T>
auto shown(const T& value) {
  if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return printable(value);
  } else {
    return value;
  }
}

template <typename... Args>
std::string format(fmt::format_string<const Args&...> text, const Args&... args) {
  return fmt::vformat(text, fmt::make_format_args(shown(args)...));
}

}  // namespace output_detail

// One line or several: the arguments cannot add lines to it.
template <typename... Args>
void print(fmt::format_string<const Args&...> text, const Args&... args) {
  print_text(output_detail::format<Args...>(text, args...));
}
template <typename... Args>
void note(fmt::format_string<const Args&...> text, const Args&... args) {
  note_text(output_detail::format<Args...>(text, args...));
}

}  // namespace iii::cli
