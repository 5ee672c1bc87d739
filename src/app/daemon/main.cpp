// Chooses what to do; everything else lives in rooms.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/daemon/descriptors.h"
#include "app/daemon/manifest.h"
#include "app/daemon/verbs/verbs.h"
#include "app/daemon/version.h"
#include "faces/cli/output.h"
#include "faces/cli/verbs.h"
#include "foundation/base/discard.h"

namespace {

using Words = std::span<const std::string>;

// Started with a standard stream closed, the next file that we open would take its number, and log
// lines or answers would be written into it.
void hold_standard_streams() {
  for (;;) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) ::close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
}

int run_verb(const iii::cli::Verb& verb, Words words) {
  const auto args = iii::cli::parse_args(verb, words);
  if (!args) return iii::cli::complain(args.error());
  // `trigger FUNCTION --help` is about that function.
  if (args->has("help") && verb.name != "trigger") {
    const size_t width = iii::cli::screen_of(*args).width;
    const std::string more = verb.name == "config" ? iii::daemon::config_keys_text() : "";
    iii::cli::print_text(iii::cli::help_text(verb, width) + more);
    return 0;
  }
  return iii::daemon::runner_of(verb.name)(*args);
}

int run(Words words) {
  if (!words.empty() && !words[0].starts_with('-')) {
    const iii::cli::Verb* verb = iii::cli::find_verb(words[0]);
    if (verb != nullptr) return run_verb(*verb, words.subspan(1));
    return iii::cli::complain({"usage", iii::cli::unknown_verb(words[0])});
  }
  const auto args = iii::cli::parse_args(iii::cli::worker_verb(), words);
  if (!args) {
    const std::string late = iii::cli::misplaced_verb(words);
    return iii::cli::complain(late.empty() ? args.error() : iii::Error{"usage", late});
  }
  if (args->has("help")) {
    const size_t width = iii::cli::screen_of(*args).width;
    iii::cli::print_text(iii::cli::overview(width) + "\n" +
                         iii::cli::help_text(iii::cli::worker_verb(), width));
    return 0;
  }
  if (args->has("version")) {
    iii::cli::print("iii-directory {} ({})\n", iii::daemon::kVersion, iii::daemon::kCommit);
    return 0;
  }
  if (args->has("manifest")) {
    iii::cli::print_text(iii::daemon::manifest() + "\n");
    return 0;
  }
  return iii::daemon::run_worker(*args);
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  // A reader of our output that goes away (`serve 2>&1 | head -1`) is an error of that write, not
  // the end of the process.
  std::signal(SIGPIPE, SIG_IGN);
  iii::set_up_malloc();
  if (const auto descriptors = iii::daemon::raise_descriptor_limit(); !descriptors) {
    return iii::cli::complain(descriptors.error());
  }
  const std::vector<std::string> words(argv + 1, argv + argc);
  return iii::cli::finish_output(run(words));
}
