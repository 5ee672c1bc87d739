#include "cli/output.h"

#include <cstdio>

#include "cli/next_step.h"

namespace iii::cli {

namespace {

void write(std::FILE* stream, std::string_view text) {
  const std::string shown = printable_lines(text);
  std::fwrite(shown.data(), 1, shown.size(), stream);
}

}  // namespace

void print_text(std::string_view text) { write(stdout, text); }

void note_text(std::string_view text) { write(stderr, text); }

int complain(const Error& error) {
  note_text("Error: " + as_commands(error.message) + "\n");
  return error.code == "usage" ? 2 : 1;
}

}  // namespace iii::cli
