// What stdout is connected to.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "faces/cli/args.h"

namespace iii::cli {

struct Screen {
  bool terminal = false;  // stdout is one: rows are fitted to it, documents are rendered
  bool colours = false;
  size_t width = 80;
};

// What is known about stdout, with `--color` of the command line.
Screen screen_of(const Args& args);
// The decision alone. `choice` is that of --color, `no_color` and `term` are variables of the
// environment.
bool wants_colours(std::string_view choice, bool terminal, const char* no_color, const char* term);
// Columns of the terminal: what it says itself, else COLUMNS, else 80; from 20 to 400.
size_t terminal_width(int descriptor);

}  // namespace iii::cli
