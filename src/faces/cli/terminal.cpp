#include "faces/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace iii::cli {

namespace {

constexpr size_t kLeastColumns = 20;
constexpr size_t kMost = 400;
constexpr size_t kUsual = 80;

}  // namespace

bool wants_colours(std::string_view choice, bool terminal, const char* no_color, const char* term) {
  if (choice == "always") return true;
  if (choice == "never" || !terminal) return false;
  if (no_color != nullptr && *no_color != '\0') return false;
  return term == nullptr || std::string_view(term) != "dumb";
}

size_t terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp<size_t>(size.ws_col, kLeastColumns, kMost);
  }
  if (const char* text = std::getenv("COLUMNS")) {
    if (const auto given = number("COLUMNS", text, 1, 100'000)) {
      return std::clamp(static_cast<size_t>(*given), kLeastColumns, kMost);
    }
  }
  return kUsual;
}

Screen screen_of(const Args& args) {
  Screen out;
  out.terminal = ::isatty(STDOUT_FILENO) == 1;
  out.colours = wants_colours(args.value("color").value_or("auto"), out.terminal,
                              std::getenv("NO_COLOR"), std::getenv("TERM"));
  out.width = terminal_width(STDOUT_FILENO);
  return out;
}

}  // namespace iii::cli
