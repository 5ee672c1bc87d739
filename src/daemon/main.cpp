// Chooses what to do; everything else lives in rooms.
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "cli/trigger.h"
#include "daemon/doctor.h"
#include "daemon/manifest.h"
#include "daemon/serve.h"
#include "daemon/sources_verbs.h"
#include "daemon/version.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::span<const std::string> all(words);
  if (!words.empty() && words[0] == "serve") return iii::daemon::run_serve(all.subspan(1));
  if (!words.empty() && words[0] == "trigger") return iii::cli::run_trigger(all.subspan(1));
  if (!words.empty() && words[0] == "doctor") return iii::daemon::run_doctor(all.subspan(1));
  if (!words.empty() && words[0] == "install") return iii::daemon::run_install(all.subspan(1));
  if (!words.empty() && words[0] == "verify") return iii::daemon::run_verify(all.subspan(1));
  if (!words.empty() && words[0] == "outdated") return iii::daemon::run_outdated(all.subspan(1));
  if (!words.empty() && words[0] == "update") return iii::daemon::run_update(all.subspan(1));
  for (const std::string& word : words) {
    if (word == "--version" || word == "-V") {
      std::printf("iii-directory %s\n", iii::daemon::kVersion);
      return 0;
    }
    if (word == "--manifest") {
      std::printf("%s\n", iii::daemon::manifest().c_str());
      return 0;
    }
  }
  return iii::daemon::run_worker(all);
}
