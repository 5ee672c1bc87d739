#include "app/daemon/verbs/call_progress.h"

#include <algorithm>
#include <array>
#include <utility>

namespace iii::daemon {

void CallProgress::tell(std::string_view step, uint64_t done, uint64_t total) {
  constexpr auto kWords = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"wait", "waiting for other downloads"},
       {"resolve", "asking"},
       {"fetch", "fetching"},
       {"check", "checking"},
       {"stage", "writing"},
       {"swap", "writing"},
       {"examine", "examining skills"},
       {"scan", "scanning"},
       {"apply", "repairing"}});
  const auto* word = std::ranges::find(kWords, step, [](const auto& each) { return each.first; });
  const std::lock_guard held(mutex_);
  tick_.step = word == kWords.end() ? "working" : word->second;
  tick_.done = done;
  tick_.total = total;
}

}  // namespace iii::daemon
