#include "faces/cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "faces/cli/next_step.h"

namespace iii::cli {

namespace {

int write_error = 0;  // the first one on stdout

void write(std::FILE* stream, std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream) == text.size()) return;
  if (stream == stdout && write_error == 0) write_error = errno;
}

}  // namespace

void print_text(std::string_view text) { write(stdout, printable_lines(text)); }

void print_escaped(std::string_view text) { write(stdout, text); }

void note_text(std::string_view text) {
  std::fflush(stdout);  // in the order in which it was written
  write(stderr, printable_lines(text));
}

void print_document(std::string_view text, const Screen& screen) {
  if (!screen.terminal) return write(stdout, text);
  std::string lines;
  lines.reserve(text.size() + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (!text.substr(i).starts_with("\r\n")) lines += text[i];
  }
  if (!lines.ends_with('\n')) lines += '\n';
  print_text(lines);
}

void print_styled(const Styled& text, const Screen& screen) {
  write(stdout, text.text(screen.colours));
}

void print_json(std::string_view text) {
  print_text(text);
  write(stdout, "\n");
}

bool reader_left() { return write_error == EPIPE; }

int finish_output(int code) {
  if (std::fflush(stdout) != 0 && write_error == 0) write_error = errno;
  if (write_error == 0 || write_error == EPIPE) return code;
  note("Error: the output could not be written: {}\n", std::strerror(write_error));
  return code == 0 ? 1 : code;
}

int complain(const Error& error) {
  note_text("Error: " + as_commands(error.message) + "\n");
  if (error.code == "interrupted") return 130;
  return error.code == "usage" ? 2 : 1;
}

}  // namespace iii::cli
