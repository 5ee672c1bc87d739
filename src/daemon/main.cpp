// Chooses what to do; everything else lives in rooms.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/discard.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/trigger.h"
#include "daemon/config_verb.h"
#include "daemon/descriptors.h"
#include "daemon/doctor.h"
#include "daemon/manifest.h"
#include "daemon/serve.h"
#include "daemon/sources_verbs.h"
#include "daemon/version.h"

namespace {

using Words = std::span<const std::string>;
using Verb = std::pair<std::string_view, int (*)(Words)>;

constexpr std::array<Verb, 10> kVerbs{{{"serve", iii::daemon::run_serve},
                                       {"trigger", iii::cli::run_trigger},
                                       {"doctor", iii::daemon::run_doctor},
                                       {"config", iii::daemon::run_config},
                                       {"install", iii::daemon::run_install},
                                       {"add", iii::daemon::run_install},
                                       {"verify", iii::daemon::run_verify},
                                       {"outdated", iii::daemon::run_outdated},
                                       {"diff", iii::daemon::run_diff},
                                       {"update", iii::daemon::run_update}}};

int complain_of(const std::string& word) {
  std::vector<std::string> names;
  for (const auto& [name, run] : kVerbs) names.emplace_back(name);
  const std::string_view meant = iii::nearest(word, names);
  return iii::cli::complain(
      {"usage", "there is no verb '" + word + "'." +
                    (meant.empty() ? "" : " Did you mean " + std::string(meant) + "?") +
                    " Next: see --help."});
}

// Started with a standard stream closed, the next file that we open would take its number, and log
// lines or answers would be written into it.
void hold_standard_streams() {
  for (;;) {
    const int fd = ::open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) ::close(fd);
    if (fd < 0 || fd > STDERR_FILENO) return;
  }
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
  const Words all(words);
  if (!words.empty() && !words[0].starts_with('-')) {
    const auto verb = std::ranges::find(kVerbs, words[0], &Verb::first);
    return verb == kVerbs.end() ? complain_of(words[0]) : verb->second(all.subspan(1));
  }
  for (const std::string& word : words) {
    if (word == "--version" || word == "-V") {
      iii::cli::print("iii-directory {}\n", iii::daemon::kVersion);
      return 0;
    }
    if (word == "--manifest") {
      iii::cli::print_text(iii::daemon::manifest() + "\n");
      return 0;
    }
  }
  return iii::daemon::run_worker(all);
}
